#include <string.h>

#include "runtime/core/error.h"
#include "runtime/core/limits.h"
#include "runtime/method/builder.h"
#include "runtime/method/fill.h"
#include "runtime/method/optional_parts.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"

/* A call with the arguments as stored in the program. Measuring runs before the
 * method exists, and the kernel must receive equal arguments both times. */
typedef struct prepared_call {
  const et_builder *builder;
  const et_kernel *kernel;
  uint32_t instruction;
  size_t value_count;
  size_t item_count;
  size_t tensor_count;
  /* Index of each of `values` in the program. */
  uint32_t indices[ET_LIMIT_PREPARED_VALUES];
  et_value values[ET_LIMIT_PREPARED_VALUES];
  et_value *args[ET_LIMIT_PREPARED_VALUES];
  et_value *items[ET_LIMIT_PREPARED_VALUES];
  et_tensor tensors[ET_LIMIT_PREPARED_TENSORS];
  int32_t dims[ET_LIMIT_PREPARED_TENSORS * 2 * ET_MAX_RANK];
} prepared_call;

/* Returns the address of value `index` of the program, and reserves one if it
 * has none yet. NULL if the array is full. */
static et_value *value_at(void *context, uint32_t index) {
  prepared_call *call = context;
  size_t at = 0;
  while (at < call->value_count && call->indices[at] != index) {
    at++;
  }
  if (at == ET_LIMIT_PREPARED_VALUES) {
    return NULL;
  }
  call->indices[at] = index;
  call->value_count += at == call->value_count ? 1 : 0;
  return &call->values[at];
}

static et_status fail_limit(const prepared_call *call) {
  return et_fail(call->builder->error, ET_STATUS_OUT_OF_RESOURCES,
                 "instructions[%u] %s: the call exceeds the limit of %d values "
                 "or %d tensors for prepare",
                 (unsigned)call->instruction, call->kernel->name,
                 ET_LIMIT_PREPARED_VALUES, ET_LIMIT_PREPARED_TENSORS);
}

/* Returns true if there is space for the tensor or for all items of the
 * list. */
static bool has_space(prepared_call *call, uint32_t index) {
  et_fb_table held;
  const uint8_t tag = et_tables_value(call->builder->values, index, &held);
  size_t items = 0;
  if (tag == ET_VALUE_TENSOR) {
    call->tensor_count++;
  } else if (tag == ET_VALUE_INT_LIST) {
    items = et_tables_count(held, ET_SINGLE_FIELD);
  } else if (tag == ET_VALUE_TENSOR_LIST ||
             tag == ET_VALUE_OPTIONAL_TENSOR_LIST) {
    items = et_tables_count(held, ET_SINGLE_FIELD);
  }
  call->item_count += items;
  return call->tensor_count <= ET_LIMIT_PREPARED_TENSORS &&
         items <= ET_LIMIT_PREPARED_VALUES &&
         call->item_count <= ET_LIMIT_PREPARED_VALUES &&
         call->value_count + items <= ET_LIMIT_PREPARED_VALUES;
}

/* Before a run, only constants have data. */
static void bind_constant(const prepared_call *call,
                          const et_tensor_record *record, et_tensor *tensor) {
  const et_builder *builder = call->builder;
  if (!record->is_planned && record->has_data) {
    tensor->data = (void *)(uintptr_t)et_data_initial(
        /* is_constant prevents writes. */
        builder->program, &builder->data, record);
    tensor->is_constant = true;
  }
}

static et_status fill_arg(prepared_call *call, et_fill *fill, size_t at) {
  et_tensor_record record;
  if (!has_space(call, call->indices[at])) {
    return fail_limit(call);
  }
  ET_RETURN_IF_ERROR(et_fill_value(fill, call->builder->values,
                                   call->indices[at], &call->values[at],
                                   &record));
  if (call->values[at].tag == ET_VALUE_TENSOR) {
    bind_constant(call, &record, call->values[at].u.as_tensor);
  }
  return ET_STATUS_OK;
}

