// SPDX-License-Identifier: MIT
//
// PID 1 of scripts/vm: makes the host's files the guest's root, and runs one
// program there.

#include "job.h"

#include <csignal>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

namespace
{

constexpr const char *root = "/host";
// Large messages: each one is a round trip to QEMU.
constexpr const char *options_9p = "trans=virtio,version=9p2000.L,msize=512000";

void need(bool condition, int port, const std::string &what)
{
	if (!condition)
		vm::give_up(port, what);
}

// A layer of memory over a directory of the host: reads see the host's files,
// writes are gone with the guest.
void overlay(const std::string &directory, size_t number, int port)
{
	std::string upper = "/layers/" + std::to_string(number);
	std::string target = root + directory;
	struct stat st;
	if (stat(target.c_str(), &st) < 0 || !S_ISDIR(st.st_mode))
		return;
	need(mkdir(upper.c_str(), 0755) == 0 && mkdir((upper + "/up").c_str(), 0755) == 0 &&
			mkdir((upper + "/work").c_str(), 0755) == 0 &&
			chmod((upper + "/up").c_str(), st.st_mode & 07777) == 0 &&
			chown((upper + "/up").c_str(), st.st_uid, st.st_gid) == 0,
		port, upper);
	std::string options =
		"lowerdir=" + target + ",upperdir=" + upper + "/up,workdir=" + upper + "/work";
	need(mount("overlay", target.c_str(), "overlay", 0, options.c_str()) == 0, port,
		"a writable layer over " + directory);
}

void make_root(const vm::Job &job, int port)
{
	mkdir(root, 0755);
	// The host's files do not change under a short-lived guest, or it may
	// see the old ones: that makes this cache good enough, and it is fast.
	need(mount("root", root, "9p", MS_RDONLY,
		     (std::string(options_9p) + ",cache=loose").c_str()) == 0,
		port, "mounting the host's root");
	guest::mount_kernel_file_systems(root);
	need(mount("run", (std::string(root) + "/run").c_str(), "tmpfs", 0, "mode=755") == 0, port,
		"/run");
	mkdir("/layers", 0755);
	need(mount("layers", "/layers", "tmpfs", 0, "mode=755") == 0, port,
		"memory for writable layers");
	for (size_t i = 0; i < job.overlays.size(); ++i)
		overlay(job.overlays[i], i, port);
	for (const std::string &share : job.shares) {
		size_t equals = share.find('=');
		std::string directory = share.substr(equals + 1);
		// No cache: the host sees at once what is written, also when
		// the guest crashes.
		need(mount(share.substr(0, equals).c_str(), (root + directory).c_str(), "9p", 0,
			     (std::string(options_9p) + ",cache=none").c_str()) == 0,
			port, "mounting " + directory);
	}
	need(chdir(root) == 0 && mount(".", "/", nullptr, MS_MOVE, nullptr) == 0 &&
			chroot(".") == 0 && chdir("/") == 0,
		port, "changing the root");
}

// The checkout may lie where only its owner gets to.
void show_tools(const vm::Job &job, int port)
{
	need(mkdir("/run/ltt", 0755) == 0, port, "/run/ltt");
	for (const std::string &tool : job.tools) {
		std::string shown = "/run/ltt" + tool.substr(tool.rfind('/'));
		int fd = open(shown.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0755);
		need(fd >= 0 && close(fd) == 0 &&
				mount(tool.c_str(), shown.c_str(), nullptr, MS_BIND, nullptr) == 0,
			port, tool);
	}
}

void bring_up_loopback(int port)
{
	ifreq request = {};
	strcpy(request.ifr_name, "lo");
	request.ifr_flags = IFF_UP | IFF_RUNNING;
	int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	need(s >= 0 && ioctl(s, SIOCSIFFLAGS, &request) == 0, port,
		"bringing up the loopback interface");
	close(s);
}

vm::Job receive_job(int port, vm::Receiver &receiver)
{
	char type;
	std::string data;
	while (!receiver.next(type, data))
		if (!receiver.read_some(port))
			guest::power_off();
	return vm::parse_job(data);
}

} // namespace

int main()
{
	guest::mount_kernel_file_systems("");
	int port = guest::open_port("ltt.vm");
	GUEST_NEED(port >= 0, "no port to the host");
	// A program that closes its input must not end PID 1.
	signal(SIGPIPE, SIG_IGN);
	vm::send(port, 'B');
	vm::Receiver receiver;
	vm::Job job = receive_job(port, receiver);
	make_root(job, port);
	show_tools(job, port);
	bring_up_loopback(port);
	if (sethostname("ltt-vm", 6) < 0)
		guest::log("host name: %s", strerror(errno));

	char status = static_cast<char>(vm::run_job(job, port, receiver));
	kill(-1, SIGKILL);
	sync();
	vm::send(port, 'X', &status, 1);
	// The host ends the machine: it need not wait for us to do so.
	guest::power_off();
}
