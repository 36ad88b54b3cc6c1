// SPDX-License-Identifier: MIT
// Threads that help one that has much to do.
#ifndef LTT_CTL_WORKERS_H
#define LTT_CTL_WORKERS_H

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace ltt
{

// Processors that this process may run on (taskset(1) says which), up to as many as it has a use
// for: beyond these it waits for the kernel's read(), which one thread does.
unsigned useful_processors();

// The threads are started when they are first needed, sleep while there is nothing to do, and end
// with this. They block all signals, which are so the caller's as if it were alone. A process that
// has called run() may not fork() and go on with it in the child.
//
// Of one thread at a time. All that is shared is below, under mutex_; what the caller did before
// run() happens before the work, and the work before what it does when run() has returned.
class Workers
{
public:
	// @most: threads, with the one that calls run(). @cost: what it takes to wake one, in bytes
	// of packets that one which is awake takes in that time.
	explicit Workers(unsigned most = useful_processors(), size_t cost = 128 * 1024);
	~Workers();
	Workers(const Workers &) = delete;

	// Threads that are worth having for so many @bytes.
	unsigned worthwhile(size_t bytes) const;
	// Calls work(0) here, and work(1) to work(@n - 1) in threads of their own at the same time;
	// but for those that find no thread or come when work(0) has returned: that means there is
	// nothing left to do. Returns when all have. @work must not throw.
	void run(unsigned n, const std::function<void(unsigned)> &work);

private:
	void start(unsigned n);
	void help();

	const unsigned most_;
	const size_t cost_;
	std::vector<std::thread> threads_; // of the caller alone

	std::mutex mutex_;
	std::condition_variable wanted_, free_;
	const std::function<void(unsigned)> *work_ = nullptr;
	unsigned open_ = 0; // calls that wait for a thread: their numbers are open_ to 1
	unsigned busy_ = 0; // threads inside of work_
	bool end_ = false;
};

} // namespace ltt

#endif
