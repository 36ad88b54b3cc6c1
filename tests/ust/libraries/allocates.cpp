// SPDX-License-Identifier: MIT
//
// A program without markers, whose threads allocate first of all.
#include <cstdlib>
#include <pthread.h>

static void *allocate(void *)
{
	for (unsigned i = 1; i <= 1000; ++i) {
		void *volatile memory = std::malloc(i);
		std::free(memory);
	}
	return nullptr;
}

int main()
{
	pthread_t threads[4];
	for (pthread_t &thread : threads)
		if (pthread_create(&thread, nullptr, allocate, nullptr) != 0)
			return 1;
	for (const pthread_t thread : threads)
		pthread_join(thread, nullptr);
}
