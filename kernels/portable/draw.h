/* Elements drawn at random. */
#ifndef ET_KERNELS_PORTABLE_DRAW_H_
#define ET_KERNELS_PORTABLE_DRAW_H_

#include "executorch/kernel.h"

/* INVALID_ARGUMENT unless the caller gave a state to draw from. */
et_status et_draw_check(et_kernel_context *context, const char *what);

/* Evenly from [0, 1), with as many bits as `dtype` holds exactly. */
double et_draw_uniform(et_random *random, et_scalar_type dtype);

/* From the normal distribution around 0 with deviation 1. */
double et_draw_normal(et_random *random, et_scalar_type dtype);

typedef double (*et_draw_fn)(et_random *random, et_scalar_type dtype);

/* Gives `out` the sizes in `args`, and draws its elements in row-major order: the
 * kernel of an operator of a size (int[]) and an out. */
et_status et_draw_all(et_kernel_context *context, const char *what,
                      et_draw_fn draw, et_value *const *args);

#endif /* ET_KERNELS_PORTABLE_DRAW_H_ */
