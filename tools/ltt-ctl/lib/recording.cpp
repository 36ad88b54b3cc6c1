// SPDX-License-Identifier: MIT
#include "recording.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <memory>
#include <optional>

#include "checkpoint.h"
#include "chunks.h"
#include "control.h"
#include "daemon.h"
#include "error.h"
#include "log.h"
#include "progress.h"
#include "recorder.h"
#include "signals.h"

namespace ltt
{

namespace
{

constexpr int look_every_ms = 200;
constexpr int pieces_at_once = 16; // of one trace, before the others have their turn

// One trace of a recording.
struct Source {
	std::string name;
	std::unique_ptr<KernelTrace> trace;
	std::string directory;
	std::unique_ptr<Session> session;
	std::unique_ptr<Checkpoint> checkpoint;
	std::unique_ptr<Recorder> recorder;

	bool active() { return trace->info().active; }
};

class Recording
{
public:
	Recording(Kernel &kernel, const RecordOptions &options);

	void follow();
	void finish();
	int report() const;

private:
	std::unique_ptr<Session> session_of(
		const Source &source, const ltt_trace_info &info, const std::string &boot);
	std::vector<std::string> parts() const;
	void require_own() const;
	void resume();
	Totals totals() const;
	bool over(Source &source) const;
	bool enough();
	void rotate(); // if it is time
	bool chunk_is_full() const;
	bool chunk_is_old() const;
	std::string end_chunk();

