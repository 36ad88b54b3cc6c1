// SPDX-License-Identifier: MIT
// The verbs of ltt-ctl: one file each, one table in main.cpp.
#ifndef LTT_CTL_VERBS_H
#define LTT_CTL_VERBS_H

#include <string>
#include <vector>

namespace ltt
{

using Words = std::vector<std::string>;

struct Verb {
	const char *name;
	// Gets the words after the verb. Returns the exit status, or throws Error.
	int (*function)(const Words &words);
	const char *description;
};

// Ends with a verb without a name.
extern const Verb verbs[];

int verb_check(const Words &words);
int verb_create(const Words &words);
int verb_destroy(const Words &words);
int verb_events(const Words &words);
int verb_extract(const Words &words);
int verb_filter(const Words &words);
int verb_help(const Words &words);
int verb_kernel(const Words &words);
int verb_list(const Words &words);
int verb_record(const Words &words);
int verb_rotate(const Words &words);
int verb_rules(const Words &words);
int verb_run(const Words &words);
int verb_snapshot(const Words &words);
int verb_start(const Words &words);
int verb_status(const Words &words);
int verb_stop(const Words &words);
int verb_version(const Words &words);
int verb_view(const Words &words);

std::string usage();
// Throws Error(misuse).
[[noreturn]] void refuse_verb(const std::string &verb);
// The description of a verb, from the table.
const char *describe(const std::string &verb);

} // namespace ltt

#endif
