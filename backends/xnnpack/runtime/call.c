#include "backends/xnnpack/runtime/handle.h"

#include <string.h>

#include "backends/xnnpack/runtime/builder.h"
#include "backends/xnnpack/runtime/recent.h"

static et_status fail_argument(et_error *error, size_t index,
                               const char *reason) {
  return et_fail(error, ET_STATUS_INVALID_ARGUMENT, "argument %zu %s", index,
                 reason);
}

static const et_cpu_tensor *value_of(const et_xnn_handle *handle,
                                     size_t index) {
  return &handle->tensors[handle->arguments[index]];
}

static bool is_output(const et_xnn_handle *handle, size_t index) {
  return value_of(handle, index)->place == ET_CPU_PLACE_OUTPUT;
}

/* Returns true if the argument is a scalar and the value has one dimension. */
static bool is_scalar_argument(const et_cpu_tensor *value,
                               const et_tensor *tensor) {
  return tensor->rank == 0 && value->rank == 1;
}

static bool fits_dtype(const et_cpu_tensor *value, const et_tensor *tensor) {
  return tensor->dtype == (et_scalar_type)value->dtype ||
         (value->dtype == ET_SCALAR_TYPE_INT32 &&
          value->place == ET_CPU_PLACE_OUTPUT &&
          tensor->dtype == ET_SCALAR_TYPE_INT64);
}

static et_status check_argument(const et_xnn_handle *handle, size_t index,
                                const et_value *arg, et_error *error) {
  if (arg->tag != ET_VALUE_TENSOR) {
    return fail_argument(error, index, "is not a tensor");
  }
  const et_tensor *tensor = arg->u.as_tensor;
  const et_cpu_tensor *value = value_of(handle, index);
  if (!fits_dtype(value, tensor)) {
    return fail_argument(error, index, "has the wrong dtype");
  }
  if (tensor->rank != value->rank && !is_scalar_argument(value, tensor)) {
    return fail_argument(error, index, "has the wrong rank");
  }
  return ET_STATUS_OK;
}

static et_status check_arguments(const et_xnn_handle *handle, et_value **args,
                                 size_t count, et_error *error) {
  const uint32_t expected = handle->graph.external_count;
  if (count != expected) {
    return et_fail(error, ET_STATUS_INVALID_PROGRAM,
                   "%zu arguments, expected %u", count, (unsigned)expected);
  }
  for (size_t i = 0; i < count; i++) {
    ET_RETURN_IF_ERROR(check_argument(handle, i, args[i], error));
  }
  return ET_STATUS_OK;
}

/* Returns the size of a dimension. Dimensions are in memory order, as in values. */
static int32_t size_at(const et_tensor *tensor, uint8_t dim) {
  return tensor->rank == 0 ? 1 : tensor->sizes[tensor->dim_order[dim]];
}

static bool set_input(et_cpu_tensor *value, const et_tensor *tensor) {
  bool is_same = true;
  for (uint8_t i = 0; i < value->rank; i++) {
    is_same = is_same && value->sizes[i] == size_at(tensor, i);
    value->sizes[i] = size_at(tensor, i);
  }
  value->numel = tensor->numel;
  value->bytes = tensor->numel * et_scalar_type_size(value->dtype);
  return is_same;
}

static et_status set_inputs(et_xnn_handle *handle, et_value **args,
                            et_error *error) {
  for (uint32_t i = 0; i < handle->graph.external_count; i++) {
    const uint32_t id = handle->arguments[i];
    const et_tensor *tensor = args[i]->u.as_tensor;
    if (is_output(handle, i)) {
      continue;
    }
    if (!set_input(&handle->tensors[id], tensor)) {
      handle->is_current = false;
    }
    if (handle->tensors[id].bytes > handle->slots[id].capacity) {
      handle->is_current = false;
      return fail_argument(error, i, "is larger than the payload allows");
    }
    if (tensor->data == NULL && tensor->numel != 0) {
      return fail_argument(error, i, "has no data");
    }
  }
  return ET_STATUS_OK;
}

