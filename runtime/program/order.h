/* Walking elements of the file in an order of their own, to compare neighbours
 * instead of all with all. Takes no memory of the caller's. */
#ifndef ET_RUNTIME_PROGRAM_ORDER_H_
#define ET_RUNTIME_PROGRAM_ORDER_H_

#include <stdint.h>

#include "executorch/status.h"

/* `compare` gives less than, equal to or more than 0 as element `a` comes before,
 * beside or behind `b`; `visit` gets one element after the other, and any status
 * but OK ends the walk. `name` is that of the elements, in messages. */
typedef struct et_order {
  const char *name;
  int (*compare)(void *context, uint32_t a, uint32_t b);
  et_status (*visit)(void *context, uint32_t index, et_error *error);
  void *context;
} et_order;

/* Visits elements 0 to count - 1, neighbours in the order beside each other, equal
 * ones by their index. Elements that lie in order already, as writers leave them,
 * take linear time; others are sorted first, which INVALID_PROGRAM refuses for
 * more than ET_LIMIT_UNSORTED. */
et_status et_order_walk(const et_order *order, uint32_t count, et_error *error);

#endif /* ET_RUNTIME_PROGRAM_ORDER_H_ */
