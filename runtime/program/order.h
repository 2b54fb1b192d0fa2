/* Visits elements of a file in sorted order, to compare only neighbors. Needs
 * no memory of the caller. */
#ifndef ET_RUNTIME_PROGRAM_ORDER_H_
#define ET_RUNTIME_PROGRAM_ORDER_H_

#include <stdint.h>

#include "executorch/status.h"

/* `compare` returns a value below, equal to or above 0 if element `a` sorts
 * before, with or after `b`. `visit` receives each element; a status other than
 * OK stops the walk. `name` is the elements' name in messages. */
typedef struct et_order {
  const char *name;
  int (*compare)(void *context, uint32_t a, uint32_t b);
  et_status (*visit)(void *context, uint32_t index, et_error *error);
  void *context;
} et_order;

/* Visits elements 0 to count - 1 in sorted order; equal elements are ordered by
 * index.
 *
 * Elements that are already sorted, as written by exporters, take linear time.
 * Others are sorted first. INVALID_PROGRAM: more than ET_LIMIT_UNSORTED
 * elements are not sorted. */
et_status et_order_walk(const et_order *order, uint32_t count, et_error *error);

#endif /* ET_RUNTIME_PROGRAM_ORDER_H_ */
