/* Canonical ordering and composition of characters (Unicode Standard, section 3.11). */
#include "text/hangul.h"
#include "text/stream.h"

static uint32_t class_of(const et_text_order *order, uint32_t point) {
  const uint32_t range = et_text_find_range(&order->classes, point);
  return range < order->classes.count ? order->classes.values[range] : 0;
}

static uint32_t compose_hangul(uint32_t first, uint32_t second) {
  const uint32_t consonant = first - kHangulFirstConsonants;
  const uint32_t vowel = second - kHangulVowels;
  if (consonant < kHangulFirstConsonantCount && vowel < kHangulVowelCount) {
    return kHangulSyllables +
           (consonant * kHangulVowelCount + vowel) * kHangulLastConsonantCount;
  }
  const uint32_t last = second - kHangulLastConsonants;
  const bool is_open =
      first >= kHangulSyllables && first <= kHangulLastSyllable &&
      (first - kHangulSyllables) % kHangulLastConsonantCount == 0;
  return is_open && last > 0 && last < kHangulLastConsonantCount ? first + last
                                                                 : 0;
}

/* Returns the character that two characters compose, or 0. */
static uint32_t composed(const et_text_order *order, uint32_t first,
                         uint32_t second) {
  uint32_t low = 0;
  uint32_t high = order->composition_count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    const uint32_t *entry = order->compositions[middle];
    if (entry[0] == first && entry[1] == second) {
      return entry[2];
    }
    if (entry[0] < first || (entry[0] == first && entry[1] < second)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return compose_hangul(first, second);
}

/* Sorts combining marks by class; marks of the same class keep their order. */
static void sort_marks(const et_text_order *order, uint32_t *marks,
                       uint32_t count) {
  for (uint32_t i = 1; i < count; ++i) {
    const uint32_t mark = marks[i];
    const uint32_t class = class_of(order, mark);
    uint32_t at = i;
    for (; at > 0 && class_of(order, marks[at - 1]) > class; --at) {
      marks[at] = marks[at - 1];
    }
    marks[at] = mark;
  }
}

/* Composes points[0] with the marks that follow it. Returns the number of remaining characters. */
static uint32_t compose_marks(const et_text_order *order, uint32_t *points,
                              uint32_t count) {
  uint32_t kept = 1;
  uint32_t last_class = 0; /* of the marks that are kept */
  for (uint32_t i = 1; i < count; ++i) {
    const uint32_t class = class_of(order, points[i]);
    const uint32_t result =
        class > last_class ? composed(order, points[0], points[i]) : 0;
    if (result != 0) {
      points[0] = result;
    } else {
      points[kept++] = points[i];
      last_class = class;
    }
  }
  return kept;
}

/* Reads a character and the marks after it. The next character is read as well, and follows the
 * ready ones. */
static void read_marks(et_text_stream *stream, uint32_t number,
                       const et_text_order *order) {
  et_text_step_state *state = &stream->states[number];
  uint32_t *points = state->ahead;
  uint32_t count = state->ahead_count;
  uint32_t next = count == 0 ? et_text_pull(stream, number) : ET_TEXT_END;
  if (count == 0 && next != ET_TEXT_END) {
    points[count++] = next;
  }
  const uint32_t first = count > 0 && class_of(order, points[0]) == 0 ? 1 : 0;
  for (bool extends = count > 0; extends;) {
    next = ET_TEXT_END;
    while (count < ET_TEXT_MAX_AHEAD) {
      next = et_text_pull(stream, number);
      if (next == ET_TEXT_END || class_of(order, next) == 0) {
        break;
      }
      points[count++] = next;
      next = ET_TEXT_END;
    }
    sort_marks(order, points + first, count - first);
    extends = false;
    if (order->compositions != NULL && first == 1) {
      count = compose_marks(order, points, count);
      const uint32_t result = count == 1 && next != ET_TEXT_END
                                  ? composed(order, points[0], next)
                                  : 0;
      if (result != 0) {
        points[0] = result;
        extends = true;
      }
    }
  }
  state->ready_count = count;
  if (next != ET_TEXT_END) {
    points[count++] = next;
  }
  state->ahead_count = count;
}

uint32_t et_text_order_next(et_text_stream *stream, uint32_t number) {
  et_text_step_state *state = &stream->states[number];
  if (state->ready_count == 0) {
    read_marks(stream, number, stream->normalizer->steps[number].table);
  }
  if (state->ready_count == 0) {
    return ET_TEXT_END;
  }
  --state->ready_count;
  return et_text_pop(state);
}
