// SPDX-License-Identifier: MIT
#include "session.h"

#include <algorithm>
#include <cstring>

#include "error.h"
#include "file.h"
#include "text.h"

namespace ltt
{

namespace
{

// As if registered by the kernel before all else: no program registers nothing.
const std::string kernel_mark;

constexpr size_t most_in_round = 1024; // of the smallest packets a batch has many more

} // namespace

Totals &Totals::operator+=(const Totals &o)
{
	events += o.events;
	processes += o.processes;
	threads += o.threads;
	lost += o.lost;
	bytes += o.bytes;
	packets += o.packets;
	bad_packets += o.bad_packets;
	corrupt_streams += o.corrupt_streams;
	last_ns = std::max(last_ns, o.last_ns);
	return *this;
}

Session::Session(std::string directory, ctf::Environment environment, const Clock &clock,
	MakeUuid make_uuid, Report report, From from, Workers *workers)
	: directory_(std::move(directory)), environment_(std::move(environment)), clock_(clock),
	  make_uuid_(std::move(make_uuid)), report_(std::move(report)), from_(from),
	  workers_(workers), writers_(1)
{
}

void Session::take(const uint8_t *data, size_t size, uint64_t read_at)
{
	while (size) {
		Packet packet;
		try {
			packet = first_packet(data, size);
		} catch (const BadData &e) {
			// Where the next one begins cannot be known.
			set_aside(data, size, "what the kernel delivered", e.what());
			return;
		}
		if (packet.header.type == LTT_PACKET_EVENTS)
			gather(packet, read_at);
		else if (packet.header.type == LTT_PACKET_DEFINITIONS)
			take_definitions(packet);
		else
			set_aside(packet.raw, packet.raw_size, "packet",
				"type " + std::to_string(packet.header.type) + " is not known");
		data += packet.raw_size;
		size -= packet.raw_size;
	}
	end_round();
}

void Session::gather(const Packet &packet, uint64_t read_at)
{
	const ltt_packet &h = packet.header;
	const auto again = taken_again_.find(h.stream);
	if (again != taken_again_.end() && h.sequence < again->second)
		return;
	note(changed_streams_, uint64_t{h.stream});
	Program &program = program_of(h.process);
	Stream *stream = &streams_[h.stream];

	// How late the events before are is not known yet. They end with their packet, at the
	// latest; so it need not be, unless this one begins earlier: after a flush, that is.
	if (stream->ends_in_round || h.begin < stream->end_in_round) {
		end_round();
		stream = &streams_[h.stream];
	}
	if (h.sequence < stream->next_sequence) {
		set_aside(
			packet.raw, packet.raw_size, "packet of " + origin_of(h), "it came before");
		return;
	}
	stream->next_sequence = h.sequence + 1;
	stream->end_in_round = std::max<uint64_t>(stream->end_in_round, h.end);
	stream->ends_in_round = h.flags & LTT_PACKET_LAST;
	// A process that registered nothing has no trace to tell of its losses in.
	ctf::Trace *const trace = &program == &root_ ? nullptr : trace_of(program, h.comm);
	round_.push_back({packet, &program.table, environment_.contexts_of(program.domain),
		stream->last_ticks, trace ? &trace->context() : nullptr});
	gathered_.push_back({stream, trace, program.domain, read_at});
	if (round_.size() == most_in_round)
		end_round();
}

void Session::end_round()
{
	if (round_.empty())
		return;
	Round round(clock_, round_, [this](size_t number, const Round::Result &result) {
		return settle(round_[number].packet, gathered_[number], result);
	});
	round.run(workers_, writers_);
	totals_.bytes += round.written();
	round_.clear();
	gathered_.clear();
	round.throw_error();
}

Session::Program &Session::program_of(uint64_t process)
{
	const uint32_t number = processes_.program(process);
	if (!number && process == LTT_PROCESS_KERNEL)
		return registered(root_, kernel_mark);
	return program(number);
}

Session::Program &Session::registered(Program &program, const std::string &bytes)
{
	std::unique_ptr<Program> &next = program.more[bytes];
	if (next)
		return *next;
	auto fresh = std::make_unique<Program>();
	fresh->table = program.table;
	fresh->domain = bytes == kernel_mark ? ctf::Domain::kernel : program.domain;
	try {
		const uint8_t *at = reinterpret_cast<const uint8_t *>(bytes.data());
		fresh->table.add(
			parse_definitions(at, bytes.size(), fresh->domain == ctf::Domain::kernel));
	} catch (const BadData &) {
		program.more.erase(bytes);
		throw;
	}
	fresh->trace = program.trace;
	if (fresh->trace && has_new_context(*fresh))
		fresh->trace = nullptr; // another one follows
	number_definitions(*fresh);
	fresh->parent = program.number;
	next = std::move(fresh);
	programs_.emplace_back(next.get(), bytes);
	next->number = static_cast<uint32_t>(programs_.size()); // 0 is the root
	return *next;
}

Session::Program &Session::program(uint32_t number)
{
	return number ? *programs_.at(number - 1).first : root_;
}

void Session::take_definitions(const Packet &packet)
{
	const uint64_t process = packet.header.process;
	try {
		const Program &next = registered(program_of(process),
			std::string(reinterpret_cast<const char *>(packet.body), packet.body_size));
		processes_.set_program(process, next.number);
		note(changed_processes_, process);
	} catch (const BadData &e) {
		set_aside(packet.raw, packet.raw_size,
			"definitions of process " + std::to_string(process), e.what());
	}
}

// All packets of a trace have the same contexts.
bool Session::has_new_context(const Program &program)
{
	for (const EventTable::Entry &entry : program.table.entries())
		if (entry.definition.is_context && !program.trace->has_context(entry.definition))
			return true;
	return false;
}

void Session::number_definitions(Program &program)
{
	if (!program.trace)
		return;
	program.table.set_tags([&](const Definition &d) { return program.trace->number(d); });
}

void Session::finish(bool quiet)
{
	if (quiet)
		tell_last_losses();
	for (auto &[key, trace] : traces_)
		trace->finish();
}

void Session::forget_traces(Program &program)
{
	program.trace = nullptr;
	for (auto &[bytes, next] : program.more)
		forget_traces(*next);
}

void Session::end_chunk()
{
	const bool empty = std::none_of(traces_.begin(), traces_.end(),
		[](const auto &trace) { return trace.second->files() > 0; });
	// Readers take a directory without a trace for an error.
	if (empty) {
		ctf::Trace trace(directory_ + "/ust/empty", environment_, make_uuid_());
		trace.write_metadata();
		trace.finish();
	}
	for (auto &[key, trace] : traces_)
		trace->finish();
	for (auto &[number, stream] : streams_) {
		stream.trace = nullptr;
		stream.file = nullptr;
	}
	forget_traces(root_);
	traces_.clear();
	names_.clear();
	files_.clear();
	changed_files_.clear();
}

// Whatever the order of registrations: the same events make the same program.
std::string Session::key_of(const Program &program) const
{
	if (program.domain == ctf::Domain::kernel)
		return "kernel"; // no identity begins so
	std::set<std::string> identities;
	for (const EventTable::Entry &entry : program.table.entries())
		if (!entry.definition.is_context || (environment_.contexts & LTT_CONTEXT_APP))
			identities.insert(entry.definition.identity());
	std::string key;
	for (const std::string &identity : identities)
		key += std::to_string(identity.size()) + ":" + identity;
	return key;
}

ctf::Trace *Session::trace_of(Program &program, const char *comm)
{
	if (program.trace)
		return program.trace;

	std::unique_ptr<ctf::Trace> &trace = traces_[key_of(program)];
	if (!trace)
		trace = std::make_unique<ctf::Trace>(
			directory_ + (program.domain == ctf::Domain::kernel
						     ? "/kernel"
						     : "/ust/" + free_name(comm)),
			environment_, make_uuid_(), program.domain);
	program.trace = trace.get();
	number_definitions(program);
	return program.trace;
}

// A name for the directory of a program: that of the first thread seen of it.
std::string Session::free_name(const char *comm)
{
	std::string base;
	for (size_t i = 0; i < LTT_COMM_SIZE && comm[i]; ++i) {
		char c = comm[i];
		bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			    (c >= '0' && c <= '9') || c == '_' || c == '-' || (c == '.' && i > 0);
		base += fine ? c : '_';
	}
	if (base.empty())
		base = "_";
	std::string name = base;
	for (int n = 2; !names_.insert(name).second; ++n)
		name = base + "-" + std::to_string(n);
	return name;
}

void Session::set_aside(
	const uint8_t *data, size_t size, const std::string &what, const std::string &why)
{
	end_round();
	set_aside_now(data, size, what, why);
}

void Session::set_aside_now(
	const uint8_t *data, size_t size, const std::string &what, const std::string &why)
{
	std::string directory = directory_ + "/bad";
	std::string path = directory + "/packet-" + std::to_string(totals_.bad_packets);

	++totals_.bad_packets;
	make_directories(directory);
	replace_file(path, data, size);
	note_file(path, size);
	report_(what + " set aside as " + path + ": " + why);
}

} // namespace ltt
