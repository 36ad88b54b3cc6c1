/* SPDX-License-Identifier: MIT */
/* The program that scripts/vm runs in the guest, and everything it needs. */
#ifndef VM_JOB_H
#define VM_JOB_H

#include "frames.h"

#include <string>
#include <vector>

namespace vm
{

struct Job {
	std::vector<std::string> arguments;
	std::vector<std::string> environment;
	std::vector<std::string> overlays; /* directories that get a writable layer */
	std::vector<std::string> shares;   /* tag=directory: writable, seen by the host */
	std::vector<std::string> tools;	   /* files that /run/ltt shows to every user */
	std::vector<unsigned> groups;
	std::string directory = "/";
	unsigned uid = 0, gid = 0;
	bool terminal = false; /* give it one, of this size */
	unsigned short columns = 80, rows = 24;
};

/* From the data of a J frame. */
Job parse_job(const std::string &data);

/* Runs it to its end, with its input and output going over the port. */
int run_job(const Job &job, int port, Receiver &receiver);

} // namespace vm

#endif /* VM_JOB_H */
