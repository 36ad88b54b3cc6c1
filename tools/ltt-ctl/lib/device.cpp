// SPDX-License-Identifier: MIT
// The kernel behind /dev/ltt.
#include "kernel.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/capability.h>

#include "error.h"
#include "file.h"
#include "reading_lock.h"
#include "signals.h"
#include "text.h"

namespace ltt
{

namespace
{

constexpr const char *device = "/dev/ltt";

// The number of the misc device if the kernel has it, else -1.
int misc_minor()
{
	std::ifstream misc("/proc/misc");
	int minor;
	std::string name;
	while (misc >> minor >> name)
		if (name == "ltt")
			return minor;
	std::ifstream dev("/sys/class/misc/ltt/dev"); // "10:122"
	int major;
	char colon;
	if (dev >> major >> colon >> minor)
		return minor;
	return -1;
}

[[noreturn]] void fail_open(int error)
{
	if (error == EACCES || error == EPERM)
		throw Error(Exit::no_permission,
			"no permission to open /dev/ltt: run as root, or have its owner allow you");
	if (error == ENOENT || error == ENXIO || error == ENODEV) {
		int minor = misc_minor();
		if (minor >= 0 && error == ENOENT)
			throw Error(Exit::failed, "/dev/ltt is missing though the kernel has ltt: "
						  "mount a devtmpfs on "
						  "/dev, or run: mknod /dev/ltt c 10 " +
							  std::to_string(minor));
		throw Error(Exit::no_kernel,
			"this kernel has no ltt: boot one that is built with CONFIG_LTT");
	}
	throw Error(Exit::failed, std::string("cannot open /dev/ltt: ") + std::strerror(error));
}

// What a failed request means for the one who asked.
[[noreturn]] void fail(const std::string &verb, const std::string &name, int error)
{
	std::string text = "cannot " + verb + " trace " + name + ": ";
	Exit code = Exit::failed;

	switch (error) {
	case ENOENT:
	case ESRCH:
		text += "there is no such trace, or it is not yours; ltt-ctl list shows those "
			"there are";
		break;
	case EPERM:
	case EACCES:
		text += "no permission; only its owner and root may";
		code = Exit::no_permission;
		break;
	case ENOMEM:
		text += "the kernel has no memory for it; take smaller or fewer sub-buffers";
		break;
	case EINVAL:
		text += "the kernel refuses these values; see ltt-ctl help create for what is "
			"allowed";
		code = Exit::misuse;
		break;
	case ENODEV:
	case ESTALE:
	case EIDRM:
	case ENXIO:
	case ESHUTDOWN:
		text += "it has been destroyed";
		break;
	default:
		text += std::strerror(error);
	}
	throw Error(code, text);
}

// @bad: where in @events the word begins that the kernel does not know.
[[noreturn]] void fail_kernel_events(
	const std::string &name, const std::string &events, size_t bad, int error)
{
	const std::string text = "cannot trace events of the kernel in " + name + ": ";

	switch (error) {
	case EINVAL: {
		const std::string rest = events.substr(std::min(bad, events.size()));
		throw Error(Exit::misuse, text + "the kernel has no group or event called '" +
						  printable(rest.substr(0, rest.find(','))) +
						  "'; ltt-ctl events --kernel lists what it has");
	}
	case EPERM:
		throw Error(Exit::no_permission, text + "no permission; that needs CAP_PERFMON, "
							"and a trace of all processes");
	case EOPNOTSUPP:
	case ENOTTY:
		throw Error(Exit::no_kernel, text + "this kernel has none: it is built without "
						    "CONFIG_LTT_KERNEL_EVENTS");
	case E2BIG:
		throw Error(
			Exit::misuse, text + "more than " + std::to_string(LTT_MAX_KERNEL_EVENTS) +
					      " bytes of names; groups and * make them shorter");
	case ENOSPC:
		throw Error(Exit::failed, text + "as many traces have some as can; destroy one");
	default:
		fail("select events of the kernel for", name, error);
	}
}

constexpr const char *nothing_reserved =
	"no memory is reserved for traces that persist; boot the kernel with, for instance, "
	"reserve_mem=64M:4096:ltt ltt.persist=ltt (see ltt-ctl-create(1))";

[[noreturn]] void fail_previous(int error)
{
	const std::string text = "cannot read what the previous boot left: ";

	switch (error) {
	case ENOENT:
		throw Error(Exit::failed,
			text + "there is nothing: it had no trace that persists (ltt-ctl create "
			       "--persist), or the machine forgot it when it was switched off");
	case EPERM:
		throw Error(Exit::no_permission, text + "no permission; that needs CAP_PERFMON");
	case ENXIO:
		throw Error(Exit::failed, text + nothing_reserved);
	case ENOTTY:
		throw Error(Exit::no_kernel, text + "this kernel's ltt is older than that");
	default:
		throw Error(Exit::failed, text + std::strerror(error));
	}
}

[[noreturn]] void fail_create(const TraceParams &params, int error)
{
	std::string why;
	Exit code = Exit::failed;

	switch (error) {
	case EEXIST:
		why = "there is one already; choose another name, or destroy that one first";
		break;
	case EPERM:
	case EACCES:
		why = params.persist ? "no permission; one that persists needs CAP_PERFMON"
				     : "no permission to trace the whole system; that needs "
				       "CAP_PERFMON, --own needs nothing";
		code = Exit::no_permission;
		break;
	case ENXIO:
		why = nothing_reserved;
		break;
	case EDQUOT:
		why = "you have as many traces as a user may; destroy one first, or have root "
		      "raise "
		      "/sys/module/ltt/parameters/user_traces";
		break;
	case ENOSPC:
		why = "all " + std::to_string(LTT_MAX_TRACES) +
		      " traces that there can be exist, or all but those kept for CAP_PERFMON; "
		      "destroy one first";
		break;
	case ESRCH:
		why = missing_process(params.targets);
		break;
	case EBADF:
	case ENOENT:
		why = "a control group that it is limited to has been removed";
		break;
	case EOPNOTSUPP:
		why = "this kernel has no control groups; leave out --cgroup";
		break;
	default:
		fail("create", params.name, error);
	}
	throw Error(code, "cannot create trace " + params.name + ": " + why);
}

// Retries what a signal interrupted; -1 with errno set on failure.
template <class Argument>
int request(int fd, unsigned long number, Argument argument)
{
	int result;
	do
		result = ioctl(fd, number, argument);
	while (result < 0 && errno == EINTR);
	return result;
}

// The kernel's descriptors are closed on exec.
class DeviceTrace : public KernelTrace
{
public:
	DeviceTrace(FileDescriptor fd, std::string name, std::shared_ptr<FileDescriptor> device)
		: fd_(std::move(fd)), name_(std::move(name)), device_(std::move(device))
	{
		int flags = fcntl(fd_.get(), F_GETFL);
		if (flags < 0 || fcntl(fd_.get(), F_SETFL, flags | O_NONBLOCK) < 0)
			fail("read", name_, errno);
	}

