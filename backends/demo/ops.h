/* The arithmetic of the demo backend, on float32 tensors in C order. */
#ifndef BACKENDS_DEMO_OPS_H_
#define BACKENDS_DEMO_OPS_H_

#include <stddef.h>
#include <stdint.h>

#include "backends/demo/payload.h"
#include "executorch/status.h"
#include "executorch/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A tensor that is read. */
typedef struct demo_view {
  const float *data;
  const int32_t *sizes;
  size_t rank;
} demo_view;

/* Writes the sizes of the result, of at most ET_MAX_RANK dims, and its
 * elements. INVALID_ARGUMENT when the operands do not go together: mm takes (m,
 * k) and (k, n), add and mul broadcast as PyTorch does. */
et_status demo_infer(demo_kind kind, const demo_view operands[2],
                     int32_t out_sizes[ET_MAX_RANK], size_t *out_rank,
                     size_t *out_numel, et_error *error);

/* Computes a result of the inferred sizes. */
void demo_compute(demo_kind kind, const demo_view operands[2],
                  const int32_t *sizes, size_t rank, size_t numel, float *out);

#ifdef __cplusplus
}
#endif

#endif /* BACKENDS_DEMO_OPS_H_ */
