/* Who wrote which bytes last.
 *
 * Where tensors begin and end is known before any is written. So the bytes are
 * cut into pieces there, once, and a tree over the pieces notes owners: assigning
 * and asking take logarithmic time. */
#ifndef ET_RUNTIME_METHOD_INTERVALS_H_
#define ET_RUNTIME_METHOD_INTERVALS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Owner of bytes that nothing has written in this run. */
#define ET_NO_OWNER UINT32_MAX

/* In memory of the caller's. Starts without edges. */
typedef struct et_intervals {
  uintptr_t *edges; /* room for two a range; sorted once started */
  uint32_t *owners; /* of the tree's nodes: room for four a range */
  size_t edge_count;
} et_intervals;

/* Adds a range that will be assigned, [begin, end). */
void et_intervals_add(et_intervals *map, uintptr_t begin, uintptr_t end);

/* After the last was added: nobody owns any bytes. */
void et_intervals_start(et_intervals *map);

/* Makes `owner` the owner of [begin, end), which was added, whoever had it. */
void et_intervals_assign(et_intervals *map, uintptr_t begin, uintptr_t end,
                         uint32_t owner);

/* The one owner of [begin, end), the beginning of a range that was added. When there are
 * several, false, and the first that is not `wanted`; where that is nobody, the first that
 * is somebody. */
bool et_intervals_owner(const et_intervals *map, uintptr_t begin, uintptr_t end,
                        uint32_t wanted, uint32_t *out_owner);

#endif /* ET_RUNTIME_METHOD_INTERVALS_H_ */
