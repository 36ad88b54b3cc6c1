// SPDX-License-Identifier: MIT
// Memory that outlived a warm reboot: struct ltt_dump_region and what follows it.
#ifndef LTT_CTL_DUMP_REGION_H
#define LTT_CTL_DUMP_REGION_H

#include <memory>

#include "../file.h"
#include "image.h"

namespace ltt::dump
{

// @fd: for pread(), of LTT_IOC_PREVIOUS or of a copy. @name is for errors. Throws Error.
std::unique_ptr<Image> open_region(FileDescriptor fd, const std::string &name);

} // namespace ltt::dump

#endif
