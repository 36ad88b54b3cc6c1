// SPDX-License-Identifier: MIT
// One object on each line. Keys are only ever added.
#include <algorithm>
#include <cmath>
#include <cstring>

#include <nlohmann/json.hpp>

#include <ust/definition.h>

#include "printer.h"
#include "text_values.h"
#include "time.h"

namespace ltt::reader
{

namespace
{

// Bytes that are no UTF-8 are replaced.
void append_string(std::string &out, std::string_view text)
{
	const bool plain = std::all_of(text.begin(), text.end(),
		[](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; });
	if (plain) {
		out += '"';
		out += text;
		out += '"';
		return;
	}
	out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void append_key(std::string &out, const char *key)
{
	out += out.back() == '{' ? "\"" : ",\"";
	out += key;
	out += "\":";
}

// Sequences are arrays, without their lengths; an optional value is itself or null; what stands
// in a wrapper of the metadata stands there without it.
class JsonValues : public Values
{
public:
	explicit JsonValues(std::string &out) : out_(out) {}

	void structure(const std::vector<Shown> &fields, Bytes bytes)
	{
		out_ += '{';
		walk_fields(fields, bytes, *this);
		out_ += '}';
	}

	void field(const Shown &field, uint32_t n) override
	{
		if (!unnamed_) {
			separate();
			append_string(out_, field.name);
			out_ += ':';
		}
		unnamed_ = false;
		there_ = n;
	}
	void element(uint32_t) override { separate(); }
	void integer(const Type &type, uint64_t value) override
	{
		if (is_signed(type.code) || type.code == UST_TYPE_CHAR ||
			type.code >= UST_TYPE_TIME)
			append_signed(out_, static_cast<int64_t>(value));
		else
			append_number(out_, value);
	}
	void enumeration(const Type &type, uint64_t value) override
	{
		out_ += "{\"value\":";
		integer(type.element(), value);
		out_ += ",\"labels\":[";
		for_each_label(type, value, [&](const std::string &label) {
			separate();
			append_string(out_, label);
		});
		out_ += "]}";
	}
	void real(double value) override
	{
		// JSON has no word for these.
		if (std::isfinite(value)) {
			out_ += nlohmann::json(value).dump();
		} else {
			out_ += std::isnan(value) ? "\"nan\"" : value > 0 ? "\"inf\"" : "\"-inf\"";
		}
	}
	void boolean(uint8_t value) override { out_ += value ? "true" : "false"; }
	void text(std::string_view value) override { append_string(out_, value); }
	void begin(const Shown &s) override
	{
		if (s.wrapper) {
			unnamed_ = true; // its only field
		} else if (s.type.code == UST_TYPE_STRUCT) {
			out_ += '{';
		} else if (s.type.code != UST_TYPE_OPTIONAL) {
			out_ += '[';
		} else if (!there_) {
			out_ += "null";
		}
	}
	void end(const Shown &s) override
	{
		if (s.wrapper)
			return;
		if (s.type.code == UST_TYPE_STRUCT)
			out_ += '}';
		else if (s.type.code != UST_TYPE_OPTIONAL)
			out_ += ']';
	}

private:
	void separate()
	{
		const char c = out_.back(); // a value ends with none of these
		if (c != '{' && c != '[' && c != ':' && c != ',')
			out_ += ',';
	}

	std::string &out_;
	bool unnamed_ = false;
	uint32_t there_ = 0;
};

class JsonPrinter : public Printer
{
public:
	void event(std::string &out, const Origin &origin, const Event &event) override
	{
		begin_line(out, "event", origin, event.ns);
		append_key(out, "event");
		append_string(out, event.type->definition->full_name());
		append_key(out, "level");
		append_string(out, level_name(event.type->definition->level));
		append_origin(out, origin);
		JsonValues values(out);
		if (!origin.types->context().empty()) {
			append_key(out, "context");
			values.structure(origin.types->context(), event.context);
		}
		append_key(out, "fields");
		values.structure(event.type->fields, event.payload);
		out += "}\n";
	}

	void loss(std::string &out, const Origin &origin, const Loss &loss) override
	{
		begin_line(out, "loss", origin, loss.from);
		append_key(out, "until_ns");
		append_ns(out, origin, loss.to);
		append_key(out, "events");
		append_number(out, loss.events);
		append_key(out, "packets");
		append_number(out, loss.packets);
		append_origin(out, origin);
		out += "}\n";
	}

private:
	static void append_ns(std::string &out, const Origin &origin, uint64_t ns)
	{
		append_number(out, since_1970(origin.types->environment(), ns));
	}
	static void begin_line(
		std::string &out, const char *type, const Origin &origin, uint64_t ns)
	{
		out += '{';
		append_key(out, "type");
		append_string(out, type);
		append_key(out, "time_ns"); // since 1970
		append_ns(out, origin, ns);
		append_key(out, "host");
		append_string(out, origin.types->environment().hostname);
		append_key(out, "program");
		append_string(out, *origin.program);
	}
	static void append_origin(std::string &out, const Origin &origin)
	{
		each_number(origin, [&](const char *name, int64_t value) {
			append_key(out, name);
			append_signed(out, value);
		});
		if (origin.types->domain() == ctf::Domain::kernel)
			return;
		append_key(out, "procname");
		append_string(out, procname_of(origin));
	}
};

} // namespace

std::unique_ptr<Printer> json_printer()
{
	return std::make_unique<JsonPrinter>();
}

} // namespace ltt::reader
