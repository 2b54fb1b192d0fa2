#include "text/character_kinds.h"

et_character_kind et_character_kind_of(uint32_t point) {
  uint32_t low = 0;
  uint32_t high = et_character_ranges_count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (et_character_ranges[middle].last < point) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const int inside = low < et_character_ranges_count &&
                     et_character_ranges[low].first <= point;
  return inside ? et_character_ranges[low].kind : ET_CHARACTER_OTHER;
}
