#include "text/split.h"

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

/* Returns the end of the match that starts at the cursor, or its position if there is none. A cell
 * is 2 * next + 1 if a match ends before the character, and 2 * next otherwise; the rows of state
 * `next` follow those of state `next - 1`, and state 0 ends the search. The last column of a row
 * is the end of the text. */
static size_t match_end(const et_bpe_pretokenizer *pretokenizer,
                        const uint16_t *cells, const et_text_cursor *cursor,
                        size_t end) {
  const uint32_t width = pretokenizer->class_count + 1u;
  et_text_cursor ahead = et_text_look_ahead(cursor);
  size_t found = ahead.at;
  for (uint32_t state = 1; state != 0;) {
    const size_t at = ahead.at;
    const uint32_t column =
        at < end ? class_of(pretokenizer, et_text_cursor_next(&ahead, end))
                 : pretokenizer->class_count;
    const uint32_t cell = cells[(state - 1) * width + column];
    found = (cell & 1) != 0 ? at : found;
    state = cell >> 1;
  }
  return found;
}

size_t et_text_piece_end(const et_bpe_pretokenizer *pretokenizer,
                         uint32_t number, const et_text_cursor *cursor,
                         size_t end) {
  const uint16_t *cells = pretokenizer->splitters[number];
  const size_t found = match_end(pretokenizer, cells, cursor, end);
  if (found != cursor->at) {
    return found;
  }
  et_text_cursor next = et_text_look_ahead(cursor);
  do {
    (void)et_text_cursor_next(&next, end);
  } while (next.at < end &&
           match_end(pretokenizer, cells, &next, end) == next.at);
  return next.at;
}
