#include "executorch/text/utf8_stream.h"

#include <stdbool.h>
#include <string.h>

#include "text/utf8.h"

/* Returns the length of a character from its first byte; 1 for an invalid byte. */
static size_t length_of(char first) {
  const unsigned char byte = (unsigned char)first;
  return byte < 0xc2 || byte > 0xf4 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

/* Returns true if more bytes can complete the character. */
static bool is_open(const char *bytes, size_t count) {
  if (count >= length_of(bytes[0])) {
    return false;
  }
  for (size_t i = 1; i < count; ++i) {
    if (((unsigned char)bytes[i] & 0xc0u) != 0x80u) {
      return false;
    }
  }
  return true;
}

/* Writes and removes the first character of the pending bytes, which is complete or invalid. */
static size_t write_first(et_utf8_stream *state, char *out) {
  size_t end = 0;
  const uint32_t point = et_text_decode(state->pending, state->count, &end);
  state->count -= end;
  memmove(state->pending, state->pending + end, state->count);
  return et_text_encode(point, out);
}

size_t et_utf8_stream_push(et_utf8_stream *state, const char *bytes,
                           size_t size, char *out) {
  size_t written = 0;
  for (size_t i = 0; i < size; ++i) {
    state->pending[state->count++] = bytes[i];
    while (state->count > 0 && !is_open(state->pending, state->count)) {
      written += write_first(state, out + written);
    }
  }
  return written;
}
