#include "executorch/hosted_method.h"

#include <stdlib.h>

#include "executorch/arena.h"
#include "executorch/method_layout.h"
#include "runtime/extension/large_memory.h"

/* The method to load, and the method whose buffer it shares. */
typedef struct request {
  et_method_meta meta;
  const char *name;
  const et_registry *registry;
  const et_method_options *options;
  et_method_options measuring;   /* the same options, with a buffer for data */
  const et_hosted_method *owner; /* NULL: no sharing */
  uint32_t memory_id;
  et_error *error;
} request;

static et_status fail_heap(const request *r) {
  return et_fail(r->error, ET_STATUS_MEMORY_TOO_SMALL,
                 "method '%s': out of heap memory; free memory, or use a "
                 "smaller model",
                 r->name);
}

static bool take(et_arena *arena, size_t size, et_mutable_span *out) {
  void *data = NULL;
  if (!et_arena_take(arena, 1, size, ET_MEMORY_ALIGNMENT, &data)) {
    return false;
  }
  out->data = data;
  out->size = size;
  return true;
}

static et_status share_buffer(const request *r, size_t index, size_t size,
                              et_planned_buffer *out) {
  if (index >= r->owner->requirements.planned_count ||
      r->owner->planned[index].bytes.size < size) {
    return et_fail(r->error, ET_STATUS_INVALID_ARGUMENT,
                   "method '%s': memory id %u needs %zu bytes, more than the "
                   "shared buffer has; load the larger method first",
                   r->name, (unsigned)r->memory_id, size);
  }
  *out = r->owner->planned[index];
  return ET_STATUS_OK;
}

/* Each buffer gets a state, so that other methods can share it. */
static bool take_buffer(et_arena *arena, size_t size, et_planned_buffer *out) {
  const et_state none = {.program = {NULL, 0}};
  void *state = NULL;
  if (!take(arena, size, &out->bytes) ||
      !et_arena_take(arena, 1, sizeof none, ET_MEMORY_ALIGNMENT, &state)) {
    return false;
  }
  out->state = state;
  out->sharing = &et_sharing;
  if (state != NULL) {
    *out->state = none;
  }
  return true;
}

static et_status take_planned(const request *r, et_arena *arena,
                              et_hosted_method *hosted) {
  hosted->planned_bytes = 0;
  for (size_t i = 0; i < hosted->requirements.planned_count; i++) {
    size_t size = 0;
    ET_RETURN_IF_ERROR(
        et_method_meta_planned_bytes(&r->meta, i, &size, r->error));
    hosted->planned_bytes += size;
    if (r->owner != NULL && r->memory_id == i + 1) {
      ET_RETURN_IF_ERROR(share_buffer(r, i, size, &hosted->planned[i]));
    } else if (!take_buffer(arena, size, &hosted->planned[i])) {
      return fail_heap(r);
    }
  }
  return ET_STATUS_OK;
}

/* Allocates output `index` if it is caller-provided. */
static et_status take_output(const request *r, et_arena *arena, size_t index,
                             et_method *method) {
  et_value_meta meta;
  et_mutable_span memory;
  ET_RETURN_IF_ERROR(et_method_meta_output(&r->meta, index, &meta, r->error));
  if (meta.tag != ET_VALUE_TENSOR || meta.is_planned) {
    return ET_STATUS_OK;
  }
  if (!take(arena, meta.nbytes, &memory)) {
    return fail_heap(r);
  }
  return method == NULL || !method->outputs[index].is_external
             ? ET_STATUS_OK
             : et_method_set_output(method, index, memory.data, memory.size,
                                    r->error);
}

static et_status take_outputs(const request *r, et_arena *arena,
                              et_method *method) {
  const size_t count = et_method_meta_output_count(&r->meta);
  for (size_t i = 0; i < count; i++) {
    ET_RETURN_IF_ERROR(take_output(r, arena, i, method));
  }
  return ET_STATUS_OK;
}

/* Builds the method. Memory that every run uses comes first: the start of the
 * allocation is on a large page, but its end might not be. */
