#include "kernels/engines/int8.h"

#include <stdbool.h>

et_byte_reading et_byte_reading_of(et_scalar_type dtype, int64_t zero_point) {
  const bool is_unsigned = dtype == ET_SCALAR_TYPE_UINT8;
  return (et_byte_reading){is_unsigned ? 128 : 0,
                           (int16_t)(zero_point - (is_unsigned ? 128 : 0))};
}

void et_byte_steps(et_byte_reading by, const uint8_t *codes, ptrdiff_t step,
                   size_t count, int16_t *out) {
  if (step == 1) {
    for (size_t i = 0; i < count; i++) {
      out[i] = et_byte_step(by, codes[i]);
    }
    return;
  }
  for (size_t i = 0; i < count; i++) {
    out[i] = et_byte_step(by, codes[(ptrdiff_t)i * step]);
  }
}
