// SPDX-License-Identifier: MIT
#include "geometry.h"

#include "../lib/error.h"
#include "../lib/text.h"

namespace ltt
{

namespace
{

constexpr uint64_t max_buffer = 256U << 20;

} // namespace

void Geometry::add_to(Arguments &a)
{
	a.option("--filter", "FILTER", filter_,
		"filter bits to record: all, none, mask (0x5) or bits (bit0,bit2); default all");
	a.option("--subbuf-size", "SIZE", subbuf_size_,
		"bytes of a sub-buffer, a power of two; default 64k, from 4k to 16M");
	a.option("--n-subbufs", "N", n_subbufs_,
		"sub-buffers of each thread, a power of two; default 4, from 2 to 4096, 256M in "
		"all");
}

void Geometry::apply(TraceParams &params) const
{
	params.filter = parse_filter(filter_);
	params.subbuf_size = parse_power_of_two(subbuf_size_, "4k", "16M", "sub-buffer size");
	params.n_subbufs = parse_power_of_two(n_subbufs_, "2", "4096", "number of sub-buffers");
	uint64_t all = uint64_t{params.subbuf_size} * params.n_subbufs;
	if (all > max_buffer)
		throw Error(Exit::misuse, n_subbufs_ + " sub-buffers of " + subbuf_size_ + " are " +
						  format_size(all) + " for each thread, " +
						  format_size(max_buffer) + " are allowed");
}

} // namespace ltt
