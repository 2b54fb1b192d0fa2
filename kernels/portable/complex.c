#include "kernels/portable/complex.h"

#include <stdbool.h>

static bool is_narrow(et_scalar_type dtype) {
  return et_scalar_type_of_parts(dtype) == ET_SCALAR_TYPE_FLOAT32;
}

et_complex128 et_complex_load(et_scalar_type dtype, const uint8_t *at) {
  const bool pair = et_scalar_type_is_complex(dtype);
  et_complex128 value = {0.0, 0.0};
  if (is_narrow(dtype)) {
    const float *parts = (const void *)at;
    value.real = (double)parts[0];
    value.imaginary = pair ? (double)parts[1] : 0.0;
  } else {
    const double *parts = (const void *)at;
    value.real = parts[0];
    value.imaginary = pair ? parts[1] : 0.0;
  }
  return value;
}

void et_complex_store(et_scalar_type dtype, uint8_t *at, et_complex128 value) {
  const bool pair = et_scalar_type_is_complex(dtype);
  if (is_narrow(dtype)) {
    float *parts = (void *)at;
    parts[0] = (float)value.real;
    if (pair) {
      parts[1] = (float)value.imaginary;
    }
  } else {
    double *parts = (void *)at;
    parts[0] = value.real;
    if (pair) {
      parts[1] = value.imaginary;
    }
  }
}

et_view et_complex_parts(const et_view *view, et_scalar_type dtype) {
  et_view parts = *view;
  for (size_t d = 0; d < view->rank; d++) {
    parts.strides[d] *= 2;
  }
  parts.sizes[view->rank] = 2;
  parts.strides[view->rank] = 1;
  parts.rank = view->rank + 1;
  parts.dtype = dtype;
  return parts;
}
