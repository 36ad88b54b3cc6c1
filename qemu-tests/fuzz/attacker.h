/* SPDX-License-Identifier: MIT */
/*
 * An attacking process: its threads draw one attack after the other until they
 * are killed. Nothing here reports: what counts is what others see of it.
 */
#ifndef FUZZ_ATTACKER_H
#define FUZZ_ATTACKER_H

#include "../guest/event.h"
#include "random.h"

#include <ust/ltt.h>

#include <atomic>
#include <csetjmp>
#include <vector>

#include <sys/types.h>

namespace fuzz
{

constexpr size_t page_size = 4096;
constexpr char witness_name[] = "witness"; /* the trace whose streams are watched */

/*
 * What attackers tell the test: a byte in a pipe for each attack, the number of it in
 * all_attacks(), or one of these. Memory that they share they would write into.
 */
constexpr uint8_t report_recovery = 255; /* an attack ended by a signal */
constexpr uint8_t report_buffer = 254;	 /* ltt_update() gave one */

enum class Kind {
	root,
	root_without_capabilities,
	user,
	other_user,
};

/* A buffer, as its thread got it: it may be gone or garbage by now. */
struct Mapped {
	char *address = nullptr;
	size_t size = 0; /* of the whole mapping */
	size_t sub_buffer = 0;

	ltt_control &control() const
	{
		return *reinterpret_cast<ltt_control *>(address + page_size);
	}
	ltt_trace_page *page() const { return reinterpret_cast<ltt_trace_page *>(address); }
	char *data() const { return address + 2 * page_size; }
	size_t data_size() const { return size - 2 * page_size; }
};

/* State of one attacking thread; what all threads share is static in attacker.cpp. */
struct Attacker {
	Random random;
	unsigned number; /* of the process: its traces are named by it */
	Kind kind;
	std::vector<Mapped> mine = {};
	unsigned depth = 0; /* of forks */

	/* A buffer of this thread or, more seldom, of another; gets one if need be. */
	Mapped buffer();
	/* A trace's descriptor that may be hurt, -1 for none. */
	int trace();
	/* Any descriptor that has to do with traces; harmless means the witness's too. */
	int descriptor(bool harmless);
	/* An address that calls may choke on. */
	void *pointer();
	/* Bytes to be read and written that lie in a normal page. */
	char *scratch();

	bool get_buffer();
	bool privileged() const { return kind == Kind::root; }
};

/* Descriptors of the process: its own traces, its devices, the witness's. */
void keep_trace(Attacker &a, int fd);
/* One of the few names of this process's traces. */
void trace_name(Attacker &a, char (&name)[LTT_NAME_SIZE]);
int device();

struct Attack {
	const char *name;
	void (*run)(Attacker &);
	unsigned weight;
};

/* The tables of attacks, by what they are made of. */
extern const std::vector<Attack> memory_attacks, call_attacks, descriptor_attacks, mapping_attacks,
	life_attacks;

const std::vector<Attack> &all_attacks();

/* One attack; comes back, whatever signal it raised. */
void attack_once(Attacker &a);

/* How a process ends that found the witness's trace, though it is not for its user. */
constexpr int exit_forbidden = 77;

/* The process: never returns. */
[[noreturn]] void attack(Random random, unsigned number, Kind kind, int reports);

/* Pages of all sorts and a userfaultfd that lets kernel and program wait. */
void prepare_addresses(Random random);
void *random_address(Random &random);
char *scratch_page();
void rearm_slow_page();

} // namespace fuzz

#endif /* FUZZ_ATTACKER_H */
