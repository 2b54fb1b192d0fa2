#include "kernels/engines/fft.h"

#include <math.h>

#define TWO_PI 6.28318530717958647692

/* One stage: splits `count` interleaved transforms of factor * rest elements
 * each into factor * count transforms of `rest` elements. */
typedef struct stage {
  size_t factor;
  size_t rest;
  size_t count;
} stage;

et_fft et_fft_plan(size_t length, bool forward, void *memory) {
  et_complex128 *const roots = memory;
  for (size_t k = 0; k < length; k++) {
    const double angle = TWO_PI * (double)k / (double)length;
    roots[k].real = cos(angle);
    roots[k].imaginary = forward ? -sin(angle) : sin(angle);
  }
  const et_fft fft = {length, roots + length, roots + 2 * length, roots};
  return fft;
}

static et_complex128 product(et_complex128 a, et_complex128 b) {
  const et_complex128 result = {a.real * b.real - a.imaginary * b.imaginary,
                                a.real * b.imaginary + a.imaginary * b.real};
  return result;
}

/* out += in * factor, elementwise with a scalar factor */
static void add_multiple(const et_complex128 *restrict in, et_complex128 factor,
                         et_complex128 *restrict out, size_t count) {
  for (size_t i = 0; i < count; i++) {
    out[i].real +=
        in[i].real * factor.real - in[i].imaginary * factor.imaginary;
    out[i].imaginary +=
        in[i].real * factor.imaginary + in[i].imaginary * factor.real;
  }
}

/* Computes output k of the `factor`-point butterfly, times its twiddle factor.
 * The inputs are elements j, j + rest, j + 2 * rest, ... */
static void sum_up(const et_fft *fft, const stage *s, size_t j, size_t k) {
  const size_t turn = fft->length / s->factor;
  const et_complex128 start = fft->roots[j * k * s->count];
  et_complex128 *out = fft->spare + s->count * (s->factor * j + k);
  const et_complex128 zero = {0.0, 0.0};
  for (size_t i = 0; i < s->count; i++) {
    out[i] = zero;
  }
  for (size_t r = 0; r < s->factor; r++) {
    const et_complex128 root = fft->roots[r * k % s->factor * turn];
    add_multiple(fft->line + s->count * (j + s->rest * r), product(root, start),
                 out, s->count);
  }
}

static void run_stage(et_fft *fft, const stage *s) {
  for (size_t j = 0; j < s->rest; j++) {
    for (size_t k = 0; k < s->factor; k++) {
      sum_up(fft, s, j, k);
    }
  }
  et_complex128 *const result = fft->spare;
  fft->spare = fft->line;
  fft->line = result;
}

/* Returns the next factor: 4, which saves a pass over the line, or the smallest
 * prime factor. */
static size_t factor_of(size_t length) {
  if (length % 4 == 0) {
    return 4;
  }
  for (size_t factor = 2; factor * factor <= length; factor++) {
    if (length % factor == 0) {
      return factor;
    }
  }
  return length;
}

void et_fft_run(et_fft *fft) {
  size_t count = 1;
  for (size_t length = fft->length; length > 1;) {
    const size_t factor = factor_of(length);
    const stage s = {factor, length / factor, count};
    run_stage(fft, &s);
    length = s.rest;
    count *= factor;
  }
}
