// SPDX-License-Identifier: MIT
// The form for scripts.
#ifndef LTT_CTL_JSON_H
#define LTT_CTL_JSON_H

#include <string>

#include <nlohmann/json.hpp>

#include "../lib/arguments.h"

namespace ltt
{

using Json = nlohmann::ordered_json;

// The option that asks for it, of all verbs that list.
void add_json(Arguments &arguments, bool &json);
void print(const Json &json);

} // namespace ltt

#endif
