// SPDX-License-Identifier: MIT
//
// user_events: one write() for an event, of a structure that was put together before;
// or one writev() of the values where they lie.

#include "../values.h"
#include "groups.h"
#include "tracefs.h"

#include <sys/ioctl.h>
#include <sys/uio.h>

namespace bench
{

namespace
{

// linux/user_events.h is younger than the headers of Debian 12.
struct [[gnu::packed]] Registration {
	std::uint32_t size;
	std::uint8_t enable_bit;
	std::uint8_t enable_size;
	std::uint16_t flags;
	std::uint64_t enable_address;
	std::uint64_t name_and_fields;
	std::uint32_t index; // by the kernel: which event, first in each write
};

constexpr unsigned long REGISTER = _IOWR('*', 0, Registration *);

struct Event {
	std::uint32_t index;
	std::int32_t a;
	std::uint64_t b;
};
static_assert(sizeof(Event) == 16, "the kernel takes the fields without gaps");

// The kernel sets its lowest bit while somebody wants the event.
volatile std::uint32_t enabled;

std::uint32_t register_event(int fd)
{
	Registration registration = {};
	registration.size = sizeof registration;
	registration.enable_size = sizeof enabled;
	registration.enable_address = reinterpret_cast<std::uintptr_t>(&enabled);
	registration.name_and_fields =
		reinterpret_cast<std::uintptr_t>("bench_number s32 a; u64 b");
	REQUIRE_OK(ioctl(fd, REGISTER, &registration));
	return registration.index;
}

} // namespace

void measure_user_events()
{
	const Tracefs tracefs;
	if (!tracefs.has("user_events_data"))
		return missing("user_events", "the kernel has no CONFIG_USER_EVENTS");
	const int fd = tracefs.open_file("user_events_data", O_RDWR);
	const std::uint32_t index = register_event(fd);
	tracefs.write("events/user_events/bench_number/enable", "1");
	REQUIRE(enabled);

	tracefs.measure("user_events_write", [=](std::int32_t i) {
		if (!enabled)
			return;
		const Event event = {index, i, number(i)};
		static_cast<void>(!write(fd, &event, sizeof event));
	});
	tracefs.check_newest();

	tracefs.measure("user_events_writev", [=](std::int32_t i) {
		if (!enabled)
			return;
		std::uint32_t which = index;
		std::uint64_t b = number(i);
		const iovec parts[] = {{&which, sizeof which}, {&i, sizeof i}, {&b, sizeof b}};
		static_cast<void>(!writev(fd, parts, 3));
	});
	tracefs.check_newest();
}

} // namespace bench
