// SPDX-License-Identifier: MIT
// Errors that end a command, and what the shell gets to see of them.
#ifndef LTT_CTL_ERROR_H
#define LTT_CTL_ERROR_H

#include <stdexcept>
#include <string>

namespace ltt
{

// Exit codes of ltt-ctl. Scripts rely on them: documented in ltt-ctl(1), never renumbered.
enum class Exit {
	fine = 0,
	failed = 1,	   // anything that has no number of its own
	misuse = 2,	   // wrong options, names or values
	no_kernel = 3,	   // this kernel has no ltt
	no_permission = 4, // not for this user
	lost = 5,	   // the trace is fine, but events were lost
	damaged = 6,	   // packets were set aside, or input is damaged
};

// Ends the command: the text is one line that names the object, the reason and what to do.
class Error : public std::runtime_error
{
public:
	Error(Exit code, const std::string &what) : std::runtime_error(what), code_(code) {}
	Exit code() const { return code_; }

private:
	Exit code_;
};

// Foreign bytes that are not what they should be. Never ends a recording.
class BadData : public std::runtime_error
{
public:
	using std::runtime_error::runtime_error;
};

} // namespace ltt

#endif
