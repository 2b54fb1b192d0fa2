/* Checks shared by several ops. */
#ifndef BACKENDS_CPU_OPS_CHECK_H_
#define BACKENDS_CPU_OPS_CHECK_H_

#include <stdbool.h>

#include "backends/cpu/ops/op.h"
#include "backends/cpu/ops/op_schema.h"

/* Returns from the calling function with a formatted error unless `condition` holds. */
#define ET_CPU_CHECK(error, condition, ...)                                \
  do {                                                                     \
    if (!(condition)) {                                                    \
      return et_fail(error, ET_STATUS_DELEGATE_INCOMPATIBLE, __VA_ARGS__); \
    }                                                                      \
  } while (0)

/* ---- Relations between tensors; the schema declares their dtypes and ranks ---- */

/* Checks that `tensor` of `op` has rank `rank`. */
et_status et_cpu_check_rank(const et_cpu_op *op, const et_cpu_tensor *tensor,
                            uint8_t rank, et_error *error);

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

/* Checks that `weights` are [panels, depth, 16] with enough panels for `columns`, and that `bias`
 * has an element for each column of the panels. */
et_status et_cpu_check_panels(const et_cpu_op *op, const et_cpu_tensor *weights,
                              const et_cpu_tensor *bias, int64_t depth,
                              int64_t columns, et_error *error);

/* Checks that `tensor` of `op` has the same rank, sizes and dtype as `other`. */
et_status et_cpu_check_alike(const et_cpu_op *op, const et_cpu_tensor *tensor,
                             const et_cpu_tensor *other, et_error *error);

/* Checks that `tensor` of `op` has the same dtype as `other`, and the same sizes except for the
 * last one. */
et_status et_cpu_check_same_rows(const et_cpu_op *op,
                                 const et_cpu_tensor *tensor,
                                 const et_cpu_tensor *other, et_error *error);

/* Checks that x and y have the same batch size. Both must have at least one dim. */
et_status et_cpu_check_same_batch(const et_cpu_op *op, const et_cpu_tensor *x,
                                  const et_cpu_tensor *y, et_error *error);

/* Checks that x and y, [B, H, W, C], have the same batch size and number of channels. */
et_status et_cpu_check_same_channels(const et_cpu_op *op,
                                     const et_cpu_tensor *x,
                                     const et_cpu_tensor *y, et_error *error);

/* Returns the index of `tensor` among the tensors of `op`, for messages. */
size_t et_cpu_tensor_index(const et_cpu_op *op, const et_cpu_tensor *tensor);

/* Reports out-of-range tensor values as INVALID_ARGUMENT in run->fault. */
#define ET_CPU_FAIL(run, ...)                                                  \
  do {                                                                         \
    if ((run)->fault != NULL) {                                                \
      (run)->fault->status = et_fail((run)->fault->error,                      \
                                     ET_STATUS_INVALID_ARGUMENT, __VA_ARGS__); \
    }                                                                          \
  } while (0)

/* Row indices, int64 or int32. Their values are known only at call time. */

/* Checks that y has the sizes of `indices`, followed by `columns`. */
et_status et_cpu_check_gathered(const et_cpu_op *op, const et_cpu_tensor *y,
                                const et_cpu_tensor *indices, int64_t columns,
                                et_error *error);

/* Returns element `i`. */
static inline int64_t et_cpu_index_at(const et_cpu_tensor *indices, size_t i) {
  return indices->dtype == ET_SCALAR_TYPE_INT64
             ? ((const int64_t *)indices->data)[i]
             : ((const int32_t *)indices->data)[i];
}

/* Returns whether all indices are in `0..rows - 1`. If not, reports the failure in run->fault. */
bool et_cpu_indices_fit(const et_cpu_op *op, const et_cpu_run *run,
                        const et_cpu_tensor *indices, int64_t rows);

#endif /* BACKENDS_CPU_OPS_CHECK_H_ */
