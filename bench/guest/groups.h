// SPDX-License-Identifier: MIT
//
// What bench-guest measures, by files. Each group has a process of its own.
#pragma once

namespace bench
{

void measure_off();
void measure_number();
void measure_text();
void measure_user_events();
void measure_marker_raw();
void measure_uprobe();

} // namespace bench
