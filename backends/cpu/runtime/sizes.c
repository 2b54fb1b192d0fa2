#include "backends/cpu/runtime/handle.h"

#include "executorch/checked.h"
#include "executorch/scalar_type.h"

void et_cpu_dims_to_maxima(et_cpu_handle *handle) {
  handle->is_static = true;
  for (uint32_t i = 0; i < handle->payload.dim_count; i++) {
    const et_cpu_dim dim = et_cpu_dim_at(&handle->payload, i);
    handle->dims[i] = (int32_t)dim.maximum;
    handle->is_static = handle->is_static && dim.op == ET_CPU_DIM_OP_CONST;
  }
}

/* Returns -1, which is not a valid dim, for a division by zero. */
static int64_t divide(const et_cpu_dim *dim, int64_t a, int64_t b) {
  if (b == 0) {
    return -1;
  }
  return dim->op == ET_CPU_DIM_OP_FLOORDIV ? a / b : a % b;
}

/* Combines dims a and b. Both are in 0..INT32_MAX, so the result fits in int64. */
static int64_t combine(const et_cpu_dim *dim, int64_t a, int64_t b) {
  switch ((et_cpu_dim_op)dim->op) {
    case ET_CPU_DIM_OP_ADD:
      return a + b;
    case ET_CPU_DIM_OP_SUB:
      return a - b;
    case ET_CPU_DIM_OP_MUL:
      return a * b;
    case ET_CPU_DIM_OP_MIN:
      return a < b ? a : b;
    case ET_CPU_DIM_OP_MAX:
      return a > b ? a : b;
    default:
      return divide(dim, a, b);
  }
}

static int64_t size_of(const et_tensor *tensor, uint32_t dimension) {
  return dimension < tensor->rank ? tensor->sizes[dimension] : -1;
}

static int64_t evaluate(const et_cpu_handle *handle, const et_cpu_dim *dim,
                        et_value **args) {
  switch ((et_cpu_dim_op)dim->op) {
    case ET_CPU_DIM_OP_CONST:
      return dim->a;
    case ET_CPU_DIM_OP_SIZE:
      return size_of(args[dim->a]->u.as_tensor, dim->b);
    case ET_CPU_DIM_OP_INT:
      return args[dim->a]->u.as_int;
    default:
      return combine(dim, handle->dims[dim->a], handle->dims[dim->b]);
  }
}

et_status et_cpu_dims_update(et_cpu_handle *handle, et_value **args,
                             et_error *error) {
  for (uint32_t i = 0; i < handle->payload.dim_count; i++) {
    const et_cpu_dim dim = et_cpu_dim_at(&handle->payload, i);
    const int64_t value = evaluate(handle, &dim, args);
    if (value < 0 || value > dim.maximum) {
      handle->is_current = false;
      return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                     "dims[%u] is %lld, expected 0 to %u", (unsigned)i,
                     (long long)value, (unsigned)dim.maximum);
    }
    handle->is_current = handle->is_current && handle->dims[i] == value;
    handle->dims[i] = (int32_t)value;
  }
  return ET_STATUS_OK;
}

/* Returns false if the tensor has more than INT32_MAX elements, or if its bytes overflow size_t. */
static bool update_tensor(et_cpu_handle *handle, const et_cpu_value *value,
                          et_cpu_tensor *tensor) {
  uint64_t numel = 1;
  for (uint32_t i = 0; i < value->rank; i++) {
    const int32_t size =
        handle->dims[et_cpu_word(&handle->payload, value->dims_at + i)];
    handle->is_written &= tensor->sizes[i] == size;
    tensor->sizes[i] = size;
    numel *= (uint64_t)size;
    if (numel > INT32_MAX) {
      return false;
    }
  }
  tensor->numel = (size_t)numel;
  return et_checked_mul(tensor->numel, et_scalar_type_size(tensor->dtype),
                        &tensor->bytes);
}

et_status et_cpu_tensors_update(et_cpu_handle *handle, et_error *error) {
  size_t at = handle->payload.values_at;
  for (uint32_t i = 0; i < handle->payload.value_count; i++) {
    et_cpu_value value;
    if (!et_cpu_read_value(&handle->payload, &at, &value) ||
        !update_tensor(handle, &value, &handle->tensors[i])) {
      return et_fail(error, ET_STATUS_DELEGATE_INCOMPATIBLE,
                     "payload: values[%u] has too many elements", (unsigned)i);
    }
  }
  return ET_STATUS_OK;
}
