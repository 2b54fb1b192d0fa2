#include "tests/fuzz/site_list.h"

#include <stdlib.h>

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
