/* A loop nest over views of one shape, in the memory order of the first
 * view. */
#ifndef EXECUTORCH_KERNELS_LOOP_H_
#define EXECUTORCH_KERNELS_LOOP_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/kernels/view.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ET_LOOP_OPERANDS 4

/* The caller runs the innermost loop, over a run of `count` elements. Elements
 * of operand k start at at[k] and are strides[k] bytes apart. Dimensions that
 * are adjacent in memory in all operands are merged, so that dense tensors of
 * equal layout are a single run.
 *
 *   for (et_loop loop = et_loop_over(views, 2); loop.count > 0;
 *        et_loop_next(&loop)) { ... }
 */
typedef struct et_loop {
  size_t count; /* elements in the run; 0 at the end */
  ptrdiff_t strides[ET_LOOP_OPERANDS];
  uint8_t *at[ET_LOOP_OPERANDS];
  /* The outer loops, innermost first. */
  size_t operands;
  size_t levels;
  size_t sizes[ET_MAX_RANK];
  size_t index[ET_MAX_RANK];
  ptrdiff_t steps[ET_MAX_RANK][ET_LOOP_OPERANDS]; /* bytes */
} et_loop;

/* All views have the same rank and sizes. `operands` is at most
 * ET_LOOP_OPERANDS. */
et_loop et_loop_over(const et_view *views, size_t operands);

/* Advances to the next run. */
void et_loop_next(et_loop *loop);

#ifdef __cplusplus
}
#endif

#endif /* EXECUTORCH_KERNELS_LOOP_H_ */
