// SPDX-License-Identifier: MIT
//
// Random sequences of requests against a model of what they should give: which
// traces there are, what state each is in, what a descriptor still reaches, what
// a thread's buffer gets of it.

#include "../streams.h"

#include <map>
#include <memory>
#include <random>

namespace
{

constexpr unsigned n_names = 40; // over LTT_MAX_TRACES: creation fails, too

// A trace as it should be; descriptors outlive its destruction.
struct Model {
	std::string name;
	bool active = false, dead = false;
	__u32 filter = 0;
	std::vector<uint64_t> unread; // events that were written and not read
};

using Trace = std::shared_ptr<Model>;

struct Descriptor {
	int fd;
	Trace trace;
};

class Machine
{
public:
	explicit Machine(uint32_t seed) : random(seed), device(ltt::open_device())
	{
		REQUIRE(device >= 0);
	}

	~Machine()
	{
		while (!traces.empty())
			destroy(any_open(traces.begin()->second));
		for (const Descriptor &d : descriptors)
			close(d.fd);
		close(device);
	}

	void step()
	{
		static void (Machine::*const steps[])() = {&Machine::create, &Machine::open,
			&Machine::start, &Machine::stop, &Machine::filter, &Machine::flush,
			&Machine::destroy_any, &Machine::close_one, &Machine::info, &Machine::list,
			&Machine::write, &Machine::write, &Machine::read, &Machine::update};
		static const char *const names[] = {"create", "open", "start", "stop", "filter",
			"flush", "destroy", "close", "info", "list", "write", "write", "read",
			"update"};
		size_t which = random() % (sizeof(steps) / sizeof(*steps));
		last = names[which];
		++counts[last];
		(this->*steps[which])();
	}

	const char *last = "";
	std::map<std::string, unsigned> counts;

private:
	std::string any_name() { return "t" + std::to_string(random() % n_names); }

	Descriptor *any_descriptor()
	{
		return descriptors.empty() ? nullptr : &descriptors[random() % descriptors.size()];
	}

	// What a request to a trace should give.
	static void expect(const Trace &trace, int result, int error)
	{
		if (trace->dead)
			CHECK(result == -1 && error == ENOENT);
		else
			CHECK_EQ(result, 0);
	}

	void create()
	{
		ltt_trace_params p = ltt::params(any_name().c_str());
		p.filter = static_cast<__u32>(random());
		p.n_subbufs = 2u << random() % 4;
		int fd = ltt::create(p);
		int error = errno;
		if (traces.count(p.name)) {
			CHECK(fd == -1 && error == EEXIST);
		} else if (traces.size() == LTT_MAX_TRACES) {
			CHECK(fd == -1 && error == ENOSPC);
		} else if (CHECK_GE(fd, 0)) {
			auto trace = std::make_shared<Model>();
			trace->name = p.name;
			trace->filter = p.filter;
			traces[trace->name] = trace;
			descriptors.push_back({fd, trace});
		}
	}

	void open()
	{
		std::string name = any_name();
		int fd = ltt::open_trace(name.c_str());
		int error = errno;
		auto found = traces.find(name);
		if (found == traces.end())
			CHECK(fd == -1 && error == ENOENT);
		else if (CHECK_GE(fd, 0))
			descriptors.push_back({fd, found->second});
	}

	void set_active(bool active)
	{
		Descriptor *d = any_descriptor();
		if (!d)
			return;
		int result = ioctl(d->fd, active ? LTT_IOC_START : LTT_IOC_STOP);
		expect(d->trace, result, errno);
		if (!d->trace->dead)
			d->trace->active = active;
	}

	void start() { set_active(true); }
	void stop() { set_active(false); }

	void filter()
	{
		Descriptor *d = any_descriptor();
		if (!d)
			return;
		__u32 mask = static_cast<__u32>(random());
		int result = ioctl(d->fd, LTT_IOC_FILTER, &mask);
		expect(d->trace, result, errno);
		if (!d->trace->dead)
			d->trace->filter = mask;
	}

	void flush()
	{
		Descriptor *d = any_descriptor();
		if (!d)
			return;
		// Of a destroyed trace everything can be read as it is.
		CHECK_EQ(ioctl(d->fd, LTT_IOC_FLUSH), 0);
	}

	void destroy(Descriptor &d)
	{
		int result = ioctl(d.fd, LTT_IOC_DESTROY);
		expect(d.trace, result, errno);
		if (d.trace->dead)
			return;
		d.trace->dead = true;
		d.trace->active = false;
		traces.erase(d.trace->name);
	}

	void destroy_any()
	{
		// Less often than they are created: the table shall be full at times.
		if (Descriptor *d = random() % 3 ? nullptr : any_descriptor())
			destroy(*d);
	}

	// A descriptor of a trace that is there; it may have none any more.
	Descriptor &any_open(Trace trace)
	{
		for (Descriptor &d : descriptors)
			if (d.trace == trace)
				return d;
		int fd = ltt::open_trace(trace->name.c_str());
		REQUIRE(fd >= 0);
		descriptors.push_back({fd, trace});
		return descriptors.back();
	}

