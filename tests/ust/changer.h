// SPDX-License-Identifier: MIT
//
// A text that another thread changes all the time, and its length with it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <thread>

template <std::size_t Size>
class Changer
{
public:
	Changer() : thread([this] { change(); }) {}
	~Changer()
	{
		end = true;
		thread.join();
	}
	const char *data() const { return text.data(); }

private:
	void change()
	{
		for (unsigned i = 0; !end; ++i)
			for (std::size_t at = 0; at + 1 < Size; ++at)
				__atomic_store_n(
					&text[at], (i + at) % 7 ? 'x' : '\0', __ATOMIC_RELAXED);
	}

	std::array<char, Size> text{};
	std::atomic<bool> end{false};
	std::thread thread;
};
