// SPDX-License-Identifier: MIT
// ltt-ctl: switches traces on and off and writes them out.
#include <cstdio>
#include <exception>

#include "lib/arguments.h"
#include "lib/completion.h"
#include "lib/error.h"
#include "lib/log.h"
#include "lib/similar.h"
#include "lib/text.h"
#include "verbs/verbs.h"

namespace ltt
{

const Verb verbs[] = {
	{"create", verb_create, "make a trace, stopped"},
	{"start", verb_start, "start a trace: markers that pass its filter write"},
	{"stop", verb_stop, "stop a trace; what it has stays readable"},
	{"filter", verb_filter, "change the filter bits of a trace: which events it takes"},
	{"kernel", verb_kernel, "change which events of the kernel a trace has"},
	{"rules", verb_rules, "change the rules of a trace: which events, by name and level"},
	{"destroy", verb_destroy, "end a trace; a recorder gets what is left, then it is gone"},
	{"list", verb_list, "show the traces there are, one line each"},
	{"status", verb_status, "show the machine and its traces in full"},
	{"record", verb_record, "write a trace to a directory while it goes on"},
	{"rotate", verb_rotate, "have a recording begin a new chunk, and wait for the old one"},
	{"snapshot", verb_snapshot, "write what a trace holds now, and take nothing away"},
	{"run", verb_run, "run a command with a trace of its own, and write that"},
	{"view", verb_view, "print the events that were written, or with --live those that come"},
	{"events", verb_events, "show the events of a program or a process, without running it"},
	{"extract", verb_extract, "write what was traced before the machine died, from its memory"},
	{"check", verb_check,
		"look whether programs can be traced here, or what was written is whole"},
	{"help", verb_help, "explain a verb"},
	{"version", verb_version, "show the version"},
	{nullptr, nullptr, nullptr},
};

const char *describe(const std::string &verb)
{
	for (const Verb *v = verbs; v->name; ++v)
		if (verb == v->name)
			return v->description;
	return "";
}

void refuse_verb(const std::string &verb)
{
	std::vector<std::string> known;
	for (const Verb *v = verbs; v->name; ++v)
		known.emplace_back(v->name);
	throw Error(Exit::misuse, "there is no verb " + printable(verb) + suggestion(verb, known));
}

std::string usage()
{
	std::string text = "Usage: ltt-ctl VERB [OPTIONS] ...\n\n"
			   "Controls the traces of the kernel and writes them as CTF.\n\nVerbs:\n";
	for (const Verb *v = verbs; v->name; ++v) {
		std::string name = v->name;
		text += "  " + name + std::string(10 - name.size(), ' ') + v->description + "\n";
	}
	return text +
	       "\nltt-ctl help VERB explains one of them.\n"
	       "Exit status: 0 fine, 1 failed, 2 misuse, 3 the kernel has no ltt, 4 no "
	       "permission,\n"
	       "5 events were lost, 6 damaged data; run passes on that of its command, if not 0.\n";
}

namespace
{

// What may stand where the cursor is: @words behind ltt-ctl, the last one being typed.
int complete(const Words &words)
{
	// help takes one, too.
	const bool wants_verb = words.size() < 2 || (words.size() == 2 && words[0] == "help" &&
							    words[1].compare(0, 1, "-") != 0);
	if (!wants_verb) {
		for (const Verb *v = verbs; v->name; ++v)
			if (words[0] == v->name) {
				Words rest(words.begin() + 1, words.end());
				rest.insert(rest.begin(), complete_word);
				return v->function(rest);
			}
		return 0;
	}
	std::vector<Candidate> all;
	for (const Verb *v = verbs; v->name; ++v)
		all.push_back({v->name, v->description});
	print_candidates(matching(all, words.empty() ? "" : words.back()));
	return 0;
}

int dispatch(const Words &words)
{
	if (words.empty())
		throw Error(Exit::misuse, "no verb given");
	std::string name = words[0];
	if (name == complete_word)
		return complete(Words(words.begin() + 1, words.end()));
	if (name == "-h" || name == "--help")
		name = "help";
	if (name == "--version")
		name = "version";
	for (const Verb *v = verbs; v->name; ++v)
		if (name == v->name)
			return v->function(Words(words.begin() + 1, words.end()));
	refuse_verb(name);
}

int run_main(const Words &words)
{
	try {
		int status = dispatch(words);
		if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
			std::perror("ltt-ctl: cannot write to standard output");
			return static_cast<int>(Exit::failed);
		}
		return status;
	} catch (const Error &e) {
		log_line(Level::error, e.what());
		if (e.code() == Exit::misuse) {
			bool known = !words.empty() && *describe(words[0]);
			std::fprintf(stderr, "Try \"ltt-ctl help%s%s\".\n", known ? " " : "",
				known ? words[0].c_str() : "");
		}
		return static_cast<int>(e.code());
	} catch (const std::exception &e) {
		log_line(Level::error, e.what());
		return static_cast<int>(Exit::failed);
	}
}

} // namespace

} // namespace ltt

int main(int argc, char **argv)
{
	return ltt::run_main(ltt::Words(argv + 1, argv + argc));
}
