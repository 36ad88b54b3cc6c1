// SPDX-License-Identifier: MIT
// [10:11:12.000000001] (+0.000000001) host p:e: { vpid = 1, … }, { … }
#include <cstring>
#include <ctime>

#include "../text.h"
#include "printer.h"
#include "text_values.h"
#include "time.h"

namespace ltt::reader
{

namespace
{

constexpr uint64_t second = 1000000000;

void append_padded(std::string &out, uint64_t value, size_t digits)
{
	const size_t from = out.size();
	append_number(out, value);
	out.insert(from, digits - (out.size() - from), '0');
}

void append_origin(std::string &out, const Origin &origin)
{
	const char *between = "{ ";

	each_number(origin, [&](const char *name, int64_t value) {
		out += between;
		out += name;
		out += " = ";
		append_signed(out, value);
		between = ", ";
	});
	if (origin.types->domain() == ctf::Domain::user) {
		out += ", procname = ";
		append_quoted(out, procname_of(origin));
	}
	out += " }";
}

class TextPrinter : public Printer
{
public:
	explicit TextPrinter(bool colour) : colour_(colour) {}

	void event(std::string &out, const Origin &origin, const Event &event) override
	{
		begin_line(out, origin, event.ns);
		any_ = true;
		before_ = since_1970(origin.types->environment(), event.ns);
		on(out, "\033[1m");
		out += event.type->definition->full_name();
		on(out, "\033[0m");
		out += ": ";
		append_origin(out, origin);
		TextValues values(out);
		if (!origin.types->context().empty()) {
			out += ", ";
			values.structure(origin.types->context(), event.context);
		}
		out += ", ";
		values.structure(event.type->fields, event.payload);
		out += '\n';
	}

	void loss(std::string &out, const Origin &origin, const Loss &loss) override
	{
		begin_line(out, origin, loss.from);
		on(out, "\033[31m");
		out += "*** ";
		if (loss.events) {
			out += count_of(loss.events, "event") + " lost";
		}
		if (loss.packets) {
			out += loss.events ? ", " : "";
			out += count_of(loss.packets, "packet") + " missing";
		}
		out += " up to ";
		append_time(out, origin.types->environment(), loss.to);
		on(out, "\033[0m");
		out += ": ";
		append_origin(out, origin);
		out += '\n';
	}

private:
	void on(std::string &out, const char *code) const
	{
		if (colour_)
			out += code;
	}
	void begin_line(std::string &out, const Origin &origin, uint64_t ns);
	void append_time(std::string &out, const ctf::Environment &environment, uint64_t ns);

	bool colour_;
	bool any_ = false;
	uint64_t before_ = 0; // ns since 1970, of the event before
	// The clock on the wall is asked once for each second.
	int64_t known_ = -1;
	std::string known_text_;
};

void TextPrinter::append_time(std::string &out, const ctf::Environment &environment, uint64_t ns)
{
	const uint64_t now = since_1970(environment, ns);
	const auto seconds = static_cast<int64_t>(now / second);

	if (seconds != known_) {
		const time_t t = seconds;
		tm parts{};
		char text[16];
		localtime_r(&t, &parts);
		strftime(text, sizeof(text), "[%H:%M:%S.", &parts);
		known_text_ = text;
		known_ = seconds;
	}
	out += known_text_;
	append_padded(out, now % second, 9);
	out += ']';
}

void TextPrinter::begin_line(std::string &out, const Origin &origin, uint64_t ns)
{
	const ctf::Environment &environment = origin.types->environment();
	const uint64_t now = since_1970(environment, ns);

	append_time(out, environment, ns);
	if (!any_) {
		out += " (+?.";
		out.append(9, '?');
		out += ") ";
	} else {
		// What comes from damaged streams may be out of order.
		const uint64_t delta = now > before_ ? now - before_ : 0;
		out += " (+";
		append_number(out, delta / second);
		out += '.';
		append_padded(out, delta % second, 9);
		out += ") ";
	}
	out += environment.hostname;
	out += ' ';
}

} // namespace

std::unique_ptr<Printer> text_printer(bool colour)
{
	return std::make_unique<TextPrinter>(colour);
}

} // namespace ltt::reader
