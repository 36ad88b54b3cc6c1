/* SPDX-License-Identifier: MIT */
/*
 * The same in C, with the same events.
 */
#include "hello_events.h"

#include <stdio.h>

int main(int argc, char **argv)
{
	UST(hello, start);
	for (int i = 1; i < argc; ++i) {
		printf("Hello, %s!\n", argv[i]);
		UST(hello, greeting, i, argv[i]);
	}
}
