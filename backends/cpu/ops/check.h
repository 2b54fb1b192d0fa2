/* What the checks of several kinds have in common. */
#ifndef BACKENDS_CPU_OPS_CHECK_H_
#define BACKENDS_CPU_OPS_CHECK_H_

#include <stdbool.h>

#include "backends/cpu/ops/op.h"

/* Returns from a check with a formatted message unless `condition` holds. */
#define ET_CPU_CHECK(error, condition, ...)                                \
  do {                                                                     \
    if (!(condition)) {                                                    \
      return et_fail(error, ET_STATUS_DELEGATE_INCOMPATIBLE, __VA_ARGS__); \
    }                                                                      \
  } while (0)

/* ---- Relations between tensors, whose dtypes and ranks the schema declares ---- */

/* Checks that `tensor` of `op` has rank `rank` and these sizes. */
et_status et_cpu_check_shape(const et_cpu_op *op, const et_cpu_tensor *tensor,
                             uint8_t rank, const int64_t *sizes,
                             et_error *error);

/* Checks that `tensor` of `op` has scalar type `dtype`. */
et_status et_cpu_check_dtype(const et_cpu_op *op, const et_cpu_tensor *tensor,
                             et_scalar_type dtype, et_error *error);

/* Checks that `tensor` of `op` has `numel` elements. */
et_status et_cpu_check_elements(const et_cpu_op *op,
                                const et_cpu_tensor *tensor, int64_t numel,
                                et_error *error);

/* Checks that `tensor` of `op` has the rank, sizes and dtype of `other`. */
et_status et_cpu_check_alike(const et_cpu_op *op, const et_cpu_tensor *tensor,
                             const et_cpu_tensor *other, et_error *error);

/* Checks that `tensor` of `op` is `other` but for the last size. */
et_status et_cpu_check_same_rows(const et_cpu_op *op,
                                 const et_cpu_tensor *tensor,
                                 const et_cpu_tensor *other, et_error *error);

/* Checks that x and y, tensors of at least one dim, are batches of the same size. */
et_status et_cpu_check_same_batch(const et_cpu_op *op, const et_cpu_tensor *x,
                                  const et_cpu_tensor *y, et_error *error);

/* Checks that x and y, [B, H, W, C], have the same batch size and channels. */
et_status et_cpu_check_same_channels(const et_cpu_op *op,
                                     const et_cpu_tensor *x,
                                     const et_cpu_tensor *y, et_error *error);

/* Returns the index of `tensor` among the tensors of `op`, for messages. */
size_t et_cpu_tensor_index(const et_cpu_op *op, const et_cpu_tensor *tensor);

/* ---- Checks of ops without a schema ---- */

/* What a kind takes: numbers of tensors, dims and attributes. */
typedef struct et_cpu_counts {
  uint16_t inputs_least;
  uint16_t inputs_most;
  uint16_t outputs;
  uint16_t more_outputs; /* than that there may be */
  uint16_t workspaces;
  uint16_t dims;
  uint16_t attributes;
} et_cpu_counts;

et_status et_cpu_check_counts(const et_cpu_op *op, const et_cpu_counts *counts,
                              et_error *error);

/* That tensor `index` of the op has this dtype and rank. */
et_status et_cpu_check_tensor(const et_cpu_op *op, size_t index,
                              et_scalar_type dtype, uint8_t rank,
                              et_error *error);

/* That tensor `index` is of this dtype and has these sizes. */
et_status et_cpu_check_sizes(const et_cpu_op *op, size_t index,
                             et_scalar_type dtype, uint8_t rank,
                             const int64_t *sizes, et_error *error);

/* That tensor `index` has this dtype and this many elements, of any rank. */
et_status et_cpu_check_numel(const et_cpu_op *op, size_t index,
                             et_scalar_type dtype, int64_t numel,
                             et_error *error);

/* That tensors `index` and `other` have the same rank, sizes and dtype. */
et_status et_cpu_check_same(const et_cpu_op *op, size_t index, size_t other,
                            et_error *error);

/* That an attribute lies in [low, high]. */
et_status et_cpu_check_attribute(const et_cpu_op *op, size_t index, int64_t low,
                                 int64_t high, et_error *error);

/* Sets the fault of a call whose numbers are out of range: INVALID_ARGUMENT. */
#define ET_CPU_FAIL(run, ...)                                                  \
  do {                                                                         \
    if ((run)->fault != NULL) {                                                \
      (run)->fault->status = et_fail((run)->fault->error,                      \
                                     ET_STATUS_INVALID_ARGUMENT, __VA_ARGS__); \
    }                                                                          \
  } while (0)

static inline int64_t et_cpu_attribute(const et_cpu_op *op, size_t index) {
  return (int64_t)(int32_t)op->attributes[index];
}

#endif /* BACKENDS_CPU_OPS_CHECK_H_ */
