// SPDX-License-Identifier: MIT
// The program itself, as a shell sees it.
#include <catch2/catch.hpp>

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <sstream>

#include "lib/completion.h"
#include "support/directory.h"
#include "support/tool.h"

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

TEST_CASE("the verbs that scripts use are there")
{
	for (const char *verb : {"create", "start", "stop", "filter", "rules", "destroy", "list",
		     "status", "record", "rotate", "snapshot", "run", "view", "events", "check",
		     "help", "version"})
		CHECK(std::count(verbs().begin(), verbs().end(), verb) == 1);
}

TEST_CASE("help goes to stdout, with exit status 0, and names every verb")
{
	for (const std::vector<std::string> &words :
		{std::vector<std::string>{"help"}, {"--help"}, {"-h"}}) {
		CommandResult r = ltt_ctl(words);
		CHECK(r.status == 0);
		CHECK(r.err == "");
		for (const std::string &verb : verbs())
			CHECK_THAT(r.out, Contains("\n  " + verb + " "));
	}
}

TEST_CASE("each verb explains itself, in three ways alike")
{
	for (const std::string &verb : verbs()) {
		INFO(verb);
		CommandResult r = ltt_ctl({"help", verb});
		CHECK(r.status == 0);
		CHECK(r.err == "");
		CHECK_THAT(r.out, Contains("Usage: ltt-ctl " + verb));
		CHECK(ltt_ctl({verb, "--help"}).out == r.out);
		CHECK(ltt_ctl({verb, "-h"}).out == r.out);
	}
}

TEST_CASE("misuse is one line and a hint on stderr, with exit status 2")
{
	for (const std::vector<std::string> &words : {std::vector<std::string>{}, {"frobnicate"},
		     {"create"}, {"create", "a", "b"}, {"create", "a/b"}, {"create", ""},
		     {"create", "a", "--frob"}, {"create", "a", "--subbuf-size"},
		     {"create", "a", "--subbuf-size", "5k"}, {"create", "a", "--n-subbufs", "3"},
		     {"create", "a", "--filter", "some"}, {"create", "a", "--system", "--own"},
		     {"create", "a", "--subbuf-size", "16M", "--n-subbufs", "32"}, {"start"},
		     {"stop", ".x"}, {"filter", "a"}, {"filter", "a", "bit99"}, {"rules", "a"},
		     {"rules", "a", "!"}, {"create", "a", "--events", "*@loud"},
		     {"run", "--events", "@info", "--", "true"}, {"destroy", "a b"}, {"list", "x"},
		     {"status", "a", "b"}, {"status", ""}, {"status", "a/b"}, {"status", "--frob"},
		     {"record", "a"}, {"record", "-o", "x"}, {"run"}, {"run", "--"},
		     {"record", "a", "-o", ""}, {"run", "-o", "", "--", "true"},
		     {"record", "a", "-o", "x", "--drain", "--until-stopped"}, {"run", "--frob"},
		     {"record", "a", "-o", "x", "--drain", "-d"}, {"record", "a", "a", "-o", "x"},
		     {"record", "a", "b/", "-o", "x"}, {"record", "a", "-o", "x", "--pid-file", ""},
		     {"record", "a", "chunks", "-o", "x"}, {"rotate"}, {"rotate", "x", "y"},
		     {"record", "a", "-o", "x", "--rotate-size", "63k"},
		     {"record", "a", "-o", "x", "--rotate-size", "0"},
		     {"record", "a", "-o", "x", "--rotate-time", "0s"},
		     {"record", "a", "-o", "x", "--rotate-time", "366d"},
		     {"record", "a", "-o", "x", "--rotate-time", "10"},
		     {"record", "a", "-o", "x", "--rotate-time", "s"},
		     {"record", "a", "-o", "x", "--rotate-time", "99999999999s"},
		     {"record", "a", "-o", "x", "--keep", "0"},
		     {"record", "a", "-o", "x", "--keep", "two"}, {"snapshot", "a"},
		     {"snapshot", "a", "-o", ""}, {"snapshot", "-o", "x"},
		     {"create", "a", "--mode", "x"}, {"run", "--mode", "", "--", "true"},
		     {"create", "a", "--timeout", "1s"},
		     {"create", "a", "--timeout", "1s", "--mode", "overwrite"},
		     {"create", "a", "--mode", "block", "--timeout", "0s"},
		     {"create", "a", "--mode", "block", "--timeout", "61s"},
		     {"create", "a", "--memory", "255k"}, {"create", "a", "--memory", "all"},
		     {"create", "a", "--follow"}, {"create", "a", "--follow", "--exe", LTT_CTL},
		     {"create", "a", "--pid", "0"}, {"create", "a", "--pid", "1,x"},
		     {"create", "a", "--pid", ","}, {"create", "a", "--pid", ""},
		     {"create", "a", "--pid"}, {"create", "a", "--pid", "1", "2"},
		     {"create", "a", "--system", "--uid", "nobody-of-that-name"},
		     {"create", "a", "--exe", "/nowhere"}, {"create", "a", "--exe", "/"},
		     {"create", "a", "--cgroup", "/nowhere"}, {"create", "a", "--cgroup", "/"},
		     {"run", "--pid", "x", "--", "true"}, {"run", "--exe", "/", "--", "true"},
		     {"events"}, {"events", LTT_CTL, "--trace", ""},
		     {"events", LTT_CTL, "--trace", "a/b"}, {"check", "--frob"},
		     {"help", "frobnicate"}, {"version", "x"}}) {
		std::string line;
		for (const std::string &w : words)
			line += " " + w;
		INFO("ltt-ctl" << line);
		CommandResult r = ltt_ctl(words);
		CHECK(r.status == 2);
		CHECK(r.out == "");
		CHECK_THAT(r.err, StartsWith("ltt-ctl: "));
		CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 2);
		CHECK_THAT(r.err, Contains("Try \"ltt-ctl help"));
	}
}

