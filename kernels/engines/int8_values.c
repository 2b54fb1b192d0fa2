#include "kernels/engines/int8.h"

#include <stdbool.h>

et_int8_params et_int8_params_of(et_scalar_type dtype, int64_t zero_point) {
  const bool is_unsigned = dtype == ET_SCALAR_TYPE_UINT8;
  return (et_int8_params){is_unsigned ? 128 : 0,
                          (int16_t)(zero_point - (is_unsigned ? 128 : 0))};
}

void et_int8_center_all(et_int8_params params, const uint8_t *quantized,
                        ptrdiff_t step, size_t count, int16_t *out) {
  if (step == 1) {
    for (size_t i = 0; i < count; i++) {
      out[i] = et_int8_center(params, quantized[i]);
    }
    return;
  }
  for (size_t i = 0; i < count; i++) {
    out[i] = et_int8_center(params, quantized[(ptrdiff_t)i * step]);
  }
}
