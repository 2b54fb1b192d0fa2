/* PyTorch's type promotion. */
#ifndef EXECUTORCH_KERNELS_PROMOTE_H_
#define EXECUTORCH_KERNELS_PROMOTE_H_

#include <stddef.h>

#include "executorch/value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the dtype in which an operator computes on `operands`, as
 * torch.result_type does. Operands are tensors and scalars (TENSOR, INT, BOOL,
 * DOUBLE); NONE is ignored. Tensors with dimensions determine the dtype. 0-d
 * tensors, and then scalars, take precedence only if their category is higher:
 * bool < integer < floating point. */
et_scalar_type et_result_type(const et_value *const *operands, size_t count);

/* Returns the dtype to which PyTorch promotes the two. */
et_scalar_type et_promote(et_scalar_type a, et_scalar_type b);

#ifdef __cplusplus
}
#endif

#endif /* EXECUTORCH_KERNELS_PROMOTE_H_ */
