// SPDX-License-Identifier: MIT
//
// Markers in C, in a library without a file of C++: c_markers.c.
#include "c_markers.h"
#include "changer.h"
#include "decode.h"
#include "steps.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <sstream>
#include <ust/definition.h>

using Strings = std::vector<std::string>;

namespace
{

const definition *find(const std::map<unsigned, definition> &all, const std::string &name)
{
	for (const auto &[id, d] : all)
		if (d.name == name)
			return &d;
	return nullptr;
}

// One trace; what a function of c_markers.c wrote into it.
template <class... Arguments>
Strings written(void (*write)(Arguments...), Arguments... arguments)
{
	fake::reset();
	const unsigned trace = fake::create();
	write(arguments...);
	return read_texts(trace);
}

step interrupted;
int handlers;

void on_signal(int)
{
	c_number(1000 + static_cast<unsigned>(++handlers));
}

void interrupt(step now)
{
	if (now != interrupted)
		return;
	step_hook = nullptr;
	raise(SIGUSR1);
}

} // namespace

TEST_CASE("a library in C registers gate, signal and definitions once")
{
	const auto all = fake::registrations();
	REQUIRE(all.size() == 1);
	CHECK(all[0].argument.gate == reinterpret_cast<std::uintptr_t>(c_gate()));
	CHECK(all[0].argument.signal == static_cast<unsigned>(SIGRTMIN + 3));
	const auto definitions = decode_definitions(all[0].definitions);
	CHECK(definitions.size() == 19 + 1);
	const definition *of = find(definitions, "mixed");
	REQUIRE(of);
	CHECK(of->level == UST_LEVEL_INFO);
	CHECK(of->fields.size() == 6);
	REQUIRE(find(definitions, "filter_two"));
	CHECK(find(definitions, "filter_two")->filter == (1u << 3 | 1u << 15 | 1u << 21));
	CHECK(find(definitions, "filter_two")->level == UST_LEVEL_ERR);
	CHECK(find(definitions, "filter_names")->level == UST_LEVEL_EMERG);
	CHECK(find(definitions, "filter_31")->filter == 1u << 31);
	CHECK(find(definitions, "filter_31")->doc == "The highest bit.");
	CHECK(find(definitions, "filter_two")->doc == "Both, and one more.");
	CHECK(find(definitions, "filter_names")->doc == "First.");
	CHECK(find(definitions, "named_by_macro"));
}

TEST_CASE("in C, integers keep their extreme values")
{
	CHECK(written(c_integers) ==
		Strings{"c:unsigned_ a=0 b=0 c=0 d=0 e=0",
			"c:unsigned_ a=255 b=65535 c=4294967295 d=18446744073709551615 "
			"e=18446744073709551615",
			"c:signed_ a=-128 b=-32768 c=-2147483648 d=-9223372036854775808 "
			"e=-9223372036854775808",
			"c:signed_ a=127 b=32767 c=2147483647 d=9223372036854775807 "
			"e=9223372036854775807"});
}

TEST_CASE("in C, bool is 0 or 1, char is a character, other bytes are numbers")
{
	CHECK(written(c_small) ==
		Strings{"c:small a=true b='x' c=-1 d=200", "c:small a=true b='y' c=97 d=98"});
}

TEST_CASE("in C, floating point numbers, infinity and not-a-number come back")
{
	CHECK(written(c_floating) == Strings{"c:floating a=1.5 b=-0.25", "c:floating a=2 b=3",
					     "c:floating a=inf b=nan"});
}

TEST_CASE("in C, addresses are written, of functions and null too")
{
	static const int object[2] = {};
	const auto texts = written(c_addresses, &object[0]);
	std::ostringstream first, second;
	first << "c:addresses a=0x0 b=" << &object[0] << " c=0x0";
	second << "c:addresses a=" << &object[0] << " b=" << &object[1] << " c=0x";
	REQUIRE(texts.size() == 3);
	CHECK(texts[0] == first.str());
	REQUIRE(texts[1].substr(0, second.str().size()) == second.str());
	CHECK(texts[1].size() > second.str().size() + 1);
	const auto address = [](const std::string &text) { return text.substr(text.rfind(' ')); };
	CHECK(address(texts[2]) == address(texts[1]));
}

TEST_CASE("in C, strings are written, and a null one as (null)")
{
	CHECK(written(c_strings) == Strings{R"(c:strings a="literal" b="writable")",
					    R"(c:strings a="" b="ble")",
					    R"-(c:strings a="(null)" b="(null)")-"});
}

TEST_CASE("in C, a string that another thread changes stays parseable", "[race]")
{
	fake::reset();
	const unsigned trace = fake::create({~0u, 1 << 16, 16});
	const Changer<64> shared;
	for (int i = 0; i < 5000; ++i)
		c_mixed(i, shared.data());
	CHECK(read_texts(trace).size() == 5000); // decode() fails on a torn one
}

TEST_CASE("in C, fields are packed in order whatever their sizes")
{
	fake::reset();
	const unsigned trace = fake::create();
	c_mixed(7, "text");
	const auto packets = fake::read(trace);
	REQUIRE(packets.size() == 1);
	CHECK(packets[0].bytes.size() == 8 + 1 + 8 + 5 + 2 + 5 + 1);
	CHECK(decode(packets[0]).at(0).text == R"(c:mixed a=true b=1 c="text" d=7 e="text" f='e')");
}

