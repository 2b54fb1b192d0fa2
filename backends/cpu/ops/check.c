#include "backends/cpu/ops/check.h"

et_status et_cpu_check_same_batch(const et_cpu_op *op, const et_cpu_tensor *x,
                                  const et_cpu_tensor *y, et_error *error) {
  ET_CPU_CHECK(error, x->sizes[0] == y->sizes[0],
               "%s: input has %d images, but output has %d",
               op->type->schema->name, (int)x->sizes[0], (int)y->sizes[0]);
  return ET_STATUS_OK;
}

et_status et_cpu_check_same_channels(const et_cpu_op *op,
                                     const et_cpu_tensor *x,
                                     const et_cpu_tensor *y, et_error *error) {
  const int32_t *in = x->sizes;
  const int32_t *out = y->sizes;
  ET_CPU_CHECK(
      error, in[0] == out[0] && in[3] == out[3],
      "%s: input has %d images of %d channels, but output has %d of %d",
      op->type->schema->name, (int)in[0], (int)in[3], (int)out[0], (int)out[3]);
  return ET_STATUS_OK;
}

size_t et_cpu_tensor_index(const et_cpu_op *op, const et_cpu_tensor *tensor) {
  size_t index = 0;
  while (op->tensors[index] != tensor) {
    index++;
  }
  return index;
}

et_status et_cpu_check_rank(const et_cpu_op *op, const et_cpu_tensor *tensor,
                            uint8_t rank, et_error *error) {
  ET_CPU_CHECK(error, tensor->rank == rank,
               "%s: tensor %zu has %d dims, expected %d",
               op->type->schema->name, et_cpu_tensor_index(op, tensor),
               (int)tensor->rank, (int)rank);
  return ET_STATUS_OK;
}

et_status et_cpu_check_shape(const et_cpu_op *op, const et_cpu_tensor *tensor,
                             uint8_t rank, const int64_t *sizes,
                             et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_check_rank(op, tensor, rank, error));
  for (uint8_t i = 0; i < rank; i++) {
    ET_CPU_CHECK(error, tensor->sizes[i] == sizes[i],
                 "%s: tensor %zu, dim %d is %d, expected %lld",
                 op->type->schema->name, et_cpu_tensor_index(op, tensor),
                 (int)i, (int)tensor->sizes[i], (long long)sizes[i]);
  }
  return ET_STATUS_OK;
}

et_status et_cpu_check_dtype(const et_cpu_op *op, const et_cpu_tensor *tensor,
                             et_scalar_type dtype, et_error *error) {
  ET_CPU_CHECK(error, tensor->dtype == dtype,
               "%s: tensor %zu is %s, expected %s", op->type->schema->name,
               et_cpu_tensor_index(op, tensor),
               et_scalar_type_name(tensor->dtype), et_scalar_type_name(dtype));
  return ET_STATUS_OK;
}

et_status et_cpu_check_elements(const et_cpu_op *op,
                                const et_cpu_tensor *tensor, int64_t numel,
                                et_error *error) {
  ET_CPU_CHECK(error, (int64_t)tensor->numel == numel,
               "%s: tensor %zu has %zu elements, expected %lld",
               op->type->schema->name, et_cpu_tensor_index(op, tensor),
               tensor->numel, (long long)numel);
  return ET_STATUS_OK;
}

et_status et_cpu_check_panels(const et_cpu_op *op, const et_cpu_tensor *weights,
                              const et_cpu_tensor *bias, int64_t depth,
                              int64_t columns, et_error *error) {
  const int64_t panels = (columns + ET_CPU_PANEL - 1) / ET_CPU_PANEL;
  const int64_t packed[3] = {panels, depth, ET_CPU_PANEL};
  ET_RETURN_IF_ERROR(et_cpu_check_shape(op, weights, 3, packed, error));
  return et_cpu_check_elements(op, bias, panels * ET_CPU_PANEL, error);
}

et_status et_cpu_check_alike(const et_cpu_op *op, const et_cpu_tensor *tensor,
                             const et_cpu_tensor *other, et_error *error) {
  int64_t sizes[ET_CPU_MAX_RANK];
  ET_RETURN_IF_ERROR(
      et_cpu_check_dtype(op, tensor, (et_scalar_type)other->dtype, error));
  for (uint8_t i = 0; i < other->rank; i++) {
    sizes[i] = other->sizes[i];
  }
  return et_cpu_check_shape(op, tensor, other->rank, sizes, error);
}

et_status et_cpu_check_same_rows(const et_cpu_op *op,
                                 const et_cpu_tensor *tensor,
                                 const et_cpu_tensor *other, et_error *error) {
  int64_t sizes[ET_CPU_MAX_RANK];
  for (uint8_t i = 0; i < other->rank; i++) {
    sizes[i] = other->sizes[i];
  }
  if (tensor->rank == other->rank) {
    sizes[other->rank - 1] = tensor->sizes[other->rank - 1];
  }
  return et_cpu_check_shape(op, tensor, other->rank, sizes, error);
}
