// SPDX-License-Identifier: MIT
//
// What a program of C++ needs of its library, where there is none: so much as the test
// program and the fake kernel use, without exceptions.
#include <cstdlib>
#include <new>
#include <string>

template class std::basic_string<char>;

void *operator new(std::size_t size)
{
	if (void *const memory = std::malloc(size))
		return memory;
	std::abort();
}

void operator delete(void *memory) noexcept
{
	std::free(memory);
}

void operator delete(void *memory, std::size_t) noexcept
{
	std::free(memory);
}

namespace std
{
void __throw_length_error(const char *)
{
	abort();
}

void __throw_logic_error(const char *)
{
	abort();
}

void __throw_out_of_range_fmt(const char *, ...)
{
	abort();
}
} // namespace std

// One thread initializes what is static in functions.
extern "C" int __cxa_guard_acquire(char *guard)
{
	return !*guard;
}

extern "C" void __cxa_guard_release(char *guard)
{
	*guard = 1;
}