	ltt_trace_info info() override
	{
		ltt_trace_info info{};
		info.size = sizeof(info);
		if (request(fd_.get(), LTT_IOC_INFO, &info) < 0)
			fail("look at", name_, errno);
		return info;
	}
	void start() override { simple(LTT_IOC_START, "start"); }
	void stop() override { simple(LTT_IOC_STOP, "stop"); }
	void destroy() override { simple(LTT_IOC_DESTROY, "destroy"); }
	void flush() override { simple(LTT_IOC_FLUSH, "flush"); }
	void lock() override
	{
		// A reader of a trace that was called the same, in the same slot, and is
		// destroyed is about to end.
		constexpr int tries = 20, wait_ms = 50;
		for (int i = 0;; ++i) {
			const pid_t reader = lock_reading(*device_, info());
			if (!reader)
				return;
			if (i == tries)
				throw Error(Exit::failed,
					"trace " + name_ + " is being recorded by process " +
						std::to_string(reader) +
						": what one recorder takes, no other gets; end "
						"that one first");
			wait_for(nullptr, 0, wait_ms);
		}
	}
	std::unique_ptr<KernelTrace> snapshot() override
	{
		int fd = request(fd_.get(), LTT_IOC_SNAPSHOT, 0);
		if (fd < 0)
			fail("take a snapshot of", name_, errno);
		return std::make_unique<DeviceTrace>(FileDescriptor(fd), name_, device_);
	}
	void filter(uint32_t mask) override
	{
		if (request(fd_.get(), LTT_IOC_FILTER, &mask) < 0)
			fail("set the filter of", name_, errno);
	}

