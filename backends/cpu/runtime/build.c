#include "backends/cpu/runtime/handle.h"

#include <string.h>

#include "executorch/checked.h"

static bool take(et_arena *arena, size_t count, size_t size, void **out) {
  return et_arena_take(arena, count, size, ET_CPU_HANDLE_ALIGNMENT, out);
}

/* Allocates the regions of a handle, in the order of ET_CPU_HANDLE_BYTES. */
static bool take_all(const et_cpu_payload *payload, et_arena *arena,
                     void *regions[9]) {
  const struct {
    size_t count;
    size_t size;
  } sizes[9] = {
      {1, sizeof(et_cpu_handle)},
      {(size_t)payload->input_count + payload->output_count,
       sizeof(et_cpu_argument)},
      {payload->value_count, sizeof(et_cpu_tensor)},
      {payload->value_count, sizeof(et_cpu_slot)},
      {payload->op_count, sizeof(et_cpu_op)},
      {payload->tensor_refs, sizeof(et_cpu_tensor *)},
      {payload->dim_refs, sizeof(int32_t *)},
      {payload->dim_count, sizeof(int32_t)},
      {payload->attribute_words, sizeof(uint32_t)},
  };
  for (size_t i = 0; i < 9; i++) {
    if (!take(arena, sizes[i].count, sizes[i].size, &regions[i])) {
      return false;
    }
  }
  return true;
}

et_status et_cpu_reserve(const et_cpu_payload *payload, et_arena *arena,
                         et_error *error, et_cpu_handle **out) {
  void *regions[9];
  if (!take_all(payload, arena, regions)) {
    return et_fail(error, ET_STATUS_DELEGATE_MEMORY,
                   "the method's memory is too small");
  }
  *out = regions[0];
  if (*out != NULL) {
    const et_cpu_handle handle = {
        .payload = *payload,
        .arguments = regions[1],
        .tensors = regions[2],
        .slots = regions[3],
        .ops = regions[4],
        .tensor_refs = regions[5],
        .dim_refs = regions[6],
        .dims = regions[7],
        .attributes = regions[8],
    };
    **out = handle;
  }
  return ET_STATUS_OK;
}

static et_status fail_value(et_error *error, uint32_t index,
                            const char *reason) {
  return et_fail(error, ET_STATUS_DELEGATE_INCOMPATIBLE,
                 "payload: values[%u] %s", (unsigned)index, reason);
}

/* Returns true if all dims of the value are constants. */
static bool is_constant(const et_cpu_payload *payload,
                        const et_cpu_value *value) {
  for (uint32_t i = 0; i < value->rank; i++) {
    const uint32_t dim = et_cpu_word(payload, value->dims_at + i);
    if (et_cpu_dim_at(payload, dim).op != ET_CPU_DIM_OP_CONST) {
      return false;
    }
  }
  return true;
}

static void fill_tensors(et_cpu_handle *handle) {
  size_t at = handle->payload.values_at;
  et_cpu_value value = {.rank = 0};
  for (uint32_t i = 0; i < handle->payload.value_count; i++) {
    et_cpu_read_value(&handle->payload, &at, &value);
    const et_cpu_tensor tensor = {
        .rank = (uint8_t)value.rank,
        .dtype = (uint8_t)value.dtype,
        .place = (uint8_t)value.place,
        .is_static = is_constant(&handle->payload, &value),
    };
    const et_cpu_slot slot = {value.offset, value.index};
    handle->tensors[i] = tensor;
    handle->slots[i] = slot;
  }
}

static size_t argument_count(const et_cpu_handle *handle) {
  return (size_t)handle->payload.input_count + handle->payload.output_count;
}

/* Records the kind of an argument. Returns false if it is used as both int and tensor. */
static bool use_as(et_cpu_argument *argument, et_cpu_argument_kind kind) {
  if (argument->kind != ET_CPU_UNUSED && argument->kind != kind) {
    return false;
  }
  argument->kind = (uint8_t)kind;
  return true;
}

static et_status use_in_dims(et_cpu_handle *handle, et_error *error) {
  for (uint32_t i = 0; i < handle->payload.dim_count; i++) {
    const et_cpu_dim dim = et_cpu_dim_at(&handle->payload, i);
    if ((dim.op == ET_CPU_DIM_OP_INT &&
         !use_as(&handle->arguments[dim.a], ET_CPU_INT)) ||
        (dim.op == ET_CPU_DIM_OP_SIZE &&
         !use_as(&handle->arguments[dim.a], ET_CPU_TENSOR))) {
      return et_fail(
          error, ET_STATUS_DELEGATE_INCOMPATIBLE,
          "payload: dims[%u]: argument is used as both int and tensor",
          (unsigned)i);
    }
  }
  return ET_STATUS_OK;
}

