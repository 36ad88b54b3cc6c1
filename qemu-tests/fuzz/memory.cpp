// SPDX-License-Identifier: MIT
//
// Attacks on what the program may write: control page and sub-buffers.

#include "attacker.h"

#include <unistd.h>

namespace fuzz
{

namespace
{

// A position that lies near one that the kernel compares it with.
uint64_t position(Attacker &a, const Mapped &m)
{
	const ltt_control &c = m.control();
	if (a.random.one_in(4))
		return a.random.odd();
	return a.random.near({ust_load(&c.reserve), ust_load(&c.limit), ust_load(&c.commit),
		ust_load(&c.limit) - m.sub_buffer, ust_load(&c.limit) + m.data_size(),
		ust_load(&c.reserve) - m.data_size(), ust_load(&c.limit) + m.sub_buffer});
}

// The words of the control page that somebody reads.
uint64_t &word(Attacker &a, ltt_control &c)
{
	uint64_t *const words[] = {
		reinterpret_cast<uint64_t *>(&c.reserve),
		reinterpret_cast<uint64_t *>(&c.limit),
		reinterpret_cast<uint64_t *>(&c.mask),
		reinterpret_cast<uint64_t *>(&c.commit),
		reinterpret_cast<uint64_t *>(&c.writer),
		reinterpret_cast<uint64_t *>(&c.events),
		reinterpret_cast<uint64_t *>(&c.lost),
		reinterpret_cast<uint64_t *>(&c.too_big),
		reinterpret_cast<uint64_t *>(&c.full),
		reinterpret_cast<uint64_t *>(&c.user[0]),
		reinterpret_cast<uint64_t *>(&c.user[3]),
	};
	return *a.random.of(words);
}

void switch_buffer(const Mapped &m)
{
	ust_kernel_call(LTT_NR_switch, reinterpret_cast<long>(m.address), 0, 0);
}

void write_events(Attacker &a)
{
	Mapped m = a.buffer();
	if (!m.address)
		return;
	uint64_t n = a.random.below(200);
	for (uint64_t i = 0; i < n; ++i) {
		uint64_t size = 8 + a.random.below(a.random.one_in(20) ? 2 * m.sub_buffer : 100);
		ltt::write_event(m.page(), size, static_cast<uint16_t>(size - 8),
			[i](char *at) { *at = static_cast<char>(i); });
	}
}

void forge_word(Attacker &a)
{
	Mapped m = a.buffer();
	if (!m.address)
		return;
	ust_store(&word(a, m.control()), position(a, m));
	if (a.random.one_in(2))
		switch_buffer(m);
}

void forge_positions(Attacker &a)
{
	Mapped m = a.buffer();
	if (!m.address)
		return;
	ltt_control &c = m.control();
	ust_store(&c.reserve, position(a, m));
	ust_store(&c.commit, position(a, m));
	if (a.random.one_in(3))
		ust_store(&c.writer, a.random.odd());
	if (a.random.one_in(3))
		ust_store(&c.events, a.random.odd());
	switch_buffer(m);
}

// What the kernel reads twice it must not trust twice.
void change_between_loads(Attacker &a)
{
	Mapped m = a.buffer();
	if (!m.address)
		return;
	uint64_t &at = word(a, m.control());
	uint64_t first = position(a, m), second = position(a, m);
	for (int i = 0; i < 2000; ++i) {
		ust_store(&at, i % 2 ? first : second);
		if (i % 256 == 0)
			switch_buffer(m);
	}
}

void fill_control_page(Attacker &a)
{
	Mapped m = a.buffer();
	if (m.address)
		a.random.fill(m.address + page_size, page_size);
}

void clear_control_page(Attacker &a)
{
	Mapped m = a.buffer();
	if (m.address)
		memset(m.address + page_size, a.random.one_in(2) ? 0 : 0xff, page_size);
}

void fill_sub_buffers(Attacker &a)
{
	Mapped m = a.buffer();
	if (!m.address)
		return;
	uint64_t at = a.random.below(m.data_size());
	uint64_t n = 1 + a.random.below(a.random.one_in(8) ? m.data_size() : 256);
	a.random.fill(m.data() + at, std::min<uint64_t>(n, m.data_size() - at));
}

// All sub-buffers full and none committed, or all of it committed at once.
void close_all(Attacker &a)
{
	Mapped m = a.buffer();
	if (!m.address)
		return;
	ltt_control &c = m.control();
	for (size_t i = 0; i <= m.data_size() / m.sub_buffer && i < 70; ++i) {
		ust_store(&c.reserve, ust_load(&c.limit) - a.random.below(2));
		if (a.random.one_in(3))
			ust_store(&c.commit, ust_load(&c.reserve));
		switch_buffer(m);
	}
}

// A marker that never ends, or ends on a page that is gone by then.
void leave_event_open(Attacker &a)
{
	Mapped m = a.buffer();
	if (!m.address)
		return;
	ltt::write_event(m.page(), 64, 56, [&](char *at) {
		if (a.depth < 2 && a.random.one_in(2))
			attack_once(a);
		*at = 1;
		if (a.random.one_in(2))
			*static_cast<volatile char *>(nullptr) = 0; // comes back from a handler
	});
}

void write_trace_page(Attacker &a)
{
	Mapped m = a.buffer();
	if (m.address)
		ust_store(&m.page()->active, 1);
}

} // namespace

const std::vector<Attack> memory_attacks = {
	{"write events", write_events, 30},
	{"forge a word", forge_word, 40},
	{"forge positions", forge_positions, 40},
	{"change between loads", change_between_loads, 20},
	{"fill the control page", fill_control_page, 5},
	{"clear the control page", clear_control_page, 4},
	{"fill sub-buffers", fill_sub_buffers, 10},
	{"close all sub-buffers", close_all, 20},
	{"leave an event open", leave_event_open, 10},
	{"write the trace page", write_trace_page, 1},
};

} // namespace fuzz
