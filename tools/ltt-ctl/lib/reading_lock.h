// SPDX-License-Identifier: MIT
// One reader of a trace at a time.
#ifndef LTT_CTL_READING_LOCK_H
#define LTT_CTL_READING_LOCK_H

#include <sys/types.h>

#include <ust/detail/abi.h>

#include "file.h"

namespace ltt
{

// Of the readers of one trace, one at a time has the byte of /dev/ltt locked that stands for the
// trace: the kernel would share the packets out between them. 0, or the process that has it. The
// lock is anybody's to take, so it counts only if its owner may read the trace: the kernel lets
// none but its maker and root.
pid_t lock_reading(const FileDescriptor &dev, const ltt_trace_info &info);

} // namespace ltt

#endif
