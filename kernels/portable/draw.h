/* Random elements. */
#ifndef ET_KERNELS_PORTABLE_DRAW_H_
#define ET_KERNELS_PORTABLE_DRAW_H_

#include "executorch/kernel.h"

/* Returns INVALID_ARGUMENT if the caller provided no random state. */
et_status et_draw_check(et_kernel_context *context, const char *what);

/* Draws uniformly from [0, 1), with as many bits as `dtype` represents
 * exactly. */
double et_draw_uniform(et_random *random, et_scalar_type dtype);

/* Draws from the standard normal distribution. */
double et_draw_normal(et_random *random, et_scalar_type dtype);

typedef double (*et_draw_fn)(et_random *random, et_scalar_type dtype);

/* Kernel of an operator with the arguments size (int[]) and out. Resizes `out`,
 * and draws its elements in row-major order. */
et_status et_draw_all(et_kernel_context *context, const char *what,
                      et_draw_fn draw, et_value *const *args);

#endif /* ET_KERNELS_PORTABLE_DRAW_H_ */
