// SPDX-License-Identifier: MIT
#include <cinttypes>
#include <cstdio>
#include <ctime>

#include "../lib/arguments.h"
#include "../lib/dump/buffers.h"
#include "../lib/dump/region.h"
#include "../lib/error.h"
#include "../lib/file.h"
#include "../lib/kernel.h"
#include "../lib/recorder.h"
#include "output.h"
#include "verbs.h"

namespace ltt
{

namespace
{

// The machine's clock, and the date by it.
std::string time_text(uint64_t ns, int64_t epoch_offset)
{
	const auto date =
		static_cast<time_t>((static_cast<int64_t>(ns) + epoch_offset) / 1000000000);
	char text[96], day[32];
	tm parts{};

	gmtime_r(&date, &parts);
	strftime(day, sizeof(day), "%Y-%m-%d %H:%M:%S", &parts);
	std::snprintf(text, sizeof(text), "%" PRIu64 ".%06" PRIu64 " s after boot (%s UTC)",
		ns / 1000000000, ns / 1000 % 1000000, day);
	return text;
}

Exit worse(Exit a, Exit b)
{
	return a == Exit::damaged || b == Exit::fine ? a : b;
}

} // namespace

int verb_extract(const Words &words)
{
	std::string path, directory;
	bool previous_boot = false;

	Arguments a("extract", describe("extract"));
	a.positional("DUMP", path,
		"the machine's memory: an ELF file, as /proc/vmcore of the kernel that kdump "
		"starts, "
		"or QEMU's dump-guest-memory",
		false);
	a.flag("--previous-boot", previous_boot,
		"in place of a dump: what traces that persist held when the machine was last "
		"rebooted");
	add_output(a, directory);
	a.example("ltt-ctl extract /var/crash/dump -o /tmp/before");
	a.example("ltt-ctl extract --previous-boot -o /tmp/before");
	if (!a.parse(words))
		return 0;

	if (path.empty() != previous_boot)
		throw Error(Exit::misuse,
			path.empty() ? "which dump? Name a file, or --previous-boot"
				     : "a dump and --previous-boot exclude each other");
	const std::unique_ptr<dump::Image> image =
		previous_boot ? dump::open_region(open_device()->previous_boot(),
					"what the previous boot left")
			      : dump::open_image(path);
	unsigned unread = 0;
	const dump::Report report = [&](const std::string &line) {
		++unread;
		std::fprintf(stderr, "ltt-ctl: %s\n", line.c_str());
	};
	const dump::Traces found = dump::find_traces(*image, report);
	if (found.traces.empty())
		throw Error(unread ? Exit::damaged : Exit::failed,
			previous_boot ? "there was no trace that persists when the machine was "
					"last rebooted"
				      : "there was no trace when the machine of " + path + " died");

	require_empty_directory(directory);
	ctf::Environment environment;
	environment.hostname = found.hostname;
	environment.boot_id = ctf::random_uuid(); // one for all, which can be merged
	Exit status = Exit::fine;
	for (const dump::Trace &trace : found.traces) {
		const Clock clock(trace.info);
		environment.epoch_offset = clock.epoch_offset();
		environment.trace_name = trace.name;
		environment.contexts = trace.info.contexts;
		const std::string here = directory + "/" + trace.name;
		Session session(here, environment, clock, ctf::random_uuid, report);
		dump::read_buffers(*image, trace, session, report);
		const Totals &t = session.totals();
		std::printf("trace %s: %s\n", trace.name.c_str(), summary(t, here).c_str());
		if (t.events)
			std::printf("trace %s: its last event was %s\n", trace.name.c_str(),
				time_text(t.last_ns, clock.epoch_offset()).c_str());
		status = worse(status, exit_code(t));
	}
	return static_cast<int>(unread ? Exit::damaged : status);
}

} // namespace ltt
