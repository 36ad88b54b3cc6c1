// SPDX-License-Identifier: MIT
// What this process prints.
#ifndef LTT_TESTS_CTL_CAPTURE_H
#define LTT_TESTS_CTL_CAPTURE_H

#include <cstdio>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include "directory.h"

// What is printed on stdout and stderr while it lives.
class Capture
{
public:
	Capture()
	{
		std::fflush(nullptr);
		for (int fd : {1, 2}) {
			saved_[fd] = dup(fd);
			int to = open(
				(scratch_ / std::to_string(fd)).c_str(), O_RDWR | O_CREAT, 0600);
			dup2(to, fd);
			close(to);
		}
	}
	~Capture() { end(); }
	std::string out() { return end(), out_; }
	std::string err() { return end(), err_; }

private:
	void end()
	{
		if (saved_[1] < 0)
			return;
		std::fflush(nullptr);
		for (int fd : {1, 2}) {
			dup2(saved_[fd], fd);
			close(saved_[fd]);
			saved_[fd] = -1;
		}
		out_ = content(scratch_ / "1");
		err_ = content(scratch_ / "2");
	}

	Directory scratch_;
	int saved_[3] = {-1, -1, -1};
	std::string out_, err_;
};

#endif
