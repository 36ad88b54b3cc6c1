// SPDX-License-Identifier: MIT
// What a session knows of each process, in a few bytes: it never forgets one.
#ifndef LTT_CTL_PROCESSES_H
#define LTT_CTL_PROCESSES_H

#include <array>
#include <cstdint>
#include <unordered_map>

namespace ltt
{

// Processes by the numbers that the kernel gives them, which count up: so they lie in groups.
// The kernel tells of a process once, and another thread of it may come at any time; nothing in
// the packets says that none will.
class Processes
{
public:
	// The number of its program; 0 if it has none.
	uint32_t program(uint64_t process) const
	{
		const auto group = groups_.find(process / group_size);
		return group == groups_.end() ? 0 : group->second[process % group_size] >> 1;
	}
	void set_program(uint64_t process, uint32_t program)
	{
		uint32_t &entry = at(process);
		entry = program << 1 | (entry & counted);
	}
	// Is this the first time?
	bool count(uint64_t process)
	{
		uint32_t &entry = at(process);
		const bool first = !(entry & counted);
		entry |= counted;
		return first;
	}
	// What is counted stays so.
	void forget_programs()
	{
		for (auto &[number, group] : groups_)
			for (uint32_t &entry : group)
				entry &= counted;
	}
	// @f gets each process that has a program, and that one's number.
	template <class F>
	void for_each(F f) const
	{
		for (const auto &[number, group] : groups_)
			for (size_t i = 0; i < group_size; ++i)
				if (group[i] >> 1)
					f(number * group_size + i, group[i] >> 1);
	}

private:
	static constexpr uint32_t counted = 1; // above it the program
	// Larger ones cost more where a trace covers few of the machine's processes.
	static constexpr size_t group_size = 16;

	uint32_t &at(uint64_t process)
	{
		return groups_[process / group_size][process % group_size];
	}

	std::unordered_map<uint64_t, std::array<uint32_t, group_size>> groups_;
};

} // namespace ltt

#endif
