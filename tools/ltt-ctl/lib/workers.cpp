// SPDX-License-Identifier: MIT
#include "workers.h"

#include <algorithm>
#include <system_error>

#include <sched.h>
#include <signal.h>

namespace ltt
{

namespace
{

constexpr unsigned most_useful = 8;

// While it is there, threads that begin get no signal.
class SignalsBlocked
{
public:
	SignalsBlocked()
	{
		sigset_t all;
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &before_);
	}
	~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
	SignalsBlocked(const SignalsBlocked &) = delete;

private:
	sigset_t before_;
};

} // namespace

unsigned useful_processors()
{
	cpu_set_t set;
	// There may be more than the set has room for.
	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return most_useful;
	return std::min(static_cast<unsigned>(CPU_COUNT(&set)), most_useful);
}

Workers::Workers(unsigned most, size_t cost) : most_(std::max(most, 1U)), cost_(cost) {}

Workers::~Workers()
{
	{
		const std::lock_guard lock(mutex_);
		end_ = true;
	}
	wanted_.notify_all();
	for (std::thread &t : threads_)
		t.join();
}

unsigned Workers::worthwhile(size_t bytes) const
{
	return static_cast<unsigned>(std::min<size_t>(1 + bytes / cost_, most_));
}

void Workers::start(unsigned n)
{
	const SignalsBlocked blocked;
	try {
		while (threads_.size() < n)
			threads_.emplace_back([this] { help(); });
	} catch (const std::system_error &) {
		// As many as the limits allow.
	}
}

void Workers::run(unsigned n, const std::function<void(unsigned)> &work)
{
	const unsigned others = std::min(n, most_) - 1;

	if (threads_.size() < others)
		start(others);
	if (others) {
		{
			const std::lock_guard lock(mutex_);
			work_ = &work;
			open_ = others;
		}
		for (unsigned i = 0; i < others; ++i)
			wanted_.notify_one();
	}
	work(0);
	if (others) {
		std::unique_lock lock(mutex_);
		open_ = 0;
		free_.wait(lock, [&] { return busy_ == 0; });
	}
}

void Workers::help()
{
	std::unique_lock lock(mutex_);

	for (;;) {
		wanted_.wait(lock, [&] { return end_ || open_ > 0; });
		if (end_)
			return;
		const unsigned number = open_--;
		const auto &work = *work_;
		++busy_;
		lock.unlock();
		work(number);
		lock.lock();
		if (--busy_ == 0)
			free_.notify_one();
	}
}

} // namespace ltt