/* Returns true if the lowest `rank` 4-bit digits are a permutation and the others are 0. */
static bool is_permutation(uint32_t order, uint32_t rank) {
  uint32_t seen = 0;
  for (uint32_t i = 0; i < rank; i++) {
    seen |= 1u << (order >> 4 * i & 15);
  }
  return seen == (1u << rank) - 1 &&
         (rank == ET_CPU_MAX_RANK || order >> 4 * rank == 0);
}

/* Returns true if the value may refer to the argument. The first value of an argument defines its
 * dtype and order. The others are views with the same number of elements. Calls check the numbers
 * of elements of dynamic values, whose maxima can differ. */
static bool fits_argument(et_cpu_handle *handle, uint32_t index,
                          const et_cpu_value *value,
                          et_cpu_argument *argument) {
  if (!use_as(argument, ET_CPU_TENSOR)) {
    return false;
  }
  if (argument->value == ET_CPU_NO_VALUE) {
    argument->value = index;
    argument->order = value->order;
    return is_permutation(value->order, value->rank);
  }
  const et_cpu_tensor *first = &handle->tensors[argument->value];
  const et_cpu_tensor *view = &handle->tensors[index];
  const bool is_static = first->is_static && view->is_static;
  return first->dtype == view->dtype &&
         (!is_static || first->numel == view->numel);
}

static bool fits_place(et_cpu_handle *handle, uint32_t index,
                       const et_cpu_value *value) {
  const et_cpu_payload *payload = &handle->payload;
  const size_t bytes = handle->tensors[index].bytes;
  switch ((et_cpu_place)value->place) {
    case ET_CPU_PLACE_INPUT:
    case ET_CPU_PLACE_STATE:
      return (value->place == ET_CPU_PLACE_STATE) ==
                 (value->index >= payload->first_state) &&
             fits_argument(handle, index, value,
                           &handle->arguments[value->index]);
    case ET_CPU_PLACE_OUTPUT:
      return fits_argument(
          handle, index, value,
          &handle->arguments[payload->input_count + value->index]);
    case ET_CPU_PLACE_SCRATCH:
      return et_range_in(value->offset, bytes, payload->scratch_bytes);
    default:
      return handle->tensors[index].is_static &&
             et_range_in(value->offset, bytes,
                         et_cpu_data_at(payload, value->index).bytes);
  }
}

static et_status check_places(et_cpu_handle *handle, et_error *error) {
  size_t at = handle->payload.values_at;
  et_cpu_value value = {.rank = 0};
  for (uint32_t i = 0; i < handle->payload.value_count; i++) {
    et_cpu_read_value(&handle->payload, &at, &value);
    if (!fits_place(handle, i, &value)) {
      return fail_value(error, i, "does not fit in its memory region");
    }
  }
  return ET_STATUS_OK;
}

/* Checks that each state has a value. States are the last inputs. */
static et_status check_states(const et_cpu_handle *handle, et_error *error) {
  const et_cpu_payload *payload = &handle->payload;
  for (uint32_t i = payload->first_state; i < payload->input_count; i++) {
    if (handle->arguments[i].value == ET_CPU_NO_VALUE) {
      return et_fail(error, ET_STATUS_DELEGATE_INCOMPATIBLE,
                     "payload: input %u follows a state but is not a state",
                     (unsigned)i);
    }
  }
  return ET_STATUS_OK;
}

static et_status fill_arguments(et_cpu_handle *handle, et_error *error) {
  const et_cpu_argument unused = {ET_CPU_NO_VALUE, 0, ET_CPU_UNUSED};
  for (size_t i = 0; i < argument_count(handle); i++) {
    handle->arguments[i] = unused;
  }
  ET_RETURN_IF_ERROR(use_in_dims(handle, error));
  ET_RETURN_IF_ERROR(check_places(handle, error));
  return check_states(handle, error);
}

