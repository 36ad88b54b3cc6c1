// SPDX-License-Identifier: MIT
//
// ltt-ctl events --trace: of a running program, what a trace takes of it, and why not the
// rest.

// qemu: tool=ltt-ctl

#include "../counted.h"
#include "../seccomp.h"
#include "../streams.h"
#include "../tool.h"
#include "../users.h"

#include <ust/ust.h>

#include <csignal>

UST_CATEGORY(guest, noise, 3, "What nobody needs.")
UST_EVENT(guest, other, UST_BIT(0), (std::uint64_t, value))
UST_EVENT(guest, idle, UST_CATEGORY_NET, (std::uint64_t, value))
UST_EVENT(guest, hum, UST_IN(guest, noise), (std::uint64_t, value))

namespace
{

using namespace ktap;
using namespace tool;

// A process that wrote so many events of guest:count, and stopped.
class Program
{
public:
	explicit Program(uint64_t n, uid_t uid = 0)
		: pid_(stopped([=] {
			  if (uid)
				  users::become(uid);
			  write_events(n);
			  kill(getpid(), SIGSTOP);
			  UST(guest, other, 0);
			  UST(guest, idle, 0);
			  UST(guest, hum, 0);
		  }))
	{
	}
	~Program()
	{
		kill(pid_, SIGKILL);
		waitpid(pid_, nullptr, 0);
	}
	std::string pid() const { return std::to_string(pid_); }

private:
	pid_t pid_;
};

Result ask(const Program &program, const std::string &trace)
{
	Result r = ltt_ctl({"events", program.pid(), "--trace", trace});
	CHECK_EQ(r.exit(), 0);
	CHECK_EQ(r.err, "");
	return r;
}

} // namespace

TEST("events --trace tells which of a running program's events are there, filtered, ruled out "
     "or not reached")
{
	succeed({"create", "t", "--filter", "bit0,net", "--events", "!guest:other"});
	succeed({"start", "t"});
	Program program(3);
	Result r = ask(program, "t");
	for (const std::string &line : {
		     std::string("trace t: active, filter bit0,net, rules !guest:other\n"),
		     "process " + program.pid() + ": process " + program.pid() +
			     " has a buffer of it\n",
		     std::string("  yes  guest:count  3 in the trace now\n"),
		     std::string("  no   guest:other  the rule \"!guest:other\" leaves it out\n"),
		     std::string("  yes  guest:idle   none in the trace now: not reached, or a "
				 "recorder took them\n"),
		     std::string("  no   guest:hum    the trace's filter (bit0,net) has none of "
				 "its bits (guest:noise)\n")})
		CHECK_SAYS(r, line);

	r = ltt_ctl({"events", program.pid(), "--trace", "t", "--json"});
	CHECK_EQ(r.exit(), 0);
	CHECK_SAYS(r, "\"taken\": true,\n    \"why\": \"taken\",\n    \"reason\": \"3 in the trace "
		      "now\",\n    \"in_trace\": 3\n");
	CHECK_SAYS(r, "\"taken\": false,\n    \"why\": \"filter\",");
	CHECK_SAYS(r, "\"taken\": false,\n    \"why\": \"rules\",");
	CHECK_SAYS(r, "\"taken\": true,\n    \"why\": \"not-reached\",");

	// Asking took nothing away; a recorder does.
	CHECK_SAYS(ask(program, "t"), "guest:count  3 in the trace now");
	CHECK_EQ(ltt_ctl({"record", "t", "--drain", "-o", "/tmp/taken"}).count("events"), 3u);
	CHECK_SAYS(ask(program, "t"), "guest:count  none in the trace now");
	succeed({"stop", "t"});
	r = ask(program, "t");
	CHECK_SAYS(r, ": not traced: the trace is stopped: ltt-ctl start t\n");
	CHECK_SAYS(r, "  no   guest:count\n");
	succeed({"destroy", "t"});
}