TEST_CASE("no verb takes a name that a trace cannot have, and says why")
{
	const std::pair<std::string, std::string> names[] = {
		{"", "a trace's name cannot be empty"},
		{" ", "a trace cannot be called \" \": it may have letters, digits"},
		{"a b", "a trace cannot be called \"a b\": it may have letters, digits"},
		{"a/b", "a trace cannot be called \"a/b\": it may have letters, digits"},
		{"/", "a trace cannot be called \"/\": it may have letters, digits"},
		{".", "a trace cannot be called \".\": it begins with a dot"},
		{"..", "a trace cannot be called \"..\": it begins with a dot"},
		{"../a", "a trace cannot be called \"../a\": it begins with a dot"},
		{std::string(64, 'x'), "it has 64 bytes, 63 are allowed"},
		{std::string(255, 'x'), "it has 255 bytes, 63 are allowed"},
		{"gr\xc3\xbcn", "a trace cannot be called \"gr\xc3\xbcn\": it may have letters"},
		{"\xe2\x98\x83", "a trace cannot be called \"\xe2\x98\x83\": it may have letters"},
		{"a\nb", "a trace cannot be called \"a?b\": it may have letters, digits"},
		{"a\x1b[31m", "a trace cannot be called \"a?[31m\": it may have letters, digits"},
	};
	const std::vector<std::string> more[] = {{"create"}, {"start"}, {"stop"}, {"destroy"},
		{"filter", "all"}, {"rules", "a:b"}, {"status"}, {"record", "-o", "/nowhere/x"},
		{"snapshot", "-o", "/nowhere/x"}, {"events", LTT_CTL}};
	for (std::vector<std::string> words : more)
		for (const auto &[name, reason] : names) {
			if (words[0] == "events" && name.empty())
				continue; // an empty value of an option is refused as such
			std::vector<std::string> line = words;
			if (words[0] == "events")
				line.push_back("--trace");
			line.insert(words[0] == "events" ? line.end() : line.begin() + 1, name);
			INFO(words[0] << " '" << name << "'");
			CommandResult r = ltt_ctl(line);
			CHECK(r.status == 2);
			CHECK(r.out == "");
			CHECK_THAT(r.err, StartsWith("ltt-ctl: ") && Contains(reason));
			CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 2);
		}
	// And takes the longest and the oddest ones that there are: here the kernel says no.
	if (std::filesystem::exists("/dev/ltt"))
		return;
	for (std::vector<std::string> words : more)
		for (const std::string &name :
			{std::string(63, 'x'), std::string("a.-_9"), std::string("_")}) {
			std::vector<std::string> line = words;
			if (words[0] == "events")
				line.push_back("--trace");
			line.insert(words[0] == "events" ? line.end() : line.begin() + 1, name);
			CHECK(ltt_ctl(line).status == 3);
		}
}

