#include "backends/cpu/schema/resize.h"
#include "backends/cpu/ops/testing.h"
#include "backends/cpu/schema/records.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define F32 ET_SCALAR_TYPE_FLOAT32

typedef struct shape {
  int32_t batch, channels;
  int32_t in[2], out[2];
  et_cpu_resize_mode mode;
  bool corners;
  float scale[2]; /* 0: use the ratio of the sizes */
} shape;

static void make(et_test_op *test, const shape *s) {
  const int32_t in[4] = {s->batch, s->in[0], s->in[1], s->channels};
  const int32_t out[4] = {s->batch, s->out[0], s->out[1], s->channels};
  et_test_begin(test, &et_cpu_op_resize);
  et_test_input(test, F32, 4, in);
  et_test_output(test, F32, 4, out);
  et_test_int(test, (int32_t)s->mode);
  et_test_int(test, s->corners);
  et_test_float(test, s->scale[0]);
  et_test_float(test, s->scale[1]);
}

/* Returns the position of output `o` in the input. */
static double place(const shape *s, int axis, int32_t o) {
  const double in = s->in[axis];
  const double out = s->out[axis];
  const bool center = s->mode != ET_CPU_RESIZE_MODE_NEAREST;
  const bool edge = s->mode >= ET_CPU_RESIZE_MODE_LINEAR;
  if (s->corners && edge) {
    return out > 1 ? o * (in - 1) / (out - 1) : 0;
  }
  const double given = (double)s->scale[axis];
  return (o + (center ? 0.5 : 0)) * (given > 0 ? given : in / out) -
         (edge ? 0.5 : 0);
}

/* Returns the weight of a pixel at distance `t`. */
static double weight(const shape *s, double t) {
  const double a = -0.75;
  if (s->mode == ET_CPU_RESIZE_MODE_LINEAR) {
    return fmax(0, 1 - t);
  }
  if (t <= 1) {
    return ((a + 2) * t - (a + 3)) * t * t + 1;
  }
  return t < 2 ? ((a * t - 5 * a) * t + 8 * a) * t - 4 * a : 0;
}

static int32_t within(double at, int32_t size) {
  return (int32_t)fmin(fmax(at, 0), size - 1);
}

/* Finds the pixels within a distance of two, and their weights. Returns the number of pixels. */
static int find(const shape *s, int axis, int32_t o, int32_t *at, double *w) {
  const double p = place(s, axis, o);
  if (s->mode <= ET_CPU_RESIZE_MODE_NEAREST_EXACT) {
    at[0] = within(floor(p), s->in[axis]);
    w[0] = 1;
    return 1;
  }
  for (int i = 0; i < 4; i++) {
    const double pixel = floor(p) + i - 1;
    at[i] = within(pixel, s->in[axis]);
    w[i] = weight(s, fabs(p - pixel));
  }
  return 4;
}

static double element(const et_test_op *test, const shape *s, size_t index) {
  const float *x = test->tensors[0].data;
  const int32_t channel = (int32_t)index % s->channels;
  const int32_t pixel = (int32_t)index / s->channels;
  const int32_t row = pixel / s->out[1];
  int32_t at[2][4];
  double w[2][4];
  const int rows = find(s, 0, row % s->out[0], at[0], w[0]);
  const int columns = find(s, 1, pixel % s->out[1], at[1], w[1]);
  double sum = 0;
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < columns; j++) {
      const int32_t from =
          (row / s->out[0] * s->in[0] + at[0][i]) * s->in[1] + at[1][j];
      sum += w[0][i] * w[1][j] * (double)x[from * s->channels + channel];
    }
  }
  return sum;
}

static void check_resize(const shape *s) {
  et_test_op test;
  make(&test, s);
  const size_t count = et_test_result(&test)->numel;
  double *expected = malloc((2 * count + 1) * sizeof(double));
  assert_non_null(expected);
  for (size_t i = 0; i < count; i++) {
    expected[i] = element(&test, s, i);
    expected[count + i] =
        s->mode <= ET_CPU_RESIZE_MODE_NEAREST_EXACT ? 0 : 2e-5;
  }
  et_test_run(&test, expected, expected + count);
  free(expected);
  et_test_end(&test);
}