TEST("events --trace of a file tells what the filter and the rules would take")
{
	succeed({"create", "t", "--filter", "net"});
	Result r = ltt_ctl({"events", own_path(), "--trace", "t"});
	CHECK_EQ(r.exit(), 0);
	CHECK_SAYS(r, "  yes  guest:idle   its filter and its rules let it through\n");
	CHECK_SAYS(r, "  no   guest:count  the trace's filter (net) has none of its bits (bit0)\n");
	CHECK_EQ(r.out.find("process"), std::string::npos);
	CHECK_EQ(ltt_ctl({"events", own_path(), "--trace", "none"}).exit(), 1);
	succeed({"destroy", "t"});
}

TEST("events --trace tells of a process that the trace does not cover, and why")
{
	Program program(3), theirs(3, users::user_a);
	succeed({"create", "own", "--own"});
	succeed({"create", "limited", "--pid", std::to_string(getpid())});
	succeed({"create", "all"});
	for (const char *trace : {"own", "limited", "all"})
		succeed({"start", trace});
	Result r = ask(theirs, "own");
	CHECK_SAYS(r, ": not traced: the trace covers processes of user 0 only, and process " +
			      theirs.pid() + " is one of user 1001\n");
	CHECK_SAYS(r, "  no   guest:count\n");
	r = ask(program, "limited");
	CHECK_SAYS(r, ": not traced: no thread of process " + program.pid());
	CHECK_SAYS(r, "or its limits (1) leave the process out\n");
	// It is stopped, and has met no marker since.
	r = ask(program, "all");
	CHECK_SAYS(r, "process " + program.pid() + ": no thread of process " + program.pid() +
			      " has a buffer of it: none met a marker that it takes\n");
	CHECK_SAYS(r, "  yes  guest:count  none in the trace now: not reached");
	for (const char *trace : {"own", "limited", "all"})
		succeed({"destroy", trace});
}

TEST("events --trace tells of a program whose markers were refused by a filter of calls")
{
	succeed({"create", "t"});
	succeed({"start", "t"});
	// The programs of the harness have markers too: this one begins anew under the filter.
	pid_t child = spawn([] {
		filter_calls(LTT_NR_update, LTT_NR_register, SECCOMP_RET_ERRNO | ENOSYS);
		execl("/proc/self/exe", "silent", nullptr);
	});
	std::string name = "/proc/" + std::to_string(child) + "/cmdline";
	WAIT_UNTIL(read_file(name).find("silent") == 0 && state_of(child) == 'T');
	Result r = ltt_ctl({"events", std::to_string(child), "--trace", "t"});
	CHECK_SAYS(r, ": not traced: no thread of process " + std::to_string(child) +
			      " has a buffer of it: its markers are silent");
	CHECK_SAYS(r, "ltt-ctl check tells more");
	kill(child, SIGKILL);
	waitpid(child, nullptr, 0);
	succeed({"destroy", "t"});
}

TEST("a filter goes by the names that programs give: of a file, a process, the command")
{
	succeed({"create", "t", "--filter", "guest:noise,net", "--program", own_path()});
	CHECK_SAYS(ltt_ctl({"status", "t"}), "  filter    bit3,net\n");
	succeed({"filter", "t", "bit0"});
	succeed({"filter", "t", "guest:noise", "--program", std::to_string(getpid())});
	CHECK_SAYS(ltt_ctl({"status", "t"}), "  filter    bit3\n");
	Result r = ltt_ctl({"filter", "t", "guest:none", "--program", own_path()});
	CHECK_EQ(r.exit(), 2);
	CHECK_SAYS(r,
		"there is no category guest:none in " + own_path() + "; there are guest:noise\n");
	succeed({"destroy", "t"});

	r = ltt_ctl(
		{"run", "--filter", "guest:noise", "-o", "/tmp/named", "--", own_path(), "hum"});
	CHECK_EQ(r.exit(), 0);
	CHECK_EQ(r.count("events"), 1u);
}

// Commands of "ltt-ctl run", and of the test above that begins anew.
[[gnu::constructor]] static void other_programs(int argc, char **argv, char **)
{
	if (argc == 1 && !strcmp(argv[0], "silent"))
		kill(getpid(), SIGSTOP);
	if (argc == 2 && !strcmp(argv[1], "hum")) {
		UST(guest, count, 0);
		UST(guest, hum, 0);
		_exit(0);
	}
}
