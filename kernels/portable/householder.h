/* Batches of Householder reflectors: matrices of vectors, and vectors of
 * scales. */
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

/* et_householder_load loads item `index` into ET_FACTORS_SCRATCH bytes.
 * et_householder_panel returns the memory there for the columns to
 * transform. */
et_reflectors et_householder_load(const et_householder *householder,
                                  size_t index, void *scratch);
double *et_householder_panel(const et_reflectors *reflectors);

#endif /* ET_KERNELS_PORTABLE_HOUSEHOLDER_H_ */
