/* Splits a stream of bytes into complete UTF-8 characters. */
#ifndef EXECUTORCH_TEXT_UTF8_STREAM_H_
#define EXECUTORCH_TEXT_UTF8_STREAM_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of an incomplete character. All zero initially. */
typedef struct et_utf8_stream {
  char pending[4];
  size_t count;
} et_utf8_stream;

/* Maximum output of `et_utf8_stream_push` for `size` bytes. */
#define ET_UTF8_STREAM_BYTES(size) (3 * ((size) + 3))

/* Appends `size` bytes and writes the characters that are now complete. Returns the number of bytes
 * written. Invalid UTF-8 becomes U+FFFD. `out` has at least ET_UTF8_STREAM_BYTES(size)
 * bytes. */
size_t et_utf8_stream_push(et_utf8_stream *state, const char *bytes,
                           size_t size, char *out);

#ifdef __cplusplus
}
#endif

#endif /* EXECUTORCH_TEXT_UTF8_STREAM_H_ */
