// SPDX-License-Identifier: MIT
#include "signals.h"

#include <ctime>

#include <poll.h>
#include <signal.h>

namespace ltt
{

namespace
{

constexpr int held[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};

volatile sig_atomic_t end_signal;
volatile sig_atomic_t for_child;
sigset_t mask_before;
struct sigaction before[sizeof(held) / sizeof(held[0])];
struct sigaction file_size_before;
bool alive;

void on_signal(int number, siginfo_t *info, void *)
{
	if (number == SIGCHLD)
		return;
	end_signal = number;
	if (info->si_code <= 0) // kill() and its like; from the terminal it is SI_KERNEL
		for_child = number;
}

} // namespace

Signals::Signals()
{
	sigset_t set;
	sigemptyset(&set);
	struct sigaction action {
	};
	action.sa_sigaction = on_signal;
	action.sa_flags = SA_SIGINFO;
	end_signal = for_child = 0;
	for (size_t i = 0; i < sizeof(held) / sizeof(held[0]); ++i) {
		sigaddset(&set, held[i]);
		sigaction(held[i], nullptr, &before[i]);
		// Under nohup a hang-up stays ignored.
		if (held[i] == SIGHUP && before[i].sa_handler == SIG_IGN)
			continue;
		sigaction(held[i], &action, nullptr);
	}
	sigprocmask(SIG_BLOCK, &set, &mask_before);
	struct sigaction ignore {
	};
	ignore.sa_handler = SIG_IGN;
	sigaction(SIGXFSZ, &ignore, &file_size_before);
	alive = true;
}

Signals::~Signals()
{
	restore_in_child();
	alive = false;
}

int Signals::asked_to_end()
{
	return end_signal;
}

int Signals::take_for_child()
{
	int number = for_child; // signals are held back here
	for_child = 0;
	return number;
}

void Signals::restore_in_child()
{
	for (size_t i = 0; i < sizeof(held) / sizeof(held[0]); ++i)
		sigaction(held[i], &before[i], nullptr);
	sigaction(SIGXFSZ, &file_size_before, nullptr);
	sigprocmask(SIG_SETMASK, &mask_before, nullptr);
}

void wait_for(pollfd *descriptors, size_t n, int milliseconds)
{
	timespec time{milliseconds / 1000, milliseconds % 1000 * 1000000L};
	ppoll(descriptors, n, milliseconds < 0 ? nullptr : &time, alive ? &mask_before : nullptr);
}

} // namespace ltt
