#include "llm/answer_text.h"

#include <string.h>

void llm_answer_text_start(llm_answer_text *text, const char *const *stops,
                           size_t stop_count) {
  text->characters.count = 0;
  text->returned = 0;
  text->size = 0;
  text->stops = stops;
  text->stop_count = stop_count;
}

/* Removes the text that the previous call returned. */
static void drop_returned(llm_answer_text *text) {
  text->size -= text->returned;
  memmove(text->bytes, text->bytes + text->returned, text->size);
  text->returned = 0;
}

static size_t min_size(size_t a, size_t b) { return a < b ? a : b; }

/* Returns the first position at which a stop string starts, or of which the end of the text may be
 * the start. Sets *out_whole if the stop string is complete. */
static size_t find_stop(const llm_answer_text *text, bool *out_whole) {
  size_t held = text->size;
  *out_whole = false;
  for (size_t at = 0; at < text->size; ++at) {
    const size_t rest = text->size - at;
    for (size_t i = 0; i < text->stop_count; ++i) {
      const size_t length = strlen(text->stops[i]);
      if (memcmp(text->bytes + at, text->stops[i], min_size(length, rest)) !=
          0) {
        continue;
      }
      if (length <= rest) {
        *out_whole = true;
        return at;
      }
      held = min_size(held, at);
    }
  }
  return held;
}

bool llm_answer_text_push(llm_answer_text *text, const char *piece, size_t size,
                          size_t *out_size) {
  bool is_whole = false;
  drop_returned(text);
  text->size += et_utf8_stream_push(&text->characters, piece, size,
                                    text->bytes + text->size);
  text->returned = find_stop(text, &is_whole);
  *out_size = text->returned;
  return is_whole;
}

void llm_answer_text_end(llm_answer_text *text, size_t *out_size) {
  drop_returned(text);
  text->returned = text->size;
  *out_size = text->size;
}
