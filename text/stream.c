#include "text/stream.h"

#include <string.h>

#include "text/utf8.h"

void et_text_stream_init(et_text_stream *stream,
                         const et_text_normalizer *normalizer, const char *text,
                         size_t size) {
  stream->normalizer = normalizer;
  stream->text = text;
  stream->size = size;
  stream->at = 0;
  stream->continues = false;
  stream->has_lost_start = false;
  for (uint32_t i = 0; i < normalizer->step_count; ++i) {
    stream->states[i].result_count = 0;
    stream->states[i].ahead_count = 0;
    stream->states[i].ready_count = 0;
    stream->states[i].flags = 0;
    stream->states[i].has_returned = false;
    stream->states[i].limit = 0;
  }
}

void et_text_stream_copy(et_text_stream *to, const et_text_stream *from) {
  memcpy(to, from, offsetof(et_text_stream, states));
  memcpy(to->states, from->states,
         from->normalizer->step_count * sizeof *from->states);
}

uint32_t et_text_source_next(et_text_stream *stream) {
  if (stream->at == stream->size) {
    return ET_TEXT_END;
  }
  const size_t start = stream->at;
  const uint32_t point =
      et_text_decode(stream->text, stream->size, &stream->at);
  const bool is_valid = point != ET_TEXT_REPLACEMENT ||
                        (stream->at - start == 3 &&
                         memcmp(stream->text + start, "\xef\xbf\xbd", 3) == 0);
  if (!is_valid && stream->normalizer->replaces_bytes) {
    stream->at = start + 1;
  }
  return point;
}

uint32_t et_text_pull(et_text_stream *stream, uint32_t number) {
  if (number == 0) {
    return et_text_source_next(stream);
  }
  const uint32_t point =
      stream->normalizer->steps[number - 1].next(stream, number - 1);
  stream->states[number - 1].has_returned = true;
  return point;
}

uint32_t et_text_stream_next(et_text_stream *stream) {
  return et_text_pull(stream, stream->normalizer->step_count);
}

uint32_t et_text_pop(et_text_step_state *state) {
  const uint32_t first = state->ahead[0];
  --state->ahead_count;
  for (uint32_t i = 0; i < state->ahead_count; ++i) {
    state->ahead[i] = state->ahead[i + 1];
  }
  return first;
}

void et_text_set_results(et_text_stream *stream, uint32_t number,
                         const uint32_t *points, uint32_t count) {
  et_text_step_state *state = &stream->states[number];
  state->results = points;
  state->result_count = count;
  if (count == 0 && !state->has_returned) {
    stream->has_lost_start = true;
  }
}

void et_text_set_string(et_text_stream *stream, uint32_t number,
                        const et_text_strings *strings, uint32_t string) {
  const uint32_t start = strings->starts[string];
  et_text_set_results(stream, number, strings->points + start,
                      strings->starts[string + 1] - start);
}

bool et_text_take_result(et_text_step_state *state, uint32_t *out_character) {
  if (state->result_count == 0) {
    return false;
  }
  --state->result_count;
  *out_character = *state->results++;
  return true;
}

uint32_t et_text_find_range(const et_text_ranges *ranges, uint32_t point) {
  const uint32_t page = point >> 8;
  if (page >= ranges->page_count) {
    return ranges->count;
  }
  uint32_t low = ranges->pages[page];
  uint32_t high = page + 1 < ranges->page_count ? ranges->pages[page + 1]
                                                : ranges->count - 1;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (ranges->lasts[middle] < point) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const bool found =
      ranges->firsts[low] <= point && point <= ranges->lasts[low];
  return found ? low : ranges->count;
}

uint32_t et_text_child(const et_text_trie *trie, uint32_t node, uint8_t label) {
  uint32_t low = trie->first_children[node];
  const uint32_t end = trie->first_children[node + 1];
  uint32_t high = end;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (trie->labels[middle] < label) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < end && trie->labels[low] == label ? low : 0;
}

size_t et_text_match(const et_text_trie *trie, const char *bytes, size_t size,
                     bool longest, uint32_t *out_value) {
  size_t found = 0;
  uint32_t node = 0;
  for (size_t i = 0; i < size; ++i) {
    node = et_text_child(trie, node, (uint8_t)bytes[i]);
    if (node == 0) {
      break;
    }
    if (trie->values[node] > 0) {
      found = i + 1;
      *out_value = trie->values[node] - 1;
      if (!longest) {
        break;
      }
    }
  }
  return found;
}

bool et_text_is_space(uint32_t point) {
  return (point >= 0x09 && point <= 0x0d) || point == 0x20 || point == 0x85 ||
         point == 0xa0 || point == 0x1680 ||
         (point >= 0x2000 && point <= 0x200a) || point == 0x2028 ||
         point == 0x2029 || point == 0x202f || point == 0x205f ||
         point == 0x3000;
}
