#include "text/normalize.h"

#include <stddef.h>

/* Hangul syllables are ordered by first consonant, vowel and optional last consonant (Unicode
 * Standard, section 3.12). */
enum {
  kSyllables = 0xac00,
  kLastSyllable = 0xd7a3,
  kFirstConsonants = 0x1100,
  kVowels = 0x1161,
  kLastConsonants = 0x11a7,
  kVowelCount = 21,
  kLastConsonantCount = 28,
};

static et_text_normal hangul(uint32_t point) {
  const uint32_t index = point - kSyllables;
  const uint32_t last = index % kLastConsonantCount;
  const uint32_t vowel = index / kLastConsonantCount % kVowelCount;
  const uint32_t first = index / kLastConsonantCount / kVowelCount;
  return (et_text_normal){
      ET_TEXT_SEVERAL,
      last > 0 ? 3 : 2,
      {kFirstConsonants + first, kVowels + vowel, kLastConsonants + last}};
}

/* Returns the entry of the code point, or NULL. */
static const et_text_entry *find(uint32_t point) {
  size_t low = 0;
  size_t high = et_text_entries_count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (et_text_entries[middle].last < point) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const et_text_entry *entry = et_text_entries + low;
  return low < et_text_entries_count && entry->first <= point ? entry : NULL;
}

static et_text_normal several(const et_text_entry *entry) {
  const uint32_t *points = et_text_points + entry->value / 8;
  et_text_normal normal = {ET_TEXT_SEVERAL, (uint32_t)entry->value % 8, {0}};
  for (uint32_t i = 0; i < normal.count; ++i) {
    normal.points[i] = points[i];
  }
  return normal;
}

et_text_normal et_text_normalize(uint32_t point) {
  if (point >= kSyllables && point <= kLastSyllable) {
    return hangul(point);
  }
  const et_text_entry *entry = find(point);
  if (entry == NULL) {
    return (et_text_normal){ET_TEXT_MOVED, 1, {point}};
  }
  switch (entry->kind) {
    case ET_TEXT_DROPPED:
    case ET_TEXT_SPACE:
      return (et_text_normal){entry->kind, 0, {0}};
    case ET_TEXT_SEVERAL:
      return several(entry);
    case ET_TEXT_MOVED:
    case ET_TEXT_ALONE:
      break;
  }
  return (et_text_normal){
      entry->kind, 1, {(uint32_t)((int32_t)point + entry->value)}};
}
