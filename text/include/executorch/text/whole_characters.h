/* Bytes that come in pieces, as whole characters of UTF-8. */
#ifndef EXECUTORCH_TEXT_WHOLE_CHARACTERS_H_
#define EXECUTORCH_TEXT_WHOLE_CHARACTERS_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is kept of a character that has begun. All zero at the beginning. */
typedef struct et_whole_characters {
  char kept[4];
  size_t count;
} et_whole_characters;

/* The most that `et_whole_characters_push` writes for `size` bytes. */
#define ET_WHOLE_CHARACTERS_BYTES(size) (3 * ((size) + 3))

/* Takes `size` bytes and writes the characters that are whole now; returns how many bytes
 * it wrote. Bytes that are no UTF-8 are U+FFFD. `out` has room for
 * ET_WHOLE_CHARACTERS_BYTES(size). */
size_t et_whole_characters_push(et_whole_characters *state, const char *bytes,
                                size_t size, char *out);

#ifdef __cplusplus
}
#endif

#endif /* EXECUTORCH_TEXT_WHOLE_CHARACTERS_H_ */