TEST_CASE("in C, bit-fields, enumerations, constants and qualified objects are arguments")
{
	CHECK(written(c_arguments) == Strings{"c:number value=5", "c:number value=4",
					      "c:number value=3", "c:number value=2",
					      "c:number value=1", "c:number value=28",
					      "c:qualified a=1 b=4", "c:number value=8"});
}

TEST_CASE("in C, no field and sixty-four fields are written, and names may be words of C")
{
	const auto texts = written(c_sixty_four);
	REQUIRE(texts.size() == 1);
	CHECK(texts[0].substr(0, 31) == "c:sixty_four a00=1 a01=2 a02=3 ");
	CHECK(texts[0].substr(texts[0].size() - 6) == " d33=8");
	CHECK(written(c_words) == Strings{"namespace:while int=1 struct=2 align=3 _x=4 __x=5",
					  "c:named_by_macro value=6"});
}

TEST_CASE("in C, a trace gets the events that share a bit with its filter")
{
	const std::pair<std::uint32_t, Strings> cases[] = {
		{1u, {"c:nothing"}},
		{1u << 8, {"c:filter_8 value=8"}},
		{1u << 23, {"c:filter_23 value=23"}},
		{1u << 31, {"c:filter_31 value=31"}},
		{1u << 3, {"c:filter_two"}},
		{1u << 21, {"c:filter_two"}},
		{1u << 9, {}},
	};
	for (const auto &[filter, expected] : cases) {
		fake::reset();
		const unsigned trace = fake::create({filter});
		c_filters();
		CHECK(read_texts(trace) == expected);
	}
}

TEST_CASE("in C, of two definitions of an event only the markers of one write")
{
	fake::reset();
	const unsigned trace = fake::create();
	c_twice();
	c_twice_otherwise();
	const auto texts = read_texts(trace); // fails if one does not decode
	REQUIRE(texts.size() == 1);
	CHECK((texts[0] == "twice:defined a=1" || texts[0] == "twice:defined a=0.5"));
}

TEST_CASE("in C, each argument is evaluated once when on, and never when off")
{
	fake::reset();
	CHECK(c_evaluated() == 0);
	const unsigned one = fake::create();
	const unsigned other = fake::create();
	CHECK(c_evaluated() == 11);
	CHECK(read_texts(one) == Strings{"c:number value=1"});
	CHECK(read_texts(other) == Strings{"c:number value=1"});
	fake::stop(one);
	fake::stop(other);
	CHECK(c_evaluated() == 0);
}

TEST_CASE("in C, a handler's events survive at every step of the marker below it", "[signals]")
{
	struct sigaction action = {}, old;
	action.sa_handler = on_signal;
	sigaction(SIGUSR1, &action, &old);
	for (const step at : {step::begun, step::before_clock, step::before_reserve, step::reserved,
		     step::stored, step::before_commit, step::committed, step::ended}) {
		fake::reset();
		const unsigned trace = fake::create({~0u, 1 << 16, 4});
		interrupted = at;
		handlers = 0;
		for (unsigned i = 0; i < 20; ++i) {
			step_hook = interrupt;
			c_number(i);
			step_hook = nullptr;
		}
		INFO("step " << static_cast<int>(at));
		CHECK(handlers == 20);
		CHECK(read_texts(trace).size() == 40);
		const ltt_control *control = fake::control(trace);
		CHECK(control->events == 40);
		CHECK(control->commit == control->reserve);
		CHECK(control->writer == 0);
	}
	sigaction(SIGUSR1, &old, nullptr);
}

TEST_CASE("contexts that are set in C lie between header and fields")
{
	fake::reset();
	fake::trace_options options;
	options.contexts = LTT_CONTEXT_APP | LTT_CONTEXT_PTHREAD | LTT_CONTEXT_IP;
	const unsigned trace = fake::create(options);
	c_set_contexts(4711, nullptr);
	c_number(5);
	const auto packets = fake::read(trace);
	REQUIRE(packets.size() == 1);
	const std::vector<char> &bytes = packets[0].bytes;
	std::size_t at = 8;
	const auto take = [&](auto value) {
		if (bytes.size() - at < sizeof value)
			FAIL("the event ends at " << at);
		std::memcpy(&value, &bytes[at], sizeof value);
		at += sizeof value;
		return value;
	};
	Dl_info marker = {}, library = {};
	REQUIRE(dladdr(take(static_cast<void *>(nullptr)), &marker) != 0);
	REQUIRE(dladdr(reinterpret_cast<void *>(c_number), &library) != 0);
	CHECK(marker.dli_fbase == library.dli_fbase);
	CHECK(take(std::uint64_t()) == static_cast<std::uint64_t>(pthread_self()));
	CHECK(take(std::uint8_t()) == 3); // the last listed first
	take(std::uint16_t());
	CHECK(take(char()) == 'x');
	take(std::uint16_t());
	CHECK(take(std::uint64_t()) == 0);
	take(std::uint16_t());
	CHECK(take(std::uint64_t()) == 4711);
	CHECK(take(std::uint64_t()) == 5);
	CHECK(at == bytes.size());
}
