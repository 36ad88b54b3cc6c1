// SPDX-License-Identifier: MIT
#include "libraries.h"

#include <cerrno>
#include <sstream>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "elf_section.h"
#include "file.h"

namespace ltt
{

namespace
{

// What a command prints, its errors aside; "" if it cannot be run.
std::string output_of(const std::vector<std::string> &words)
{
	std::vector<char *> argv;
	for (const std::string &word : words)
		argv.push_back(const_cast<char *>(word.c_str()));
	argv.push_back(nullptr);

	int ends[2];
	if (pipe2(ends, O_CLOEXEC) < 0)
		return "";
	const FileDescriptor from(ends[0]);
	pid_t child;
	{
		const FileDescriptor to(ends[1]);
		child = fork();
		if (child < 0)
			return "";
		if (child == 0) {
			const int nothing = open("/dev/null", O_RDWR);
			dup2(nothing, STDIN_FILENO);
			dup2(nothing, STDERR_FILENO);
			dup2(to.get(), STDOUT_FILENO);
			execv(argv[0], argv.data());
			_exit(127);
		}
	}
	std::string text;
	char chunk[4096];
	for (ssize_t n; (n = read(from.get(), chunk, sizeof(chunk))) != 0;) {
		if (n > 0)
			text.append(chunk, static_cast<size_t>(n));
		else if (errno != EINTR)
			break;
	}
	while (waitpid(child, nullptr, 0) < 0 && errno == EINTR)
		;
	return text;
}

} // namespace

std::vector<std::string> parse_library_list(const std::string &text)
{
	std::vector<std::string> all;
	std::istringstream lines(text);
	std::string line;

	// "	libc.so.6 => /lib/libc.so.6 (0x...)"; without an arrow: the linker itself, or
	// the kernel's vdso, which is no file.
	while (std::getline(lines, line)) {
		const size_t arrow = line.find(" => "), address = line.rfind(" (0x");
		if (arrow == std::string::npos || address == std::string::npos || address < arrow)
			continue;
		const std::string path = line.substr(arrow + 4, address - arrow - 4);
		if (!path.empty() && path[0] == '/')
			all.push_back(path);
	}
	return all;
}

std::vector<std::string> libraries_of(const std::string &program)
{
	std::string interpreter;

	if (!find_section(read_file(program), ".interp", interpreter))
		return {};
	interpreter.resize(interpreter.find('\0') == std::string::npos ? interpreter.size()
								       : interpreter.find('\0'));
	return parse_library_list(output_of({interpreter, "--list", program}));
}

} // namespace ltt
