// SPDX-License-Identifier: MIT
#include "reading_lock.h"

#include <string>

#include <sys/stat.h>

#include "text.h"

namespace ltt
{

namespace
{

// By slot and name: a slot is given away again.
off_t reading_lock(const ltt_trace_info &info)
{
	uint32_t hash = 2166136261; // FNV-1a
	for (char c : trace_name(info))
		hash = (hash ^ static_cast<uint8_t>(c)) * 16777619;
	return static_cast<off_t>(hash) * LTT_MAX_TRACES + info.trace;
}

} // namespace

pid_t lock_reading(const FileDescriptor &dev, const ltt_trace_info &info)
{
	const pid_t owner = lock_byte(dev, reading_lock(info));
	struct stat s;
	if (owner <= 0 || stat(("/proc/" + std::to_string(owner)).c_str(), &s) < 0)
		return 0;
	return s.st_uid == info.uid || s.st_uid == 0 ? owner : 0;
}

} // namespace ltt
