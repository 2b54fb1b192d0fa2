/* Splits a stream of bytes into whole UTF-8 characters. */
#ifndef EXECUTORCH_TEXT_WHOLE_CHARACTERS_H_
#define EXECUTORCH_TEXT_WHOLE_CHARACTERS_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of an incomplete character. All zero initially. */
typedef struct et_whole_characters {
  char kept[4];
  size_t count;
} et_whole_characters;

/* Maximum output of `et_whole_characters_push` for `size` bytes. */
#define ET_WHOLE_CHARACTERS_BYTES(size) (3 * ((size) + 3))

/* Appends `size` bytes and writes the characters that are now complete. Returns the number of bytes
 * written. Invalid UTF-8 becomes U+FFFD. `out` has at least ET_WHOLE_CHARACTERS_BYTES(size)
 * bytes. */
size_t et_whole_characters_push(et_whole_characters *state, const char *bytes,
                                size_t size, char *out);

#ifdef __cplusplus
}
#endif

#endif /* EXECUTORCH_TEXT_WHOLE_CHARACTERS_H_ */
