/* SPDX-License-Identifier: MIT */
/*
 * What the guest's first processes share: mounts, virtio ports, the end.
 * A failure here has no one to be reported to but the kernel's console.
 */
#ifndef GUEST_H
#define GUEST_H

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <dirent.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <unistd.h>

namespace guest
{

/* A line in the kernel's log, and so on its console, in order with the rest. */
__attribute__((format(printf, 1, 2))) inline void log(const char *format, ...)
{
	char line[512];
	int n = snprintf(line, sizeof(line), "<5>guest: ");
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(line + n, sizeof(line) - static_cast<size_t>(n), format, arguments);
	va_end(arguments);
	int fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, line, strlen(line)) < 0)
		perror(line);
	close(fd);
}

/* Ends the machine; QEMU's -no-reboot turns a restart into its exit. */
[[noreturn]] inline void power_off()
{
	sync();
	reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}

#define GUEST_NEED(condition, what)                                                                \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			guest::log("%s: %s", what, strerror(errno));                               \
			guest::power_off();                                                        \
		}                                                                                  \
	} while (0)

inline bool mount_at(const char *source, const char *target, const char *type,
	unsigned long flags = 0, const char *options = "")
{
	mkdir(target, 0755);
	return mount(source, target, type, flags, options) == 0;
}

/* /dev, /proc, /sys below root ("" for the present one). */
inline void mount_kernel_file_systems(const std::string &root)
{
	GUEST_NEED(mount_at("dev", (root + "/dev").c_str(), "devtmpfs") || errno == EBUSY,
		"mounting /dev");
	GUEST_NEED(mount_at("proc", (root + "/proc").c_str(), "proc"), "mounting /proc");
	GUEST_NEED(mount_at("sys", (root + "/sys").c_str(), "sysfs"), "mounting /sys");
	/* Not in every kernel configuration: */
	mount_at("pts", (root + "/dev/pts").c_str(), "devpts", 0, "mode=620,ptmxmode=666");
	mount_at("shm", (root + "/dev/shm").c_str(), "tmpfs", 0, "mode=1777");
	mount_at("debug", (root + "/sys/kernel/debug").c_str(), "debugfs");
	mount_at("trace", (root + "/sys/kernel/tracing").c_str(), "tracefs");
	mount_at("cgroup", (root + "/sys/fs/cgroup").c_str(), "cgroup2");
	for (const char *link : {"fd", "fd/0:stdin", "fd/1:stdout", "fd/2:stderr"}) {
		const char *colon = strchr(link, ':');
		std::string source = colon ? std::string(link, colon) : link;
		std::string name = colon ? colon + 1 : link;
		if (symlink(("/proc/self/" + source).c_str(), (root + "/dev/" + name).c_str()) <
				0 &&
			errno != EEXIST)
			log("/dev/%s: %s", name.c_str(), strerror(errno));
	}
}

/* Opens a virtio port if it is there now; -1: it is not. */
inline int open_present_port(const std::string &name)
{
	const char *directory = "/sys/class/virtio-ports";
	DIR *ports = opendir(directory);
	int fd = -1;
	if (!ports)
		return -1;
	while (dirent *port = readdir(ports)) {
		std::string path = std::string(directory) + "/" + port->d_name + "/name";
		char found[128] = "";
		int f = open(path.c_str(), O_RDONLY | O_CLOEXEC);
		if (f < 0)
			continue;
		ssize_t n = read(f, found, sizeof(found) - 1);
		close(f);
		if (n <= 0 || std::string(found, static_cast<size_t>(n)) != name + "\n")
			continue;
		fd = open((std::string("/dev/") + port->d_name).c_str(), O_RDWR | O_CLOEXEC);
		break;
	}
	closedir(ports);
	return fd;
}

/*
 * Opens the virtio port that QEMU was given under this name; -1: none. The kernel
 * learns the names of the ports by and by, on a busy host after init began. Their
 * console is the first of the virtio devices (host/qemu.py).
 */
inline int open_port(const std::string &name)
{
	const char *console = "/sys/bus/virtio/drivers/virtio_console/virtio0";
	int fd;
	for (int tries = 0; (fd = open_present_port(name)) < 0 && tries < 3000; ++tries) {
		if (access(console, F_OK) != 0)
			break;
		usleep(10000);
	}
	return fd;
}

inline bool write_all(int fd, const void *data, size_t size)
{
	const char *p = static_cast<const char *>(data);
	while (size) {
		ssize_t n = write(fd, p, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		size -= static_cast<size_t>(n);
	}
	return true;
}

} // namespace guest

#endif /* GUEST_H */
