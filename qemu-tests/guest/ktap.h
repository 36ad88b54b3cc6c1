/* SPDX-License-Identifier: MIT */
/*
 * Tests in the guest: a small library that prints KTAP.
 *
 *	#include "../ktap.h"
 *
 *	// qemu: append="ltt.boot=early" memory=1G cpus=4 timeout=60
 *
 *	TEST("a thread that never emits costs no buffer memory")
 *	{
 *		int fd = open("/dev/ltt", O_RDWR);
 *		REQUIRE(fd >= 0);			// ends the test if false
 *		CHECK_EQ(memory_of(fd), 0);		// goes on
 *		CHECK_ERRNO(ioctl(fd, 0), ENOTTY);	// call fails with this errno
 *		WAIT_UNTIL(state_of(tid) == 'S');	// with a limit
 *	}
 *
 *	TEST("a slow one", seconds(60)) { ... }
 *	TEST("many", seconds(60, 600)) { for (n = in_full(100000, 5000); ...) }
 *	TEST("only with two CPUs", may_skip) { if (...) SKIP("one CPU"); ... }
 *
 * One file in tests/ is one program. Each test runs in a process of its own,
 * in its own session, with a time limit; whatever it leaves running is killed.
 * A check may fail in any thread or in any process forked from the test: each
 * failure counts. What a test prints is shown when it fails. SKIP counts as a
 * failure unless the test says may_skip.
 *
 * The main() in ktap.cpp knows: --list prints time limits and names; numbers run
 * only these tests.
 * The environment's KTAP_PATIENCE multiplies all limits (slow machines);
 * KTAP_FULL=1 is qemu-tests/run's --full: in_full() takes its first number, and
 * seconds() its second.
 */
#ifndef KTAP_H
#define KTAP_H

#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "process.h"

