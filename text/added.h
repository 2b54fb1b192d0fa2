/* Search for user-defined tokens in text. */
#ifndef ET_TEXT_ADDED_H_
#define ET_TEXT_ADDED_H_

#include <stddef.h>
#include <stdint.h>

/* User-defined tokens. Token i is bytes[offsets[i]] .. bytes[offsets[i + 1] - 1]. Tokens that
 * start with byte b are tokens[starts[b]] .. tokens[starts[b + 1] - 1], longer ones first. */
typedef struct et_text_added {
  const char *bytes;
  const uint32_t *offsets;
  const uint32_t *tokens; /* NULL if there are none */
  const uint32_t *starts; /* 257 entries */
} et_text_added;

/* Finds the leftmost user-defined token in text[at .. size); if several start there, the longest
 * one. Returns its position and sets *out_token, or returns `size` if there is none. */
size_t et_text_find_added(const et_text_added *added, const char *text,
                          size_t size, size_t at, uint32_t *out_token);

#endif /* ET_TEXT_ADDED_H_ */
