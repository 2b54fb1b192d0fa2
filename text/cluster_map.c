/* Replacement of grapheme clusters. Their boundaries are those of extended grapheme clusters in
 * Unicode Standard Annex #29. */
#include "text/hangul.h"
#include "text/stream.h"
#include "text/utf8.h"

/* Clusters of at least this many bytes are replaced character by character. */
enum { kLongCluster = 6 };

/* Classes of Hangul syllables, which have no entries in tables. */
enum { kOpenSyllable = ET_TEXT_CLUSTER_CONSONANT + 1, kClosedSyllable };

/* The state of the search for boundaries: the class of the last character, and these flags. */
enum {
  kClassBits = 0xff,
  kStarted = 0x100, /* there is a last character */
  kPictographic =
      0x200, /* the text ends with a pictograph and extending characters */
  kPictographicZwj = 0x400, /* ... and a zero-width joiner */
  kOddIndicators =
      0x800, /* the text ends with an odd number of regional indicators */
  kConsonant = 0x1000, /* the text ends with a consonant and marks */
  kLinker = 0x2000,    /* ... one of which is a linker */
};

/* Bit of a character that has been read ahead: a cluster starts with it. */
#define STARTS_CLUSTER 0x80000000u

static uint32_t class_of(const et_text_ranges *clusters, uint32_t point) {
  if (point >= kHangulSyllables && point <= kHangulLastSyllable) {
    return (point - kHangulSyllables) % kHangulLastConsonantCount == 0
               ? kOpenSyllable
               : kClosedSyllable;
  }
  const uint32_t range = et_text_find_range(clusters, point);
  return range < clusters->count ? clusters->values[range]
                                 : ET_TEXT_CLUSTER_OTHER;
}

static bool is_control(uint32_t class) {
  return class == ET_TEXT_CLUSTER_CR || class == ET_TEXT_CLUSTER_LF ||
         class == ET_TEXT_CLUSTER_CONTROL;
}

static bool is_extending(uint32_t class) {
  return class == ET_TEXT_CLUSTER_EXTEND ||
         class == ET_TEXT_CLUSTER_NON_JOINER || class == ET_TEXT_CLUSTER_LINKER;
}

static bool joins_hangul(uint32_t last, uint32_t class) {
  switch (last) {
    case ET_TEXT_CLUSTER_L:
      return class == ET_TEXT_CLUSTER_L || class == ET_TEXT_CLUSTER_V ||
             class == kOpenSyllable || class == kClosedSyllable;
    case ET_TEXT_CLUSTER_V:
    case kOpenSyllable:
      return class == ET_TEXT_CLUSTER_V || class == ET_TEXT_CLUSTER_T;
    case ET_TEXT_CLUSTER_T:
    case kClosedSyllable:
      return class == ET_TEXT_CLUSTER_T;
    default:
      return false;
  }
}

/* Returns true if a character of a class belongs to the cluster of the last character. */
static bool joins(uint32_t flags, uint32_t class) {
  const uint32_t last = flags & kClassBits;
  if ((flags & kStarted) == 0) {
    return false;
  }
  if (is_control(last) || is_control(class)) {
    return last == ET_TEXT_CLUSTER_CR && class == ET_TEXT_CLUSTER_LF;
  }
  return is_extending(class) || class == ET_TEXT_CLUSTER_ZWJ ||
         class == ET_TEXT_CLUSTER_SPACING_MARK ||
         last == ET_TEXT_CLUSTER_PREPEND || joins_hangul(last, class) ||
         (class == ET_TEXT_CLUSTER_CONSONANT && (flags & kLinker) != 0) ||
         (class == ET_TEXT_CLUSTER_PICTOGRAPHIC &&
          (flags & kPictographicZwj) != 0) ||
         (class == ET_TEXT_CLUSTER_REGIONAL_INDICATOR &&
          (flags & kOddIndicators) != 0);
}

