/* Ops of the demo backend, on contiguous float32 tensors. */
#ifndef BACKENDS_DEMO_OPS_H_
#define BACKENDS_DEMO_OPS_H_

#include <stddef.h>
#include <stdint.h>

#include "backends/demo/handle.h"
#include "executorch/status.h"
#include "executorch/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A tensor that an op reads. */
typedef struct demo_view {
  const float *data;
  const int32_t *sizes;
  size_t rank;
} demo_view;

/* Sets the sizes and the number of elements of op's result. Returns
 * INVALID_ARGUMENT if the sizes of the operands do not match: mm takes (m, k)
 * and (k, n); add, mul and div broadcast as in PyTorch; conv_relu takes (n, c,
 * h, w), (k, c, r, s) and (k). */
et_status demo_infer(demo_op *op, const demo_view operands[DEMO_MAX_OPERANDS],
                     et_error *error);

/* Computes the result of an op with inferred sizes. */
void demo_compute(const demo_op *op,
                  const demo_view operands[DEMO_MAX_OPERANDS]);

/* Name of an op in events. */
const char *demo_name(demo_kind kind);

#ifdef __cplusplus
}
#endif

#endif /* BACKENDS_DEMO_OPS_H_ */
