// SPDX-License-Identifier: MIT
#include "recorder.h"

#include <sys/utsname.h>

#include "control.h"
#include "error.h"
#include "file.h"
#include "log.h"
#include "progress.h"
#include "text.h"

namespace ltt
{

namespace
{

constexpr int look_every_ms = 200;
constexpr char other_directory[] = "; -o DIR names another";
constexpr uint64_t header_room = 16 << 20; // headers and definitions, which are no buffers'

} // namespace

ctf::Environment environment_of(const ltt_trace_info &info, const std::string &boot_id,
	const Clock &clock, uint32_t contexts)
{
	ctf::Environment environment;
	environment.hostname = host_name();
	environment.epoch_offset = clock.epoch_offset();
	environment.trace_name = trace_name(info);
	environment.contexts = info.contexts | contexts;
	utsname kernel{};
	if (uname(&kernel) == 0) {
		environment.kernel_release = kernel.release;
		environment.kernel_version = kernel.version;
	}
	try {
		environment.boot_id = ctf::parse_uuid(boot_id);
	} catch (const BadData &) {
		throw Error(Exit::failed,
			"cannot read /proc/sys/kernel/random/boot_id, which names the "
			"clock of the trace: mount /proc");
	}
	return environment;
}

void make_output(const std::string &directory)
{
	try {
		make_directories(directory);
	} catch (const Error &e) {
		// The directory may be one that nobody asked for by name.
		throw Error(e.code(), e.what() + std::string(other_directory));
	}
}

void require_empty(const std::string &directory)
{
	for (const std::string &name : names_in(directory))
		if (!Control::is_own(name))
			throw Error(Exit::failed,
				"directory " + directory + " is not empty" + other_directory);
}

void require_empty_directory(const std::string &directory)
{
	make_output(directory);
	require_empty(directory);
}

std::unique_ptr<Session> open_session(const ltt_trace_info &info, const std::string &boot_id,
	const std::string &directory, uint32_t contexts, Session::Report report, Workers *workers,
	Session::From from)
{
	Clock clock(info);
	return std::make_unique<Session>(directory, environment_of(info, boot_id, clock, contexts),
		clock, ctf::random_uuid, std::move(report), from, workers);
}

Recorder::Recorder(KernelTrace &trace, Session &session, Checkpoint *checkpoint)
	: trace_(trace), session_(session), checkpoint_(checkpoint),
	  own_batch_(checkpoint ? nullptr : std::make_unique<Batch>()),
	  batch_(checkpoint ? checkpoint->batch() : *own_batch_)
{
}

void Recorder::take(size_t size, uint64_t read_at)
{
	const uint64_t before = session_.totals().bytes;

	try {
		session_.take(batch_.data(), size, read_at);
		if (checkpoint_)
			checkpoint_->written(session_, size);
	} catch (const Error &e) {
		// The kernel has given them away and does not have them any more.
		std::string what = e.what();
		if (checkpoint_ && batch_.is_on_disk())
			what += "; " + format_size(size) +
				" of packets that were taken from the trace wait in the directory: "
				"record into it again, with --continue";
		else
			what += "; " + format_size(size) +
				" of packets were taken from the trace, of which " +
				format_size(session_.totals().bytes - before) +
				" are written and the rest is lost";
		throw Error(e.code(), what);
	}
}

void Recorder::read(const std::function<bool()> &enough)
{
	while (!at_end_) {
		const uint64_t read_at = trace_.info().clock_now;
		batch_.next();
		switch (trace_.read(batch_.data(), batch_.room(), last_size_)) {
		case KernelTrace::Got::data:
			batch_.filled(last_size_);
			take(last_size_, read_at);
			break;
		case KernelTrace::Got::nothing:
			return;
		case KernelTrace::Got::no_room:
			batch_.grow();
			continue;
		case KernelTrace::Got::end:
			at_end_ = true;
			return;
		}
		// Writers faster than the disk must not keep it from ending.
		if (enough())
			return;
	}
}

void Recorder::follow(const std::function<bool()> &enough)
{
	while (!at_end_) {
		read(enough);
		if (at_end_ || enough())
			return;
		trace_.wait(look_every_ms);
	}
}

void Recorder::catch_up()
{
	if (at_end_)
		return;
	trace_.flush();
	// The kernel gives of each thread one sub-buffer after the other, by turns: twice what
	// the buffers hold has all that was there, also of a thread that is slower than others.
	const ltt_trace_info info = trace_.info();
	const uint64_t most = 2 * info.memory + header_room;
	uint64_t taken = 0;
	read([&] {
		taken += last_size_;
		return info.active && taken > most;
	});
}

void Recorder::drain(bool quiet)
{
	catch_up();
	session_.finish(quiet || at_end_);
}

std::string summary(const Totals &t, const std::string &directory)
{
	std::string s = std::to_string(t.events) + " events, " + std::to_string(t.processes) +
			" processes, " + std::to_string(t.threads) + " threads, " +
			std::to_string(t.lost) + " lost, " + megabytes(t.bytes) + ", " + directory;
	if (t.bad_packets)
		s += " (" + std::to_string(t.bad_packets) + " bad packets set aside in bad/)";
	return s;
}

Exit exit_code(const Totals &t)
{
	if (t.bad_packets || t.corrupt_streams)
		return Exit::damaged;
	return t.lost ? Exit::lost : Exit::fine;
}

void advise_on_losses(const Totals &totals)
{
	if (exit_code(totals) == Exit::lost)
		log_line(Level::warning, "events were lost: give the trace larger or more "
					 "sub-buffers (--subbuf-size, --n-subbufs)");
}

} // namespace ltt
