// SPDX-License-Identifier: MIT
#include "check.h"

#include <algorithm>
#include <filesystem>

#include "../error.h"
#include "../file.h"
#include "../text.h"
#include "packets.h"

namespace ltt::reader
{

namespace
{

class Check
{
public:
	explicit Check(const std::string &directory)
	{
		all_.directory = directory;
		all_.files = find_files(directory);
	}
	Checked run();

private:
	void fault(const std::string &file, const std::string &reason, uint64_t byte = 0)
	{
		all_.faults.push_back({file, std::nullopt, byte, 0, reason});
	}
	void check_trace(const TraceFiles &files);
	void check_metadata(CheckedTrace &trace);
	void check_stream(CheckedStream &stream, const TraceTypes &types);
	void check_end(CheckedStream &stream);
	void find_missing(CheckedTrace &trace);
	void check_rest();

	Checked all_;
};

void Check::check_metadata(CheckedTrace &trace)
{
	const std::string path = trace.files.metadata();

	if (!std::filesystem::exists(path)) {
		trace.metadata_is_bad = true;
		fault(path, "is missing");
		return;
	}
	const ctf::Manifest &m = trace.manifest;
	const std::string right = ctf::render_metadata(m);
	const std::string there = read_file(path);
	if (there == right)
		return;
	trace.metadata_is_bad = true;
	const size_t both = std::min(there.size(), right.size());
	const auto at = static_cast<size_t>(
		std::mismatch(
			there.begin(), there.begin() + static_cast<ptrdiff_t>(both), right.begin())
			.first -
		there.begin());
	if (at < both)
		fault(path, "is not what the manifest says", at);
	else if (there.size() < right.size())
		fault(path,
			"cut off: has " + count_of(there.size(), "byte") + " of " +
				std::to_string(right.size()),
			at);
	else
		fault(path, count_of(there.size() - right.size(), "byte") + " too many", at);
}

void Check::check_stream(CheckedStream &stream, const TraceTypes &types)
{
	Stream file(stream.name.path, types.manifest(), stream.name.instance,
		[&](const Fault &f) { stream.faults.push_back(f); });
	Packets packets(file, types);

	while (packets.next()) {
		++all_.packets;
		all_.events += packets.events();
	}
	all_.bytes += file.size();
	stream.end = packets.end();
	stream.end.instance = stream.name.instance;
	if (!file.size())
		stream.faults.push_back({stream.name.path, std::nullopt, 0, 0, "is empty"});
	all_.faults.insert(all_.faults.end(), stream.faults.begin(), stream.faults.end());
	check_end(stream);
}

// Cut between two packets; what is cut within one is told of already.
void Check::check_end(CheckedStream &stream)
{
	if (!stream.known)
		return;
	stream.end_is_bad = stream.end.size != stream.expected.size;
	if (!stream.faults.empty())
		return;
	const std::string part = "has " + count_of(stream.end.size, "byte") + " of " +
				 std::to_string(stream.expected.size);
	if (stream.end.size < stream.expected.size)
		fault(stream.name.path,
			(stream.end.sequence < stream.expected.sequence
					? "cut off: "
					: "packets before its last one are missing: ") +
				part,
			stream.end.size);
	else if (stream.end.size > stream.expected.size)
		fault(stream.name.path, "has more packets than the recording wrote",
			stream.expected.size);
}

void Check::find_missing(CheckedTrace &trace)
{
	for (const ctf::StreamEnd &end : trace.manifest.streams) {
		const bool there = std::any_of(trace.streams.begin(), trace.streams.end(),
			[&](const CheckedStream &s) { return s.name.instance == end.instance; });
		if (there)
			continue;
		trace.missing.push_back(end);
		fault(trace.files.directory + "/stream_" + std::to_string(end.instance),
			"is missing");
	}
}

void Check::check_trace(const TraceFiles &files)
{
	CheckedTrace trace;
	std::string damage;

	trace.files = files;
	try {
		trace.manifest = read_manifest(files, damage);
		trace.has_manifest = true;
	} catch (const BadData &e) {
		damage = std::string(e.what()) + ": this trace cannot be checked";
	}
	if (!damage.empty()) {
		trace.manifest_is_bad = true;
		fault(files.manifest(), damage);
	}
	if (trace.has_manifest) {
		const TraceTypes types(trace.manifest);
		check_metadata(trace);
		for (const StreamName &name : files.streams) {
			CheckedStream stream;
			stream.name = name;
			stream.known = trace.manifest.finished;
			for (const ctf::StreamEnd &end : trace.manifest.streams)
				if (end.instance == name.instance)
					stream.expected = end;
			check_stream(stream, types);
			trace.streams.push_back(std::move(stream));
		}
		find_missing(trace);
		all_.unfinished += !trace.manifest.finished;
	}
	for (const std::string &path : files.strays)
		fault(path, "does not belong to the trace: readers take it for a stream");
	all_.traces.push_back(std::move(trace));
}

void Check::check_rest()
{
	for (const std::string &path : all_.files.leftovers)
		fault(path, "left over by a recording that was interrupted");
	for (const std::string &path : all_.files.empty)
		fault(path, "is an empty directory");
	const std::string bad = all_.directory + "/" + bad_name;
	if (std::filesystem::is_directory(bad))
		for (const auto &entry : std::filesystem::directory_iterator(bad))
			all_.set_aside += entry.is_regular_file();
}

Checked Check::run()
{
	for (const TraceFiles &files : all_.files.traces)
		check_trace(files);
	check_rest();
	return std::move(all_);
}

} // namespace

Checked check_session(const std::string &directory)
{
	return Check(directory).run();
}

} // namespace ltt::reader
