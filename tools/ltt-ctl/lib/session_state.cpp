// SPDX-License-Identifier: MIT
// What a session leaves to the next recorder, in case it is killed.
#include "session.h"

#include <cstring>

#include <nlohmann/json.hpp>

#include "error.h"

namespace ltt
{

using nlohmann::json;

// As it is in memory: it is read by the same program, or not at all.
struct Session::SavedStream {
	uint64_t number;
	StreamState state;
};

namespace
{

constexpr int state_version = 2;

struct SavedProcess {
	uint64_t process;
	uint32_t program;
	uint32_t reserved;
};

[[noreturn]] void refuse_state()
{
	throw Error(Exit::damaged, "it was written by another version of ltt-ctl");
}

template <class T>
json binary(const T &value)
{
	static_assert(std::has_unique_object_representations_v<T>, "no byte is left to chance");
	const uint8_t *bytes = reinterpret_cast<const uint8_t *>(&value);
	return json::binary(std::vector<uint8_t>(bytes, bytes + sizeof(value)));
}

} // namespace

void Session::note_file(const std::string &path, uint64_t size)
{
	const std::string name = path.substr(directory_.size() + 1);
	files_[name] = size;
	note(changed_files_, name);
}

std::string Session::save(bool all)
{
	json frame = {{"version", state_version}};
	std::vector<uint8_t> processes;
	const auto put_process = [&](uint64_t process, uint32_t program) {
		const SavedProcess saved{process, program, 0};
		const auto *bytes = reinterpret_cast<const uint8_t *>(&saved);
		processes.insert(processes.end(), bytes, bytes + sizeof(saved));
	};
	all = all || !saves_;
	saves_ = true;
	if (all) {
		saved_programs_ = 0;
		saved_streams_.clear();
		changed_processes_.clear();
		processes_.for_each(put_process);
		for (const auto &[number, stream] : streams_)
			changed_streams_.insert(number);
		for (const auto &[name, size] : files_)
			changed_files_.insert(name);
	}
	for (; saved_programs_ < programs_.size(); ++saved_programs_) {
		const auto &[program, bytes] = programs_[saved_programs_];
		frame["programs"].push_back({program->parent,
			json::binary(std::vector<uint8_t>(bytes.begin(), bytes.end()))});
	}
	for (uint64_t process : changed_processes_)
		put_process(process, processes_.program(process));
	frame["processes"] = json::binary(std::move(processes));
	for (uint64_t number : changed_streams_) {
		const auto found = streams_.find(number);
		if (found == streams_.end()) {
			if (saved_streams_.erase(number))
				frame["gone"].push_back(number);
			continue;
		}
		frame["streams"].push_back(binary(SavedStream{number, found->second}));
		saved_streams_.insert(number);
	}
	for (const std::string &name : changed_files_)
		frame["files"][name] = files_.at(name);
	changed_processes_.clear();
	changed_streams_.clear();
	changed_files_.clear();
	const std::vector<uint8_t> bytes = json::to_cbor(frame);
	return {bytes.begin(), bytes.end()};
}

void Session::restore(const std::string &text)
{
	const json frame = json::from_cbor(text, true, false);
	if (!frame.is_object() || frame.value("version", 0) != state_version)
		refuse_state();
	for (const json &entry : frame.value("programs", json::array())) {
		const uint32_t parent = entry.at(0);
		const auto &bytes = entry.at(1).get_binary();
		registered(program(parent), std::string(bytes.begin(), bytes.end()));
	}
	const auto &processes = frame.at("processes").get_binary();
	if (processes.size() % sizeof(SavedProcess))
		refuse_state();
	for (size_t at = 0; at < processes.size(); at += sizeof(SavedProcess)) {
		SavedProcess saved;
		std::memcpy(&saved, &processes[at], sizeof(saved));
		processes_.set_program(saved.process, program(saved.program).number);
	}
	for (const json &entry : frame.value("streams", json::array())) {
		const auto &bytes = entry.get_binary();
		SavedStream saved;
		if (bytes.size() != sizeof(saved))
			refuse_state();
		std::memcpy(&saved, bytes.data(), sizeof(saved));
		static_cast<StreamState &>(streams_[saved.number]) = saved.state;
	}
	for (uint64_t number : frame.value("gone", std::vector<uint64_t>()))
		streams_.erase(number);
	const json files = frame.value("files", json::object());
	for (const auto &[name, size] : files.items())
		files_[name] = size;
}

// A packet that the kernel was about to copy when its reader was killed is not whole, and comes
// again.
bool Session::is_whole(const Packet &packet)
{
	try {
		if (packet.header.type == LTT_PACKET_DEFINITIONS) {
			parse_definitions(packet.body, packet.body_size);
			return true;
		}
		const auto stream = streams_.find(packet.header.stream);
		const Program &program = program_of(packet.header.process);
		check_packet(packet, program.table, environment_.contexts_of(program.domain),
			stream == streams_.end() ? 0 : stream->second.last_ticks,
			[](const EventRef &) {});
		return true;
	} catch (const BadData &) {
		return false;
	}
}

void Session::take_again(const uint8_t *data, size_t size)
{
	files_.clear(); // of the other session
	for (size_t at = 0; at < size;) {
		const Packet packet = first_packet(data + at, size - at);
		at += packet.raw_size;
		if (at == size && !is_whole(packet))
			break;
		take(packet.raw, packet.raw_size, 0);
		if (packet.header.type == LTT_PACKET_EVENTS)
			taken_again_[packet.header.stream] = packet.header.sequence + 1;
	}
	processes_.forget_programs();
}

} // namespace ltt
