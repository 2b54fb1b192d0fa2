#include <string.h>

#include "runtime/method/builder.h"

/* A region: where its address goes, bytes of one of its structs, and what is counted of
 * them. */
typedef struct region_row {
  uint8_t address;
  uint8_t size;
  uint8_t count;
} region_row;

#define ROW(region, counted)                                              \
  {offsetof(et_regions, region), sizeof *((const et_regions *)0)->region, \
   offsetof(et_counts, counted)}

/* Behind that of the method, in the order of ET_METHOD_REGION_BYTES. */
static const region_row rows[] = {
    ROW(values, values),
    ROW(tensors, tensors),
    ROW(list_items, list_items),
    ROW(instructions, instructions),
    ROW(args, args),
    ROW(delegates, delegates),
    ROW(specs, specs),
    ROW(ends, ends),
    ROW(dims, dims),
};
_Static_assert(sizeof(et_regions) <= UINT8_MAX &&
                   sizeof(et_counts) <= UINT8_MAX,
               "places in them are bytes");

static bool take(et_builder *builder, size_t count, size_t size,
                 size_t address) {
  void *region = NULL;
  const bool fits =
      et_arena_take(&builder->arena, count, size, ET_REGION_ALIGNMENT, &region);
  memcpy((uint8_t *)&builder->regions + address, &region, sizeof region);
  return fits;
}

static bool take_regions(et_builder *builder) {
  void *end = NULL;
  bool fits = take(builder, 1, sizeof(et_method), offsetof(et_regions, method));
  for (size_t i = 0; fits && i < sizeof rows / sizeof *rows; i++) {
    size_t count = 0;
    memcpy(&count, (const uint8_t *)&builder->counts + rows[i].count,
           sizeof count);
    fits = take(builder, count, rows[i].size, rows[i].address);
  }
  return fits &&
         et_arena_take(&builder->arena, 0, 1, ET_REGION_ALIGNMENT, &end);
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
