// SPDX-License-Identifier: MIT
//
// Opens libraries, lets them write, and prints the trace.
//
//	program WAY LIBRARY...
//
// WAY is how: "open" with dlopen(), "namespace" with dlmopen(), "again" opens and closes
// the first ten thousand times before the others. If a library cannot be opened the
// reason is printed. The program has events of its own unless NO_EVENTS is defined.
#include "kernel.h"

#include "../fake_kernel.h"

#include <ust/definition.h>
#ifndef NO_EVENTS
#include <ust/ust.h>
#endif

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <string>
#include <sys/mman.h>

#ifndef NO_EVENTS
UST_EVENT(program, own, UST_BIT(0), (int, value))
#endif

extern "C" kernel_call ust_kernel_call;

namespace
{

constexpr int AGAIN = 10000;

void write_own(int value)
{
#ifndef NO_EVENTS
	UST(program, own, value);
#else
	static_cast<void>(value);
#endif
}

using writer = void(int);

// Null if it has no markers, or cannot be opened.
writer *open_library(const char *file, bool in_namespace, void *&handle)
{
	handle = in_namespace ? dlmopen(LM_ID_NEWLM, file, RTLD_NOW)
			      : dlopen(file, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		const char *const reason = std::strstr(dlerror(), ": ");
		std::printf("not opened%s\n", reason);
		return nullptr;
	}
	return reinterpret_cast<writer *>(dlsym(handle, "write_event"));
}

// Names of events by their ids, over all that the process has registered.
std::map<unsigned, std::string> names()
{
	std::map<unsigned, std::string> result;
	for (const fake::registration &r : fake::registrations()) {
		const std::string &bytes = r.definitions;
		for (std::size_t at = 0; at + sizeof(ust_definition) <= bytes.size();) {
			ust_definition head;
			std::memcpy(&head, &bytes[at], sizeof head);
			if (head.magic != UST_DEFINITION_MAGIC) {
				at += 8;
				continue;
			}
			const char *const provider = &bytes[at] + sizeof head;
			const std::string name = std::string(provider) + ":" +
						 (provider + std::strlen(provider) + 1);
			if (head.id && !result.emplace(head.id, name).second)
				std::printf("%s has the id of %s\n", name.c_str(),
					result[head.id].c_str());
			at += head.size;
		}
	}
	return result;
}

// Rows of the same event, with its first and its last value.
void print(unsigned trace)
{
	const std::map<unsigned, std::string> all = names();
	std::string last;
	int first = 0, value = 0, n = 0;
	const auto flush = [&] {
		if (n == 1)
			std::printf("%s %d\n", last.c_str(), value);
		else if (n)
			std::printf("%s %d to %d\n", last.c_str(), first, value);
		n = 0;
	};
	for (const fake::packet &packet : fake::read(trace)) {
		for (std::size_t at = 0; at < packet.bytes.size(); at += 12) {
			std::uint16_t id;
			std::memcpy(&id, &packet.bytes[at], sizeof id);
			const auto found = all.find(id);
			const std::string name = found == all.end() ? "unknown" : found->second;
			int next;
			std::memcpy(&next, &packet.bytes[at + 8], sizeof next);
			if (n && (name != last || next != value + 1))
				flush();
			if (!n++)
				first = next;
			last = name;
			value = next;
		}
	}
	flush();
}

} // namespace

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	const bool in_namespace = std::strcmp(argv[1], "namespace") == 0;
	const bool again = std::strcmp(argv[1], "again") == 0;
	void *const place = mmap(kernel_place(), 4096, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (place != kernel_place())
		return 2;
	*kernel_place() = ust_kernel_call;
	fake::trace_options options;
	options.subbuf_size = 1 << 18;
	const unsigned trace = fake::create(options);

	int value = 0;
	write_own(++value);
	for (int i = 2; i < argc; ++i)
		for (int times = again && i == 2 ? AGAIN : 1; times; --times) {
			void *handle;
			writer *const write = open_library(argv[i], in_namespace, handle);
			if (write)
				write(++value);
			if (again)
				dlclose(handle);
		}
	write_own(++value);
	print(trace);
	std::printf("%zu registered\n", fake::registrations().size());
}