static void test_interpolates_images_of_random_sizes(void **state) {
  (void)state;
  for (int i = 0; i < 200; i++) {
    const shape s = {
        1 + (int32_t)et_test_below(2),
        1 + (int32_t)et_test_below(40),
        {1 + (int32_t)et_test_below(9), 1 + (int32_t)et_test_below(9)},
        {1 + (int32_t)et_test_below(20), 1 + (int32_t)et_test_below(20)},
        (et_cpu_resize_mode)(i % 4),
        i / 4 % 2 == 0,
        {0, 0}};
    if (s.mode >= ET_CPU_RESIZE_MODE_LINEAR) {
      check_resize(&s);
    }
  }
}

/* With powers of two, positions are exact. */
static void test_resizes_to_nearest_pixels(void **state) {
  (void)state;
  for (int i = 0; i < 40; i++) {
    const int32_t in = 1 << et_test_below(4);
    const int32_t out = 1 << et_test_below(5);
    const shape s = {1,         1 + (int32_t)et_test_below(40), {in, out},
                     {out, in}, (et_cpu_resize_mode)(i % 2),    false,
                     {0, 0}};
    check_resize(&s);
  }
}

static void test_uses_declared_scales(void **state) {
  (void)state;
  const shape half = {
      1, 5, {6, 7}, {11, 13}, ET_CPU_RESIZE_MODE_NEAREST, false, {0.5f, 0.5f}};
  const shape odd = {
      2, 18, {6, 7}, {15, 17}, ET_CPU_RESIZE_MODE_LINEAR, false, {0.4f, 0.4f}};
  check_resize(&half);
  check_resize(&odd);
}

static void test_rejects_sizes_and_scales_out_of_range(void **state) {
  (void)state;
  const shape s = {1,     3,     {4, 5}, {8, 9}, ET_CPU_RESIZE_MODE_LINEAR,
                   false, {0, 0}};
  et_test_op test;
  make(&test, &s);
  et_error error = {0};
  assert_int_equal(et_test_check(&test, &error), ET_STATUS_OK);
  test.attributes[0] = 4;
  et_test_refused(&test, "resize: attribute 0 is 4, expected 0 to 3");
  test.attributes[0] = 2;
  test.attributes[3] = 0x7fc00000u; /* NaN */
  et_test_refused(&test, "resize: scale 1 is not in [0, 1e6]");
  test.attributes[3] = 0xbf800000u; /* -1 */
  et_test_refused(&test, "resize: scale 1 is not in [0, 1e6]");
  test.attributes[3] = 0;
  test.attributes[1] = 2;
  et_test_refused(&test, "resize: attribute 1 is 2, expected 0 to 1");
  test.attributes[1] = 0;
  test.tensors[1].sizes[0] = 2;
  et_test_refused(&test, "resize: tensor 1, dim 0 is 2, expected 1");
  test.tensors[1].sizes[0] = 1;
  test.tensors[1].sizes[3] = 4;
  et_test_refused(&test, "resize: tensor 1, dim 3 is 4, expected 3");
  test.tensors[1].sizes[3] = 3;
  test.tensors[0].sizes[1] = 0;
  et_test_refused(&test, "resize: cannot resize an axis from 0 to 8 pixels");
  test.tensors[0].sizes[1] = 4;
  test.tensors[0].sizes[2] = 0;
  et_test_refused(&test, "resize: cannot resize an axis from 0 to 9 pixels");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_interpolates_images_of_random_sizes),
      cmocka_unit_test(test_resizes_to_nearest_pixels),
      cmocka_unit_test(test_uses_declared_scales),
      cmocka_unit_test(test_rejects_sizes_and_scales_out_of_range),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
