// SPDX-License-Identifier: MIT
// What somebody meant who mistyped a word.
#ifndef LTT_CTL_SIMILAR_H
#define LTT_CTL_SIMILAR_H

#include <string>
#include <vector>

namespace ltt
{

// The one of @words that is most like @typed, if any is like it at all; else "".
std::string most_similar(const std::string &typed, const std::vector<std::string> &words);

// "; did you mean WORD?", or "".
std::string suggestion(const std::string &typed, const std::vector<std::string> &words);

} // namespace ltt

#endif
