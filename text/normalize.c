#include "text/normalize.h"

#include <stddef.h>

#include "text/hangul.h"

static et_text_normal hangul(uint32_t point) {
  et_text_normal normal = {ET_TEXT_SEVERAL, 0, {0}};
  normal.count = et_text_decompose_hangul(point, normal.points);
  return normal;
}

/* Returns the entry of the code point, or NULL. */
static const et_text_entry *find(const et_text_characters *characters,
                                 uint32_t point) {
  size_t low = 0;
  size_t high = characters->count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (characters->entries[middle].last < point) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const et_text_entry *entry = characters->entries + low;
  return low < characters->count && entry->first <= point ? entry : NULL;
}

static et_text_normal several(const et_text_characters *characters,
                              const et_text_entry *entry) {
  const uint32_t *points = characters->points + entry->value / 8;
  et_text_normal normal = {ET_TEXT_SEVERAL, (uint32_t)entry->value % 8, {0}};
  for (uint32_t i = 0; i < normal.count; ++i) {
    normal.points[i] = points[i];
  }
  return normal;
}

et_text_normal et_text_normalize(const et_text_characters *characters,
                                 uint32_t point) {
  if (characters->decomposes_hangul && point >= kHangulSyllables &&
      point <= kHangulLastSyllable) {
    return hangul(point);
  }
  const et_text_entry *entry = find(characters, point);
  if (entry == NULL) {
    return (et_text_normal){ET_TEXT_MOVED, 1, {point}};
  }
  switch (entry->kind) {
    case ET_TEXT_DROPPED:
    case ET_TEXT_SPACE:
      return (et_text_normal){entry->kind, 0, {0}};
    case ET_TEXT_SEVERAL:
      return several(characters, entry);
    case ET_TEXT_MOVED:
    case ET_TEXT_ALONE:
      break;
  }
  return (et_text_normal){
      entry->kind, 1, {(uint32_t)((int32_t)point + entry->value)}};
}
