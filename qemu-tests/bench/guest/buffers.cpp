// SPDX-License-Identifier: MIT
//
// A new buffer of 4 sub-buffers of 4096 bytes: from the ltt_update() that maps it
// until each of its pages can be written. The first one of a trace is fresh; a
// later thread of the trace may get what one before it left.

#include "samples.h"

#include <thread>

namespace bench
{

namespace
{

void touch(void *page)
{
	auto *byte = static_cast<volatile uint8_t *>(page);
	*byte = *byte;
}

// Maps the calling thread's only buffer and writes to all of it.
void new_buffer()
{
	void *address = nullptr;
	int active = 0, filter = 0;
	if (call(LTT_NR_update, &address, &active, &filter) != 0 || !address)
		ktap::end_test(ktap::exit_failed);
	ltt::Buffer buffer(address);
	touch(&buffer.control());
	for (unsigned i = 0; i < buffer->n_subbufs; ++i)
		touch(buffer.data() + size_t(i) * buffer->subbuf_size);
}

uint64_t in_a_new_thread()
{
	uint64_t taken = 0;
	std::thread([&] { taken = instructions(new_buffer); }).join();
	settle();
	return taken;
}

} // namespace

void measure_buffers()
{
	constexpr int samples = 20;
	Samples fresh, pooled;

	// Threads of a registered process are registered from birth: that is no part
	// of a buffer's price.
	register_process();
	for (int i = 0; i < samples; ++i) {
		ltt::Trace trace(ltt::params("fresh"));
		trace.start();
		fresh.push_back(in_a_new_thread());
	}
	report("buffer_fresh", fresh);

	ltt::Trace trace(ltt::params("pool"));
	trace.start();
	in_a_new_thread();
	for (int i = 0; i < samples; ++i)
		pooled.push_back(in_a_new_thread());
	report("buffer_pool", pooled);
}

} // namespace bench
