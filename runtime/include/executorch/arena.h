/* A bump allocator over memory that the caller gives. Nothing is freed
 * alone. */
#ifndef EXECUTORCH_ARENA_H_
#define EXECUTORCH_ARENA_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/span.h"

#ifdef __cplusplus
extern "C" {
#endif

/* With data == NULL the arena only measures: every allocation succeeds, returns
 * NULL and counts, so that one piece of code both measures and allocates. */
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

/* Sets *out to count * size bytes aligned to `alignment` (a power of two), or
 * to NULL when measuring. False, and nothing taken, when they do not fit or the
 * arithmetic would wrap. The bytes are not cleared. */
bool et_arena_take(et_arena *arena, size_t count, size_t size, size_t alignment,
                   void **out);

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_ARENA_H_ */
