#include "text/utf8.h"

#include <stdbool.h>

/* Constraints on the following bytes, derived from the first byte of a character. */
typedef struct form {
  int more;    /* number of following bytes */
  uint8_t low; /* minimum second byte, to exclude overlong forms */
  /* Maximum second byte, to exclude surrogates and values above U+10FFFF. */
  uint8_t high;
} form;

static form form_of(uint8_t first) {
  if (first < 0xe0) {
    return (form){first < 0xc2 ? 0 : 1, 0x80, 0xbf};
  }
  if (first < 0xf0) {
    return (form){2, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf};
  }
  return (form){first < 0xf5 ? 3 : 0, first == 0xf0 ? 0x90 : 0x80,
                first == 0xf4 ? 0x8f : 0xbf};
}

uint32_t et_text_decode(const char *text, size_t size, size_t *at) {
  const uint8_t first = (uint8_t)text[(*at)++];
  if (first < 0x80) {
    return first;
  }
  const form expected = form_of(first);
  uint32_t point = first & (0x3fu >> expected.more);
  for (int i = 0; i < expected.more; ++i, ++*at) {
    const uint8_t byte = *at < size ? (uint8_t)text[*at] : 0;
    const bool fits = i == 0 ? byte >= expected.low && byte <= expected.high
                             : byte >= 0x80 && byte <= 0xbf;
    if (!fits) {
      return ET_TEXT_REPLACEMENT;
    }
    point = point << 6 | (byte & 0x3fu);
  }
  return expected.more > 0 ? point : ET_TEXT_REPLACEMENT;
}

size_t et_text_encode(uint32_t point, char *out) {
  if (point < 0x80) {
    out[0] = (char)point;
    return 1;
  }
  const size_t size = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  for (size_t i = size - 1; i > 0; --i, point >>= 6) {
    out[i] = (char)(0x80u | (point & 0x3fu));
  }
  out[0] = (char)((0xf00u >> size & 0xf0u) | point);
  return size;
}