TEST_CASE("misuse is named by its cause")
{
	auto says = [](const std::vector<std::string> &words) {
		std::string err = ltt_ctl(words).err;
		return err.substr(0, err.find('\n'));
	};
	CHECK(says({"record", "a", "-o"}) == "ltt-ctl: --output needs a value");
	CHECK(says({"create", "a", "--filter"}) == "ltt-ctl: --filter needs a value");
	CHECK_THAT(says({"run", "-o", "", "--", "true"}), Contains("--output needs a value"));
	CHECK_THAT(says({"record", "a", "-o", ""}), Contains("--output needs a value"));
	CHECK(says({"run", "-o", "x", "-o", "y", "--", "true", "-x"}) ==
		"ltt-ctl: --output is given more than once");
	CHECK(says({"create", "x", "--fitler", "all"}) ==
		"ltt-ctl: there is no option --fitler; did you mean --filter?");
	CHECK(says({"lsit"}) == "ltt-ctl: there is no verb lsit; did you mean list?");
	CHECK(says({"help", "evens"}) == "ltt-ctl: there is no verb evens; did you mean events?");
	CHECK(says({"frobnicate"}) == "ltt-ctl: there is no verb frobnicate");
	CHECK(says({"\x1b[31mx"}) == "ltt-ctl: there is no verb ?[31mx");
	CHECK(says({"start"}) == "ltt-ctl: NAME is missing: the trace");
	CHECK(says({"record", "a"}).find("ltt-ctl: --output is missing: directory to write") == 0);
	CHECK(says({"run", "--", ""}) == "ltt-ctl: the command to run has no name");
	CHECK(says({"create", "a", "--memory", "x"}) ==
		"ltt-ctl: --memory \"x\" is not a size: write 4096, 64k or 1M");
	CHECK(says({"create", "a", "--subbuf-size", "5k"}) ==
		"ltt-ctl: --subbuf-size 5k will not do: a power of two from 4k to 16M is needed");
	CHECK(says({"create", "-x"}) == "ltt-ctl: there is no option -x");
	CHECK(says({"run", "--frob", "true"}) ==
		"ltt-ctl: there is no option --frob; put -- before a command that begins with a "
		"dash");
	CHECK(says({"run", "-o", "/proc/none", "--", "-x"}).find("option") == std::string::npos);
	CHECK(says({"create", "--", "a", "b"}) == "ltt-ctl: \"b\" is one word too many");
	CHECK(says({"version", "--"}).find("ltt-ctl: ") == std::string::npos);
	CHECK(says({"create", "a", "b", "c"}) == "ltt-ctl: \"b\" is one word too many");
	CHECK_THAT(says({"create", "a", "--n-subbufs", "8k"}), Contains("from 2 to 4096"));
	CHECK(says({"create", "a", "--pid"}) == "ltt-ctl: --pid needs a value");
	CHECK(says({"create", "a", "--pid", "1", "2"}) == "ltt-ctl: \"2\" is one word too many");
	CHECK(says({"create", "a", "--pid", "1", "--pid", "2,x"}) ==
		"ltt-ctl: \"x\" is not the number of a process");
	CHECK(says({"create", "a", "--timeout", "1s"}) ==
		"ltt-ctl: --timeout goes with --mode block only");
	CHECK_THAT(says({"create", "a", "--memory", "255k"}), Contains("one thread takes 256k"));
	CHECK_THAT(says({"create", "a", "--exe", "/nowhere"}), Contains("/nowhere"));
	CHECK_THAT(says({"record", "a", "-o", "x", "--drain", "--until-stopped"}),
		Contains("--drain and --until-stopped"));
}

