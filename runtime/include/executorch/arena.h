/* Bump allocator over memory that the caller provides.
 *
 * Allocations cannot be freed one by one. */
#ifndef EXECUTORCH_ARENA_H_
#define EXECUTORCH_ARENA_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/span.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An arena that allocates or only measures.
 *
 * If `data` is NULL, the arena measures: every allocation succeeds, returns
 * NULL and increases `used`. The same code can thus compute a size and
 * allocate. */
typedef struct et_arena {
  uint8_t *data;
  size_t size; /* SIZE_MAX when measuring */
  size_t used;
} et_arena;

static inline et_arena et_arena_over(et_mutable_span memory) {
  const et_arena arena = {memory.data, memory.size, 0};
  return arena;
}

static inline et_arena et_arena_measuring(void) {
  const et_arena arena = {NULL, SIZE_MAX, 0};
  return arena;
}

/* Allocates count * size bytes, aligned to `alignment`, a power of two.
 *
 * Sets *out to the memory, which is not cleared, or to NULL when measuring.
 * Returns false, and allocates nothing, if they do not fit or the size
 * overflows. */
bool et_arena_take(et_arena *arena, size_t count, size_t size, size_t alignment,
                   void **out);

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_ARENA_H_ */
