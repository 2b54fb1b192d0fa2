/* Who wrote which bytes last: a sorted array of disjoint address ranges. */
#ifndef ET_RUNTIME_METHOD_INTERVALS_H_
#define ET_RUNTIME_METHOD_INTERVALS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/method/layout.h"

/* Owner of bytes that nothing has written in this run. */
#define ET_NO_OWNER UINT32_MAX

typedef struct et_intervals {
  et_interval *items;
  size_t count;
  size_t capacity;
  uint64_t steps_left; /* items that may still be moved */
} et_intervals;

/* Index of the first interval that ends after `address`; count when there is
 * none. */
size_t et_intervals_find(const et_intervals *map, uintptr_t address);

/* Makes `owner` the owner of [begin, end), whoever had it. False when the array
 * is full or no steps are left; the map must not be used further then. */
bool et_intervals_assign(et_intervals *map, uintptr_t begin, uintptr_t end,
                         uint32_t owner);

/* The one owner of [begin, end). False, and the first owner that is not
 * `wanted`, when there are several. */
bool et_intervals_owner(const et_intervals *map, uintptr_t begin, uintptr_t end,
                        uint32_t wanted, uint32_t *out_owner);

#endif /* ET_RUNTIME_METHOD_INTERVALS_H_ */
