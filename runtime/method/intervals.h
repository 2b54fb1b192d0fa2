/* Tracks which value wrote each byte last.
 *
 * All ranges are known before the first write. Their edges split memory into
 * pieces, and a segment tree over the pieces stores the owners. Assigning and
 * querying take logarithmic time. */
#ifndef ET_RUNTIME_METHOD_INTERVALS_H_
#define ET_RUNTIME_METHOD_INTERVALS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Owner of bytes that have not been written in this run. */
#define ET_NO_OWNER UINT32_MAX

/* The arrays are caller-provided. Initialize `edge_count` to 0. */
typedef struct et_intervals {
  /* Two entries for each range; sorted by et_intervals_start. */
  uintptr_t *edges;
  uint32_t *owners; /* tree nodes; four entries for each range */
  size_t edge_count;
} et_intervals;

/* Adds the range [begin, end). Call it before et_intervals_start. */
void et_intervals_add(et_intervals *map, uintptr_t begin, uintptr_t end);

/* Ends the addition of ranges. No bytes have an owner yet. */
void et_intervals_start(et_intervals *map);

/* Sets the owner of [begin, end), an added range. */
void et_intervals_assign(et_intervals *map, uintptr_t begin, uintptr_t end,
                         uint32_t owner);

/* Returns the owner of [begin, end), which is an added range or the start of
 * one.
 *
 * If there are several owners, returns false, and sets *out_owner to the first
 * one other than `wanted`. If `wanted` is ET_NO_OWNER, sets *out_owner to the
 * first real owner instead. */
bool et_intervals_owner(const et_intervals *map, uintptr_t begin, uintptr_t end,
                        uint32_t wanted, uint32_t *out_owner);

#endif /* ET_RUNTIME_METHOD_INTERVALS_H_ */
