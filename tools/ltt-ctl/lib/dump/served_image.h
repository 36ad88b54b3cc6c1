// SPDX-License-Identifier: MIT
// An image in a format of makedumpfile, which another program reads.
#ifndef LTT_CTL_DUMP_SERVED_IMAGE_H
#define LTT_CTL_DUMP_SERVED_IMAGE_H

#include "image.h"

namespace ltt::dump
{

// Throws Error that says why it cannot be read, and what to do.
std::unique_ptr<Image> open_served_image(const std::string &path);

} // namespace ltt::dump

#endif
