#include <string.h>

#include "runtime/core/error.h"
#include "runtime/method/builder.h"

/* A region: the offset of its address in et_regions, its element size, and the
 * offset of its count in et_counts. */
typedef struct region_row {
  uint16_t size;
  uint8_t address;
  uint8_t count;
} region_row;

#define ROW(region, structs, counted)                   \
  {(structs) * sizeof *((const et_regions *)0)->region, \
   offsetof(et_regions, region), offsetof(et_counts, counted)}

/* In the order of ET_METHOD_REGION_BYTES, then ET_PLAN_CHECK_BYTES. */
static const region_row rows[] = {
    ROW(method, 1, methods),
    ROW(values, 1, values),
    ROW(tensors, 1, tensors),
    ROW(list_items, 1, list_items),
    ROW(instructions, 1, instructions),
    ROW(args, 1, args),
    ROW(delegates, 1, delegates),
    ROW(specs, 1, specs),
    ROW(io_slots, 1, io_slots),
    ROW(dims, 1, dims),
    ROW(edges, 2, planned_tensors),
    ROW(owners, 4, planned_tensors),
    ROW(origins, 1, values),
};
#define ALL_ROWS (sizeof rows / sizeof *rows)
#define PERSISTENT_ROWS (ALL_ROWS - 3)
_Static_assert(sizeof(et_regions) <= UINT8_MAX &&
                   sizeof(et_counts) <= UINT8_MAX,
               "offsets in both structs fit in a byte");

/* Allocates the regions of rows [first, past), and aligns the arena for the
 * next one. */
static bool take(et_builder *builder, size_t first, size_t past) {
  void *region = NULL;
  for (size_t i = first; i < past; i++) {
    size_t count = 0;
    memcpy(&count, (const uint8_t *)&builder->counts + rows[i].count,
           sizeof count);
    if (!et_arena_take(&builder->arena, count, rows[i].size,
                       ET_REGION_ALIGNMENT, &region)) {
      return false;
    }
    memcpy((uint8_t *)&builder->regions + rows[i].address, &region,
           sizeof region);
  }
  return et_arena_take(&builder->arena, 0, 1, ET_REGION_ALIGNMENT, &region);
}

et_status et_build_reserve(et_builder *builder, size_t *out_bytes) {
  const bool fits = take(builder, 0, PERSISTENT_ROWS);
  const size_t persistent = builder->arena.used;
  if (!fits || !take(builder, PERSISTENT_ROWS, ALL_ROWS)) {
    return et_fail(builder->error, ET_STATUS_MEMORY_TOO_SMALL,
                   "memory.method has %zu bytes, which is too small; allocate "
                   "the size that et_method_measure reports",
                   builder->arena.size);
  }
  *out_bytes = builder->arena.used;
  builder->arena.used = persistent;
  return ET_STATUS_OK;
}

bool et_build_take_memory(et_builder *builder, size_t bytes,
                          et_arena *out_arena) {
  void *data = builder->arena.data; /* not NULL, which would mean measuring */
  void *end = NULL;
  if (bytes != 0 &&
      (!et_arena_take(&builder->arena, 1, bytes, ET_MEMORY_ALIGNMENT, &data) ||
       !et_arena_take(&builder->arena, 0, 1, ET_MEMORY_ALIGNMENT, &end))) {
    return false;
  }
  const et_mutable_span memory = {data, bytes};
  *out_arena = et_arena_over(memory);
  return true;
}

/* Returns a buffer's name for messages. A planned buffer begins with its
 * `bytes`. */
static const char *name_of(const et_method_memory *memory,
                           const et_mutable_span *buffer, size_t *out_index) {
  *out_index = 0;
  if (memory == NULL) {
    return ET_MESSAGE_TEXT("options.data");
  }
  if (buffer == &memory->method) {
    return ET_MESSAGE_TEXT("memory.method");
  }
  if (buffer == &memory->scratch) {
    return ET_MESSAGE_TEXT("memory.scratch");
  }
  if (buffer == &memory->data) {
    return ET_MESSAGE_TEXT("memory.data");
  }
  *out_index = (size_t)((const et_planned_buffer *)(const void *)buffer -
                        memory->planned);
  return ET_MESSAGE_TEXT("memory.planned");
}

static et_status fail_buffer(const et_builder *builder,
                             const et_mutable_span *buffer, size_t needed) {
  size_t index = 0;
  const char *name =
      ET_HAS_MESSAGES ? name_of(builder->memory, buffer, &index) : NULL;
  return buffer->size < needed
             ? et_fail(builder->error, ET_STATUS_MEMORY_TOO_SMALL,
                       "%s[%zu] has %zu bytes, but needs %zu; pass a larger "
                       "buffer",
                       name, index, buffer->size, needed)
             : et_fail(builder->error, ET_STATUS_INVALID_ARGUMENT,
                       "%s[%zu] is NULL or misaligned; align it to %d bytes",
                       name, index, ET_MEMORY_ALIGNMENT);
}

et_status et_build_check_buffer(const et_builder *builder,
                                const et_mutable_span *buffer, size_t needed) {
  const bool is_placed =
      buffer->size == 0 || (buffer->data != NULL &&
                            (uintptr_t)buffer->data % ET_MEMORY_ALIGNMENT == 0);
  return is_placed && buffer->size >= needed
             ? ET_STATUS_OK
             : fail_buffer(builder, buffer, needed);
}