/* Items of lists are filled after the arguments. */
static et_status fill_args(prepared_call *call, et_fb_vector args) {
  et_fill fill = {.tensor = call->tensors,
                  .item = call->items,
                  .dim = call->dims,
                  .value_at = value_at,
                  .context = call,
                  .error = call->builder->error};
  if (et_fb_count(args) > ET_LIMIT_PREPARED_VALUES) {
    return fail_limit(call);
  }
  for (uint32_t i = 0; i < et_fb_count(args); i++) {
    call->args[i] = value_at(call, (uint32_t)et_fb_i32_at(args, i));
  }
  for (size_t at = 0; at < call->value_count; at++) {
    ET_RETURN_IF_ERROR(fill_arg(call, &fill, at));
  }
  return ET_STATUS_OK;
}

static et_status run_prepare(const prepared_call *call, et_arena *arena,
                             size_t *out_scratch, void **out_state) {
  et_error reason;
  et_error_clear(&reason);
  const et_method_options *options = call->builder->options;
  et_prepare_context context = {.arena = arena,
                                .scratch_bytes = call->kernel->scratch_bytes,
                                .parallel =
                                    options != NULL ? options->parallel : NULL,
                                .error = &reason};
  *out_state = NULL;
  const et_status status =
      call->kernel->prepare(&context, call->args, out_state);
  *out_scratch = context.scratch_bytes;
  return status == ET_STATUS_OK
             ? ET_STATUS_OK
             : et_fail_because(call->builder->error, status, &reason,
                               "instructions[%u] %s: ",
                               (unsigned)call->instruction, call->kernel->name);
}

/* Measures the state. If the method has memory, builds the state in exactly
 * that size. */
static et_status prepare(et_builder *builder, const prepared_call *call,
                         size_t *out_scratch, void **out_state) {
  et_arena measuring = et_arena_measuring();
  et_arena arena;
  size_t scratch = 0;
  ET_RETURN_IF_ERROR(run_prepare(call, &measuring, out_scratch, out_state));
  if (!et_build_take_memory(builder, measuring.used, &arena)) {
    return et_fail(
        builder->error, ET_STATUS_OUT_OF_RESOURCES,
        "instructions[%u] %s: %zu bytes of state do not fit in memory.method; "
        "allocate the size that et_method_measure reports",
        (unsigned)call->instruction, call->kernel->name, measuring.used);
  }
  if (builder->regions.instructions == NULL) {
    return ET_STATUS_OK;
  }
  ET_RETURN_IF_ERROR(run_prepare(call, &arena, &scratch, out_state));
  if (arena.used != measuring.used || scratch != *out_scratch) {
    return et_fail(builder->error, ET_STATUS_INTERNAL,
                   "instructions[%u] %s: prepare used %zu bytes and %zu "
                   "scratch bytes, but measured %zu and %zu; use the same "
                   "sizes in both calls",
                   (unsigned)call->instruction, call->kernel->name, arena.used,
                   scratch, measuring.used, *out_scratch);
  }
  return ET_STATUS_OK;
}

/* A separate function, so that the arguments are only in its stack frame. */
static et_status prepare_call(et_builder *builder, const et_walk *walk,
                              const et_kernel *kernel, size_t *out_scratch) {
  void *state = NULL;
  const et_fb_vector args = walk->operands;
  prepared_call call;
  call.builder = builder;
  call.kernel = kernel;
  call.instruction = walk->index;
  call.value_count = call.item_count = call.tensor_count = 0;
  ET_RETURN_IF_ERROR(fill_args(&call, args));
  ET_RETURN_IF_ERROR(prepare(builder, &call, out_scratch, &state));
  if (builder->regions.instructions != NULL) {
    builder->regions.instructions[walk->index].state = state;
  }
  return ET_STATUS_OK;
}

const struct et_preparation et_preparation = {prepare_call};
