// SPDX-License-Identifier: MIT
#include <cstdio>

#include <unistd.h>

#include "../lib/error.h"
#include "../lib/kernel.h"
#include "../lib/packet.h"
#include "../lib/read_all.h"
#include "events.h"

namespace ltt
{

namespace
{

// A trace of all of them, which is never started, while one looks at it.
class Sample
{
public:
	explicit Sample(Kernel &kernel) : trace_(kernel.create(params())) {}
	~Sample()
	{
		try {
			trace_->destroy();
		} catch (const Error &) {
			// It was destroyed from elsewhere.
		}
	}
	Sample(const Sample &) = delete;

	std::vector<Definition> definitions()
	{
		std::vector<Definition> all;
		Batch batch;
		read_all(*trace_->snapshot(), batch,
			[&](const uint8_t *data, size_t size) { add(data, size, all); });
		return all;
	}

private:
	static TraceParams params()
	{
		TraceParams p;
		p.name = "ltt-ctl-events-" + std::to_string(getpid());
		p.system = true;
		p.kernel = "*";
		p.subbuf_size = 4096;
		p.n_subbufs = 2;
		return p;
	}
	static void add(const uint8_t *data, size_t size, std::vector<Definition> &all)
	{
		while (size) {
			const Packet packet = first_packet(data, size);
			data += packet.raw_size;
			size -= packet.raw_size;
			if (packet.header.type != LTT_PACKET_DEFINITIONS ||
				packet.header.process != LTT_PROCESS_KERNEL)
				continue;
			const Definitions more =
				parse_definitions(packet.body, packet.body_size, true);
			all.insert(all.end(), more.events.begin(), more.events.end());
		}
	}

	std::unique_ptr<KernelTrace> trace_;
};

std::vector<Definition> events_of_kernel(Kernel &kernel)
{
	try {
		return Sample(kernel).definitions();
	} catch (const BadData &e) {
		throw Error(Exit::damaged,
			std::string("the kernel describes its events wrongly: ") + e.what());
	}
}

} // namespace

int show_events_of_kernel(bool json)
{
	const std::vector<Definition> all = events_of_kernel(*open_device());
	if (!json) {
		for (const Definition &d : all)
			std::printf("%s: %s\n", d.provider.c_str(), signature(d).c_str());
		return 0;
	}
	Json events = Json::array();
	for (const Definition &d : all)
		events.push_back(
			{{"name", d.name}, {"group", d.provider}, {"fields", json_fields(d)}});
	print(events);
	return 0;
}

} // namespace ltt
