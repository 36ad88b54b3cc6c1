// SPDX-License-Identifier: MIT
// ltt-kdump FILE: reads a dump for ltt-ctl, see lib/dump/served.h. Not for people.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <fcntl.h>
#include <libkdumpfile/kdumpfile.h>
#include <unistd.h>

#include "lib/dump/served.h"

namespace
{

using namespace ltt::dump;

constexpr uint64_t most = 1 << 20; // bytes in one answer

bool put(const void *data, size_t size)
{
	return std::fwrite(data, 1, size, stdout) == size;
}

bool greet(bool good, uint64_t top, const std::string &text)
{
	const Greeting greeting = {good, top, text.size()};
	return put(&greeting, sizeof(greeting)) && put(text.data(), text.size()) &&
	       std::fflush(stdout) == 0;
}

// Without the names of the library's own attributes.
std::string reason(kdump_ctx_t *dump)
{
	const std::string text = kdump_get_err(dump);
	const size_t at = text.find("fd: ");
	return at == std::string::npos ? text : text.substr(at + 4);
}

std::string vmcoreinfo_of(kdump_ctx_t *dump)
{
	char *text = nullptr;

	kdump_set_string_attr(dump, KDUMP_ATTR_OSTYPE, "linux");
	if (kdump_vmcoreinfo_raw(dump, &text) != KDUMP_OK || !text)
		return "";
	std::string all = text;
	std::free(text);
	return all;
}

// Pages that makedumpfile left out are not there.
bool read(kdump_ctx_t *dump, uint64_t address, std::vector<char> &bytes)
{
	size_t n = bytes.size();
	return kdump_read(dump, KDUMP_MACHPHYSADDR, address, bytes.data(), &n) == KDUMP_OK &&
	       n == bytes.size();
}

} // namespace

int main(int argc, char **argv)
{
	if (argc != 2) {
		std::fprintf(stderr, "ltt-kdump is called by ltt-ctl extract\n");
		return 2;
	}
	const int fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	kdump_ctx_t *dump = kdump_new();
	if (fd < 0 || !dump)
		return !greet(false, 0, std::strerror(errno));
	if (kdump_set_number_attr(dump, KDUMP_ATTR_FILE_FD, static_cast<kdump_num_t>(fd)) !=
		KDUMP_OK)
		return !greet(false, 0, reason(dump));
	kdump_num_t top = 0;
	kdump_get_number_attr(dump, "max_pfn", &top);
	if (!greet(true, top * 4096, vmcoreinfo_of(dump)))
		return 1;
	Request request;
	std::vector<char> bytes;
	while (std::fread(&request, sizeof(request), 1, stdin) == 1) {
		bytes.resize(request.size <= most ? request.size : 0);
		const uint64_t good = request.size <= most && read(dump, request.address, bytes);
		if (!put(&good, sizeof(good)) || (good && !put(bytes.data(), bytes.size())) ||
			std::fflush(stdout) != 0)
			return 1;
	}
	return 0;
}
