// SPDX-License-Identifier: MIT
#include "similar.h"

#include <algorithm>

namespace ltt
{

namespace
{

// How many characters to insert, take out, replace, or swap with the next.
size_t distance(const std::string &a, const std::string &b)
{
	std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));

	for (size_t i = 0; i <= a.size(); ++i)
		for (size_t j = 0; j <= b.size(); ++j) {
			if (i == 0 || j == 0) {
				d[i][j] = i + j;
				continue;
			}
			d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1,
				d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
		}
	return d[a.size()][b.size()];
}

} // namespace

std::string most_similar(const std::string &typed, const std::vector<std::string> &words)
{
	constexpr size_t longest = 64; // nobody types that
	std::string best;
	// One mistake in three characters; more, and it is another word.
	size_t least = typed.size() / 3 + 1;

	if (typed.size() > longest)
		return "";
	for (const std::string &word : words) {
		const size_t n = distance(typed, word);
		if (n < least && n < word.size()) {
			least = n;
			best = word;
		}
	}
	return best;
}

std::string suggestion(const std::string &typed, const std::vector<std::string> &words)
{
	const std::string word = most_similar(typed, words);
	return word.empty() ? "" : "; did you mean " + word + "?";
}

} // namespace ltt
