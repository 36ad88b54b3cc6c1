// SPDX-License-Identifier: MIT
#include "metadata.h"

#include <cerrno>
#include <cstring>
#include <ctime>

#include <sys/random.h>

#include "../checksum.h"
#include "../error.h"
#include "fields.h"

namespace ltt::ctf
{

std::string to_string(const Uuid &uuid)
{
	static const char digits[] = "0123456789abcdef";
	std::string s;
	for (size_t i = 0; i < uuid.size(); ++i) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			s += '-';
		s += digits[uuid[i] >> 4];
		s += digits[uuid[i] & 15];
	}
	return s;
}

Uuid uuid_of(const Uuid &random, uint64_t now)
{
	struct {
		Uuid random;
		uint64_t now;
		uint64_t half;
	} mixed{random, now, 0};
	Uuid u;
	for (; mixed.half < 2; ++mixed.half) {
		const uint64_t sum = checksum(&mixed, sizeof(mixed));
		std::memcpy(&u[8 * mixed.half], &sum, sizeof(sum));
	}
	u[6] = static_cast<uint8_t>((u[6] & 0x0f) | 0x40);
	u[8] = static_cast<uint8_t>((u[8] & 0x3f) | 0x80);
	return u;
}

Uuid random_uuid()
{
	Uuid u;
	ssize_t n;
	// Before the pool is ready, as in early boot, a weaker number is better than waiting.
	do
		n = getrandom(u.data(), u.size(), GRND_INSECURE);
	while (n < 0 && errno == EINTR);
	if (n != static_cast<ssize_t>(u.size()))
		throw Error(
			Exit::failed, std::string("cannot make a uuid: ") + std::strerror(errno));
	timespec now{};
	clock_gettime(CLOCK_REALTIME, &now);
	return uuid_of(u, static_cast<uint64_t>(now.tv_sec) * 1000000000 +
				  static_cast<uint64_t>(now.tv_nsec));
}

Uuid parse_uuid(const std::string &text)
{
	Uuid u{};
	size_t n = 0;
	for (char c : text) {
		int digit;
		if (c >= '0' && c <= '9')
			digit = c - '0';
		else if (c >= 'a' && c <= 'f')
			digit = c - 'a' + 10;
		else if (c == '-' || c == '\n')
			continue;
		else
			throw BadData("not a uuid");
		if (n == 2 * u.size())
			throw BadData("not a uuid");
		u[n / 2] = static_cast<uint8_t>(u[n / 2] << 4 | digit);
		++n;
	}
	if (n != 2 * u.size())
		throw BadData("not a uuid");
	return u;
}

namespace
{

const char clock_types[] = R"(
typealias integer {
	size = 64; align = 8; signed = false;
	map = clock.monotonic.value;
} := time64;
typealias integer {
	size = 27; align = 1; signed = false;
	map = clock.monotonic.value;
} := time27;

struct event_header {
	enum : integer { size = 5; align = 1; signed = false; } {
		compact = 0 ... 30,
		extended = 31
	} id;
	variant <id> {
		struct {
			time27 timestamp;
		} compact;
		struct {
			u32 id;
			time64 timestamp;
		} extended;
	} v;
} align(8);

stream {
	id = 0;
	event.header := struct event_header;
	packet.context := struct {
		time64 timestamp_begin;
		time64 timestamp_end;
		u64 content_size;
		u64 packet_size;
		u64 packet_seq_num;
		u64 events_discarded;
)";

const char of_thread[] = R"(		i32 vpid;
		i32 vtid;
		i32 pid;
		i32 tid;
		u32 vuid;
		u32 vgid;
		character procname[16];
)";

const char of_processor[] = R"(		u32 cpu_id;
)";

// The domain and the tracer are what Trace Compass recognises a trace of user space, or of the
// kernel, by.
std::string render_environment(const Description &trace)
{
	const bool kernel = trace.domain == Domain::kernel;
	const Environment &e = trace.environment;
	std::string s = "\nenv {\n";
	auto text = [&s](const char *name, const std::string &value) {
		if (!value.empty())
			s += std::string("\t") + name + " = " + quoted(value) + ";\n";
	};
	auto number = [&s](const char *name, unsigned value) {
		s += std::string("\t") + name + " = " + std::to_string(value) + ";\n";
	};

	s += "\thostname = " + quoted(e.hostname) + ";\n";
	text("domain", kernel ? "kernel" : "ust");
	if (kernel) {
		text("sysname", "Linux");
		text("kernel_release", e.kernel_release);
		text("kernel_version", e.kernel_version);
	}
	text("tracer_name", kernel ? "lttng-modules" : "lttng-ust");
	number("tracer_major", 2);
	number("tracer_minor", 13);
	number("tracer_patchlevel", 0);
	text("tracer_buffering_scheme", kernel ? "global" : "uid");
	number("architecture_bit_width", 64);
	s += "\ttrace_name = " + quoted(e.trace_name) + ";\n};\n";
	return s;
}

void render_event(std::string &s, size_t id, const Definition &d)
{
	s += "\nevent {\n\tname = " + quoted(d.full_name()) + ";\n";
	s += "\tid = " + std::to_string(id) + ";\n";
	s += "\tstream_id = 0;\n";
	if (!d.of_kernel)
		s += "\tloglevel = " + std::to_string(d.level) + ";\n";
	s += "\tfields := struct {\n";
	render_fields(s, d.fields, 2);
	s += "\t};\n};\n";
}

} // namespace

std::string render_metadata(const Description &trace)
{
	const Environment &environment = trace.environment;
	std::string s = "/* CTF 1.8 */\n";

	s += type_aliases;
	s += "\ntrace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"" + to_string(trace.uuid) +
	     "\";\n"
	     "\tbyte_order = le;\n"
	     "\tpacket.header := struct {\n"
	     "\t\tu32 magic;\n"
	     "\t\tu8 uuid[16];\n"
	     "\t\tu32 stream_id;\n"
	     "\t\tu64 stream_instance_id;\n"
	     "\t};\n};\n";
	s += render_environment(trace);
	s += "\nclock {\n\tname = \"monotonic\";\n"
	     "\tuuid = \"" +
	     to_string(environment.boot_id) +
	     "\";\n"
	     "\tdescription = \"Monotonic clock\";\n"
	     "\tfreq = 1000000000;\n"
	     "\toffset = " +
	     std::to_string(environment.epoch_offset) + ";\n};\n";
	s += clock_types;
	s += trace.domain == Domain::kernel ? of_processor : of_thread;
	s += "\t};\n";
	if (!trace.context.empty()) {
		s += "\tevent.context := struct {\n";
		render_fields(s, trace.context, 2);
		s += "\t};\n";
	}
	s += "};\n";
	for (size_t id = 0; id < trace.events.size(); ++id)
		render_event(s, id, trace.events[id]);
	return s;
}

} // namespace ltt::ctf
