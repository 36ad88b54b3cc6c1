// SPDX-License-Identifier: MIT
#include "checkpoint.h"

#include <cstring>
#include <filesystem>

#include <unistd.h>

#include "ctf/manifest.h"
#include "error.h"
#include "file.h"

namespace ltt
{

namespace
{

constexpr char state_suffix[] = ".state";
constexpr char batch_suffix[] = ".batch";

bool ends_with(const std::string &text, const std::string &end)
{
	return text.size() >= end.size() &&
	       text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// A program without metadata was just beginning, and so has nothing to read.
void remove_beginnings(const std::string &top)
{
	for (const std::string &program : names_in(top)) {
		const std::string path = top + "/" + program;
		if (!std::filesystem::is_directory(path))
			continue;
		const std::vector<std::string> names = names_in(path);
		if (names.empty() || names == std::vector<std::string>{ctf::manifest_name})
			remove_all(path);
	}
	if (names_in(top).empty())
		remove_all(top);
}

} // namespace

std::string Checkpoint::path(
	const std::string &directory, const std::string &trace, const char *suffix)
{
	return directory + "/." + trace + suffix;
}

bool Checkpoint::is_own(const std::string &name)
{
	return name[0] == '.' && (ends_with(name, state_suffix) || ends_with(name, batch_suffix) ||
					 ends_with(name, std::string(state_suffix) + ".new"));
}

Checkpoint::Checkpoint(const std::string &directory, const std::string &trace,
	const ltt_trace_info &info, uint64_t chunk)
	: batch_path_(path(directory, trace, batch_suffix)), batch_(batch_path_),
	  journal_(path(directory, trace, state_suffix))
{
	head_.info = info;
	head_.chunk = chunk;
	const std::string boot = boot_id();
	std::memcpy(head_.boot_id, boot.data(), std::min(boot.size(), sizeof(head_.boot_id) - 1));
}

std::string Checkpoint::frame(Session &session, bool all)
{
	head_.batch = batch_.number();
	return std::string(reinterpret_cast<const char *>(&head_), sizeof(head_)) +
	       session.save(all);
}

void Checkpoint::written(Session &session, size_t size)
{
	if (journal_.is_long())
		journal_.replace(frame(session, true));
	else
		journal_.append(frame(session, false));
	batch_.done(size);
}

void Checkpoint::begin_chunk(Session &session, uint64_t number)
{
	head_.chunk = number;
	journal_.replace(frame(session, true));
	// What another recorder left was taken again; the next batch must not look like it before
	// there is anything in it.
	batch_.done(batch_.packets_size());
}

void Checkpoint::end(Session &session, bool gone)
{
	if (gone)
		journal_.remove();
	else
		journal_.replace(frame(session, true));
	unlink(batch_path_.c_str());
}

Remains::Remains(const std::string &directory, const std::string &trace)
	: batch_path_(Checkpoint::path(directory, trace, batch_suffix))
{
	const std::string state = Checkpoint::path(directory, trace, state_suffix);
	for (const std::string &frame : Journal(state).read()) {
		if (frame.size() >= sizeof(head_))
			std::memcpy(&head_, frame.data(), sizeof(head_));
		if (head_.info.size != sizeof(head_.info))
			throw Error(Exit::damaged,
				state + " is of another version of ltt-ctl: record into another "
					"directory");
		frames_.push_back(frame.substr(sizeof(head_)));
	}
}

bool Remains::of_this_boot() const
{
	return any() && head_.boot_id == ltt::boot_id();
}

void Remains::restore(Session &session) const
{
	for (const std::string &frame : frames_)
		session.restore(frame);
}

void Remains::cut(
	const std::string &directory, const std::map<std::string, uint64_t> &files, bool complete)
{
	namespace fs = std::filesystem;

	for (const char *part : session_parts) {
		const std::string top = directory + "/" + part;
		if (complete)
			remove_all(top);
		if (!fs::exists(top))
			continue;
		// Metadata may say more than it must.
		auto stays = [](const fs::path &path) {
			return path.filename() == "metadata" ||
			       path.filename() == ctf::manifest_name;
		};
		std::map<std::string, uint64_t> longer;
		for (const auto &entry : fs::recursive_directory_iterator(top)) {
			const std::string path = entry.path().string();
			const auto file = files.find(path.substr(directory.size() + 1));
			if (!entry.is_regular_file() || stays(path))
				continue;
			if (file == files.end())
				longer[path] = 0;
			else if (entry.file_size() > file->second)
				longer[path] = file->second;
		}
		// First of all: who is killed in between must find it so.
		for (const auto &[path, size] : longer)
			ctf::mark_unfinished(
				(fs::path(path).parent_path() / ctf::manifest_name).string());
		for (const auto &[path, size] : longer)
			if (size)
				fs::resize_file(path, size);
			else
				remove_all(path);
		remove_beginnings(top);
	}
}

void Remains::take_again(Session &session) const
{
	if (access(batch_path_.c_str(), F_OK) != 0)
		return session.take_again(nullptr, 0);
	Batch batch(batch_path_);
	const bool written = batch.number() == head_.batch;
	session.take_again(batch.data(), written ? 0 : batch.packets_size());
}

} // namespace ltt
