/* Operands of elementwise operators: tensors, or scalars in their place. */
#ifndef ET_KERNELS_AUTHOR_OPERANDS_H_
#define ET_KERNELS_AUTHOR_OPERANDS_H_

#include "executorch/kernels/convert.h"
#include "executorch/kernels/map.h"

/* The operands as tensors. A scalar becomes a 0-d tensor whose data is the
 * scalar's value. */
typedef struct et_operands {
  size_t count;
  et_tensor *tensors[ET_MAP_OPERANDS];
  et_tensor number_tensors[ET_MAP_OPERANDS];
  const et_value *numbers[ET_MAP_OPERANDS]; /* NULL for a tensor */
} et_operands;

/* `count` is at most ET_MAP_OPERANDS. `out` borrows the values. */
void et_operands_list(const et_value *const *values, size_t count,
                      et_operands *out);

/* Writes a scalar `count` times. Needs no converter, because a program may not
 * link the one of the scalar's dtype. */
void et_operands_repeat(et_compute compute, const et_value *number,
                        size_t count, et_chunk *out);

#endif /* ET_KERNELS_AUTHOR_OPERANDS_H_ */
