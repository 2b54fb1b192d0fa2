#include "backends/cpu/runtime/handle.h"

static et_status fail_argument(et_error *error, size_t index,
                               const char *reason) {
  return et_fail(error, ET_STATUS_INVALID_ARGUMENT, "argument %zu %s", index,
                 reason);
}

static uint8_t order_at(uint32_t order, size_t i) {
  return (uint8_t)(order >> 4 * i & 15);
}

static bool has_order(const et_tensor *tensor, uint32_t order) {
  for (size_t i = 0; i < tensor->rank; i++) {
    if (tensor->dim_order[i] != order_at(order, i)) {
      return false;
    }
  }
  return true;
}

/* Checks that the tensor has the expected dtype, rank and dim order. Its sizes are checked
 * later. */
static et_status check_tensor(const et_cpu_handle *handle, size_t index,
                              const et_tensor *tensor, et_error *error) {
  const et_cpu_argument *argument = &handle->arguments[index];
  if (argument->value == ET_CPU_NO_VALUE) {
    return ET_STATUS_OK;
  }
  const et_cpu_tensor *value = &handle->tensors[argument->value];
  if (tensor->dtype != (et_scalar_type)value->dtype) {
    return fail_argument(error, index, "has the wrong dtype");
  }
  if (tensor->rank != value->rank || !has_order(tensor, argument->order)) {
    return fail_argument(error, index, "has the wrong rank or dim order");
  }
  return tensor->data != NULL || tensor->numel == 0
             ? ET_STATUS_OK
             : fail_argument(error, index, "has no data");
}

static et_status check_argument(const et_cpu_handle *handle, size_t index,
                                const et_value *arg, et_error *error) {
  const uint8_t kind = handle->arguments[index].kind;
  if (kind == ET_CPU_INT) {
    return arg->tag == ET_VALUE_INT
               ? ET_STATUS_OK
               : fail_argument(error, index, "is not an int");
  }
  if (kind == ET_CPU_UNUSED) {
    return ET_STATUS_OK;
  }
  return arg->tag == ET_VALUE_TENSOR
             ? check_tensor(handle, index, arg->u.as_tensor, error)
             : fail_argument(error, index, "is not a tensor");
}

static et_status check_arguments(const et_cpu_handle *handle, et_value **args,
                                 size_t count, et_error *error) {
  const size_t expected =
      (size_t)handle->payload.input_count + handle->payload.output_count;
  if (count != expected) {
    return et_fail(error, ET_STATUS_INVALID_PROGRAM,
                   "%zu arguments, expected %zu", count, expected);
  }
  for (size_t i = 0; i < count; i++) {
    ET_RETURN_IF_ERROR(check_argument(handle, i, args[i], error));
  }
  return ET_STATUS_OK;
}

/* Returns the sizes of an argument in logical order. The dims of its first value are in memory
 * order. */
static void logical_sizes(const et_cpu_handle *handle, size_t index,
                          int32_t sizes[ET_CPU_MAX_RANK]) {
  const et_cpu_argument *argument = &handle->arguments[index];
  const et_cpu_tensor *value = &handle->tensors[argument->value];
  for (size_t i = 0; i < value->rank; i++) {
    sizes[order_at(argument->order, i)] = value->sizes[i];
  }
}

static et_status check_input_sizes(const et_cpu_handle *handle, et_value **args,
                                   et_error *error) {
  for (size_t i = 0; i < handle->payload.input_count; i++) {
    int32_t sizes[ET_CPU_MAX_RANK];
    if (handle->arguments[i].value == ET_CPU_NO_VALUE) {
      continue;
    }
    const et_tensor *tensor = args[i]->u.as_tensor;
    logical_sizes(handle, i, sizes);
    for (size_t k = 0; k < tensor->rank; k++) {
      if (tensor->sizes[k] != sizes[k]) {
        return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                       "argument %zu, dim %zu is %d, expected %d", i, k,
                       (int)tensor->sizes[k], (int)sizes[k]);
      }
    }
  }
  return ET_STATUS_OK;
}

/* Checks that all views of an argument have the same number of elements. The dims do not ensure
 * this. */
