#include <string.h>

#include "runtime/core/error.h"
#include "runtime/core/limits.h"
#include "runtime/method/builder.h"
#include "runtime/method/state.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"

_Static_assert(sizeof((et_state *)0)->loaded * 8 == ET_LIMIT_METHODS,
               "a bit for each method that a program may have");

/* A comparison of mutable buffers in shared planned buffers. */
typedef struct state_check {
  const et_builder *builder;
  uint32_t steps_left;
} state_check;

/* A mutable buffer of a method. */
typedef struct state_tensor {
  et_tensor_record record;
  et_string name; /* empty if the program does not state it */
} state_tensor;

/* Reads value `index`. Returns true if it is planned and has an initial value
 * or a name, which only mutable buffers have. */
static bool read_state_tensor(et_fb_vector values, uint32_t index,
                              state_tensor *out) {
  if (!et_state_read(values, index, &out->record)) {
    return false;
  }
  const et_fb_table extra = et_fb_child(out->record.table, ET_TENSOR_EXTRA);
  out->name = et_fb_text(extra, ET_EXTRA_NAME);
  return out->record.has_data || out->name.size != 0;
}

static bool same_place(const state_tensor *a, const state_tensor *b) {
  return a->record.memory_offset == b->record.memory_offset &&
         a->record.nbytes == b->record.nbytes;
}

static bool overlap(const state_tensor *a, const state_tensor *b) {
  return a->record.memory_offset < b->record.memory_offset + b->record.nbytes &&
         b->record.memory_offset < a->record.memory_offset + a->record.nbytes;
}

static bool same_name(const state_tensor *a, const state_tensor *b) {
  return a->name.size == b->name.size && a->name.size != 0 &&
         memcmp(a->name.data, b->name.data, a->name.size) == 0;
}

/* Returns true if the two are compatible: the same buffer, or disjoint and with
 * different names. */
static bool agree(const state_tensor *a, const state_tensor *b) {
  if (same_place(a, b)) {
    return a->name.size == 0 || b->name.size == 0 || same_name(a, b);
  }
  return !same_name(a, b) && !overlap(a, b);
}

/* Compares `mine`, value `index`, with the mutable buffers of method `other` in
 * the same planned buffer. Sets *out_there if `mine` is one of them. */
static et_status compare(state_check *check, uint32_t index,
                         const state_tensor *mine, uint32_t other,
                         bool *out_there) {
  const et_fb_table plan = et_tables_plan(check->builder->program, other);
  const et_fb_vector values = et_tables_vector(plan, ET_PLAN_VALUES);
  for (uint32_t i = 0; i < et_fb_count(values); i++) {
    state_tensor theirs;
    if (check->steps_left-- == 0) {
      return et_fail(check->builder->error, ET_STATUS_OUT_OF_RESOURCES,
                     "the methods have too much shared state to compare");
    }
    if (!read_state_tensor(values, i, &theirs) ||
        theirs.record.memory_id != mine->record.memory_id) {
      continue;
    }
    if (!agree(mine, &theirs)) {
      return et_fail_program(
          check->builder->error,
          "values[%u] and values[%u] of method '%s' share state, but are at "
          "different offsets in memory id %u",
          (unsigned)index, (unsigned)i, et_fb_text(plan, ET_PLAN_NAME).data,
          (unsigned)mine->record.memory_id);
    }
    *out_there = *out_there || same_place(mine, &theirs);
  }
  return ET_STATUS_OK;
}

static bool was_loaded(const et_state *state, uint32_t method) {
  return (state->loaded[method / 64] >> method % 64 & 1u) != 0;
}

/* Sets *out_made if a method that is already loaded has `mine`. */
static et_status find_made(state_check *check, uint32_t index,
                           const state_tensor *mine, bool *out_made) {
  const et_state *state =
      check->builder->memory->planned[mine->record.memory_id - 1].state;
  const size_t count = et_program_method_count(check->builder->program);
  *out_made = false;
  for (uint32_t other = 0; state != NULL && other < count; other++) {
    if (was_loaded(state, other)) {
      ET_RETURN_IF_ERROR(compare(check, index, mine, other, out_made));
    }
  }
  return ET_STATUS_OK;
}

/* Checks all mutable buffers of the method. If `writes` is true, initializes
 * those that no loaded method has. */
static et_status settle(const et_builder *builder, bool writes) {
  state_check check = {builder, ET_LIMIT_PLAN_STEPS};
  for (uint32_t i = 0; i < et_fb_count(builder->values); i++) {
    state_tensor mine;
    bool made = false;
    if (!read_state_tensor(builder->values, i, &mine)) {
      continue;
    }
    ET_RETURN_IF_ERROR(find_made(&check, i, &mine, &made));
    if (writes && !made) {
      et_state_set_initial(builder->regions.method, i, &mine.record);
    }
  }
  return ET_STATUS_OK;
}

static et_status check_owner(const et_builder *builder, size_t index) {
  const et_planned_buffer *buffer = &builder->memory->planned[index];
  const et_state *state = buffer->state;
  if (state == NULL || state->program.data == NULL) {
    return ET_STATUS_OK;
  }
  if (state->program.data != builder->program->file.data) {
    return et_fail(builder->error, ET_STATUS_INVALID_ARGUMENT,
                   "memory.planned[%zu].state is in use with another program; "
                   "pass a new state",
                   index);
  }
  return state->bytes.data == buffer->bytes.data
             ? ET_STATUS_OK
             : et_fail(builder->error, ET_STATUS_INVALID_ARGUMENT,
                       "memory.planned[%zu].state is in use with another "
                       "buffer; pass a new state",
                       index);
}

/* Returns the index of the method in its program. */
static uint32_t method_index(const et_builder *builder) {
  uint32_t index = 0;
  while (et_tables_plan(builder->program, index) != builder->plan) {
    index++;
  }
  return index;
}

/* Zeroes the bytes that no earlier load has zeroed, and records the program and
 * the buffer. */
static void start_buffer(const et_builder *builder, size_t index) {
  const et_mutable_span bytes = builder->memory->planned[index].bytes;
  et_state *state = builder->memory->planned[index].state;
  const bool is_new = state == NULL || state->program.data == NULL;
  const size_t zeroed = is_new ? 0 : state->bytes.size;
  if (bytes.size > zeroed) {
    memset(bytes.data + zeroed, 0, bytes.size - zeroed);
  }
  if (state != NULL && (is_new || bytes.size > zeroed)) {
    state->program = builder->program->file;
    state->bytes = bytes;
  }
}

static void note_loaded(const et_builder *builder, size_t index) {
  const uint32_t method = method_index(builder);
  et_state *state = builder->memory->planned[index].state;
  if (state != NULL) {
    state->loaded[method / 64] |= (uint64_t)1 << method % 64;
  }
}

static et_status build(const et_builder *builder) {
  const size_t count = builder->counts.planned_buffers;
  for (size_t i = 0; i < count; i++) {
    ET_RETURN_IF_ERROR(check_owner(builder, i));
  }
  ET_RETURN_IF_ERROR(settle(builder, false));
  for (size_t i = 0; i < count; i++) {
    start_buffer(builder, i);
  }
  ET_RETURN_IF_ERROR(settle(builder, true));
  for (size_t i = 0; i < count; i++) {
    note_loaded(builder, i);
  }
  return ET_STATUS_OK;
}

const struct et_sharing et_sharing = {build};
