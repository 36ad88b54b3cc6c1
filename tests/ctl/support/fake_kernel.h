// SPDX-License-Identifier: MIT
// A kernel in this process: one trace, whose packets the test lays down.
#ifndef LTT_TESTS_CTL_FAKE_KERNEL_H
#define LTT_TESTS_CTL_FAKE_KERNEL_H

#include <cstring>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "lib/error.h"
#include "lib/kernel.h"
#include "support/build.h"

// What the trace of the fake is and what was done to it.
struct FakeState {
	std::deque<Bytes> ready;   // what read() gives, one each time
	std::deque<Bytes> in_open; // what a flush, stop or destroy adds to it
	std::deque<Bytes> held;	   // what a snapshot gives
	bool active = false;
	bool destroyed = false;
	uint32_t filter = 0xffffffff;
	uint64_t memory = 0;		// in buffers
	int reader = 0;			// another process that reads
	std::vector<std::string> calls; // but for read, info, lock and wait
	ltt::TraceParams params;
	std::function<void()> on_wait; // what happens meanwhile
	std::function<void()> on_read; // and before each read

	void close_open()
	{
		for (Bytes &b : in_open)
			ready.push_back(std::move(b));
		in_open.clear();
	}
	void called(const std::string &name)
	{
		if (destroyed)
			throw ltt::Error(ltt::Exit::failed, name + ": destroyed");
		calls.push_back(name);
	}
};

class FakeTrace : public ltt::KernelTrace
{
public:
	explicit FakeTrace(FakeState &state) : s(state) {}

	ltt_trace_info info() override
	{
		ltt_trace_info i{};
		i.size = sizeof(i);
		i.active = s.active;
		i.filter = s.filter;
		i.contexts = s.params.contexts;
		i.memory = s.memory;
		i.clock = LTT_CLOCK_MONOTONIC;
		i.clock_freq = 1000000000;
		std::strncpy(i.name, s.params.name.c_str(), sizeof(i.name) - 1);
		return i;
	}
	void start() override
	{
		s.called("start");
		s.active = true;
	}
	void stop() override
	{
		s.called("stop");
		s.active = false;
		s.close_open();
	}
	void filter(uint32_t mask) override
	{
		s.called("filter");
		s.filter = mask;
	}
	void set_rules(const std::string &rules) override
	{
		s.called("rules");
		s.params.rules = rules;
	}
	std::string rules() override { return s.params.rules; }
	void set_kernel_events(const std::string &events) override
	{
		s.called("set_kernel_events");
		s.params.kernel = events;
	}
	std::string kernel_events() override { return s.params.kernel; }
	void destroy() override
	{
		s.called("destroy");
		s.close_open();
		s.destroyed = true;
	}
	void flush() override
	{
		s.calls.push_back("flush"); // harmless after the end, as info() is
		s.close_open();
	}
	void lock() override
	{
		if (s.reader)
			throw ltt::Error(ltt::Exit::failed,
				"recorded by process " + std::to_string(s.reader));
	}
	Got read(uint8_t *to, size_t room, size_t &size) override
	{
		if (s.on_read)
			s.on_read();
		return give(s.ready, s.destroyed, to, room, size);
	}
	void wait(int) override
	{
		if (s.on_wait)
			s.on_wait();
	}
	int descriptor() const override { return -1; }
	std::unique_ptr<ltt::KernelTrace> snapshot() override;

protected:
	// As the kernel: what does not fit stays.
	static Got give(std::deque<Bytes> &from, bool end, uint8_t *to, size_t room, size_t &size)
	{
		if (from.empty())
			return end ? Got::end : Got::nothing;
		if (from.front().size() > room)
			return Got::no_room;
		size = from.front().size();
		std::copy(from.front().begin(), from.front().end(), to);
		from.pop_front();
		return Got::data;
	}

	FakeState &s;
};

// Comes to an end while the trace goes on; what is done to it would be done to the trace.
class FakeSnapshot : public FakeTrace
{
public:
	explicit FakeSnapshot(FakeState &state) : FakeTrace(state), left(state.held) {}

	Got read(uint8_t *to, size_t room, size_t &size) override
	{
		if (s.on_read)
			s.on_read();
		return give(left, true, to, room, size);
	}

private:
	std::deque<Bytes> left;
};

inline std::unique_ptr<ltt::KernelTrace> FakeTrace::snapshot()
{
	s.calls.push_back("snapshot"); // of what a destroyed one left, too
	return std::make_unique<FakeSnapshot>(s);
}

// Opens one trace, or one of @others.
class FakeKernel : public ltt::Kernel
{
public:
	FakeState state;
	std::deque<FakeState> others;

	uint32_t version() override { return LTT_ABI_VERSION; }
	std::unique_ptr<ltt::KernelTrace> create(const ltt::TraceParams &params) override
	{
		state.called("create");
		state.params = params;
		return std::make_unique<FakeTrace>(state);
	}
	std::unique_ptr<ltt::KernelTrace> open(const std::string &name) override
	{
		if (name == state.params.name)
			return std::make_unique<FakeTrace>(state);
		for (FakeState &other : others)
			if (name == other.params.name)
				return std::make_unique<FakeTrace>(other);
		throw ltt::Error(ltt::Exit::failed, "no trace " + name);
	}
	std::vector<ltt_trace_info> list() override
	{
		if (state.destroyed)
			return {};
		return {FakeTrace(state).info()};
	}
	ltt::FileDescriptor previous_boot() override
	{
		throw ltt::Error(ltt::Exit::failed, "there is nothing");
	}
	// Lets in what came meanwhile; only the first trace makes something happen.
	void wait(std::vector<pollfd> &descriptors, int) override
	{
		poll(descriptors.data(), descriptors.size(), 0);
		if (state.on_wait)
			state.on_wait();
	}
};

#endif