	Kernel &kernel_;
	const RecordOptions &options_;
	Progress progress_;
	Workers workers_; // of all traces
	std::vector<Source> sources_;
	std::optional<Control> control_;
	std::optional<Chunks> chunks_;
	time_t chunk_begun_ = std::time(nullptr);
	double chunk_age_from_ = seconds_now();
	uint64_t bytes_in_chunks_ = 0; // that are complete
	uint64_t packets_in_chunks_ = 0;
};

Recording::Recording(Kernel &kernel, const RecordOptions &options)
	: kernel_(kernel), options_(options), workers_(options.workers)
{
	// All of them before anything is on disk.
	const bool several = options.names.size() > 1;
	for (const std::string &name : options.names) {
		sources_.emplace_back();
		Source &s = sources_.back();
		s.name = name;
		s.directory = options.directory + (several ? "/" + name : "");
		s.trace = kernel.open(name);
		s.trace->lock();
	}
	make_output(options.directory);
	control_.emplace(options.directory);
	if (options.resume)
		require_own();
	else
		require_empty(options.directory);
	chunks_.emplace(options.directory, parts(), options.keep);
	if (options.resume)
		resume();
	for (Source &s : sources_) {
		const ltt_trace_info info = s.trace->info();
		if (!s.session)
			s.session = session_of(s, info, boot_id());
		s.checkpoint = std::make_unique<Checkpoint>(
			options.directory, s.name, info, chunks_->last() + 1);
		s.checkpoint->begin_chunk(*s.session, chunks_->last() + 1);
		s.recorder = std::make_unique<Recorder>(*s.trace, *s.session, s.checkpoint.get());
	}
}

std::unique_ptr<Session> Recording::session_of(
	const Source &source, const ltt_trace_info &info, const std::string &boot)
{
	return open_session(
		info, boot, source.directory, options_.contexts, reporter(progress_), &workers_);
}

// The directories that the recording is in.
std::vector<std::string> Recording::parts() const
{
	if (sources_.size() > 1)
		return options_.names;
	return {std::begin(session_parts), std::end(session_parts)};
}

void Recording::require_own() const
{
	const std::vector<std::string> own = parts();
	for (const std::string &name : names_in(options_.directory))
		if (!Control::is_own(name) && !Checkpoint::is_own(name) && name != "chunks" &&
			std::find(own.begin(), own.end(), name) == own.end())
			throw Error(Exit::failed,
				"directory " + options_.directory +
					" has something else in it than a recording of these "
					"traces: " +
					name + "; -o DIR names another");
}

// What there is becomes a chunk, without what was written of the last batches. These are in the
// next one.
void Recording::resume()
{
	std::vector<Remains> all;
	chunks_->go_on();
	for (Source &s : sources_) {
		all.emplace_back(options_.directory, s.name);
		const Remains &remains = all.back();
		if (!remains.any())
			continue;
		const bool complete = remains.chunk() <= chunks_->last();
		chunks_->count_from(remains.chunk() - 1);
		s.session = session_of(s, remains.info(), remains.boot_id());
		remains.restore(*s.session);
		Remains::cut(s.directory, s.session->files(), complete);
	}
	if (chunks_->anything_left())
		chunks_->finish(chunk_begun_);
	bool of_this_boot = true;
	for (size_t i = 0; i < all.size(); ++i)
		if (all[i].any()) {
			all[i].take_again(*sources_[i].session);
			of_this_boot = of_this_boot && all[i].of_this_boot();
		}
	if (of_this_boot)
		return;
	// The clock has begun anew, and so have the numbers of streams.
	if (chunks_->anything_left())
		chunks_->finish(chunk_begun_);
	for (Source &s : sources_)
		s.session.reset();
}

Totals Recording::totals() const
{
	Totals all;
	for (const Source &s : sources_)
		all += s.session->totals();
	return all;
}

bool Recording::over(Source &source) const
{
	return source.recorder->at_end() || (options_.until_stopped && !source.active());
}

bool Recording::enough()
{
	progress_.show(totals());
	return Signals::asked_to_end() != 0 || chunk_is_full();
}

bool Recording::chunk_is_full() const
{
	return options_.rotate_size && totals().bytes - bytes_in_chunks_ >= options_.rotate_size;
}

bool Recording::chunk_is_old() const
{
	return options_.rotate_seconds &&
	       seconds_now() - chunk_age_from_ >= options_.rotate_seconds;
}

std::string Recording::end_chunk()
{
	for (Source &s : sources_)
		s.session->end_chunk();
	const std::string path = chunks_->finish(chunk_begun_);
	chunk_begun_ = std::time(nullptr);
	chunk_age_from_ = seconds_now();
	for (Source &s : sources_)
		s.checkpoint->begin_chunk(*s.session, chunks_->last() + 1);
	bytes_in_chunks_ = totals().bytes;
	packets_in_chunks_ = totals().packets + totals().bad_packets;
	return path;
}

void Recording::rotate()
{
	const bool asked = control_->asked();
	if (!asked && !chunk_is_full() && !chunk_is_old())
		return;
	// One that is full needs nothing more. One that ends at a time has all that was written
	// before.
	if (asked || chunk_is_old())
		for (Source &s : sources_)
			s.recorder->catch_up();
	control_->answer(end_chunk());
}

void Recording::follow()
{
	std::vector<pollfd> descriptors;
	for (;;) {
		descriptors.assign(1, {control_->descriptor(), POLLIN, 0});
		for (Source &s : sources_) {
			int pieces = 0;
			s.recorder->read([&] { return ++pieces == pieces_at_once || enough(); });
			// One that is destroyed would not let us wait for the others.
			if (!s.recorder->at_end())
				descriptors.push_back({s.trace->descriptor(), POLLIN, 0});
		}
		rotate();
		progress_.show(totals());
		if (Signals::asked_to_end() || std::all_of(sources_.begin(), sources_.end(),
						       [&](Source &s) { return over(s); }))
			return;
		kernel_.wait(descriptors, look_every_ms);
	}
}

void Recording::finish()
{
	for (Source &s : sources_)
		s.recorder->drain(!s.recorder->at_end() && !s.active());
	progress_.clear();
	// Once there are chunks, all is in chunks.
	const bool asked = control_->asked();
	const bool chunked =
		options_.rotate_size || options_.rotate_seconds || asked || chunks_->any();
	const bool anything = totals().packets + totals().bad_packets > packets_in_chunks_;
	if (chunked && (anything || asked || !chunks_->any()))
		control_->answer(end_chunk());
	for (Source &s : sources_)
		s.checkpoint->end(*s.session, s.recorder->at_end());
}

int Recording::report() const
{
	for (const Source &s : sources_) {
		const std::string line = summary(s.session->totals(), s.directory);
		if (options_.ready)
			log_line(Level::info, line);
		else
			std::printf("%s\n", line.c_str());
	}
	advise_on_losses(totals());
	return static_cast<int>(exit_code(totals()));
}

} // namespace

int record_traces(Kernel &kernel, const RecordOptions &options)
{
	std::optional<PidFile> pid_file;
	if (!options.pid_file.empty())
		pid_file.emplace(options.pid_file);
	Signals signals;
	Recording recording(kernel, options);

	if (options.ready)
		options.ready();
	notify_manager("READY=1");
	if (!options.drain)
		recording.follow();
	notify_manager("STOPPING=1");
	recording.finish();
	return recording.report();
}

} // namespace ltt
