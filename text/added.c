#include "text/added.h"

#include <string.h>

size_t et_text_find_added(const et_text_added *added, const char *text,
                          size_t size, size_t at, uint32_t *out_token) {
  for (; added->tokens != NULL && at < size; ++at) {
    const uint8_t first = (uint8_t)text[at];
    const uint32_t end = added->starts[first + 1];
    for (uint32_t i = added->starts[first]; i < end; ++i) {
      const uint32_t token = added->tokens[i];
      const uint32_t start = added->offsets[token];
      const size_t length = added->offsets[token + 1] - start;
      if (length <= size - at &&
          memcmp(added->bytes + start, text + at, length) == 0) {
        *out_token = token;
        return at;
      }
    }
  }
  return size;
}