TEST_CASE("help shows what follows an option, and the command of run")
{
	std::string help = ltt_ctl({"help", "run"}).out;
	CHECK_THAT(help, Contains("Usage: ltt-ctl run [OPTIONS] -- COMMAND...\n"));
	for (const char *option : {"-o,--output DIR ", "--filter FILTER ", "--program FILE|PID ",
		     "--subbuf-size SIZE ", "--n-subbufs N ", "--mode MODE ", "--timeout TIME ",
		     "--memory SIZE ", "--pid PID ", "--follow ", "--uid UID ", "--exe FILE ",
		     "--cgroup DIR "})
		CHECK_THAT(help, Contains(option));
}

TEST_CASE("completion knows each verb, each option that helps tell of, and each kind of value")
{
	for (const std::string &verb : verbs()) {
		INFO(verb);
		CHECK_THAT(ltt_ctl({"--complete", verb}).out, StartsWith(verb + "\t"));
		CHECK_THAT(ltt_ctl({"--complete", "help", verb}).out, StartsWith(verb + "\t"));
		const std::string offered = ltt_ctl({"--complete", verb, "-"}).out;
		std::istringstream help(ltt_ctl({"help", verb}).out);
		size_t options = 0;
		for (std::string line; std::getline(help, line);) {
			std::istringstream words(line);
			std::string names, value;
			words >> names >> value;
			if (line.compare(0, 3, "  -") == 0 && names != "--") {
				++options;
				std::istringstream each(names);
				for (std::string name; std::getline(each, name, ',');)
					CHECK_THAT("\n" + offered, Contains("\n" + name + "\t"));
				const bool is_value =
					value.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ|") ==
					std::string::npos;
				if (is_value && line.find(names + " " + value) == 2) {
					INFO(line);
					CHECK(ltt::completes(value));
				}
			} else if (line.compare(0, 2, "  ") == 0 && std::isupper(line[2])) {
				INFO(line);
				CHECK(ltt::completes(names));
			}
		}
		CHECK(options > 0);
	}
	CHECK(ltt_ctl({"--complete", "frob", ""}).out == "");
	CHECK(ltt_ctl({"--complete"}).status == 0);
}

TEST_CASE("a kernel without ltt is one clear line and exit status 3")
{
	if (std::filesystem::exists("/dev/ltt"))
		return; // this kernel has it
	for (const std::vector<std::string> &words : {std::vector<std::string>{"list"},
		     {"list", "--json"}, {"status"}, {"status", "a"}, {"status", "--json"},
		     {"create", "a"}, {"start", "a"}, {"stop", "a"}, {"filter", "a", "all"},
		     {"rules", "a", "x:*"}, {"destroy", "a"}, {"record", "a", "-o", "/nowhere/x"},
		     {"snapshot", "a", "-o", "/nowhere/x"},
		     {"create", "a", "--mode", "block", "--timeout", "100ms", "--memory", "256k"},
		     {"create", "a", "--pid", "1,2", "--pid", "3", "--follow", "--exe", LTT_CTL},
		     {"run", "-o", "/nowhere/x", "--follow", "--", "true"},
		     {"events", "--json", LTT_CTL, "--trace", "a"},
		     {"run", "-o", "/nowhere/x", "--", "true"}}) {
		INFO(words[0]);
		CommandResult r = ltt_ctl(words);
		CHECK(r.status == 3);
		CHECK(r.out == "");
		CHECK(r.err == "ltt-ctl: this kernel has no ltt: boot one that is built with "
			       "CONFIG_LTT\n");
	}
}

TEST_CASE("check tells of a kernel without ltt in a line of its own, and of the rest")
{
	if (std::filesystem::exists("/dev/ltt"))
		return; // this kernel has it
	CommandResult r = ltt_ctl({"check"});
	CHECK(r.status == 3);
	CHECK(r.err == "");
	CHECK_THAT(r.out, StartsWith("fail  kernel       Linux ") &&
				  Contains(": this kernel has no ltt: boot one") &&
				  Contains("\nok    proc         "));
	r = ltt_ctl({"check", "--json"});
	CHECK(r.status == 3);
	CHECK_THAT(
		r.out, StartsWith("[\n  {\n    \"name\": \"kernel\",\n    \"verdict\": \"fail\",\n"
				  "    \"text\": \"Linux "));
}