	void set_rules(const std::string &text) override
	{
		ltt_trace_rules rules{};
		rules.size = static_cast<uint32_t>(text.size());
		rules.text = reinterpret_cast<uintptr_t>(text.data());
		if (request(fd_.get(), LTT_IOC_RULES, &rules) == 0)
			return;
		if (errno == ENOTTY)
			throw Error(Exit::no_kernel, "this kernel's ltt has no rules; leave them "
						     "out, or boot a newer one");
		fail("set the rules of", name_, errno);
	}
	std::string rules() override
	{
		return text_of<ltt_trace_rules>(LTT_IOC_GET_RULES, LTT_MAX_RULES);
	}
	void set_kernel_events(const std::string &events) override
	{
		ltt_kernel_events e{};
		e.size = static_cast<uint32_t>(events.size());
		e.text = reinterpret_cast<uintptr_t>(events.data());
		if (request(fd_.get(), LTT_IOC_KERNEL, &e) < 0)
			fail_kernel_events(name_, events, e.bad, errno);
	}
	std::string kernel_events() override
	{
		return text_of<ltt_kernel_events>(LTT_IOC_GET_KERNEL, LTT_MAX_KERNEL_EVENTS);
	}

	Got read(uint8_t *to, size_t room, size_t &size) override
	{
		for (;;) {
			const ssize_t n = ::read(fd_.get(), to, room);
			if (n > 0) {
				size = static_cast<size_t>(n);
				return Got::data;
			}
			if (n == 0)
				return Got::end;
			if (errno == EAGAIN)
				return Got::nothing;
			if (errno == EINVAL)
				return Got::no_room;
			if (errno != EINTR)
				fail("read", name_, errno);
		}
	}

	void wait(int milliseconds) override
	{
		pollfd p{fd_.get(), POLLIN, 0};
		wait_for(&p, 1, milliseconds);
	}
	int descriptor() const override { return fd_.get(); }

private:
	// "" where the kernel has no such thing.
	template <class Request>
	std::string text_of(unsigned long number, uint32_t most)
	{
		std::string text(most, '\0');
		Request r{};
		r.size = most;
		r.text = reinterpret_cast<uintptr_t>(text.data());
		if (request(fd_.get(), number, &r) < 0) {
			if (errno == ENOTTY || errno == EOPNOTSUPP)
				return "";
			fail("look at", name_, errno);
		}
		text.resize(std::min<size_t>(r.size, text.size()));
		return text;
	}
	void simple(unsigned long number, const char *verb)
	{
		if (request(fd_.get(), number, 0) < 0)
			fail(verb, name_, errno);
	}

	FileDescriptor fd_;
	std::string name_;
	std::shared_ptr<FileDescriptor> device_;
};

void set_name(char (&to)[LTT_NAME_SIZE], const std::string &name)
{
	check_trace_name(name);
	std::memset(to, 0, sizeof(to));
	std::memcpy(to, name.data(), name.size());
}

class Device : public Kernel
{
public:
	Device()
	{
		int fd;
		do
			fd = ::open(device, O_RDWR | O_CLOEXEC);
		while (fd < 0 && errno == EINTR);
		if (fd < 0)
			fail_open(errno);
		fd_ = std::make_shared<FileDescriptor>(fd);

		if (request(fd_->get(), LTT_IOC_VERSION, &version_) < 0)
			throw Error(Exit::no_kernel,
				std::string("/dev/ltt is not the device of ltt: ") +
					std::strerror(errno));
		if (version_ < LTT_ABI_COMPAT)
			throw Error(Exit::no_kernel,
				"this kernel's ltt has version " + std::to_string(version_) +
					", at least " + std::to_string(LTT_ABI_COMPAT) +
					" is needed");
	}

