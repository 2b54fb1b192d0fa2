#include "text/cursor.h"

#include "text/stream.h"
#include "text/utf8.h"

uint32_t et_text_cursor_next(et_text_cursor *cursor, size_t end) {
  if (cursor->streams == NULL) {
    return et_text_decode(cursor->text, end, &cursor->at);
  }
  ++cursor->at;
  return et_text_stream_next(cursor->streams);
}

et_text_cursor et_text_look_ahead(const et_text_cursor *cursor) {
  et_text_cursor ahead = *cursor;
  if (cursor->streams != NULL) {
    ahead.streams = cursor->streams + 1;
    et_text_stream_copy(ahead.streams, cursor->streams);
  }
  return ahead;
}

/* Returns the end of the longest string of the trie that starts at the cursor, and its value;
 * returns the cursor's position if there is none. */
static size_t match_end(const et_text_cursor *cursor, size_t end,
                        const et_text_trie *trie, uint32_t *out_value) {
  et_text_cursor ahead = et_text_look_ahead(cursor);
  size_t found = cursor->at;
  uint32_t node = 0;
  while (ahead.at < end) {
    char bytes[ET_TEXT_UTF8_MAX];
    const size_t size = et_text_encode(et_text_cursor_next(&ahead, end), bytes);
    for (size_t i = 0; i < size; ++i) {
      node = et_text_child(trie, node, (uint8_t)bytes[i]);
      if (node == 0) {
        return found;
      }
    }
    if (trie->values[node] > 0) {
      found = ahead.at;
      *out_value = trie->values[node] - 1;
    }
  }
  return found;
}

size_t et_text_cursor_find(const et_text_cursor *cursor, size_t end,
                           const et_text_trie *trie, size_t *out_end,
                           uint32_t *out_value) {
  et_text_cursor start = et_text_look_ahead(cursor);
  while (start.at < end) {
    *out_end = match_end(&start, end, trie, out_value);
    if (*out_end > start.at) {
      return start.at;
    }
    (void)et_text_cursor_next(&start, end);
  }
  return end;
}
