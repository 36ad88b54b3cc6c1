// SPDX-License-Identifier: MIT
// The options that say what a new trace is like: create and run have them both.
#ifndef LTT_CTL_GEOMETRY_H
#define LTT_CTL_GEOMETRY_H

#include <string>

#include "../lib/arguments.h"
#include "../lib/kernel.h"
#include "programs.h"

namespace ltt
{

class Geometry
{
public:
	// @command: there is one, whose categories the filter may name.
	void add_to(Arguments &arguments, bool command = false);
	// Throws Error(misuse) before the kernel is asked. @command: its name, or "".
	void apply(TraceParams &params, const std::string &command = "") const;

private:
	std::string filter_ = "all";
	Programs programs_;
	std::string rules_;
	std::string kernel_;
	std::string contexts_;
	std::string subbuf_size_ = "64k";
	std::string n_subbufs_ = "4";
	std::string mode_ = "discard";
	std::string timeout_;
	std::string memory_;
};

} // namespace ltt

#endif