	uint32_t version() override { return version_; }

	std::unique_ptr<KernelTrace> create(const TraceParams &params) override
	{
		ltt_trace_params p{};
		p.size = sizeof(p);
		p.flags = (params.system ? LTT_TRACE_SYSTEM : 0U) |
			  (params.persist ? LTT_TRACE_PERSIST : 0U);
		p.filter = params.filter;
		p.mode = params.mode;
		p.subbuf_size = params.subbuf_size;
		p.n_subbufs = params.n_subbufs;
		p.timeout_us = params.timeout_us;
		p.max_memory = params.max_memory;
		p.contexts = params.contexts;
		std::vector<ltt_target> targets;
		for (const Target &t : params.targets)
			targets.push_back(t.target);
		p.n_targets = static_cast<uint32_t>(targets.size());
		p.targets = targets.empty() ? 0 : reinterpret_cast<uintptr_t>(targets.data());
		set_name(p.name, params.name);
		int fd = request(fd_->get(), LTT_IOC_CREATE, &p);
		if (fd < 0)
			fail_create(params, errno);
		auto trace = std::make_unique<DeviceTrace>(FileDescriptor(fd), params.name, fd_);
		try {
			if (!params.rules.empty())
				trace->set_rules(params.rules);
			if (!params.kernel.empty())
				trace->set_kernel_events(params.kernel);
		} catch (const Error &) {
			trace->destroy();
			throw;
		}
		return trace;
	}

	std::unique_ptr<KernelTrace> open(const std::string &name) override
	{
		ltt_trace_name n;
		set_name(n.name, name);
		int fd = request(fd_->get(), LTT_IOC_OPEN, &n);
		if (fd < 0)
			fail("open", name, errno);
		return std::make_unique<DeviceTrace>(FileDescriptor(fd), name, fd_);
	}

	std::vector<ltt_trace_info> list() override
	{
		std::vector<ltt_trace_info> all;
		for (uint32_t slot = 0; slot < LTT_MAX_TRACES;) {
			ltt_trace_info info{};
			info.size = sizeof(info);
			info.trace = slot;
			if (request(fd_->get(), LTT_IOC_INFO, &info) < 0) {
				if (errno == ENOENT || errno == ESRCH)
					break;
				throw Error(Exit::failed, std::string("cannot list the traces: ") +
								  std::strerror(errno));
			}
			info.name[LTT_NAME_SIZE - 1] = '\0';
			all.push_back(info);
			slot = info.trace + 1;
		}
		return all;
	}
	FileDescriptor previous_boot() override
	{
		const int fd = request(fd_->get(), LTT_IOC_PREVIOUS, nullptr);
		if (fd < 0)
			fail_previous(errno);
		return FileDescriptor(fd);
	}
	void wait(std::vector<pollfd> &descriptors, int milliseconds) override
	{
		wait_for(descriptors.data(), descriptors.size(), milliseconds);
	}

private:
	std::shared_ptr<FileDescriptor> fd_;
	uint32_t version_ = 0;
};

} // namespace

std::unique_ptr<Kernel> open_device()
{
	return std::make_unique<Device>();
}

bool may_trace_system()
{
	std::ifstream status("/proc/self/status");
	std::string word;
	while (status >> word)
		if (word == "CapEff:") {
			uint64_t capabilities = 0;
			status >> std::hex >> capabilities;
			return capabilities &
			       (uint64_t{1} << CAP_PERFMON | uint64_t{1} << CAP_SYS_ADMIN);
		}
	return geteuid() == 0; // no /proc
}

std::string boot_id()
{
	std::ifstream file("/proc/sys/kernel/random/boot_id");
	std::string id;
	std::getline(file, id);
	return id;
}

std::string host_name()
{
	char name[256] = "";
	if (gethostname(name, sizeof(name) - 1) < 0 || !name[0])
		return "unknown";
	return name;
}

} // namespace ltt
