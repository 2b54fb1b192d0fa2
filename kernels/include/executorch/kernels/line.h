/* Lines: the elements of tensors along one dimension. */
#ifndef EXECUTORCH_KERNELS_LINE_H_
#define EXECUTORCH_KERNELS_LINE_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/kernels/loop.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Properties that all lines share, for each operand. */
typedef struct et_lines {
  et_scalar_type dtypes[ET_LOOP_OPERANDS];
  size_t lengths[ET_LOOP_OPERANDS];    /* elements */
  ptrdiff_t strides[ET_LOOP_OPERANDS]; /* bytes */
} et_lines;

/* Processes one line of each operand. at[k] is the first element of operand
 * k. */
typedef void (*et_line_fn)(const et_lines *lines, uint8_t *const *at,
                           const void *state);

/* Calls `fn` for each line along `axis` of `operands` views. The sizes of the
 * views may differ only in that dimension. A view of rank 0 has one line, its
 * only element. */
void et_lines_run(const et_view *views, size_t operands, size_t axis,
                  et_line_fn fn, const void *state);

#ifdef __cplusplus
}
#endif

#endif /* EXECUTORCH_KERNELS_LINE_H_ */
