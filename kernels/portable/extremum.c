#include "kernels/portable/extremum.h"

#include <math.h>

#include "executorch/kernels/convert.h"

/* The minimum is computed as the maximum of -x, or of ~x for integers. Values
 * are mapped back when they are stored. */
et_extremum et_extremum_none(bool smallest) {
  return (et_extremum){-1, -INFINITY, INT64_MIN, smallest};
}

static double turn_real(const et_extremum *found, double value) {
  return found->smallest ? -value : value;
}

static int64_t turn_integer(const et_extremum *found, int64_t value) {
  return found->smallest ? ~value : value;
}

/* x != x is true only for NaN. */
#define BEATS(value, other) \
  ((value) > (other) || ((value) != (value) && (other) == (other)))

static void take_real(et_extremum *found, const double *values, size_t count,
                      int64_t index, int64_t step) {
  for (size_t i = 0; i < count; i++) {
    const double value = turn_real(found, values[i]);
    if (found->index < 0 || BEATS(value, found->real)) {
      found->real = value;
      found->index = index + (int64_t)i * step;
    }
  }
}

static void take_integer(et_extremum *found, const int64_t *values,
                         size_t count, int64_t index, int64_t step) {
  for (size_t i = 0; i < count; i++) {
    const int64_t value = turn_integer(found, values[i]);
    if (found->index < 0 || value > found->integer) {
      found->integer = value;
      found->index = index + (int64_t)i * step;
    }
  }
}

/* The most common dtype, float32, is processed without a copy. */
static void take_float32(et_extremum *found, const uint8_t *in,
                         ptrdiff_t stride, size_t count, int64_t index,
                         int64_t step) {
  const float sign = found->smallest ? -1.0f : 1.0f;
  float largest = (float)found->real;
  for (size_t i = 0; i < count; i++, in += stride) {
    const float value = sign * *(const float *)(const void *)in;
    if (found->index < 0 || BEATS(value, largest)) {
      largest = value;
      found->index = index + (int64_t)i * step;
    }
  }
  found->real = (double)largest;
}

void et_extremum_take(et_extremum *found, et_scalar_type dtype,
                      const uint8_t *in, ptrdiff_t stride, size_t count,
                      int64_t index, int64_t step) {
  if (dtype == ET_SCALAR_TYPE_FLOAT32) {
    take_float32(found, in, stride, count, index, step);
    return;
  }
  const bool real = et_scalar_type_is_floating(dtype);
  for (size_t start = 0; start < count; start += ET_CHUNK) {
    et_chunk chunk;
    const size_t n = count - start < ET_CHUNK ? count - start : ET_CHUNK;
    et_load_run(real ? ET_COMPUTE_FLOAT64 : ET_COMPUTE_INT64, dtype,
                in + (ptrdiff_t)start * stride, stride, n, &chunk);
    const int64_t at = index + (int64_t)start * step;
    if (real) {
      take_real(found, chunk.float64, n, at, step);
    } else {
      take_integer(found, chunk.int64, n, at, step);
    }
  }
}

void et_extremum_store(const et_extremum *found, et_scalar_type dtype,
                       uint8_t *out) {
  if (et_scalar_type_is_floating(dtype)) {
    const double real = turn_real(found, found->real);
    et_store_run(ET_COMPUTE_FLOAT64, &real, dtype, out, 0, 1);
  } else {
    const int64_t integer = turn_integer(found, found->integer);
    et_store_run(ET_COMPUTE_INT64, &integer, dtype, out, 0, 1);
  }
}
