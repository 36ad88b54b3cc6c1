// SPDX-License-Identifier: MIT
// One recorder at a time writes to a directory, and others can talk to it there.
#ifndef LTT_CTL_CONTROL_H
#define LTT_CTL_CONTROL_H

#include <string>
#include <vector>

#include "file.h"

namespace ltt
{

// Whoever has it is alone in writing to the directory, which exists.
class DirectoryLock
{
public:
	// Throws Error if another process has it; @advice says what else there is to do.
	DirectoryLock(const std::string &directory, const std::string &advice);
	~DirectoryLock();
	DirectoryLock(const DirectoryLock &) = delete;

private:
	std::string path_;
	FileDescriptor fd_;
};

// Of the recorder:
//
//	DIR/.recorder	locked as long as it lives
//	a socket	who connects asks for a new chunk, and reads where the old one is
//
// The socket has an abstract name, made of what the directory is to the kernel: not every file
// system has sockets, and QEMU's 9p ends a guest that makes one. Who may write to the lock may ask.
class Control
{
public:
	// Takes @directory, which exists. Throws Error if another recorder has it.
	explicit Control(const std::string &directory);
	Control(const Control &) = delete;

	// For poll(): somebody asks.
	int descriptor() const { return listener_.get(); }
	// Did somebody? All who did wait for the answer.
	bool asked();
	void answer(const std::string &text);

	// Names of files of a recorder in its directory.
	static bool is_own(const std::string &name);

private:
	DirectoryLock lock_;
	FileDescriptor listener_;
	std::vector<FileDescriptor> waiting_;
};

// A connection to the recorder of @directory. Throws Error.
FileDescriptor connect_to_recorder(const std::string &directory);

// Asks the recorder of @directory for a new chunk, waits until the old one is complete, and returns
// its path. Throws Error.
std::string ask_for_chunk(const std::string &directory);

} // namespace ltt

#endif
