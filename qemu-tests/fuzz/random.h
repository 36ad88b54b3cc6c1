/* SPDX-License-Identifier: MIT */
/* Random numbers that a seed repeats, and numbers that lie where limits are. */
#ifndef FUZZ_RANDOM_H
#define FUZZ_RANDOM_H

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>

namespace fuzz
{

class Random
{
public:
	explicit Random(uint64_t seed) : state(seed) {}

	/* One from which another sequence can begin: thread, child, round. */
	Random branch(uint64_t number) const
	{
		Random other(state ^ (number + 1) * 0xd1342543de82ef95u);
		other.next();
		return other;
	}

	uint64_t next()
	{
		uint64_t x = state += 0x9e3779b97f4a7c15u;
		x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
		x = (x ^ x >> 27) * 0x94d049bb133111ebu;
		return x ^ x >> 31;
	}

	uint64_t below(uint64_t n) { return n ? next() % n : 0; }
	bool one_in(uint64_t n) { return below(n) == 0; }

	template <class List>
	auto &of(List &list)
	{
		return *std::next(std::begin(list), static_cast<long>(below(std::size(list))));
	}

	template <class T>
	T of(std::initializer_list<T> list)
	{
		return list.begin()[below(list.size())];
	}

	/* Around one of these, at a distance that an off by one or a size makes. */
	uint64_t near(std::initializer_list<uint64_t> values)
	{
		static constexpr int64_t distances[] = {0, 0, 0, 1, -1, 7, 8, -8, 15, 16, -16, 4095,
			4096, -4096, 16384, -16384, 1 << 20};
		return of(values) + static_cast<uint64_t>(of(distances));
	}

	/* Around a limit of some type, or anything. */
	uint64_t odd()
	{
		if (one_in(4))
			return next();
		uint64_t power = uint64_t{1} << below(64);
		return near({0, power, ~power, ~uint64_t{0}, INT64_MAX, UINT32_MAX, INT32_MAX});
	}

	void fill(void *memory, size_t size)
	{
		uint64_t value = next();
		bool even = one_in(4); /* the same byte everywhere */
		for (size_t i = 0; i < size; ++i) {
			if (!even && i % 8 == 0)
				value = next();
			static_cast<volatile uint8_t *>(memory)[i] =
				static_cast<uint8_t>(value >> (even ? 0 : i % 8 * 8));
		}
	}

private:
	uint64_t state;
};

} // namespace fuzz

#endif /* FUZZ_RANDOM_H */
