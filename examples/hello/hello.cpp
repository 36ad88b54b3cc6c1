// SPDX-License-Identifier: MIT
// The smallest program with markers: greets each argument.
#include "hello_events.h"

#include <cstdio>

int main(int argc, char **argv)
{
	UST(hello, start);
	for (int i = 1; i < argc; ++i) {
		std::printf("Hello, %s!\n", argv[i]);
		UST(hello, greeting, i, argv[i]);
	}
}
