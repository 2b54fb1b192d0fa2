#include "executorch/arena.h"

#include "executorch/checked.h"

bool et_arena_take(et_arena *arena, size_t count, size_t size, size_t alignment,
                   void **out) {
  size_t bytes = 0;
  size_t start = 0;
  size_t end = 0;
  if (!et_checked_mul(count, size, &bytes) ||
      !et_checked_align(arena->used, alignment, &start) ||
      !et_checked_add(start, bytes, &end) || end > arena->size) {
    return false;
  }
  *out = arena->data != NULL ? arena->data + start : NULL;
  arena->used = end;
  return true;
}