namespace ktap
{

struct Test {
	const char *name;
	void (*function)();
	unsigned seconds = 20; /* until the test is killed */
	bool may_skip = false;
	long spare_kib = 0; /* that it may keep, beyond the noise of any test */
};

inline std::vector<Test> &tests()
{
	static std::vector<Test> list;
	return list;
}

/* Were all the repetitions asked for that a long test was meant for? */
inline bool full()
{
	const char *text = getenv("KTAP_FULL");
	return text && strcmp(text, "1") == 0;
}

template <class T>
T in_full(T all, T otherwise)
{
	return full() ? all : otherwise;
}

/* Options of a test, given after its name. */
inline auto seconds(unsigned n)
{
	return [n](Test &test) { test.seconds = n; };
}

inline auto seconds(unsigned n, unsigned in_full)
{
	return seconds(full() ? in_full : n);
}

/* For tests that do so much that slabs and KASAN's quarantine grow by it. */
inline auto spare_kib(long n)
{
	return [n](Test &test) { test.spare_kib = n; };
}

inline void may_skip(Test &test)
{
	test.may_skip = true;
}

template <class... Options>
bool add(void (*function)(), const char *name, Options... options)
{
	Test test{name, function};
	(options(test), ...);
	tests().push_back(test);
	return true;
}

#define KTAP_JOIN2(a, b) a##b
#define KTAP_JOIN(a, b) KTAP_JOIN2(a, b)
#define TEST(...) KTAP_TEST(KTAP_JOIN(ktap_test_, __COUNTER__), __VA_ARGS__)
#define KTAP_TEST(function, ...)                                                                   \
	static void function();                                                                    \
	[[maybe_unused]] static const bool KTAP_JOIN(function, _added) = [] {                      \
		using namespace ktap;                                                              \
		return add(function, __VA_ARGS__);                                                 \
	}();                                                                                       \
	static void function()

/* How much longer than usual everything may take. */
inline double patience()
{
	const char *text = getenv("KTAP_PATIENCE");
	double factor = text ? atof(text) : 1;
	return factor >= 1 ? factor : 1;
}

inline double now()
{
	timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

/* The descriptor of failures; the test's process and all its children have it. */
inline int &failure_fd()
{
	static int fd = STDERR_FILENO;
	return fd;
}

/* One write, so that reports of several processes do not mix. */
__attribute__((format(printf, 3, 4))) inline void fail(
	const char *file, int line, const char *format, ...)
{
	char text[1024];
	const char *name = strrchr(file, '/');
	int n = snprintf(text, sizeof(text), "%s:%d: ", name ? name + 1 : file, line);
	va_list arguments;
	va_start(arguments, format);
	n += vsnprintf(text + n, sizeof(text) - static_cast<size_t>(n) - 1, format, arguments);
	va_end(arguments);
	if (n > static_cast<int>(sizeof(text)) - 2)
		n = sizeof(text) - 2;
	text[n++] = '\n';
	if (write(failure_fd(), text, static_cast<size_t>(n)) != n)
		_exit(99);
}

constexpr int exit_failed = 98; /* REQUIRE was false */
constexpr int exit_skipped = 97;

template <class T>
std::string show(const T &value)
{
	if constexpr (std::is_null_pointer_v<T>)
		return "nullptr";
	else if constexpr (std::is_same_v<T, bool>)
		return value ? "true" : "false";
	else if constexpr (std::is_enum_v<T>)
		return std::to_string(static_cast<long long>(value));
	else if constexpr (std::is_floating_point_v<T>)
		return std::to_string(value);
	else if constexpr (std::is_integral_v<T>) {
		char text[64];
		auto bits = static_cast<unsigned long long>(
			static_cast<std::make_unsigned_t<T>>(value));
		/* From -4096 to 4095, sign or not: */
		if (static_cast<unsigned long long>(value) + 4096 < 8192)
			return std::to_string(value);
		snprintf(text, sizeof(text), " (0x%llx)", bits);
		return std::to_string(value) + text;
	} else if constexpr (std::is_convertible_v<T, std::string>)
		return "\"" + std::string(value) + "\"";
	else if constexpr (std::is_pointer_v<T>) {
		char text[32];
		snprintf(text, sizeof(text), "%p", reinterpret_cast<const void *>(value));
		return text;
	} else
		return "(a value)";
}

/* Compares like a person: 1u == 1, and -1 is less than 1u. */
template <class A, class B>
int compare(const A &a, const B &b)
{
	if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {
		if constexpr (std::is_signed_v<A> && !std::is_signed_v<B>) {
			if (a < 0)
				return -1;
		} else if constexpr (!std::is_signed_v<A> && std::is_signed_v<B>) {
			if (b < 0)
				return 1;
		}
		using C = std::common_type_t<A, B>;
		C ca = static_cast<C>(a), cb = static_cast<C>(b);
		return ca < cb ? -1 : cb < ca ? 1 : 0;
	} else if constexpr (std::is_pointer_v<A> || std::is_null_pointer_v<A>) {
		return a == b ? 0 : 2;
	} else {
		return a == b ? 0 : a < b ? -1 : 1;
	}
}

template <class A, class B>
bool check_compare(const char *file, int line, const char *a_text, const char *operation,
	const char *b_text, const A &a, const B &b, bool (*holds)(int))
{
	if (holds(compare(a, b)))
		return true;
	fail(file, line, "%s %s %s is false: %s and %s", a_text, operation, b_text, show(a).c_str(),
		show(b).c_str());
	return false;
}

/* C strings by their text. */
template <class T>
auto plain(const T &value)
{
	if constexpr (std::is_convertible_v<T, const char *> && !std::is_null_pointer_v<T>)
		return std::string(static_cast<const char *>(value));
	else
		return value;
}

#define KTAP_COMPARE(a, operation, b)                                                              \
	ktap::check_compare(__FILE__, __LINE__, #a, #operation, #b, ktap::plain(a),                \
		ktap::plain(b), [](int order) { return order operation 0; })
#define CHECK_EQ(a, b) KTAP_COMPARE(a, ==, b)
#define CHECK_NE(a, b) KTAP_COMPARE(a, !=, b)
#define CHECK_LT(a, b) KTAP_COMPARE(a, <, b)
#define CHECK_LE(a, b) KTAP_COMPARE(a, <=, b)
#define CHECK_GT(a, b) KTAP_COMPARE(a, >, b)
#define CHECK_GE(a, b) KTAP_COMPARE(a, >=, b)

#define CHECK(condition)                                                                           \
	((condition) ? true : (ktap::fail(__FILE__, __LINE__, "%s is false", #condition), false))

/* The call returns -1 (or 1, as the C functions of ltt do) with this errno. */
#define CHECK_ERRNO(call, wanted)                                                                  \
	ktap::check_errno(__FILE__, __LINE__, #call, #wanted, wanted, [&] {                        \
		errno = 0;                                                                         \
		return static_cast<long>(call);                                                    \
	})

/* The call does not return a negative number. */
#define CHECK_OK(call)                                                                             \
	ktap::check_ok(__FILE__, __LINE__, #call, [&] { return static_cast<long>(call); })

inline bool check_errno(const char *file, int line, const char *text, const char *name, int wanted,
	const std::function<long()> &call)
{
	long result = call();
	int error = errno;
	if ((result == -1 || result == 1) && error == wanted)
		return true;
	if (error && (result == -1 || result == 1))
		fail(file, line, "%s: errno is %d (%s), not %s", text, error, strerror(error),
			name);
	else
		fail(file, line, "%s returned %ld, wanted %s", text, result, name);
	return false;
}

inline bool check_ok(
	const char *file, int line, const char *text, const std::function<long()> &call)
{
	errno = 0;
	long result = call();
	if (result >= 0)
		return true;
	fail(file, line, "%s failed: %s", text, strerror(errno));
	return false;
}

[[noreturn]] inline void end_test(int code)
{
	fflush(nullptr);
	_exit(code);
}

/* The same checks, and the process ends when they fail. */
#define KTAP_OR_END(check)                                                                         \
	do {                                                                                       \
		if (!(check))                                                                      \
			ktap::end_test(ktap::exit_failed);                                         \
	} while (0)
#define REQUIRE(condition) KTAP_OR_END(CHECK(condition))
#define REQUIRE_EQ(a, b) KTAP_OR_END(CHECK_EQ(a, b))
#define REQUIRE_OK(call) KTAP_OR_END(CHECK_OK(call))

#define SKIP(reason)                                                                               \
	do {                                                                                       \
		ktap::fail(__FILE__, __LINE__, "skipped: %s", reason);                             \
		ktap::end_test(ktap::exit_skipped);                                                \
	} while (0)

/* Polls: the thing waited for is of another process, and has no event. */
template <class Condition>
bool wait_until(Condition condition, double seconds = 10)
{
	double limit = now() + seconds * patience();
	while (!condition()) {
		if (now() > limit)
			return false;
		usleep(500);
	}
	return true;
}

#define WAIT_UNTIL_FOR(limit, condition)                                                           \
	do {                                                                                       \
		if (!ktap::wait_until([&] { return static_cast<bool>(condition); }, limit)) {      \
			ktap::fail(__FILE__, __LINE__, "waited in vain for %s", #condition);       \
			ktap::end_test(ktap::exit_failed);                                         \
		}                                                                                  \
	} while (0)
#define WAIT_UNTIL(condition) WAIT_UNTIL_FOR(10, condition)

} // namespace ktap

#endif /* KTAP_H */
