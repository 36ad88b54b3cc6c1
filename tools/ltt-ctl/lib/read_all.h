// SPDX-License-Identifier: MIT
// Reading what a trace or a snapshot has now, for those who keep nothing of it on disk.
#ifndef LTT_CTL_READ_ALL_H
#define LTT_CTL_READ_ALL_H

#include "batch.h"
#include "kernel.h"

namespace ltt
{

// @take gets whole packets: where they are, and their bytes. False at the end of @from.
template <class Take>
bool read_all(KernelTrace &from, Batch &batch, Take &&take)
{
	for (;;) {
		size_t size = 0;
		switch (from.read(batch.data(), batch.room(), size)) {
		case KernelTrace::Got::data:
			take(batch.data(), size);
			break;
		case KernelTrace::Got::no_room:
			batch.grow();
			break;
		case KernelTrace::Got::nothing:
			return true;
		case KernelTrace::Got::end:
			return false;
		}
	}
}

} // namespace ltt

#endif
