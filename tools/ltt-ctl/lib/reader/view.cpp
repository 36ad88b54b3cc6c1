// SPDX-License-Identifier: MIT
#include "view.h"

#include <algorithm>
#include <deque>

#include "../rules.h"
#include "../text.h"
#include "merge.h"
#include "time.h"
#include "trace.h"

namespace ltt::reader
{

namespace
{

struct OpenTrace {
	OpenTrace(const TraceFiles &f, ctf::Manifest manifest)
		: files(f), types(std::move(manifest))
	{
	}
	const TraceFiles &files;
	TraceTypes types;
};

class View
{
public:
	View(const std::string &directory, const ViewOptions &options,
		const std::function<void(const std::string &)> &report)
		: options_(options), report_(report), files_(find_files(directory))
	{
		if (files_.traces.empty())
			throw Error(Exit::failed, "there is no trace in " + directory);
		open_traces();
	}

	Exit print(Printer &printer, FILE *out);

private:
	void open_traces();
	void check_program() const;
	Stream stream(const OpenTrace &trace, const StreamName &name, bool quiet);
	uint64_t first_time();
	Wanted wanted();
	void damaged(const std::string &line)
	{
		report_(line);
		damaged_ = true;
	}

	const ViewOptions &options_;
	const std::function<void(const std::string &)> &report_;
	SessionFiles files_;
	std::deque<OpenTrace> traces_;
	bool damaged_ = false;
};

void View::check_program() const
{
	std::vector<std::string> names;

	if (options_.program.empty())
		return;
	for (const TraceFiles &files : files_.traces)
		names.push_back(files.program);
	if (std::find(names.begin(), names.end(), options_.program) == names.end())
		throw Error(Exit::misuse, "there is no program " + options_.program +
						  " in the trace; there are: " + join(names));
}

void View::open_traces()
{
	check_program();
	for (const TraceFiles &files : files_.traces) {
		if (!options_.program.empty() && files.program != options_.program)
			continue;
		std::string damage;
		try {
			traces_.emplace_back(files, read_manifest(files, damage));
		} catch (const BadData &e) {
			damaged(files.manifest() + ": " + e.what() +
				": the events of this program cannot be shown here; babeltrace2 " +
				files.directory + " reads them");
			continue;
		}
		if (!damage.empty())
			damaged(files.manifest() + ": " + damage);
		for (EventType &type : traces_.back().types.events())
			type.wanted = ask_rules(options_.rules, *type.definition).takes;
	}
}

Stream View::stream(const OpenTrace &trace, const StreamName &name, bool quiet)
{
	return Stream(name.path, trace.types.manifest(), name.instance,
		[this, quiet](const Fault &fault) {
			if (!quiet)
				damaged(to_string(fault));
		});
}

// Of all packets, in ns since 1970.
uint64_t View::first_time()
{
	uint64_t first = UINT64_MAX;
	for (const OpenTrace &trace : traces_)
		for (const StreamName &name : trace.files.streams) {
			Stream s = stream(trace, name, true);
			if (s.next())
				first = std::min(first,
					since_1970(trace.types.environment(), s.header().begin));
		}
	return first == UINT64_MAX ? 0 : first;
}

Wanted View::wanted()
{
	Wanted w;
	w.tid = options_.tid;
	if (options_.from.empty() && options_.to.empty())
		return w;
	const uint64_t first = first_time();
	if (!options_.from.empty())
		w.from = parse_time(options_.from, first);
	if (!options_.to.empty())
		w.to = parse_time(options_.to, first);
	if (w.to < w.from)
		throw Error(
			Exit::misuse, "--to " + options_.to + " is before --from " + options_.from);
	return w;
}

Exit View::print(Printer &printer, FILE *out)
{
	constexpr size_t enough = 1 << 16;
	Merge merge(wanted());
	Merge::Item item;
	std::string lines;

	for (const OpenTrace &trace : traces_)
		for (const StreamName &name : trace.files.streams)
			merge.add(trace.files.program, trace.types, stream(trace, name, false));
	while (merge.next(item)) {
		if (item.event.type)
			printer.event(lines, item.origin, item.event);
		else
			printer.loss(lines, item.origin, item.loss);
		if (lines.size() >= enough) {
			std::fwrite(lines.data(), 1, lines.size(), out);
			lines.clear();
		}
	}
	std::fwrite(lines.data(), 1, lines.size(), out);
	return damaged_ ? Exit::damaged : Exit::fine;
}

} // namespace

Exit view_session(const std::string &directory, const ViewOptions &options, Printer &printer,
	FILE *out, const std::function<void(const std::string &)> &report)
{
	return View(directory, options, report).print(printer, out);
}

} // namespace ltt::reader
