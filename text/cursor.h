/* Positions in a text, which can be normalized while it is read. */
#ifndef ET_TEXT_CURSOR_H_
#define ET_TEXT_CURSOR_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/text/normalizer.h"

/* Streams of a cursor: one at its position, and two for looking ahead. */
enum { kCursorStreams = 3 };

typedef struct et_text_cursor {
  const char *text;        /* not normalized */
  et_text_stream *streams; /* the normalized text; NULL: `text` is read */
  size_t
      at; /* bytes of `text`, or normalized characters, before the position */
} et_text_cursor;

/* Returns the next character before the position `end`, and advances the cursor. There is one. */
uint32_t et_text_cursor_next(et_text_cursor *cursor, size_t end);

/* Returns a cursor at the same position, which uses the next one of the streams. It is valid until
 * the next call for the same cursor. */
et_text_cursor et_text_look_ahead(const et_text_cursor *cursor);

/* Finds the first string of the trie between the cursor and `end`; if several start there, the
 * longest one. Returns its position, and sets *out_end and *out_value. Returns `end` if there is
 * none. */
size_t et_text_cursor_find(const et_text_cursor *cursor, size_t end,
                           const et_text_trie *trie, size_t *out_end,
                           uint32_t *out_value);

#endif /* ET_TEXT_CURSOR_H_ */
