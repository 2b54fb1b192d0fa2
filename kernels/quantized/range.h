/* Quantization parameters from the range of values. */
#ifndef ET_KERNELS_QUANTIZED_RANGE_H_
#define ET_KERNELS_QUANTIZED_RANGE_H_

#include <stddef.h>
#include <stdint.h>

/* A range that includes 0, so that 0 is represented exactly. */
typedef struct et_range {
  float low;
  float high;
} et_range;

typedef struct et_range_parameters {
  double scale;
  int64_t zero_point;
} et_range_parameters;

/* Extends the range by more values. NaN is ignored. */
void et_range_take(et_range *range, const float *values, size_t count);

/* Returns parameters for quantized values in [low, high], as ExecuTorch's
 * kernels choose them. Scales below 6.1e-5 become 6.1e-5. An empty range has
 * scale 0.1. */
et_range_parameters et_range_asymmetric(const et_range *range, int64_t low,
                                        int64_t high);

#endif /* ET_KERNELS_QUANTIZED_RANGE_H_ */
