// SPDX-License-Identifier: MIT
#include <cstdio>
#include <optional>

#include "../lib/control.h"
#include "../lib/error.h"
#include "../lib/reader/check.h"
#include "../lib/reader/repair.h"
#include "../lib/text.h"
#include "check.h"
#include "json.h"

namespace ltt
{

namespace
{

using reader::Checked;
using reader::Fault;
using reader::Repaired;

std::string summary(const Checked &c)
{
	std::string s = c.faults.empty() ? "sound" : count_of(c.faults.size(), "fault");
	s += ": " + count_of(c.traces.size(), "trace") + ", " + count_of(c.packets, "packet") +
	     ", " + count_of(c.events, "event") + " in " + c.directory;
	if (c.set_aside)
		s += "; " + count_of(c.set_aside, "file") + " set aside before, in " + c.directory +
		     "/" + reader::bad_name;
	return s;
}

std::string summary(const Repaired &r, const Checked &c)
{
	return "repaired: " + count_of(r.set_aside.size(), "file") + " set aside in " +
	       c.directory + "/" + reader::bad_name + ", " + count_of(r.lost, "event") + " lost";
}

void print_text(const Checked &c)
{
	for (const Fault &fault : c.faults)
		std::printf("%s\n", to_string(fault).c_str());
	std::printf("%s\n", summary(c).c_str());
	if (c.unfinished)
		std::printf("%s of a recording that did not end, or has not yet: whether packets "
			    "are missing at the ends of streams is not known\n",
			count_of(c.unfinished, "trace").c_str());
}

// Keys are only ever added.
void print_json(const Checked &c, const Repaired *repaired)
{
	Json faults = Json::array();
	for (const Fault &f : c.faults) {
		Json fault = {
			{"file", f.file}, {"byte", f.byte}, {"size", f.size}, {"reason", f.reason}};
		if (f.packet)
			fault["packet"] = *f.packet;
		faults.push_back(fault);
	}
	Json all = {{"directory", c.directory}, {"traces", c.traces.size()}, {"packets", c.packets},
		{"events", c.events}, {"bytes", c.bytes}, {"unfinished", c.unfinished},
		{"set_aside_before", c.set_aside}, {"faults", faults}};
	if (repaired)
		all["repaired"] = {{"set_aside", repaired->set_aside}, {"lost", repaired->lost},
			{"not_repaired", repaired->not_repaired}};
	print(all);
}

} // namespace

int check_directory(const std::string &directory, bool json, bool repair)
{
	std::optional<DirectoryLock> lock;
	if (repair)
		lock.emplace(directory, "");
	const Checked checked = reader::check_session(directory);
	if (checked.traces.empty() && checked.faults.empty())
		throw Error(Exit::failed, "there is no trace in " + directory);

	if (!json)
		print_text(checked);
	if (checked.faults.empty() || !repair) {
		if (json)
			print_json(checked, nullptr);
	} else {
		const Repaired repaired = reader::repair_session(checked);
		if (json)
			print_json(checked, &repaired);
		else
			std::printf("%s\n", summary(repaired, checked).c_str());
		for (const std::string &line : repaired.not_repaired)
			std::fprintf(stderr, "ltt-ctl: %s\n", line.c_str());
	}
	return static_cast<int>(checked.faults.empty() ? Exit::fine : Exit::damaged);
}

} // namespace ltt
