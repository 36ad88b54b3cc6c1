/* SPDX-License-Identifier: MIT */
/* What /proc tells about processes and threads, for tests that wait on it. */
#ifndef KTAP_PROCESS_H
#define KTAP_PROCESS_H

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

namespace ktap
{

/* The whole of a (small) file; "" if there is none. */
inline std::string read_file(const std::string &path)
{
	std::string text;
	int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return text;
	char chunk[4096];
	for (ssize_t n; (n = read(fd, chunk, sizeof(chunk))) > 0;)
		text.append(chunk, static_cast<size_t>(n));
	close(fd);
	return text;
}

/* The numbers among the names in a directory: pids, tids, descriptors. */
inline std::vector<pid_t> numbers_in(const std::string &directory)
{
	std::vector<pid_t> numbers;
	DIR *d = opendir(directory.c_str());
	if (!d)
		return numbers;
	while (dirent *entry = readdir(d))
		if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9')
			numbers.push_back(atoi(entry->d_name));
	closedir(d);
	return numbers;
}

/* Field of /proc/PID/stat as proc(5) counts, from 3 (state) on. */
inline std::string stat_field(const std::string &directory, int field)
{
	std::string text = read_file(directory + "/stat");
	size_t at = text.rfind(')'); /* the name before it may hold anything */
	if (at == std::string::npos)
		return "";
	for (int i = 2; i < field && at != std::string::npos; ++i)
		at = text.find(' ', at + 1);
	if (at == std::string::npos)
		return "";
	return text.substr(at + 1, text.find(' ', at + 1) - at - 1);
}

inline std::string task_directory(pid_t tid)
{
	/* /proc/TID is there for every thread, though not listed. */
	return "/proc/" + std::to_string(tid);
}

/* 'R', 'S', 'D', 'T', 't', 'Z', 'X'; 0: there is no such thread. */
inline char state_of(pid_t tid)
{
	std::string state = stat_field(task_directory(tid), 3);
	return state.empty() ? '\0' : state[0];
}

/* Number of the system call that a thread sleeps in; -1: in none. */
inline long blocked_in(pid_t tid)
{
	std::string text = read_file(task_directory(tid) + "/syscall");
	if (text.empty() || text[0] < '0' || text[0] > '9')
		return -1;
	return atol(text.c_str());
}

/* Voluntary and involuntary context switches: unchanged means never woken. */
inline long switches_of(pid_t tid)
{
	std::string text = read_file(task_directory(tid) + "/status");
	long sum = 0;
	for (const char *key : {"\nvoluntary_ctxt_switches:", "\nnonvoluntary_ctxt_switches:"}) {
		size_t at = text.find(key);
		if (at != std::string::npos)
			sum += atol(text.c_str() + at + strlen(key));
	}
	return sum;
}

inline std::vector<pid_t> children_of(pid_t parent)
{
	std::vector<pid_t> children;
	std::string wanted = std::to_string(parent);
	for (pid_t pid : numbers_in("/proc"))
		if (stat_field(task_directory(pid), 4) == wanted)
			children.push_back(pid);
	return children;
}

inline std::vector<pid_t> descendants_of(pid_t parent)
{
	std::vector<pid_t> all = children_of(parent);
	for (size_t i = 0; i < all.size(); ++i) {
		std::vector<pid_t> next = children_of(all[i]);
		all.insert(all.end(), next.begin(), next.end());
	}
	return all;
}

/* For people: where each thread of a process is. */
inline std::string describe(pid_t pid)
{
	std::string text;
	std::string tasks = task_directory(pid) + "/task";
	for (pid_t tid : numbers_in(tasks)) {
		std::string task = tasks + "/" + std::to_string(tid);
		std::string name = read_file(task + "/comm");
		std::string call = read_file(task + "/syscall");
		std::string stack = read_file(task + "/stack");
		text += "  pid " + std::to_string(pid) + " tid " + std::to_string(tid) + " " +
			name.substr(0, name.find('\n')) + ": state " + stat_field(task, 3) +
			", system call " + call.substr(0, call.find('\n')) + "\n";
		for (size_t at = 0; at < stack.size();) {
			size_t end = stack.find('\n', at);
			text += "    " + stack.substr(at, end - at) + "\n";
			at = end == std::string::npos ? stack.size() : end + 1;
		}
	}
	return text;
}

} // namespace ktap

#endif /* KTAP_PROCESS_H */
