/* Parameters of affine quantization chosen by the range that values take. */
#ifndef ET_KERNELS_QUANTIZED_RANGE_H_
#define ET_KERNELS_QUANTIZED_RANGE_H_

#include <stddef.h>
#include <stdint.h>

/* Always with 0, which is to have a code of its own. */
typedef struct et_range {
  float low;
  float high;
} et_range;

typedef struct et_range_parameters {
  double scale;
  int64_t zero_point;
} et_range_parameters;

/* Takes up more values; a NaN is none. */
void et_range_take(et_range *range, const float *values, size_t count);

/* For codes from `low` to `high`, as ExecuTorch's kernels choose them: scales
 * below 6.1e-5 become that, one of no range 0.1. */
et_range_parameters et_range_asymmetric(const et_range *range, int64_t low,
                                        int64_t high);

#endif /* ET_KERNELS_QUANTIZED_RANGE_H_ */
