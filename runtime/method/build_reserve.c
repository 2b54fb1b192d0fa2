#include "runtime/method/builder.h"

static bool take(et_builder *builder, size_t count, size_t size, void **out) {
  return et_arena_take(&builder->arena, count, size, ET_REGION_ALIGNMENT, out);
}

/* `field` of the regions becomes room for `count` of what it points to. */
#define TAKE(builder, field, count)                                       \
  (take((builder), (count), sizeof *(builder)->regions.field, &region) && \
   ((builder)->regions.field = region, true))

static bool take_regions(et_builder *builder) {
  const et_counts *n = &builder->counts;
  void *region = NULL;
  void *end = NULL;
  return TAKE(builder, method, 1) && TAKE(builder, values, n->values) &&
         TAKE(builder, tensors, n->tensors) &&
         TAKE(builder, list_items, n->list_items) &&
         TAKE(builder, instructions, n->instructions) &&
         TAKE(builder, args, n->args) &&
         TAKE(builder, delegates, n->delegates) &&
         TAKE(builder, specs, n->specs) &&
         TAKE(builder, ends, n->inputs + n->outputs) &&
         TAKE(builder, dims, 2 * n->dims) && take(builder, 0, 1, &end);
}

et_status et_build_reserve(et_builder *builder) {
  if (!take_regions(builder)) {
    return et_fail(builder->error, ET_STATUS_MEMORY_TOO_SMALL,
                   "memory.method: %zu bytes are not enough",
                   builder->arena.size);
  }
  return ET_STATUS_OK;
}

bool et_build_take_room(et_builder *builder, size_t bytes, et_arena *out_room) {
  void *data = builder->arena.data; /* anything but NULL, which would measure */
  void *end = NULL;
  if (bytes != 0 &&
      (!et_arena_take(&builder->arena, 1, bytes, ET_MEMORY_ALIGNMENT, &data) ||
       !et_arena_take(&builder->arena, 0, 1, ET_MEMORY_ALIGNMENT, &end))) {
    return false;
  }
  const et_mutable_span room = {data, bytes};
  *out_room = et_arena_over(room);
  return true;
}

et_status et_build_check_buffer(const char *name, size_t index,
                                const et_mutable_span *buffer, size_t needed,
                                et_error *error) {
  if (buffer->size < needed) {
    return et_fail(error, ET_STATUS_MEMORY_TOO_SMALL,
                   "%s[%zu] has %zu bytes and needs %zu", name, index,
                   buffer->size, needed);
  }
  if (buffer->size != 0 &&
      (buffer->data == NULL ||
       (uintptr_t)buffer->data % ET_MEMORY_ALIGNMENT != 0)) {
    return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                   "%s[%zu] is NULL or not aligned to %d bytes", name, index,
                   ET_MEMORY_ALIGNMENT);
  }
  return ET_STATUS_OK;
}
