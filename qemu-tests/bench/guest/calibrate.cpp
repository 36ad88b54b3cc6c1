// SPDX-License-Identifier: MIT
//
// Is a tick an instruction? A loop of known length must count as exactly that.
// The host holds it against the bound, as it does with all other figures.

#include "counts.h"

namespace bench
{

namespace
{

// Two instructions a round, and nothing that the compiler adds.
void loop(uint64_t rounds)
{
	asm volatile("1: dec %0\n\t"
		     "jnz 1b"
		     : "+r"(rounds)
		     :
		     : "cc");
}

} // namespace

void calibrate()
{
	// The same code for both lengths: what surrounds the loop cancels out.
	for (uint64_t rounds : {10000ul, 510000ul})
		report("loop." + std::to_string(rounds), sample(20, 2, [=] { loop(rounds); }));
}

} // namespace bench