static et_status check_views(const et_cpu_handle *handle, et_error *error) {
  const et_cpu_payload *payload = &handle->payload;
  for (uint32_t i = 0; i < payload->value_count; i++) {
    const et_cpu_tensor *view = &handle->tensors[i];
    if (view->place == ET_CPU_PLACE_SCRATCH ||
        view->place == ET_CPU_PLACE_DATA) {
      continue;
    }
    const size_t skipped =
        view->place == ET_CPU_PLACE_OUTPUT ? payload->input_count : 0;
    const uint32_t first =
        handle->arguments[skipped + handle->slots[i].index].value;
    if (view->numel != handle->tensors[first].numel) {
      return et_fail(
          error, ET_STATUS_INVALID_ARGUMENT,
          "values[%u] and its argument have different numbers of elements",
          (unsigned)i);
    }
  }
  return ET_STATUS_OK;
}

/* Updates dims and tensors, and repeats the checks, for the sizes of the arguments. */
static et_status update_sizes(et_cpu_handle *handle, et_value **args,
                              et_error *error) {
  if (handle->is_static) {
    return ET_STATUS_OK;
  }
  ET_RETURN_IF_ERROR(et_cpu_dims_update(handle, args, error));
  if (handle->is_current) {
    return ET_STATUS_OK;
  }
  ET_RETURN_IF_ERROR(et_cpu_tensors_update(handle, error));
  ET_RETURN_IF_ERROR(check_views(handle, error));
  ET_RETURN_IF_ERROR(et_cpu_verify_call(handle, error));
  handle->is_current = true;
  return ET_STATUS_OK;
}

static et_status resize_outputs(const et_cpu_handle *handle, et_value **args,
                                et_error *error) {
  const size_t first = handle->payload.input_count;
  for (size_t i = first; i < first + handle->payload.output_count; i++) {
    int32_t sizes[ET_CPU_MAX_RANK];
    et_tensor *tensor = args[i]->u.as_tensor;
    logical_sizes(handle, i, sizes);
    ET_RETURN_IF_ERROR(et_tensor_resize(tensor, sizes, tensor->rank, error));
    ET_RETURN_IF_ERROR(check_tensor(handle, i, tensor, error));
  }
  return ET_STATUS_OK;
}

static void bind_tensor(const et_cpu_handle *handle, uint32_t index,
                        et_mutable_span scratch, et_value **args) {
  et_cpu_tensor *tensor = &handle->tensors[index];
  const et_cpu_slot slot = handle->slots[index];
  switch ((et_cpu_place)tensor->place) {
    case ET_CPU_PLACE_INPUT:
    case ET_CPU_PLACE_STATE:
      tensor->data = args[slot.index]->u.as_tensor->data;
      break;
    case ET_CPU_PLACE_OUTPUT:
      tensor->data =
          args[handle->payload.input_count + slot.index]->u.as_tensor->data;
      break;
    case ET_CPU_PLACE_SCRATCH:
      tensor->data = tensor->bytes != 0 ? scratch.data + slot.offset : NULL;
      break;
    default:
      break; /* constant data, set at load time */
  }
}

et_status et_cpu_bind(et_cpu_handle *handle, et_mutable_span scratch,
                      et_value **args, size_t count, et_error *error) {
  if (scratch.size < handle->payload.scratch_bytes) {
    return et_fail(error, ET_STATUS_MEMORY_TOO_SMALL,
                   "%zu bytes of scratch, expected at least %u", scratch.size,
                   (unsigned)handle->payload.scratch_bytes);
  }
  ET_RETURN_IF_ERROR(check_arguments(handle, args, count, error));
  ET_RETURN_IF_ERROR(update_sizes(handle, args, error));
  ET_RETURN_IF_ERROR(check_input_sizes(handle, args, error));
  ET_RETURN_IF_ERROR(resize_outputs(handle, args, error));
  for (uint32_t i = 0; i < handle->payload.value_count; i++) {
    bind_tensor(handle, i, scratch, args);
    if (handle->tensors[i].data == NULL) {
      /* The tensor is empty, but memcpy requires a valid pointer. */
      handle->tensors[i].data = handle;
    }
  }
  return ET_STATUS_OK;
}
