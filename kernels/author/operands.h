/* The operands of an elementwise operator: tensors, or numbers in their place. */
#ifndef ET_KERNELS_AUTHOR_OPERANDS_H_
#define ET_KERNELS_AUTHOR_OPERANDS_H_

#include "executorch/kernels/convert.h"
#include "executorch/kernels/map.h"

/* The operands as tensors. A number becomes one without dimensions, which lies
 * in the number's value. */
typedef struct et_operands {
  size_t count;
  et_tensor *tensors[ET_MAP_OPERANDS];
  et_tensor number_tensors[ET_MAP_OPERANDS];
  const et_value *numbers[ET_MAP_OPERANDS]; /* NULL: a tensor */
} et_operands;

/* `count` <= ET_MAP_OPERANDS; the values are borrowed. */
void et_operands_list(const et_value *const *values, size_t count,
                      et_operands *out);

/* Lays a number out `count` times. It needs no converter: a program may have none
 * for its dtype. */
void et_operands_repeat(et_compute compute, const et_value *number,
                        size_t count, et_chunk *out);

#endif /* ET_KERNELS_AUTHOR_OPERANDS_H_ */
