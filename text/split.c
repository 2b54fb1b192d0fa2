#include "text/split.h"

#include "text/utf8.h"

/* Returns the class of a character. */
static uint32_t class_of(const et_bpe_pretokenizer *pretokenizer,
                         uint32_t point) {
  uint32_t low = 0;
  uint32_t high = pretokenizer->range_count;
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    if (pretokenizer->range_starts[middle] <= point) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return pretokenizer->range_classes[low];
}

/* Returns the end of the match that starts at `at`, or `at` if there is none. A cell is
 * 2 * next + 1 if a match ends before the character, and 2 * next otherwise; the rows of state
 * `next` follow those of state `next - 1`, and state 0 ends the search. The last column of a row
 * is the end of the text. */
static size_t match_end(const et_bpe_pretokenizer *pretokenizer,
                        const uint16_t *cells, const char *text, size_t size,
                        size_t at) {
  const uint32_t width = pretokenizer->class_count + 1u;
  size_t end = at;
  for (uint32_t state = 1; state != 0;) {
    size_t next = at;
    const uint32_t column =
        at < size ? class_of(pretokenizer, et_text_decode(text, size, &next))
                  : pretokenizer->class_count;
    const uint32_t cell = cells[(state - 1) * width + column];
    end = (cell & 1) != 0 ? at : end;
    state = cell >> 1;
    at = next;
  }
  return end;
}

size_t et_text_piece_end(const et_bpe_pretokenizer *pretokenizer,
                         uint32_t number, const char *text, size_t size,
                         size_t at) {
  const uint16_t *cells = pretokenizer->splitters[number];
  const size_t end = match_end(pretokenizer, cells, text, size, at);
  if (end != at) {
    return end;
  }
  do {
    (void)et_text_decode(text, size, &at);
  } while (at < size && match_end(pretokenizer, cells, text, size, at) == at);
  return at;
}