/* Finds a piece of named data and checks its size and alignment. */
static et_status find_data(const et_backend_context *context,
                           const et_cpu_data *data, et_span *out) {
  ET_RETURN_IF_ERROR(
      context->find_data(context, data->key, out, context->error));
  if (out->size != data->bytes) {
    return et_fail(context->error, ET_STATUS_DELEGATE_INCOMPATIBLE,
                   "named data has %zu bytes, expected %u", out->size,
                   (unsigned)data->bytes);
  }
  return (uintptr_t)out->data % ET_CPU_ALIGNMENT == 0
             ? ET_STATUS_OK
             : et_fail(context->error, ET_STATUS_INVALID_ARGUMENT,
                       "named data is not aligned; load the program at an "
                       "address aligned to %d bytes",
                       ET_CPU_ALIGNMENT);
}

/* Sets the data pointers of all values in named-data entry `index`. */
static void place_data(et_cpu_handle *handle, uint32_t index, et_span bytes) {
  for (uint32_t i = 0; i < handle->payload.value_count; i++) {
    et_cpu_tensor *tensor = &handle->tensors[i];
    const et_cpu_slot slot = handle->slots[i];
    if (tensor->place == ET_CPU_PLACE_DATA && slot.index == index) {
      tensor->data = (void *)((uintptr_t)bytes.data + slot.offset);
    }
  }
}

static et_status fill_data(const et_backend_context *context,
                           et_cpu_handle *handle) {
  for (uint32_t i = 0; i < handle->payload.data_count; i++) {
    const et_cpu_data data = et_cpu_data_at(&handle->payload, i);
    et_span bytes = {NULL, 0};
    ET_RETURN_IF_ERROR(find_data(context, &data, &bytes));
    place_data(handle, i, bytes);
  }
  return ET_STATUS_OK;
}

/* Returns NULL if the op type is not linked. */
static const et_cpu_op_type *find_op_type(const et_backend_context *context,
                                          uint32_t code) {
  for (size_t i = 0; i < context->part_count; i++) {
    if (context->parts[i]->id == code) {
      return context->parts[i]->content;
    }
  }
  return NULL;
}

/* Next free elements of the regions that all ops share. */
typedef struct op_workspace {
  et_cpu_tensor **tensors;
  const int32_t **dims;
  uint32_t *attributes;
} op_workspace;

static void fill_op(et_cpu_handle *handle, const et_cpu_op_record *record,
                    op_workspace *next, et_cpu_op *out) {
  const et_cpu_payload *payload = &handle->payload;
  const et_cpu_op op = {
      .type = out->type,
      .tensors = next->tensors,
      .dims = next->dims,
      .attributes = next->attributes,
      .input_count = (uint16_t)record->input_count,
      .output_count = (uint16_t)record->output_count,
      .workspace_count = (uint16_t)record->workspace_count,
      .dim_count = (uint16_t)record->dim_count,
      .attribute_count = (uint16_t)record->attribute_count,
  };
  for (uint32_t i = 0; i < record->tensor_count; i++) {
    const uint32_t value = et_cpu_word(payload, record->tensors_at + i);
    *next->tensors++ = &handle->tensors[value];
  }
  for (uint32_t i = 0; i < record->dim_count; i++) {
    const uint32_t dim = et_cpu_word(payload, record->dims_at + i);
    *next->dims++ = &handle->dims[dim];
  }
  for (uint32_t i = 0; i < record->attribute_count; i++) {
    *next->attributes++ = et_cpu_word(payload, record->attributes_at + i);
  }
  *out = op;
}

static et_status fill_ops(const et_backend_context *context,
                          et_cpu_handle *handle) {
  size_t at = handle->payload.ops_at;
  et_cpu_op_record record = {.kind = 0};
  op_workspace next = {handle->tensor_refs, handle->dim_refs,
                       handle->attributes};
  for (uint32_t i = 0; i < handle->payload.op_count; i++) {
    et_cpu_read_op(&handle->payload, &at, &record);
    handle->ops[i].type = find_op_type(context, record.kind);
    if (handle->ops[i].type == NULL) {
      return et_fail(context->error, ET_STATUS_DELEGATE_INCOMPATIBLE,
                     "payload: ops[%u] is op %u, which is not linked",
                     (unsigned)i, (unsigned)record.kind);
    }
    fill_op(handle, &record, &next, &handle->ops[i]);
  }
  return ET_STATUS_OK;
}

et_status et_cpu_build(const et_backend_context *context,
                       et_cpu_handle *handle) {
  et_cpu_dims_to_maxima(handle);
  fill_tensors(handle);
  ET_RETURN_IF_ERROR(et_cpu_tensors_update(handle, context->error));
  ET_RETURN_IF_ERROR(fill_arguments(handle, context->error));
  ET_RETURN_IF_ERROR(fill_data(context, handle));
  return fill_ops(context, handle);
}