/* Returns the state after a character. */
static uint32_t advance(uint32_t flags, uint32_t class) {
  uint32_t next = class | kStarted;
  const bool keeps_consonant = class == ET_TEXT_CLUSTER_EXTEND ||
                               class == ET_TEXT_CLUSTER_LINKER ||
                               class == ET_TEXT_CLUSTER_ZWJ;
  if (class == ET_TEXT_CLUSTER_CONSONANT) {
    next |= kConsonant;
  } else if (keeps_consonant && (flags & kConsonant) != 0) {
    next |= flags & (kConsonant | kLinker);
    next |= class == ET_TEXT_CLUSTER_LINKER ? kLinker : 0u;
  }
  if (class == ET_TEXT_CLUSTER_PICTOGRAPHIC ||
      (is_extending(class) && (flags & kPictographic) != 0)) {
    next |= kPictographic;
  } else if (class == ET_TEXT_CLUSTER_ZWJ && (flags & kPictographic) != 0) {
    next |= kPictographicZwj;
  }
  if (class == ET_TEXT_CLUSTER_REGIONAL_INDICATOR) {
    next |= ~flags & kOddIndicators;
  }
  return next;
}

static size_t encoded_size(uint32_t point) {
  char bytes[ET_TEXT_UTF8_MAX];
  return et_text_encode(point & ~STARTS_CLUSTER, bytes);
}

/* Reads ahead until the first cluster is complete or long. Returns its number of characters, or 0
 * if it is long or the text has ended. */
static uint32_t read_cluster(et_text_stream *stream, uint32_t number,
                             const et_text_ranges *clusters) {
  et_text_step_state *state = &stream->states[number];
  size_t size = 0;
  for (uint32_t count = 0; size < kLongCluster; ++count) {
    if (count == state->ahead_count) {
      const uint32_t point = et_text_pull(stream, number);
      if (point == ET_TEXT_END) {
        return count;
      }
      const uint32_t class = class_of(clusters, point);
      state->ahead[state->ahead_count++] =
          joins(state->flags, class) ? point : point | STARTS_CLUSTER;
      state->flags = advance(state->flags, class);
    }
    if (count > 0 && (state->ahead[count] & STARTS_CLUSTER) != 0) {
      return count;
    }
    size += encoded_size(state->ahead[count]);
  }
  return 0;
}

/* Replaces the first `count` characters, if a string of the charsmap starts them. */
static bool replace(et_text_stream *stream, uint32_t number,
                    const et_text_charsmap *map, uint32_t count) {
  et_text_step_state *state = &stream->states[number];
  char bytes[kLongCluster * ET_TEXT_UTF8_MAX] = {0};
  size_t size = 0;
  for (uint32_t i = 0; i < count; ++i) {
    size += et_text_encode(state->ahead[i] & ~STARTS_CLUSTER, bytes + size);
  }
  uint32_t string = 0;
  if (et_text_match(&map->trie, bytes, size, false, &string) == 0) {
    return false;
  }
  for (uint32_t i = 0; i < count; ++i) {
    (void)et_text_pop(state);
  }
  /* The package counts a removed cluster as a part of the next one, so no start is lost. */
  state->has_returned = true;
  et_text_set_string(stream, number, &map->strings, string);
  return true;
}

uint32_t et_text_cluster_map_next(et_text_stream *stream, uint32_t number) {
  const et_text_cluster_map *map = stream->normalizer->steps[number].table;
  et_text_step_state *state = &stream->states[number];
  uint32_t point;
  while (!et_text_take_result(state, &point)) {
    const bool starts =
        state->ahead_count == 0 || (state->ahead[0] & STARTS_CLUSTER) != 0;
    const uint32_t count =
        starts ? read_cluster(stream, number, &map->clusters) : 0;
    if (state->ahead_count == 0) {
      return ET_TEXT_END;
    }
    if (!(count > 1 && replace(stream, number, &map->charsmap, count)) &&
        !replace(stream, number, &map->charsmap, 1)) {
      return et_text_pop(state) & ~STARTS_CLUSTER;
    }
  }
  return point;
}
