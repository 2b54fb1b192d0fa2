#include "runtime/method/intervals.h"

#include <string.h>

size_t et_intervals_find(const et_intervals *map, uintptr_t address) {
  size_t low = 0;
  size_t high = map->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (map->items[middle].end > address) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/* What [begin, end) leaves of the intervals at its two edges, and itself
 * between them: at most three. */
static size_t split(const et_intervals *map, size_t first, size_t past,
                    const et_interval *middle, et_interval out[3]) {
  size_t count = 0;
  if (first < past && map->items[first].begin < middle->begin) {
    out[count] = map->items[first];
    out[count++].end = middle->begin;
  }
  out[count++] = *middle;
  if (first < past && map->items[past - 1].end > middle->end) {
    out[count] = map->items[past - 1];
    out[count++].begin = middle->end;
  }
  return count;
}

/* Puts `count` intervals in the place of [first, past). */
static bool replace(et_intervals *map, size_t first, size_t past,
                    const et_interval *with, size_t count) {
  const size_t tail = map->count - past;
  if (first + count + tail > map->capacity || tail + count > map->steps_left) {
    return false;
  }
  map->steps_left -= tail + count;
  memmove(map->items + first + count, map->items + past,
          tail * sizeof *map->items);
  memcpy(map->items + first, with, count * sizeof *with);
  map->count = first + count + tail;
  return true;
}

bool et_intervals_assign(et_intervals *map, uintptr_t begin, uintptr_t end,
                         uint32_t owner) {
  const et_interval middle = {begin, end, owner};
  et_interval parts[3];
  const size_t first = et_intervals_find(map, begin);
  size_t past = first;
  while (past < map->count && map->items[past].begin < end) {
    past++;
  }
  const size_t count = split(map, first, past, &middle, parts);
  return replace(map, first, past, parts, count);
}

bool et_intervals_owner(const et_intervals *map, uintptr_t begin, uintptr_t end,
                        uint32_t wanted, uint32_t *out_owner) {
  size_t i = et_intervals_find(map, begin);
  *out_owner = i < map->count ? map->items[i].owner : ET_NO_OWNER;
  const uint32_t first = *out_owner;
  for (; i < map->count && map->items[i].begin < end; i++) {
    if (map->items[i].owner != first) {
      const bool is_other = first != wanted && first != ET_NO_OWNER;
      *out_owner = is_other ? first : map->items[i].owner;
      return false;
    }
  }
  return true;
}