static et_status build(const request *r, et_arena *arena,
                       et_hosted_method *hosted) {
  et_method_memory memory = {.planned = hosted->planned};
  memory.planned_count = hosted->requirements.planned_count;
  memory.data = r->measuring.data;
  if (!take(arena, hosted->requirements.scratch_bytes, &memory.scratch)) {
    return fail_heap(r);
  }
  ET_RETURN_IF_ERROR(take_planned(r, arena, hosted));
  if (!take(arena, hosted->requirements.method_bytes, &memory.method)) {
    return fail_heap(r);
  }
  if (arena->data != NULL) {
    ET_RETURN_IF_ERROR(et_method_load(r->meta.program, r->name, r->registry,
                                      r->options, &memory, &hosted->method,
                                      r->error));
  }
  return take_outputs(r, arena, hosted->method);
}

/* Some heaps do not support this alignment, so a larger block is allocated and
 * its address is rounded up. */
static uint8_t *align_up(uint8_t *data, size_t alignment) {
  const uintptr_t over = (uintptr_t)data % alignment;
  return over == 0 ? data : data + (alignment - over);
}

static et_status allocate(const request *r, size_t size, void **out_allocation,
                          et_mutable_span *out_memory) {
  const size_t large = et_large_page_of(size);
  const size_t alignment = large > 0 ? large : ET_MEMORY_ALIGNMENT;
  *out_allocation =
      size <= SIZE_MAX - alignment ? malloc(size + alignment) : NULL;
  if (*out_allocation == NULL) {
    return fail_heap(r);
  }
  out_memory->data = align_up(*out_allocation, alignment);
  out_memory->size = size;
  et_request_large_pages(out_memory->data, size);
  return ET_STATUS_OK;
}

static et_status check_memory_id(const request *r, size_t planned_count) {
  return r->owner == NULL ||
                 (r->memory_id != 0 && r->memory_id <= planned_count)
             ? ET_STATUS_OK
             : et_fail(r->error, ET_STATUS_INVALID_ARGUMENT,
                       "method '%s' does not have memory id %u; its ids are 1 "
                       "to %zu",
                       r->name, (unsigned)r->memory_id, planned_count);
}

/* Allocates memory for data that must be read; measuring needs it. */
static et_status allocate_data(request *r, et_hosted_method *hosted) {
  size_t size = 0;
  ET_RETURN_IF_ERROR(
      et_method_data_bytes(r->meta.program, r->name, &size, r->error));
  return size == 0 ? ET_STATUS_OK
                   : allocate(r, size, &hosted->data, &r->measuring.data);
}

/* Allocates all other memory in one block. The same code first measures the
 * block. */
static et_status load(request *r, et_hosted_method *hosted) {
  et_arena arena = et_arena_measuring();
  et_mutable_span memory;
  ET_RETURN_IF_ERROR(allocate_data(r, hosted));
  ET_RETURN_IF_ERROR(et_method_measure(r->meta.program, r->name, r->registry,
                                       &r->measuring, &hosted->requirements,
                                       r->error));
  ET_RETURN_IF_ERROR(check_memory_id(r, hosted->requirements.planned_count));
  ET_RETURN_IF_ERROR(build(r, &arena, hosted));
  ET_RETURN_IF_ERROR(allocate(r, arena.used, &hosted->allocation, &memory));
  arena = et_arena_over(memory);
  return build(r, &arena, hosted);
}

et_status et_hosted_method_load_sharing(
    const et_program *program, const char *name, const et_registry *registry,
    const et_method_options *options, const et_hosted_method *owner,
    uint32_t memory_id, et_hosted_method *out_hosted, et_error *out_error) {
  request r = {.name = name,
               .registry = registry,
               .options = options,
               .owner = owner,
               .memory_id = memory_id,
               .error = out_error};
  const et_hosted_method none = {0};
  const et_mutable_span no_data = {NULL, 0};
  if (options != NULL) {
    r.measuring = *options;
  }
  r.measuring.data = no_data;
  *out_hosted = none;
  ET_RETURN_IF_ERROR(et_program_method_meta(program, name, &r.meta, out_error));
  const et_status status = load(&r, out_hosted);
  if (status != ET_STATUS_OK) {
    et_hosted_method_free(out_hosted);
  }
  return status;
}

et_status et_hosted_method_load(const et_program *program, const char *name,
                                const et_registry *registry,
                                const et_method_options *options,
                                et_hosted_method *out_hosted,
                                et_error *out_error) {
  return et_hosted_method_load_sharing(program, name, registry, options, NULL,
                                       0, out_hosted, out_error);
}

void et_hosted_method_free(et_hosted_method *hosted) {
  const et_hosted_method none = {0};
  et_method_unload(hosted->method);
  free(hosted->data);
  free(hosted->allocation);
  *hosted = none;
}
