#include "runtime/program/verify.h"

#include <stdbool.h>

#include "runtime/core/error.h"
#include "runtime/core/limits.h"
#include "runtime/core/noinline.h"
#include "runtime/core/sort.h"

static bool is_in_order(const et_order *order, uint32_t count) {
  for (uint32_t i = 1; i < count; i++) {
    if (order->compare(order->context, i - 1, i) > 0) {
      return false;
    }
  }
  return true;
}

/* Element indices, in sorted order. */
typedef struct sorting {
  const et_order *order;
  uint16_t indices[ET_LIMIT_UNSORTED];
} sorting;

static bool comes_before(void *context, size_t a, size_t b) {
  const sorting *s = context;
  const uint16_t first = s->indices[a];
  const uint16_t second = s->indices[b];
  const int compared = s->order->compare(s->order->context, first, second);
  return compared != 0 ? compared < 0 : first < second;
}

static void swap(void *context, size_t a, size_t b) {
  sorting *s = context;
  const uint16_t index = s->indices[a];
  s->indices[a] = s->indices[b];
  s->indices[b] = index;
}

/* Not inlined, so that sorted elements do not need the stack space for
 * sorting. */
static ET_NOINLINE et_status walk_sorted(const et_order *order, uint32_t count,
                                         et_error *error) {
  sorting s;
  const et_sort_items items = {&s, comes_before, swap};
  s.order = order;
  for (uint32_t i = 0; i < count; i++) {
    s.indices[i] = (uint16_t)i;
  }
  et_sort(&items, count);
  for (uint32_t i = 0; i < count; i++) {
    ET_RETURN_IF_ERROR(order->visit(order->context, s.indices[i], error));
  }
  return ET_STATUS_OK;
}

et_status et_order_walk(const et_order *order, uint32_t count,
                        et_error *error) {
  if (!is_in_order(order, count)) {
    return count <= ET_LIMIT_UNSORTED
               ? walk_sorted(order, count, error)
               : et_fail_program(error, "%u unsorted %s exceed the limit of %d",
                                 (unsigned)count, order->name,
                                 ET_LIMIT_UNSORTED);
  }
  for (uint32_t i = 0; i < count; i++) {
    ET_RETURN_IF_ERROR(order->visit(order->context, i, error));
  }
  return ET_STATUS_OK;
}
