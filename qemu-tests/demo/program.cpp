// SPDX-License-Identifier: MIT
//
// An ordinary program with markers and threads. It knows nothing of any trace.

#include "demo_events.h"

#include <thread>
#include <vector>

int main()
{
	std::vector<std::thread> threads;
	for (int number = 1; number <= 3; ++number)
		threads.emplace_back([number] {
			UST(program, thread_begins, number);
			for (unsigned item = 0; item < 5; ++item)
				UST(program, work, number, item, item % 2 ? "odd" : "even");
		});
	for (std::thread &thread : threads)
		thread.join();
}
