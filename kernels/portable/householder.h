/* Operands that are reflections: a batch of matrices that hold them and of vectors
 * of their scales. */
#ifndef ET_KERNELS_PORTABLE_HOUSEHOLDER_H_
#define ET_KERNELS_PORTABLE_HOUSEHOLDER_H_

#include "executorch/kernel.h"
#include "kernels/engines/reflectors.h"

typedef struct et_householder {
  et_view vectors;
  et_view scales;
} et_householder;

et_status et_householder_plan(et_kernel_context *context, const char *what,
                              const et_tensor *vectors, const et_tensor *scales,
                              et_householder *householder);

/* Those of number `index`, in scratch of ET_FACTORS_SCRATCH; and what there is for
 * the columns that they change. */
et_reflectors et_householder_load(const et_householder *householder,
                                  size_t index, void *scratch);
double *et_householder_panel(const et_reflectors *reflectors);

#endif /* ET_KERNELS_PORTABLE_HOUSEHOLDER_H_ */
