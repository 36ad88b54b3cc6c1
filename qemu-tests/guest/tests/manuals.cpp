// SPDX-License-Identifier: MIT
//
// The programs in the manual pages' EXAMPLES do what the pages say. The build takes
// them out of man/, and calls their main() after the page.

#include "../streams.h"

extern "C" {
int example_ltt();
int example_ltt_register();
int example_ltt_switch();
int example_ltt_update();
}

namespace
{

using ktap::spawn;
using ktap::wait_for;

// One of them as a process of its own, with pipes for its input and output.
class Example
{
public:
	explicit Example(int (*main)())
	{
		int input[2], output[2];
		REQUIRE_OK(pipe2(input, O_CLOEXEC));
		REQUIRE_OK(pipe2(output, O_CLOEXEC));
		child = spawn([&] {
			dup2(input[0], STDIN_FILENO);
			dup2(output[1], STDOUT_FILENO);
			for (int fd : {input[0], input[1], output[0], output[1]})
				close(fd);
			int status = main();
			fflush(stdout);
			_exit(status);
		});
		close(input[0]);
		close(output[1]);
		in = input[1];
		out = output[0];
	}

	void write_line() { REQUIRE_EQ(write(in, "\n", 1), 1); }

	std::string read_line()
	{
		std::string line;
		for (char c; read(out, &c, 1) == 1 && c != '\n';)
			line += c;
		return line;
	}

	// To the end of it; the rest of what it printed.
	std::string finish()
	{
		std::string text;
		close(in);
		for (char c; read(out, &c, 1) == 1;)
			text += c;
		close(out);
		CHECK_EQ(wait_for(child), 0);
		return text;
	}

private:
	pid_t child;
	int in, out;
};

} // namespace

TEST("ltt_update(2): the example tells of each trace that covers it")
{
	ltt_trace_params first = ltt::params("first"), second = ltt::params("second");
	first.filter = 0x5;
	second.subbuf_size = 8192;
	ltt::Trace a(first), b(second);
	a.start();
	CHECK_EQ(Example(example_ltt_update).finish(),
		"trace 0: started, filter 0x5, 4 sub-buffers of 4096 bytes\n"
		"trace 1: stopped, filter 0xffffffff, 4 sub-buffers of 8192 bytes\n");
}

TEST("ltt_switch(2): the example's events arrive, or are counted where there is no room")
{
	ltt_trace_params p = ltt::params();
	for (__u32 room : {4u, 2u}) {
		p.n_subbufs = room;
		ltt::Trace trace(p);
		trace.start();
		CHECK_EQ(Example(example_ltt_switch).finish(), "");
		ltt::Stream stream = ltt::read_streams(trace, 1).begin()->second;
		uint64_t fit = std::min(1000u, room * 4096 / 16);
		stream.check_numbers(1, fit);
		CHECK_EQ(stream.header.events, fit);
		CHECK_EQ(stream.header.lost, 1000 - fit);
	}
}

TEST("ltt_register(2): the example's gate shows what is wanted, and the signal comes")
{
	ltt_trace_params p = ltt::params();
	p.filter = 0x5;
	ltt::Trace trace(p);
	Example example(example_ltt_register);
	example.write_line();
	CHECK_EQ(example.read_line(), "wanted 0, told nothing");
	trace.start();
	example.write_line();
	CHECK_EQ(example.read_line(), "wanted 0x5, told of a change");
	CHECK_EQ(example.finish(), "");
}

TEST("ltt(4): the example traces what its user does until its input ends")
{
	Example example(example_ltt);
	auto started = [] {
		int fd = ltt::open_trace("example");
		ltt_trace_info info = {};
		info.size = sizeof(info);
		bool active = fd >= 0 && ioctl(fd, LTT_IOC_INFO, &info) == 0 && info.active;
		close(fd);
		return active;
	};
	WAIT_UNTIL(started());
	ltt::Buffer buffer = ltt::Buffer::next();
	REQUIRE(buffer);
	ltt::write_numbers(buffer, 0, 3);
	CHECK_EQ(example.finish(), "manuals: 48 bytes, 3 events so far, 0 lost\n");
	CHECK_ERRNO(ltt::open_trace("example"), ENOENT);
}
