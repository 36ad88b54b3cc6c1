// SPDX-License-Identifier: MIT
// The manual pages, held against the program.
#include <catch2/catch.hpp>

#include <filesystem>
#include <sstream>

#include "support/directory.h"
#include "support/tool.h"

using Catch::Matchers::Contains;

TEST_CASE("the manual explains every verb, option of the kernel and exit status")
{
	std::string manual = content(LTT_MAN "/ltt-ctl.1");
	for (const char *option :
		{"ltt.boot=", ",filter=", ",subbuf=", ",n=", ",memory=", ",overwrite", ",rules="})
		CHECK_THAT(manual, Contains(option));
	for (const std::string &verb : verbs()) {
		CHECK_THAT(manual, Contains("\n.B ltt-ctl " + verb + "\n"));
		CHECK_THAT(manual, Contains("\n.TP\n.B " + verb + "\n"));
	}
	for (int status = 0; status <= 6; ++status)
		CHECK_THAT(manual, Contains(".B " + std::to_string(status) + "\n"));
	// And leads to every other page.
	for (const std::string &page : files_in(LTT_MAN))
		if (page != "ltt-ctl.1")
			CHECK_THAT(manual,
				Contains("\n.BR " + page.substr(0, page.size() - 2) + " (1)"));
}

TEST_CASE("each option is in the page of its verb, each column and each key where they are told")
{
	size_t options = 0;
	for (const std::string &verb : verbs()) {
		// A verb without a page of its own is explained in another one.
		const std::string own = std::string(LTT_MAN) + "/ltt-ctl-" + verb + ".1";
		const std::string page = std::filesystem::exists(own) ? content(own)
					 : verb == "list"  ? content(LTT_MAN "/ltt-ctl-status.1")
					 : verb == "rules" ? content(LTT_MAN "/ltt-ctl-filter.1")
							   : content(LTT_MAN "/ltt-ctl.1");
		std::istringstream offered(ltt_ctl({"--complete", verb, "--"}).out);
		for (std::string line; std::getline(offered, line);) {
			const std::string option = line.substr(0, line.find('\t'));
			if (option == "--help")
				continue;
			std::string escaped;
			for (char c : option)
				escaped += c == '-' ? "\\-" : std::string(1, c);
			INFO(verb << " " << option);
			CHECK_THAT(page, Contains(escaped));
			++options;
		}
	}
	CHECK(options > 40);
	const std::string status = content(LTT_MAN "/ltt-ctl-status.1");
	for (const char *column : {"COVERS", "FILTER", "MODE", "SUB\\-BUFFERS", "BUFFERS", "MEMORY",
		     "LOST", "OVERWRITTEN", "REFUSED", "UID", "EVENTS"})
		CHECK_THAT(status, Contains(std::string(".B ") + column + "\n"));
	const std::string documented = content(LTT_DOCS "/ltt-ctl.md");
	for (const char *key : {"active", "system", "boot", "filter", "mode", "subbuf_size",
		     "n_subbufs", "buffers", "memory", "lost", "refused", "uid", "clock",
		     "clock_freq", "overwritten", "pool", "max_memory", "timeout_us", "targets",
		     "rules", "contexts", "categories", "may_trace_system", "max_traces",
		     "user_traces", "user_memory"}) {
		CHECK_THAT(status, Contains(key));
		CHECK_THAT(documented, Contains("`" + std::string(key) + "`"));
	}
}

TEST_CASE("man shows each page without a warning")
{
	REQUIRE(files_in(LTT_MAN).size() > 5);
	for (const std::string &page : files_in(LTT_MAN)) {
		INFO(page);
		CommandResult r = run_command({"man", "--warnings", "-E", "UTF-8", "-l",
			std::string(LTT_MAN) + "/" + page});
		CHECK(r.status == 0);
		CHECK(r.err == "");
	}
}

TEST_CASE("the examples in the manual of record are those that a test in the guest runs")
{
	std::string page = content(LTT_MAN "/ltt-ctl-record.1");
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