TEST_CASE("verdicts have colour on a terminal, but not for who wants none, nor in a file")
{
	// script(1) is the terminal.
	auto check = [](std::vector<std::string> variables, bool terminal) {
		variables.insert(variables.begin(), {"env", "-u", "NO_COLOR", "TERM=xterm"});
		if (terminal)
			variables.insert(variables.end(),
				{"script", "-qec", std::string(LTT_CTL) + " check", "/dev/null"});
		else
			variables.insert(variables.end(), {LTT_CTL, "check"});
		return run_command(variables).out;
	};
	CHECK_THAT(check({}, true), Contains("\033[32mok  \033[m  proc"));
	CHECK_THAT(check({"NO_COLOR=1"}, true), Contains("ok    proc") && !Contains("\033["));
	CHECK_THAT(check({"TERM=dumb"}, true), Contains("ok    proc") && !Contains("\033["));
	CHECK_THAT(check({}, false), Contains("ok    proc") && !Contains("\033["));
}

TEST_CASE("limits: another user in a trace of one's own, and too many, are refused")
{
	CommandResult r = ltt_ctl({"create", "a", "--own", "--uid", "4000000000"});
	CHECK(r.status == 4);
	CHECK(r.out == "");
	CHECK_THAT(r.err, StartsWith("ltt-ctl: ") && Contains("none of user 4000000000"));
	CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);

	std::string pids = "1";
	for (int i = 1; i < 64; ++i)
		pids += ",1";
	CHECK_THAT(ltt_ctl({"create", "a", "--pid", pids + ",1"}).err,
		StartsWith("ltt-ctl: 65 limits are too many"));
	r = ltt_ctl({"create", "a/", "--pid", pids});
	CHECK_THAT(r.err, Contains("letters"));
	r = ltt_ctl({"run", "--follow", "--pid", pids, "--exe", LTT_CTL, "--", "true"});
	CHECK(r.status == 2);
	CHECK_THAT(r.err, StartsWith("ltt-ctl: 65 limits are too many"));
}

TEST_CASE("events of files: none, no ELF file, not there")
{
	CommandResult r = ltt_ctl({"events", LTT_CTL});
	CHECK(r.status == 0);
	CHECK(r.out == "");
	CHECK(r.err == std::string("ltt-ctl: ") + LTT_CTL + " has no events\n");
	r = ltt_ctl({"events", "--json", LTT_CTL});
	CHECK(r.out == "[]\n");
	CHECK(r.err == "");
	r = ltt_ctl({"events", "/etc/passwd"});
	CHECK(r.status == 6);
	CHECK_THAT(r.err, Contains("/etc/passwd") && Contains("not an ELF file"));
	r = ltt_ctl({"events", "2147483647"});
	CHECK(r.status == 1);
	CHECK_THAT(r.err, Contains("there is no process 2147483647") && Contains("./2147483647"));
	r = ltt_ctl({"events", std::to_string(getpid())});
	CHECK(r.status == 0);
	CHECK_THAT(r.err, Contains("process " + std::to_string(getpid()) + " has no events"));
	r = ltt_ctl({"events", "/nowhere"});
	CHECK(r.status == 1);
	CHECK_THAT(r.err, Contains("/nowhere"));
}

TEST_CASE("the version is printed")
{
	CommandResult r = ltt_ctl({"version"});
	CHECK(r.status == 0);
	CHECK_THAT(r.out, StartsWith("ltt-ctl ") && Contains("ABI 1"));
	CHECK(ltt_ctl({"--version"}).out == r.out);
}

TEST_CASE("output that cannot be written is an error")
{
	CommandResult r = run_command({"/bin/sh", "-c", "exec \"$0\" help > /dev/full", LTT_CTL});
	CHECK(r.status == 1);
	CHECK_THAT(r.err, Contains("standard output"));
}
