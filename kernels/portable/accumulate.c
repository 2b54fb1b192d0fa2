#include "kernels/portable/indexing.h"

#include "executorch/kernels/convert.h"

void et_accumulate(et_scalar_type dtype, const uint8_t *from, uint8_t *to) {
  const et_compute compute = et_compute_of(dtype);
  et_chunk sum;
  et_chunk added;
  et_load_run(compute, dtype, to, 0, 1, &sum);
  et_load_run(compute, dtype, from, 0, 1, &added);
  if (compute == ET_COMPUTE_INT64) {
    sum.int64[0] = et_wrap_add(sum.int64[0], added.int64[0]);
  } else if (compute == ET_COMPUTE_FLOAT32) {
    sum.float32[0] += added.float32[0];
  } else {
    sum.float64[0] += added.float64[0];
  }
  et_store_run(compute, &sum, dtype, to, 0, 1);
}

void et_accumulate_along(et_scalar_type dtype, uint8_t *other,
                         uint8_t *element) {
  et_accumulate(dtype, other, element);
}
