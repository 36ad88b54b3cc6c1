// SPDX-License-Identifier: MIT
#include "recording.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include "daemon.h"
#include "error.h"
#include "log.h"
#include "recorder.h"
#include "signals.h"

namespace ltt
{

namespace
{

constexpr int look_every_ms = 200;

// One trace of a recording.
struct Source {
	std::unique_ptr<KernelTrace> trace;
	std::string directory;
	std::unique_ptr<Session> session;
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
	Totals totals() const;
	bool over(Source &source) const;
	bool enough();

	Kernel &kernel_;
	const RecordOptions &options_;
	Progress progress_;
	std::vector<Source> sources_;
};

Recording::Recording(Kernel &kernel, const RecordOptions &options)
	: kernel_(kernel), options_(options)
{
	// All of them before anything is on disk.
	for (const std::string &name : options.names) {
		sources_.emplace_back();
		sources_.back().trace = kernel.open(name);
		sources_.back().trace->lock();
	}
	const bool several = sources_.size() > 1;
	for (size_t i = 0; i < sources_.size(); ++i) {
		Source &s = sources_[i];
		s.directory = options.directory + (several ? "/" + options.names[i] : "");
		s.session = open_session(
			*s.trace, s.directory, options.contexts, reporter(progress_));
		s.recorder = std::make_unique<Recorder>(*s.trace, *s.session);
	}
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
	return Signals::asked_to_end() != 0;
}

void Recording::follow()
{
	std::vector<pollfd> descriptors;
	for (;;) {
		descriptors.clear();
		for (Source &s : sources_) {
			s.recorder->read([&] { return enough(); });
			// One that is destroyed would not let us wait for the others.
			if (!s.recorder->at_end())
				descriptors.push_back({s.trace->descriptor(), POLLIN, 0});
		}
		if (enough() || std::all_of(sources_.begin(), sources_.end(),
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
	Recording recording(kernel, options);
	Signals signals;

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
