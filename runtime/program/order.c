#include "runtime/program/order.h"

#include <stdbool.h>

#include "runtime/core/limits.h"

/* What is in order does not pay for the room on the stack that sorting takes. */
#if defined(__GNUC__)
#define ET_NOINLINE __attribute__((noinline))
#else
#define ET_NOINLINE
#endif

static bool comes_before(const et_order *order, uint32_t a, uint32_t b) {
  const int compared = order->compare(order->context, a, b);
  return compared != 0 ? compared < 0 : a < b;
}

static bool is_in_order(const et_order *order, uint32_t count) {
  for (uint32_t i = 1; i < count; i++) {
    if (order->compare(order->context, i - 1, i) > 0) {
      return false;
    }
  }
  return true;
}

/* Makes the parts of the heap below `root` one heap: its last element in the
 * order on top. */
static void sift_down(const et_order *order, uint16_t *heap, uint32_t root,
                      uint32_t count) {
  const uint16_t moved = heap[root];
  for (uint32_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
    if (child + 1 < count && comes_before(order, heap[child], heap[child + 1])) {
      child++;
    }
    if (!comes_before(order, moved, heap[child])) {
      break;
    }
    heap[root] = heap[child];
    root = child;
  }
  heap[root] = moved;
}

static void sort(const et_order *order, uint16_t *indices, uint32_t count) {
  for (uint32_t root = count / 2; root-- > 0;) {
    sift_down(order, indices, root, count);
  }
  for (uint32_t end = count; end-- > 1;) {
    const uint16_t last = indices[0];
    indices[0] = indices[end];
    indices[end] = last;
    sift_down(order, indices, 0, end);
  }
}

static ET_NOINLINE et_status walk_sorted(const et_order *order, uint32_t count,
                                         et_error *error) {
  uint16_t indices[ET_LIMIT_UNSORTED];
  for (uint32_t i = 0; i < count; i++) {
    indices[i] = (uint16_t)i;
  }
  sort(order, indices, count);
  for (uint32_t i = 0; i < count; i++) {
    ET_RETURN_IF_ERROR(order->visit(order->context, indices[i], error));
  }
  return ET_STATUS_OK;
}

et_status et_order_walk(const et_order *order, uint32_t count,
                        et_error *error) {
  if (!is_in_order(order, count)) {
    return count <= ET_LIMIT_UNSORTED
               ? walk_sorted(order, count, error)
               : et_fail(error, ET_STATUS_INVALID_PROGRAM,
                         "%u %s that do not lie in order; the limit is %d",
                         (unsigned)count, order->name, ET_LIMIT_UNSORTED);
  }
  for (uint32_t i = 0; i < count; i++) {
    ET_RETURN_IF_ERROR(order->visit(order->context, i, error));
  }
  return ET_STATUS_OK;
}
