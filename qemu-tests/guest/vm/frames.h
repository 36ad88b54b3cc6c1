/* SPDX-License-Identifier: MIT */
/*
 * What host and guest say to each other over the one port of scripts/vm.
 *
 * A frame is a byte of type, a little-endian 32-bit length, and that many bytes.
 * One port for everything keeps output, end of file and exit status in order.
 * The other side is qemu-tests/host/vm.py.
 *
 *	host to guest	J  job: pairs of NUL-terminated key and value
 *			I  standard input, at most 64 KiB; none: its end
 *			W  terminal size: columns and rows, 16 bits each
 *			S  signal for the program: one byte
 *	guest to host	B  booted: send the job
 *			N  send more standard input
 *			O  standard output
 *			R  standard error
 *			X  the exit status, as a shell counts it: one byte
 *			F  the guest cannot do it: a line of text
 */
#ifndef VM_FRAMES_H
#define VM_FRAMES_H

#include "../guest.h"

#include <cstdint>
#include <string>

namespace vm
{

inline void send(int port, char type, const void *data = nullptr, size_t size = 0)
{
	std::string frame(5, type);
	uint32_t length = static_cast<uint32_t>(size);
	memcpy(&frame[1], &length, sizeof(length));
	frame.append(static_cast<const char *>(data), size);
	/* The host has gone: nobody is left to work for. */
	if (!guest::write_all(port, frame.data(), frame.size()))
		guest::power_off();
}

/* Says why, and ends the machine. */
[[noreturn]] inline void give_up(int port, const std::string &what)
{
	std::string text = what + ": " + strerror(errno);
	send(port, 'F', text.data(), text.size());
	guest::power_off();
}

/* Takes whole frames off a stream of bytes. */
class Receiver
{
public:
	/* false: the host has gone */
	bool read_some(int port)
	{
		char chunk[16384];
		ssize_t n = read(port, chunk, sizeof(chunk));
		if (n < 0)
			return errno == EINTR || errno == EAGAIN;
		bytes.append(chunk, static_cast<size_t>(n));
		return n > 0;
	}

	bool next(char &type, std::string &data)
	{
		uint32_t length;
		if (bytes.size() < 5)
			return false;
		memcpy(&length, &bytes[1], sizeof(length));
		if (bytes.size() < 5 + size_t(length))
			return false;
		type = bytes[0];
		data = bytes.substr(5, length);
		bytes.erase(0, 5 + size_t(length));
		return true;
	}

private:
	std::string bytes;
};

} // namespace vm

#endif /* VM_FRAMES_H */
