/* Steps of normalizers that need no knowledge of Unicode other than white space. */
#include "text/hangul.h"
#include "text/stream.h"
#include "text/utf8.h"

uint32_t et_text_map_next(et_text_stream *stream, uint32_t number) {
  const et_text_map *map = stream->normalizer->steps[number].table;
  et_text_step_state *state = &stream->states[number];
  uint32_t point;
  while (!et_text_take_result(state, &point)) {
    if (state->ahead_count > 0) {
      return et_text_pop(state);
    }
    point = et_text_pull(stream, number);
    if (map->decomposes_hangul && point >= kHangulSyllables &&
        point <= kHangulLastSyllable) {
      state->ahead_count = et_text_decompose_hangul(point, state->ahead);
      continue;
    }
    const uint32_t range = et_text_find_range(&map->ranges, point);
    if (range == map->ranges.count) {
      return point;
    }
    et_text_set_string(stream, number, &map->strings,
                       map->ranges.values[range]);
  }
  return point;
}

uint32_t et_text_charsmap_next(et_text_stream *stream, uint32_t number) {
  const et_text_charsmap *map = stream->normalizer->steps[number].table;
  et_text_step_state *state = &stream->states[number];
  uint32_t point;
  while (!et_text_take_result(state, &point)) {
    const char *bytes = stream->text + stream->at;
    const size_t size = stream->size - stream->at;
    uint32_t string = 0;
    /* `limit` is the end of a symbol in the text. */
    if (stream->at >= state->limit && map->symbols != NULL) {
      state->limit =
          stream->at + et_text_match(map->symbols, bytes, size, true, &string);
    }
    const size_t length =
        stream->at < state->limit
            ? 0
            : et_text_match(&map->trie, bytes, size, true, &string);
    if (length == 0) {
      return et_text_source_next(stream);
    }
    stream->at += length;
    et_text_set_string(stream, number, &map->strings, string);
  }
  return point;
}

/* Reads ahead until the pattern cannot match. Returns true if it matches. */
static bool matches(et_text_stream *stream, uint32_t number,
                    const et_text_replacement *replacement) {
  et_text_step_state *state = &stream->states[number];
  for (uint32_t i = 0; i < replacement->pattern_count; ++i) {
    if (i == state->ahead_count) {
      const uint32_t point = et_text_pull(stream, number);
      if (point == ET_TEXT_END) {
        return false;
      }
      state->ahead[state->ahead_count++] = point;
    }
    if (state->ahead[i] != replacement->pattern[i]) {
      return false;
    }
  }
  return true;
}

uint32_t et_text_replace_next(et_text_stream *stream, uint32_t number) {
  const et_text_replacement *replacement =
      stream->normalizer->steps[number].table;
  et_text_step_state *state = &stream->states[number];
  uint32_t point;
  while (!et_text_take_result(state, &point)) {
    if (!matches(stream, number, replacement)) {
      return state->ahead_count > 0 ? et_text_pop(state) : ET_TEXT_END;
    }
    for (uint32_t i = 0; i < replacement->pattern_count; ++i) {
      (void)et_text_pop(state);
    }
    if (replacement->repeats) {
      const uint32_t last =
          replacement->pattern[replacement->pattern_count - 1];
      do {
        point = et_text_pull(stream, number);
      } while (point == last);
      if (point != ET_TEXT_END) {
        state->ahead[state->ahead_count++] = point;
      }
    }
    et_text_set_results(stream, number, replacement->content,
                        replacement->content_count);
  }
  return point;
}

/* Returns the number of characters before the white space at the end. */
static size_t size_without_spaces(et_text_stream stream, uint32_t number) {
  size_t size = 0;
  size_t count = 0;
  for (uint32_t point = et_text_pull(&stream, number); point != ET_TEXT_END;
       point = et_text_pull(&stream, number)) {
    ++count;
    size = et_text_is_space(point) ? size : count;
  }
  return size;
}

uint32_t et_text_strip_next(et_text_stream *stream, uint32_t number) {
  const et_text_strip *strip = stream->normalizer->steps[number].table;
  et_text_step_state *state = &stream->states[number];
  const bool is_start = state->flags == 0;
  if (is_start) {
    state->flags = 1;
    state->limit =
        strip->right ? size_without_spaces(*stream, number) : SIZE_MAX;
  }
  while (state->limit > 0) {
    --state->limit;
    const uint32_t point = et_text_pull(stream, number);
    if (!is_start || !strip->left || !et_text_is_space(point)) {
      return point;
    }
    stream->has_lost_start = true;
  }
  return ET_TEXT_END;
}

uint32_t et_text_prefix_next(et_text_stream *stream, uint32_t number) {
  const et_text_prefix *prefix = stream->normalizer->steps[number].table;
  et_text_step_state *state = &stream->states[number];
  if (state->flags == 0 && !stream->continues) {
    state->flags = 1;
    const uint32_t first = et_text_pull(stream, number);
    if (first != ET_TEXT_END) {
      et_text_set_results(stream, number, prefix->points, prefix->count);
      state->ahead[state->ahead_count++] = first;
    }
  }
  uint32_t point;
  if (et_text_take_result(state, &point)) {
    return point;
  }
  return state->ahead_count > 0 ? et_text_pop(state)
                                : et_text_pull(stream, number);
}

/* Flags of et_text_spaces_next: a character has been read, and the last one is not a space. */
enum { kStarted = 1, kAfterCharacter = 2 };

uint32_t et_text_spaces_next(et_text_stream *stream, uint32_t number) {
  const et_text_spaces *spaces = stream->normalizer->steps[number].table;
  et_text_step_state *state = &stream->states[number];
  /* `limit` marks wait for a character after them, since the last ones can be removed. */
  while (state->ahead_count == 0) {
    const bool is_start = (state->flags & kStarted) == 0;
    const bool has_prefix = is_start && spaces->prefix && !stream->continues;
    const bool after_space = (state->flags & kAfterCharacter) == 0 &&
                             !(is_start && stream->continues);
    const uint32_t point = et_text_pull(stream, number);
    if (point == ET_TEXT_END) {
      state->flags |= kStarted;
      const bool is_removed =
          stream->size > 0; /* each character, if is_start */
      return has_prefix && !spaces->merges && is_removed ? ET_TEXT_SPACE_MARK
                                                         : ET_TEXT_END;
    }
    if (spaces->merges && point == ' ' && after_space) {
      continue;
    }
    state->flags = point == ' ' ? kStarted : kStarted | kAfterCharacter;
    state->limit += has_prefix ? 1 : 0;
    const uint32_t result = point == ' ' ? ET_TEXT_SPACE_MARK : point;
    if (spaces->merges && result == ET_TEXT_SPACE_MARK) {
      ++state->limit;
    } else {
      state->ahead[state->ahead_count++] = result;
    }
  }
  if (state->limit > 0) {
    --state->limit;
    return ET_TEXT_SPACE_MARK;
  }
  return et_text_pop(state);
}
