/* Matrix multiplication for any dtype. float32 uses the blocked GEMM. */
#ifndef ET_KERNELS_ENGINES_MATMUL_H_
#define ET_KERNELS_ENGINES_MATMUL_H_

#include "executorch/kernel.h"
#include "executorch/kernels/view.h"

/* out = beta * bias + alpha * (a x b), with a [M, K], b [K, N], out [M, N]. */
typedef struct et_matmul {
  const char *name; /* for messages */
  et_view a;
  et_view b;
  et_view out;
  et_view bias;          /* [M, N], broadcast; data NULL for none */
  const et_value *alpha; /* INT, BOOL or DOUBLE; NULL means 1 */
  const et_value *beta;
} et_matmul;

/* Returns INVALID_ARGUMENT if the shapes do not match, or the dtypes differ or
 * are bool. `out` must already be resized. Integers wrap; float16 and bfloat16
 * accumulate in double. */
et_status et_matmul_run(et_kernel_context *context, const et_matmul *matmul);

/* Returns the scratch bytes of the fastest loop. See
 * executorch/kernels/scratch.h. */
size_t et_matmul_scratch(const et_matmul *matmul);

/* Reads a kernel's arguments, and checks those that et_matmul_run does not. May
 * run before `out` is resized. */
typedef et_status (*et_matmul_plan_fn)(et_kernel_context *context,
                                       et_value *const *args,
                                       et_matmul *matmul);

/* Requests the scratch of the loop that the call will use. If planning fails,
 * requests none, because the call will report the error. */
et_status et_matmul_prepare(et_prepare_context *context, et_value *const *args,
                            et_matmul_plan_fn plan);

/* The general loop. The caller must have checked `matmul`. */
void et_matmul_any(const et_matmul *matmul);

#endif /* ET_KERNELS_ENGINES_MATMUL_H_ */
