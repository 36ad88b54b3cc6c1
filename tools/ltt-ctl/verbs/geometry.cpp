// SPDX-License-Identifier: MIT
#include "geometry.h"

#include "../lib/contexts.h"
#include "../lib/error.h"
#include "../lib/rules.h"
#include "../lib/text.h"

namespace ltt
{

namespace
{

constexpr uint64_t max_buffer = 256U << 20;
constexpr const char *default_timeout = "1s";

} // namespace

void Geometry::add_to(Arguments &a, bool command)
{
	a.option("--filter", "FILTER", filter_,
		std::string("filter bits to record: ") + filter_words + "; default all");
	programs_.add_to(a, command);
	a.option("--events", "RULES", rules_,
		std::string("of these, which events: ") + rules_words + "; default all");
	a.option("--kernel", "EVENTS", kernel_,
		"which events of the kernel besides: groups (sched, syscalls, irq), names, or "
		"their "
		"begins (sched_wak*), between commas; ltt-ctl events --kernel lists them; needs "
		"CAP_PERFMON; default none");
	a.option("--context", "CONTEXTS", contexts_,
		"what each event has besides its fields, between commas: " + context_words() +
			"; default none");
	a.option("--subbuf-size", "SIZE", subbuf_size_,
		"bytes of a sub-buffer, a power of two; default 64k, from 4k to 16M");
	a.option("--n-subbufs", "N", n_subbufs_,
		"sub-buffers of each thread, a power of two; default 4, from 2 to 4096, 256M in "
		"all");
	a.option("--mode", "MODE", mode_,
		"when they are full: discard new events, overwrite the oldest, or block until "
		"there is room; default discard");
	a.option("--timeout", "TIME", timeout_,
		"with --mode block, how long: 100ms, 2s; default 1s, from 1us to 60s");
	a.option("--memory", "SIZE", memory_,
		"bytes that all buffers of the trace may take; default: what the user's quota "
		"allows");
}

void Geometry::apply(TraceParams &params, const std::string &command) const
{
	params.filter = parse_filter(filter_, programs_.lookup(command));
	params.rules = parse_rules(rules_);
	params.kernel = kernel_;
	params.contexts = parse_contexts(contexts_);
	params.subbuf_size = parse_power_of_two(subbuf_size_, "4k", "16M", "--subbuf-size");
	params.n_subbufs = parse_power_of_two(n_subbufs_, "2", "4096", "--n-subbufs");
	uint64_t all = uint64_t{params.subbuf_size} * params.n_subbufs;
	if (all > max_buffer)
		throw Error(Exit::misuse, n_subbufs_ + " sub-buffers of " + subbuf_size_ + " are " +
						  format_size(all) + " for each thread, " +
						  format_size(max_buffer) + " are allowed");
	params.mode = parse_mode(mode_);
	if (params.mode == LTT_MODE_BLOCK)
		params.timeout_us = parse_timeout(timeout_.empty() ? default_timeout : timeout_);
	else if (!timeout_.empty())
		throw Error(Exit::misuse, "--timeout goes with --mode block only");
	if (memory_.empty())
		return;
	params.max_memory = parse_size(memory_, "--memory");
	if (params.max_memory < all)
		throw Error(Exit::misuse, "--memory " + memory_ +
						  " is too little: one thread takes " +
						  format_size(all));
}

} // namespace ltt
