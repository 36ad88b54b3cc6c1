// SPDX-License-Identifier: MIT
//
// Strings: measured once, so that a string takes exactly the bytes reserved for it even
// if another thread changes it meanwhile.
#ifndef UST_DETAIL_TEXT_H
#define UST_DETAIL_TEXT_H

#include "platform.h"

#include <string.h>

UST_DETAIL_C_BEGIN

struct ust_text {
	const char *data;
	size_t size;
};

// In ust_text.size: a C string, or null, that is yet to be measured. That is done
// out of line, to keep the code at the marker small.
#define UST_DETAIL_NOT_MEASURED SIZE_MAX

// What is written for a null pointer.
UST_DETAIL_C_INLINE struct ust_text ust_null_text(void)
{
	const struct ust_text null = {"(null)", 6};
	return null;
}

UST_DETAIL_C_INLINE struct ust_text ust_measure(struct ust_text text)
{
	if (text.size != UST_DETAIL_NOT_MEASURED)
		return text;
	if (!text.data)
		return ust_null_text();
	text.size = strlen(text.data);
	return text;
}

// Stores a text that was measured, and its NUL. Returns the end.
//
// A NUL within the string would end it early for the reader, and shift every
// field after it. So each becomes a '?', looked for in the copy, which nobody
// else can change.
UST_DETAIL_C_FUNCTION(ust_put_text) char *ust_put_text(char *at, struct ust_text text)
{
	char *const end = at + text.size;

	memcpy(at, text.data, text.size);
	*end = '\0';
	while (UST_DETAIL_UNLIKELY((at = (char *)memchr(at, '\0', (size_t)(end - at) + 1)) != end))
		*at = '?';
	return end + 1;
}

UST_DETAIL_C_END

#endif // UST_DETAIL_TEXT_H