	void close_one()
	{
		if (descriptors.empty())
			return;
		size_t i = random() % descriptors.size();
		close(descriptors[i].fd);
		descriptors.erase(descriptors.begin() + static_cast<long>(i));
	}

	static ltt_trace_info ask()
	{
		ltt_trace_info info = {};
		info.size = sizeof(info);
		return info;
	}

	static void compare(const ltt_trace_info &info, const Trace &trace)
	{
		CHECK_EQ(std::string(info.name), trace->name);
		CHECK_EQ(info.active, trace->active);
		CHECK_EQ(info.filter, trace->filter);
	}

	void info()
	{
		Descriptor *d = any_descriptor();
		if (!d)
			return;
		ltt_trace_info info = ask();
		if (CHECK_OK(ioctl(d->fd, LTT_IOC_INFO, &info)))
			compare(info, d->trace);
	}

	void list()
	{
		std::map<std::string, Trace> left = traces;
		for (__u32 slot = 0;; ++slot) {
			ltt_trace_info info = ask();
			info.trace = slot;
			if (ioctl(device, LTT_IOC_INFO, &info) != 0)
				break;
			slot = info.trace;
			auto found = left.find(info.name);
			if (!CHECK(found != left.end()))
				continue;
			compare(info, found->second);
			left.erase(found);
		}
		CHECK_EQ(errno, ENOENT);
		CHECK_EQ(left.size(), 0);
	}

	// An event into each trace that is started.
	void write()
	{
		while (ltt::Buffer next = ltt::Buffer::next())
			buffers.push_back(next);
		forget_dead_buffers();
		CHECK_EQ(buffers.size(), traces.size());
		std::map<__u32, std::string> names = names_by_slot();
		++number;
		for (const ltt::Buffer &b : buffers) {
			Trace &trace = traces.at(names.at(b->trace));
			CHECK_EQ(b->active, trace->active);
			CHECK_EQ(b->filter, trace->filter);
			uint64_t lost = b.control().lost;
			b.write(number);
			if (trace->active && b.control().lost == lost)
				trace->unread.push_back(number);
		}
	}

	std::map<__u32, std::string> names_by_slot() const
	{
		std::map<__u32, std::string> names;
		for (__u32 slot = 0; slot < LTT_MAX_TRACES; ++slot) {
			ltt_trace_info info = ask();
			info.trace = slot;
			if (ioctl(device, LTT_IOC_INFO, &info) != 0)
				break;
			slot = info.trace;
			names[slot] = info.name;
		}
		return names;
	}

	// The next call of ltt_update() with each says which are of no trace.
	void forget_dead_buffers()
	{
		for (size_t i = 0; i < buffers.size();) {
			void *address = buffers[i].address();
			int active, filter;
			if (ltt_update(&address, &active, &filter) == 0) {
				++i;
				continue;
			}
			CHECK_EQ(errno, ENOENT);
			REQUIRE_OK(munmap(address, buffers[i].size()));
			buffers.erase(buffers.begin() + static_cast<long>(i));
		}
	}

	void update() { forget_dead_buffers(); }

	// All that was written since the last time, whatever happened to the trace.
	void read()
	{
		Descriptor *d = any_descriptor();
		if (!d)
			return;
		ioctl(d->fd, LTT_IOC_FLUSH);
		std::vector<uint64_t> numbers;
		std::vector<uint8_t> memory(256 * 1024);
		fcntl(d->fd, F_SETFL, O_NONBLOCK);
		ssize_t n;
		while ((n = ::read(d->fd, memory.data(), memory.size())) > 0)
			for (const ltt::Packet &p :
				ltt::split_packets(memory.data(), static_cast<size_t>(n)))
				for (const ltt::Event &e : p.events())
					numbers.push_back(e.as<uint64_t>());
		if (d->trace->dead)
			CHECK_EQ(n, 0);
		else
			CHECK(n == -1 && errno == EAGAIN);
		CHECK(numbers == d->trace->unread);
		d->trace->unread.clear();
	}

	std::mt19937 random;
	int device;
	std::map<std::string, Trace> traces;
	std::vector<Descriptor> descriptors;
	std::vector<ltt::Buffer> buffers;
	uint64_t number = 0;
};

} // namespace

TEST("random sequences of requests do what a model of them says", seconds(60, 600))
{
	for (uint32_t seed = 1; seed <= ktap::in_full(100u, 5u); ++seed) {
		printf("seed %u:", seed);
		CHECK_EQ(ktap::wait_for(ktap::spawn([=] {
			Machine machine(seed);
			for (int i = 0; i < 2000; ++i)
				machine.step();
			for (auto &[name, count] : machine.counts)
				printf(" %s %u", name.c_str(), count);
			printf("\n");
		})),
			0);
	}
}
