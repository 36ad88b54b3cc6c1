// SPDX-License-Identifier: MIT
// Ending cleanly on a signal.
#ifndef LTT_CTL_SIGNALS_H
#define LTT_CTL_SIGNALS_H

#include <cstddef>

struct pollfd;

namespace ltt
{

// While it lives, SIGINT, SIGTERM, SIGHUP and SIGCHLD are held back but for the time in
// wait_for(): no signal can slip in between looking and waiting. SIGXFSZ is ignored: a limit on
// the size of files is an error of write(), as a full disk is.
class Signals
{
public:
	Signals();
	~Signals();
	Signals(const Signals &) = delete;

	// The signal that asks for an end, 0 if none came.
	static int asked_to_end();
	// A signal to pass on to a child, once; 0 if there is none. What is typed at the
	// terminal reaches the child without help.
	static int take_for_child();
	// In a child before exec: the signals as they were.
	static void restore_in_child();
};

// poll() that lets the signals in. A negative time means for ever.
void wait_for(pollfd *descriptors, size_t n, int milliseconds);

} // namespace ltt

#endif
