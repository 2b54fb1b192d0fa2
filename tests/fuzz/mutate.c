#include "tests/fuzz/mutate.h"

#include <stdlib.h>
#include <string.h>

void et_site_list_add(et_site_list *list, uint32_t position, uint16_t kind,
                      uint8_t width) {
  if (list->count == list->capacity) {
    list->capacity = list->capacity == 0 ? 1024 : 2 * list->capacity;
    list->sites = realloc(list->sites, list->capacity * sizeof *list->sites);
    if (list->sites == NULL) {
      abort();
    }
  }
  list->sites[list->count++] = (et_site){position, kind, width};
}

static int by_kind(const void *a, const void *b) {
  const et_site *left = a;
  const et_site *right = b;
  if (left->kind != right->kind) {
    return left->kind < right->kind ? -1 : 1;
  }
  return left->position < right->position ? -1
                                          : left->position > right->position;
}

void et_site_list_sort(et_site_list *list) {
  qsort(list->sites, list->count, sizeof *list->sites, by_kind);
}

#define MAX_CHANGES 4

static const int64_t EDGES[] = {
    0,         1,         2,         3,          4,         5,
    6,         7,         8,         11,         15,        16,
    27,        63,        64,        65,         127,       128,
    255,       256,       1000,      4096,       65535,     65536,
    INT32_MAX, -1,        -2,        -3,         -4,        -64,
    INT32_MIN, INT64_MAX, INT64_MIN, UINT32_MAX, 1LL << 32, 1LL << 40,
    1LL << 62,
};
#define EDGE_COUNT (sizeof EDGES / sizeof *EDGES)

/* Returns another site of the same kind; such sites are adjacent in the
 * list. */
static const et_site *relative_of(et_random *random, const et_site *sites,
                                  size_t count, const et_site *site) {
  size_t low = (size_t)(site - sites);
  size_t high = low + 1;
  while (low > 0 && sites[low - 1].kind == site->kind) {
    low--;
  }
  while (high < count && sites[high].kind == site->kind) {
    high++;
  }
  return &sites[low + et_random_below(random, high - low)];
}

static void change_site(et_random *random, const et_site *sites, size_t count,
                        uint8_t *bytes) {
  const et_site *site = &sites[et_random_below(random, count)];
  uint8_t *at = bytes + site->position;
  int64_t value = 0;
  memcpy(&value, at, site->width);
  switch (et_random_below(random, 5)) {
    case 0:
    case 1:
      memmove(at, bytes + relative_of(random, sites, count, site)->position,
              site->width);
      return;
    case 2:
      value = EDGES[et_random_below(random, EDGE_COUNT)];
      break;
    case 3:
      value = (int64_t)((uint64_t)value + et_random_below(random, 5) - 2u);
      break;
    default:
      value ^= (int64_t)(1ULL << et_random_below(random, 8u * site->width));
      break;
  }
  memcpy(at, &value, site->width);
}

static void change_byte(et_random *random, et_mutable_span program) {
  program.data[et_random_below(random, program.size)] =
      (uint8_t)et_random_next(random);
}

void et_mutate(et_random *random, const et_site *sites, size_t count,
               et_mutable_span program) {
  const size_t changes = 1 + et_random_below(random, MAX_CHANGES);
  for (size_t i = 0; i < changes; i++) {
    if (et_random_below(random, 16) == 0) {
      change_byte(random, program);
    } else {
      change_site(random, sites, count, program.data);
    }
  }
}
