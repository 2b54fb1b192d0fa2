/* PyTorch's type promotion. */
#ifndef EXECUTORCH_KERNELS_PROMOTE_H_
#define EXECUTORCH_KERNELS_PROMOTE_H_

#include <stddef.h>

#include "executorch/value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The dtype in which an operator computes on `operands`, tensors and numbers
 * (TENSOR, INT, BOOL, DOUBLE, or NONE, which is passed over), as
 * torch.result_type has it: tensors with dimensions decide; tensors without,
 * and after them numbers, only raise the category bool < integer < floating. */
et_scalar_type et_result_type(const et_value *const *operands, size_t count);

/* The smallest dtype that PyTorch lets both be computed in. */
et_scalar_type et_promote(et_scalar_type a, et_scalar_type b);

#ifdef __cplusplus
}
#endif

#endif /* EXECUTORCH_KERNELS_PROMOTE_H_ */
