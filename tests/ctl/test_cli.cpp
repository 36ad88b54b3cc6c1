// SPDX-License-Identifier: MIT
// The program itself, as a shell sees it.
#include <catch2/catch.hpp>

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "support/command.h"
#include "support/directory.h"

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace
{

CommandResult ltt_ctl(std::vector<std::string> words)
{
	words.insert(words.begin(), LTT_CTL);
	return run_command(words);
}

const std::vector<std::string> verbs = {"create", "start", "stop", "filter", "rules", "destroy",
	"list", "record", "rotate", "snapshot", "run", "events", "help", "version"};

} // namespace

TEST_CASE("help goes to stdout, with exit status 0, and names every verb")
{
	for (const std::vector<std::string> &words :
		{std::vector<std::string>{"help"}, {"--help"}, {"-h"}}) {
		CommandResult r = ltt_ctl(words);
		CHECK(r.status == 0);
		CHECK(r.err == "");
		for (const std::string &verb : verbs)
			CHECK_THAT(r.out, Contains("\n  " + verb + " "));
	}
}

TEST_CASE("each verb explains itself, in three ways alike")
{
	for (const std::string &verb : verbs) {
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
		     {"events"}, {"help", "frobnicate"}, {"version", "x"}}) {
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
	CHECK(says({"create", "x", "--fitler", "all"}) == "ltt-ctl: there is no option --fitler");
	CHECK(says({"create", "-x"}) == "ltt-ctl: there is no option -x");
	CHECK(says({"run", "--frob", "true"}).find("ltt-ctl: there is no option --frob") == 0);
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
	for (const char *option : {"-o,--output DIR ", "--filter FILTER ", "--subbuf-size SIZE ",
		     "--n-subbufs N ", "--mode MODE ", "--timeout TIME ", "--memory SIZE ",
		     "--pid PID ", "--follow ", "--uid UID ", "--exe FILE ", "--cgroup DIR "})
		CHECK_THAT(help, Contains(option));
}

TEST_CASE("a kernel without ltt is one clear line and exit status 3")
{
	if (std::filesystem::exists("/dev/ltt"))
		return; // this kernel has it
	for (const std::vector<std::string> &words : {std::vector<std::string>{"list"},
		     {"create", "a"}, {"start", "a"}, {"stop", "a"}, {"filter", "a", "all"},
		     {"rules", "a", "x:*"}, {"destroy", "a"}, {"record", "a", "-o", "/nowhere/x"},
		     {"snapshot", "a", "-o", "/nowhere/x"},
		     {"create", "a", "--mode", "block", "--timeout", "100ms", "--memory", "256k"},
		     {"create", "a", "--pid", "1,2", "--pid", "3", "--follow", "--exe", LTT_CTL},
		     {"run", "-o", "/nowhere/x", "--follow", "--", "true"},
		     {"run", "-o", "/nowhere/x", "--", "true"}}) {
		INFO(words[0]);
		CommandResult r = ltt_ctl(words);
		CHECK(r.status == 3);
		CHECK(r.out == "");
		CHECK(r.err == "ltt-ctl: this kernel has no ltt: boot one that is built with "
			       "CONFIG_LTT\n");
	}
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

TEST_CASE("the manual explains every verb, column, option of the kernel and exit status")
{
	std::string manual = content(LTT_MAN);
	for (const char *column : {"COVERS", "FILTER", "MODE", "SUB\\-BUFFERS", "BUFFERS", "MEMORY",
		     "LOST", "OVERWRITTEN", "REFUSED", "UID", "EVENTS"})
		CHECK_THAT(manual, Contains(std::string(".B ") + column + "\n"));
	for (const char *option :
		{"ltt.boot=", ",filter=", ",subbuf=", ",n=", ",memory=", ",overwrite", ",rules="})
		CHECK_THAT(manual, Contains(option));
	for (const char *option : {"filter", "events", "subbuf\\-size", "n\\-subbufs", "mode",
		     "timeout", "memory", "pid", "uid", "exe", "cgroup"})
		CHECK_THAT(manual, Contains(std::string(".TP\n.BI \\-\\-") + option + " \""));
	for (const std::string &verb : verbs)
		CHECK_THAT(manual, Contains(".B " + verb));
	for (int status = 0; status <= 6; ++status)
		CHECK_THAT(manual, Contains(".B " + std::to_string(status) + "\n"));
}

TEST_CASE("the manual of record explains every option of it")
{
	const std::string manual = content(LTT_MAN_RECORD);
	const std::string help = ltt_ctl({"help", "record"}).out;
	size_t options = 0;
	for (size_t at = 0; (at = help.find("\n  -", at)) != std::string::npos; ++options) {
		at += 3;
		std::string names = help.substr(at, help.find(' ', at) - at);
		std::string name = names.substr(names.rfind(',') + 1);
		if (name == "--help")
			continue;
		for (size_t i = 0; (i = name.find('-', i)) != std::string::npos; i += 2)
			name.insert(i, "\\");
		INFO(name);
		CHECK_THAT(manual, Contains(name));
	}
	CHECK(options > 5);
}

TEST_CASE("the examples in the manual of record are those that a test in the guest runs")
{
	std::string page = content(LTT_MAN_RECORD);
	for (size_t at; (at = page.find("\\-")) != std::string::npos;)
		page.replace(at, 2, "-");
	const size_t examples = page.find(".SH EXAMPLES");
	page = page.substr(examples, page.find(".SH SEE ALSO") - examples);
	const std::string run = content(LTT_GUEST_RECORDING);
	size_t lines = 0;
	for (size_t at = 0; (at = page.find("ltt-ctl ", at)) != std::string::npos; ++lines) {
		const size_t end = page.find_first_of(")\n", at);
		const std::string line = page.substr(at, end - at);
		CHECK_THAT(run, Contains("line(\"" + line + "\")"));
		at = end;
	}
	CHECK(lines == 10);
}

TEST_CASE("the manuals are laid out without a warning")
{
	for (const char *page : {LTT_MAN, LTT_MAN_RECORD}) {
		CommandResult r = run_command({"man", "--warnings", "-l", page});
		if (r.status != 127)
			CHECK(r.err == "");
	}
}
