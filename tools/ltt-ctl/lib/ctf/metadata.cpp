// SPDX-License-Identifier: MIT
#include "metadata.h"

#include <cerrno>
#include <cstring>
#include <set>

#include <sys/random.h>

#include <ust/definition.h>

#include "../error.h"

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
	u[6] = static_cast<uint8_t>((u[6] & 0x0f) | 0x40);
	u[8] = static_cast<uint8_t>((u[8] & 0x3f) | 0x80);
	return u;
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

// What each type is called in the metadata; the aliases are declared at its head.
const char *tsdl_type(uint8_t type)
{
	switch (type) {
	case UST_TYPE_U8:
	case UST_TYPE_BOOL:
		return "u8";
	case UST_TYPE_U16:
		return "u16";
	case UST_TYPE_U32:
		return "u32";
	case UST_TYPE_U64:
		return "u64";
	case UST_TYPE_I8:
		return "i8";
	case UST_TYPE_I16:
		return "i16";
	case UST_TYPE_I32:
		return "i32";
	case UST_TYPE_I64:
		return "i64";
	case UST_TYPE_FLOAT:
		return "f32";
	case UST_TYPE_DOUBLE:
		return "f64";
	case UST_TYPE_CHAR:
		return "character";
	default:
		return "string";
	}
}

std::string quoted(const std::string &s)
{
	std::string q = "\"";
	for (char c : s) {
		if (c == '"' || c == '\\')
			q += '\\';
		// A newline would end the string, other control characters help nobody.
		q += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
	}
	return q + "\"";
}

// Everything but the events. "align = 8" throughout: payloads are packed.
const char head[] = R"(
typealias integer { size = 8; align = 8; signed = false; } := u8;
typealias integer { size = 16; align = 8; signed = false; } := u16;
typealias integer { size = 32; align = 8; signed = false; } := u32;
typealias integer { size = 64; align = 8; signed = false; } := u64;
typealias integer { size = 8; align = 8; signed = true; } := i8;
typealias integer { size = 16; align = 8; signed = true; } := i16;
typealias integer { size = 32; align = 8; signed = true; } := i32;
typealias integer { size = 64; align = 8; signed = true; } := i64;
typealias integer { size = 8; align = 8; signed = true; encoding = UTF8; } := character;
typealias floating_point { exp_dig = 8; mant_dig = 24; align = 8; } := f32;
typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; } := f64;
)";

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
		i32 vpid;
		i32 vtid;
		i32 pid;
		i32 tid;
		u32 vuid;
		u32 vgid;
		character procname[16];
	};
)";

const char event_context[] = R"(	event.context := struct {
		i32 _vpid;
		i32 _vtid;
		character _procname[16];
	};
)";

bool is_keyword(const std::string &s)
{
	static const char *const keywords[] = {
		"align",
		"callsite",
		"char",
		"clock",
		"const",
		"double",
		"enum",
		"env",
		"event",
		"float",
		"floating_point",
		"int",
		"integer",
		"long",
		"short",
		"signed",
		"stream",
		"string",
		"struct",
		"trace",
		"typealias",
		"typedef",
		"unsigned",
		"variant",
		"void",
		"_Bool",
		"_Complex",
		"_Imaginary",
	};
	for (const char *k : keywords)
		if (s == k)
			return true;
	return false;
}

// What the fields are called in the metadata. Readers strip one underscore from each name:
// with it, a field may be called like a keyword, and one that begins with an underscore
// keeps it.
std::vector<std::string> declared_names(const std::vector<Field> &fields)
{
	std::vector<std::string> names;
	std::set<std::string> shown, declared;

	for (const Field &f : fields) {
		// babeltrace2 refuses an event in which a declared name is the same as one that
		// an earlier field is shown by: "_x" then "x", here "__x" then "_x".
		std::string show = f.name, declare = "_" + show;
		if (shown.count(declare) && show[0] != '_' && !is_keyword(show))
			declare = show;
		while (shown.count(declare) || shown.count(show) || declared.count(declare)) {
			show += '_';
			declare = "_" + show;
		}
		shown.insert(show);
		declared.insert(declare);
		names.push_back(declare);
	}
	return names;
}

void render_event(std::string &s, size_t id, const Definition &d)
{
	s += "\nevent {\n\tname = " + quoted(d.full_name()) + ";\n";
	s += "\tid = " + std::to_string(id) + ";\n";
	s += "\tstream_id = 0;\n";
	s += "\tloglevel = " + std::to_string(d.level) + ";\n";
	s += "\tfields := struct {\n";
	std::vector<std::string> names = declared_names(d.fields);
	for (size_t i = 0; i < names.size(); ++i)
		s += std::string("\t\t") + tsdl_type(d.fields[i].type) + " " + names[i] + ";\n";
	s += "\t};\n};\n";
}

} // namespace

std::string render_metadata(
	const Environment &environment, const Uuid &uuid, const std::vector<Definition> &events)
{
	std::string s = "/* CTF 1.8 */\n";

	s += head;
	s += "\ntrace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"" + to_string(uuid) +
	     "\";\n"
	     "\tbyte_order = le;\n"
	     "\tpacket.header := struct {\n"
	     "\t\tu32 magic;\n"
	     "\t\tu8 uuid[16];\n"
	     "\t\tu32 stream_id;\n"
	     "\t\tu64 stream_instance_id;\n"
	     "\t};\n};\n";
	// The domain and the tracer are what Trace Compass recognises a trace of user space by.
	s += "\nenv {\n\thostname = " + quoted(environment.hostname) +
	     ";\n"
	     "\tdomain = \"ust\";\n"
	     "\ttracer_name = \"lttng-ust\";\n"
	     "\ttracer_major = 2;\n"
	     "\ttracer_minor = 13;\n"
	     "\ttracer_patchlevel = 0;\n"
	     "\ttracer_buffering_scheme = \"uid\";\n"
	     "\tarchitecture_bit_width = 64;\n"
	     "\ttrace_name = " +
	     quoted(environment.trace_name) + ";\n};\n";
	s += "\nclock {\n\tname = \"monotonic\";\n"
	     "\tuuid = \"" +
	     to_string(environment.boot_id) +
	     "\";\n"
	     "\tdescription = \"Monotonic clock\";\n"
	     "\tfreq = 1000000000;\n"
	     "\toffset = " +
	     std::to_string(environment.epoch_offset) + ";\n};\n";
	s += clock_types;
	if (environment.event_context)
		s += event_context;
	s += "};\n";
	for (size_t id = 0; id < events.size(); ++id)
		render_event(s, id, events[id]);
	return s;
}

} // namespace ltt::ctf