/* Runs the rules again for the current sizes of the inputs. */
static et_status update(et_xnn_handle *handle, et_error *error) {
  et_xnn_builder b = {.mode = ET_XNN_RESIZE,
                      .options = handle->options,
                      .graph = &handle->graph,
                      .handle = handle,
                      .error = error,
                      .used = {.tensors = et_fb_count(handle->graph.values)}};
  et_xnn_recent recent;
  if (handle->is_current) {
    return ET_STATUS_OK;
  }
  et_xnn_attach_caches(&handle->graph, &recent);
  const et_status status = et_xnn_apply_all(&b);
  handle->graph.recent = NULL;
  ET_RETURN_IF_ERROR(status);
  handle->is_current = true;
  return ET_STATUS_OK;
}

static et_status resize_output(const et_cpu_tensor *value, size_t index,
                               et_tensor *tensor, et_error *error) {
  int32_t sizes[ET_CPU_MAX_RANK] = {0};
  for (uint8_t i = 0; i < tensor->rank; i++) {
    sizes[tensor->dim_order[i]] = value->sizes[i];
  }
  ET_RETURN_IF_ERROR(et_tensor_resize(tensor, sizes, tensor->rank, error));
  if (tensor->numel != value->numel) {
    return fail_argument(error, index,
                         "is a scalar, but more elements are expected");
  }
  return tensor->data != NULL || tensor->numel == 0
             ? ET_STATUS_OK
             : fail_argument(error, index, "has no data");
}

static et_status resize_outputs(const et_xnn_handle *handle, et_value **args,
                                et_error *error) {
  for (uint32_t i = 0; i < handle->graph.external_count; i++) {
    if (is_output(handle, i)) {
      ET_RETURN_IF_ERROR(
          resize_output(value_of(handle, i), i, args[i]->u.as_tensor, error));
    }
  }
  return ET_STATUS_OK;
}

static void bind_tensor(et_cpu_tensor *tensor, const et_xnn_slot *slot,
                        et_mutable_span scratch, et_value **args) {
  switch ((et_cpu_place)slot->place) {
    case ET_CPU_PLACE_INPUT:
    case ET_CPU_PLACE_OUTPUT:
      tensor->data = args[slot->argument]->u.as_tensor->data;
      break;
    case ET_CPU_PLACE_SCRATCH:
      tensor->data = slot->capacity != 0 ? scratch.data + slot->offset : NULL;
      break;
    default:
      break; /* constant data, set at load time */
  }
}

et_status et_xnn_bind(et_xnn_handle *handle, et_mutable_span scratch,
                      et_value **args, size_t count, et_error *error) {
  if (scratch.size < handle->scratch_bytes) {
    return et_fail(error, ET_STATUS_MEMORY_TOO_SMALL,
                   "%zu bytes of scratch, expected at least %zu", scratch.size,
                   handle->scratch_bytes);
  }
  ET_RETURN_IF_ERROR(check_arguments(handle, args, count, error));
  ET_RETURN_IF_ERROR(set_inputs(handle, args, error));
  ET_RETURN_IF_ERROR(update(handle, error));
  ET_RETURN_IF_ERROR(resize_outputs(handle, args, error));
  for (uint32_t i = 0; i < handle->counts.tensors; i++) {
    bind_tensor(&handle->tensors[i], &handle->slots[i], scratch, args);
    if (handle->tensors[i].data == NULL) {
      /* The tensor is empty, but memcpy requires a valid pointer. */
      handle->tensors[i].data = handle;
    }
  }
  return ET_STATUS_OK;
}

/* Iterates backward because each int64 element overwrites two int32 elements. */
static void widen(et_tensor *tensor) {
  for (size_t i = tensor->numel; i-- > 0;) {
    int32_t place = 0;
    memcpy(&place, (char *)tensor->data + i * sizeof place, sizeof place);
    const int64_t wide = place;
    memcpy((char *)tensor->data + i * sizeof wide, &wide, sizeof wide);
  }
}

void et_xnn_finish(const et_xnn_handle *handle, et_value **args) {
  for (uint32_t i = 0; i < handle->graph.external_count; i++) {
    et_tensor *tensor = args[i]->u.as_tensor;
    if (value_of(handle, i)->dtype == ET_SCALAR_TYPE_INT32 &&
        tensor->dtype == ET_SCALAR_TYPE_INT64) {
      widen(tensor);
    }
  }
}
