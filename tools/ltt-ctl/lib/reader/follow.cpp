// SPDX-License-Identifier: MIT
#include "follow.h"

#include <algorithm>

#include "../read_all.h"
#include "../recorder.h"
#include "../signals.h"
#include "../text.h"

namespace ltt::reader
{

namespace
{

constexpr int look_every_ms = 250;

class Follower
{
public:
	Follower(Kernel &kernel, const std::string &name, bool take)
		: kernel_(kernel), name_(name), trace_(kernel.open(name)), take_(take)
	{
		if (take)
			trace_->lock();
	}
	KernelTrace &trace() { return *trace_; }

	// All that there is now. False if it is the last.
	bool look(Live &live);

private:
	bool is_there() const;

	Kernel &kernel_;
	std::string name_;
	std::unique_ptr<KernelTrace> trace_;
	bool take_;
	Batch batch_;
};

bool Follower::is_there() const
{
	const std::vector<ltt_trace_info> all = kernel_.list();
	return std::any_of(all.begin(), all.end(),
		[&](const ltt_trace_info &info) { return trace_name(info) == name_; });
}

bool Follower::look(Live &live)
{
	const auto take = [&](const uint8_t *data, size_t size) { live.take(data, size); };

	if (take_) {
		trace_->flush();
		return read_all(*trace_, batch_, take);
	}
	// Asked before: the last snapshot is one of a trace that is gone.
	const bool there = is_there();
	read_all(*trace_->snapshot(), batch_, take);
	return there;
}

} // namespace

void follow_trace(Kernel &kernel, const std::string &name, const LiveOptions &options, bool take,
	Printer &printer, FILE *out, const Live::Report &report)
{
	Follower follower(kernel, name, take);
	const ltt_trace_info info = follower.trace().info();
	const Clock clock(info);
	Live live(clock, environment_of(info, boot_id(), clock, 0), options, printer, report);
	Signals signals;
	std::string lines;

	for (bool more = true; more;) {
		more = !Signals::asked_to_end();
		const uint64_t now = follower.trace().info().clock_now;
		more = follower.look(live) && more;
		live.print(lines, more ? now : UINT64_MAX);
		if (std::fwrite(lines.data(), 1, lines.size(), out) != lines.size() ||
			std::fflush(out) != 0)
			return; // main says why
		lines.clear();
		if (more)
			wait_for(nullptr, 0, look_every_ms);
	}
}

} // namespace ltt::reader
