// SPDX-License-Identifier: MIT
// The options that limit a new trace to targets: create and run have them both.
#ifndef LTT_CTL_LIMITS_H
#define LTT_CTL_LIMITS_H

#include <string>
#include <vector>

#include "../lib/arguments.h"
#include "../lib/kernel.h"

namespace ltt
{

class Limits
{
public:
	// @command: --follow without --pid is about the command that is run.
	explicit Limits(bool command) : command_(command) {}
	void add_to(Arguments &arguments);
	bool any() const;
	// params.system is set already. Throws Error before the kernel is asked.
	void apply(TraceParams &params) const;

private:
	std::vector<std::string> pids_, uids_, exes_, cgroups_;
	bool follow_ = false;
	bool command_;
};

} // namespace ltt

#endif
