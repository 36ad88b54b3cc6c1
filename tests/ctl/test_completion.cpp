// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <fstream>

#include <unistd.h>

#include "lib/completion.h"
#include "lib/similar.h"
#include "support/directory.h"

namespace
{

using Words = std::vector<std::string>;

const ltt::CommandLine record = {
	{{{"-o", "--output"}, "DIR", "where to"}, {{"--json"}, "", "for scripts"},
		{{"--filter"}, "FILTER", ""}, {{"--pid"}, "PID", "", true},
		{{"--uid"}, "UID", "", true}, {{"--mode"}, "MODE", ""}, {{"--events"}, "RULES", ""},
		{{"--exe"}, "FILE", "", true}},
	{"NAME"}, false};

const ltt::CommandLine run = {record.options, {}, true};

// The words of the candidates, and what the shell is to do itself.
Words complete(const Words &words, const ltt::CommandLine &line = record,
	const std::string &verb = "record")
{
	Directory d;
	std::ofstream(d / "passwd") << "root:x:0:0::/:/bin/sh\nann:x:1:1::/:/bin/sh\n";
	for (const char *pid : {"17", "4711", "self"}) {
		std::filesystem::create_directory(d / pid);
		std::ofstream(d / (std::string(pid) + "/comm")) << "shop\n";
	}
	ltt::CompletionSources sources;
	sources.traces = [] { return Words{"mine", "more", "other"}; };
	sources.proc = d.path();
	sources.passwd = d / "passwd";
	Words all;
	for (const ltt::Candidate &c : ltt::complete(verb, line, words, sources))
		all.push_back(c.word + (c.word == ltt::complete_command ? c.description : ""));
	std::sort(all.begin(), all.end());
	return all;
}

} // namespace

TEST_CASE("completion: traces stand where a verb wants one, but where one is made")
{
	CHECK(complete({""}) == Words{"mine", "more", "other"});
	CHECK(complete({"m"}) == Words{"mine", "more"});
	CHECK(complete({"--json", "o"}) == Words{"other"});
	CHECK(complete({"-o", "dir", "o"}) == Words{"other"});
	CHECK(complete({"--output=dir", "o"}) == Words{"other"});
	CHECK(complete({"--", "o"}) == Words{"other"});
	CHECK(complete({""}, record, "create").empty());
}

TEST_CASE("completion: options, where one is begun or nothing else can stand")
{
	CHECK(complete({"--"}) == Words{"--events", "--exe", "--filter", "--json", "--mode",
					  "--output", "--pid", "--uid"});
	CHECK(complete({"--e"}) == Words{"--events", "--exe"});
	CHECK(complete({"mine", "-o"}) == Words{"-o"});
	CHECK(complete({"mine", ""}).size() == 9);
	CHECK(complete({"--", "mine", ""}).empty());
	CHECK(complete({"mine", "--frob", "--j"}) == Words{"--json"});
}

TEST_CASE("completion: values of options, also behind an equals sign and a comma")
{
	CHECK(complete({"mine", "-o", ""}) == Words{":directories"});
	CHECK(complete({"--exe", "/b"}) == Words{":files"});
	CHECK(complete({"--mode", ""}) == Words{"block", "discard", "overwrite"});
	CHECK(complete({"--mode=o"}) == Words{"--mode=overwrite"});
	CHECK(complete({"--filter", "n"}) == Words{"net", "none"});
	CHECK(complete({"--filter", "net,bit3"}) ==
		Words{"net,bit3"}); // only the last of them is typed
	CHECK(complete({"--filter=net,sto"}) == Words{"--filter=net,storage"});
	CHECK(complete({"--pid", ""}) == Words{"17", "4711"});
	CHECK(complete({"--pid", "17,4"}) == Words{"17,4711"});
	CHECK(complete({"--uid", "a"}) == Words{"ann"});
	CHECK(complete({"--events", ""}).empty());
	CHECK(complete({"--frob=", ""}) == Words{"mine", "more", "other"});
	CHECK(complete({"--frob=x"}).empty());
}

TEST_CASE("completion: the command of run is completed as a command of its own")
{
	CHECK(complete({""}, run, "run") == Words{":command0"});
	CHECK(complete({"--"}, run, "run").size() == 8);
	CHECK(complete({"-o", "dir", "--", "l"}, run, "run") == Words{":command3"});
	CHECK(complete({"-o", "dir", "l"}, run, "run") == Words{":command2"});
	CHECK(complete({"-o", "dir", "ls", "--"}, run, "run") == Words{":command2"});
	CHECK(complete({"--mode", ""}, run, "run") == Words{"block", "discard", "overwrite"});
}

TEST_CASE("of known words the one is suggested that a mistyped one is like")
{
	const Words words = {"list", "start", "stop", "status", "--filter", "--n-subbufs"};
	CHECK(ltt::most_similar("lsit", words) == "list"); // swapped
	CHECK(ltt::most_similar("lis", words) == "list");
	CHECK(ltt::most_similar("lisst", words) == "list");
	CHECK(ltt::most_similar("lost", words) == "list");
	CHECK(ltt::most_similar("stat", words) == "start");
	CHECK(ltt::most_similar("--fitler", words) == "--filter");
	CHECK(ltt::most_similar("--nsubbufs", words) == "--n-subbufs");
	CHECK(ltt::most_similar("frobnicate", words) == "");
	CHECK(ltt::most_similar("x", words) == "");
	CHECK(ltt::most_similar("", words) == "");
	CHECK(ltt::most_similar(std::string(1000, 'l'), words) == "");
	CHECK(ltt::suggestion("lsit", words) == "; did you mean list?");
	CHECK(ltt::suggestion("frobnicate", words) == "");
}
