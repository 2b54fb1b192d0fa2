/* Matrix products of any dtype, the float32 ones blocked. */
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
  const et_value *alpha; /* INT, BOOL or DOUBLE; NULL is 1 */
  const et_value *beta;
} et_matmul;

/* INVALID_ARGUMENT when the shapes do not fit together, the dtypes differ or
 * are bool. `out` has been resized. Integers wrap; float16 and bfloat16 are
 * summed in double. */
et_status et_matmul_run(et_kernel_context *context, const et_matmul *product);

/* Bytes of scratch that its fastest loop takes; see
 * executorch/kernels/scratch.h. */
size_t et_matmul_scratch(const et_matmul *product);

/* Reads a kernel's arguments; checks what et_matmul_run does not. `out` is seen
 * as it is: it gets the product's sizes after that. */
typedef et_status (*et_matmul_plan_fn)(et_kernel_context *context,
                                       et_value *const *args,
                                       et_matmul *product);

/* Asks for the scratch of the loop that a call will take. What cannot be
 * planned is for the call to refuse. */
et_status et_matmul_prepare(et_prepare_context *context, et_value *const *args,
                            et_matmul_plan_fn plan);

/* The slow part of it: no checks, no shape that it does not take. */
void et_matmul_any(const et_matmul *product);

#endif /* ET_KERNELS_ENGINES_MATMUL_H_ */
