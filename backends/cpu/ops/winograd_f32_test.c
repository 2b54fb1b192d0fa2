#include "backends/cpu/schema/winograd_f32.h"
#include "backends/cpu/ops/testing_window.h"
#include "backends/cpu/schema/op_codes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define F32 ET_SCALAR_TYPE_FLOAT32

typedef struct shape {
  int32_t batch, channels, columns;
  et_test_axis y, x;
  int32_t side, tiles, lanes;
  bool residual;
  int32_t activation;
} shape;

/* Computes A^T [(G w G^T) * (B^T d B)] A for weights w and pixels d. */
typedef struct transform {
  double g[6][3];
  double b[6][6]; /* B^T */
  double a[4][6]; /* A^T */
} transform;

static const transform transform_2 = {
    .g = {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}},
    .b = {{1, 0, -1}, {0, 1, 1}, {0, -1, 1}, {0, 1, 0, -1}},
    .a = {{1, 1, 1}, {0, 1, -1, -1}}};
static const transform transform_4 = {.g = {{1.0 / 4, 0, 0},
                                            {-1.0 / 6, -1.0 / 6, -1.0 / 6},
                                            {-1.0 / 6, 1.0 / 6, -1.0 / 6},
                                            {1.0 / 24, 1.0 / 12, 1.0 / 6},
                                            {1.0 / 24, -1.0 / 12, 1.0 / 6},
                                            {0, 0, 1}},
                                      .b = {{4, 0, -5, 0, 1, 0},
                                            {0, -4, -4, 1, 1, 0},
                                            {0, 4, -4, -1, 1, 0},
                                            {0, -2, -1, 2, 1, 0},
                                            {0, 2, -1, -2, 1, 0},
                                            {0, 4, 0, -5, 0, 1}},
                                      .a = {{1, 1, 1, 1, 1, 0},
                                            {0, 1, -1, 2, -2, 0},
                                            {0, 1, 1, 4, 4, 0},
                                            {0, 1, -1, 8, -8, 1}}};

static const transform *transform_of(const shape *s) {
  return s->side == 2 ? &transform_2 : &transform_4;
}

static int32_t positions(const shape *s) {
  return (s->side + 2) * (s->side + 2);
}

static double transformed(const shape *s, const float w[9], int32_t position) {
  const double (*const g)[3] = transform_of(s)->g;
  const int32_t across = s->side + 2;
  double sum = 0;
  for (int i = 0; i < 9; i++) {
    sum += g[position / across][i / 3] * (double)w[i] *
           g[position % across][i % 3];
  }
  return sum;
}

/* Transforms and packs weights [columns][channels][9]. */
static void pack(const shape *s, const float *weights, float *panels) {
  const size_t channels = (size_t)s->channels;
  const size_t count = ((size_t)s->columns + 15) / 16;
  for (size_t n = 0; n < count * 16; n++) {
    for (size_t c = 0; c < channels; c++) {
      const float *w = weights + (n * channels + c) * 9;
      for (int32_t p = 0; p < positions(s); p++) {
        panels[(((size_t)p * count + n / 16) * channels + c) * 16 + n % 16] =
            n < (size_t)s->columns ? (float)transformed(s, w, p) : 0.0f;
      }
    }
  }
}

static void make(et_test_op *test, const shape *s, float *weights) {
  const int32_t in[4] = {s->batch, s->y.in, s->x.in, s->channels};
  const int32_t out[4] = {s->batch, s->y.out, s->x.out, s->columns};
  const int32_t count = (s->columns + 15) / 16;
  const int32_t panels[4] = {positions(s), count, s->channels, 16};
  const int32_t bias[1] = {count * 16};
  const int32_t space[2] = {
      s->lanes, positions(s) * (s->tiles * (s->channels + 64) + s->channels)};
  et_test_begin(test, &et_cpu_op_winograd_f32);
  et_test_input(test, F32, 4, in);
  pack(s, weights, et_test_input(test, F32, 4, panels));
  et_test_input(test, F32, 1, bias);
  if (s->residual) {
    et_test_input(test, F32, 4, out);
  }
  et_test_output(test, F32, 4, out);
  et_test_workspace(test, F32, 2, space);
  et_test_int(test, s->y.before);
  et_test_int(test, s->x.before);
  et_test_int(test, s->y.after);
  et_test_int(test, s->x.after);
  et_test_int(test, s->side);
  et_test_int(test, s->tiles);
  et_test_int(test, s->activation);
  et_test_float(test, -0.5f);
  et_test_float(test, 0.75f);
}

static float *random_weights(const shape *s) {
  const size_t count = (size_t)(s->columns * s->channels) * 9;
  float *weights = malloc((count + 1) * sizeof(float));
  assert_non_null(weights);
  for (size_t i = 0; i < count; i++) {
    weights[i] = et_test_number();
  }
  return weights;
}

/* Computes the direct convolution in double. */
static double element(const et_test_op *test, const shape *s,
                      const float *weights, int32_t image, int32_t y, int32_t x,
                      int32_t n) {
  const float *in = test->tensors[0].data;
  double sum = ((const float *)test->tensors[2].data)[n];
  for (int32_t c = 0; c < s->channels; c++) {
    const float *w = weights + (n * s->channels + c) * 9;
    for (int32_t tap = 0; tap < 9; tap++) {
      const int32_t iy = et_test_tap(&s->y, y, tap / 3);
      const int32_t ix = et_test_tap(&s->x, x, tap % 3);
      if (iy >= 0 && ix >= 0) {
        const int32_t pixel = (image * s->y.in + iy) * s->x.in + ix;
        sum += (double)w[tap] * (double)in[pixel * s->channels + c];
      }
    }
  }
  return sum;
}

static double activated(const shape *s, double sum) {
  switch (s->activation) {
    case 1:
      return fmin(fmax(sum, -0.5), 0.75);
    case 9: /* leaky ReLU */
      return sum < 0 ? -0.5 * sum : sum;
    default:
      return sum;
  }
}

static double square(const double *row, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) {
    sum += row[i] * row[i];
  }
  return sum;
}

/* Returns the squared growth of the terms of output `i` along an axis. */
static double growth(const shape *s, int32_t i) {
  const transform *t = transform_of(s);
  double sum = 0;
  for (int k = 0; k < s->side + 2; k++) {
    const double a = t->a[i % s->side][k];
    sum += a * a * square(t->g[k], 3) * square(t->b[k], 6);
  }
  return sum;
}

/* Returns six standard deviations of the sum of independent rounding errors. Weights and pixels are
 * uniform in -1 to 1, with a variance of 1/3. A rounding error, in units of the last place, has the
 * same variance. A sum over channels rounds each partial sum, whose variance grows linearly. Each
 * term is also rounded in the two input transforms (6 times per axis without fused operations;
 * weights once), in the product, and in the output transform (4 times per axis). Bias and residual
 * add further roundings. */
static double margin(const shape *s, int32_t y, int32_t x, double sum) {
  const double ulp = ldexp(1, -24);
  const double c = (double)s->channels;
  const double roundings = c * c / 2 + (2 * 6 + 1 + 1 + 2 * 4) * c;
  const double terms = sqrt(growth(s, y) * growth(s, x) * roundings / 27);
  return ulp * (6 * terms + 3 * (1 + fabs(sum)));
}

static void check_winograd(const shape *s) {
  float *weights = random_weights(s);
  et_test_op test;
  make(&test, s, weights);
  const size_t count = et_test_result(&test)->numel;
  double *expected = malloc((2 * count + 1) * sizeof(double));
  assert_non_null(expected);
  for (size_t i = 0; i < count; i++) {
    const int32_t pixel = (int32_t)i / s->columns;
    double sum = element(&test, s, weights, pixel / s->x.out / s->y.out,
                         pixel / s->x.out % s->y.out, pixel % s->x.out,
                         (int32_t)i % s->columns);
    if (s->residual) {
      sum += (double)((const float *)test.tensors[3].data)[i];
    }
    expected[i] = activated(s, sum);
    expected[count + i] =
        margin(s, pixel / s->x.out % s->y.out, pixel % s->x.out, sum);
  }
  et_test_run(&test, expected, expected + count);
  free(expected);
  free(weights);
  et_test_end(&test);
}

static void test_convolutions_of_random_shapes(void **state) {
  (void)state;
  for (int i = 0; i < 60; i++) {
    const shape s = {.batch = 1 + (int32_t)et_test_below(2),
                     .channels = 1 + (int32_t)et_test_below(36),
                     .columns = 1 + (int32_t)et_test_below(i % 4 ? 40 : 140),
                     .y = et_test_axis_random(3, 1, 1),
                     .x = et_test_axis_random(3, 1, 1),
                     .side = i % 2 == 0 ? 2 : 4,
                     .tiles = 1 + (int32_t)et_test_below(8),
                     .lanes = 1 + (int32_t)et_test_below(4),
                     .residual = et_test_below(2) == 0,
                     .activation = i % 3 == 0 ? 9 : i % 3 - 1};
    check_winograd(&s);
  }
}

/* If all tiles are in one group, columns are divided among threads. */
static void test_threads_share_columns(void **state) {
  (void)state;
  for (int32_t i = 0; i < 12; i++) {
    const shape s = {.batch = 1,
                     .channels = 5,
                     .columns = 65 + 23 * i,
                     .y = {6, 6, 3, 1, 1, 1, 1},
                     .x = {5, 5, 3, 1, 1, 1, 1},
                     .side = i % 2 == 0 ? 2 : 4,
                     .tiles = 9,
                     .lanes = 2 + i % 3,
                     .residual = i % 3 == 0,
                     .activation = i % 4 == 0 ? 9 : i % 2};
    check_winograd(&s);
  }
}

static void test_rejects_invalid_shapes_and_attributes(void **state) {
  (void)state;
  const et_test_axis side = {6, 6, 3, 1, 1, 1, 1};
  const shape s = {1, 4, 8, side, side, 4, 2, 1, true, 1};
  float *weights = random_weights(&s);
  et_test_op test;
  make(&test, &s, weights);
  et_error error = {0};
  assert_int_equal(et_test_check(&test, &error), ET_STATUS_OK);
  test.attributes[5] = 3;
  et_test_refused(
      &test, "winograd_f32: workspace is [1, 5040], expected at least [1, ");
  /* 36 * (2^20 * 1024 + 960) floats; 34,560 modulo 2^32 */
  test.attributes[5] = 1 << 20;
  test.tensors[0].sizes[3] = test.tensors[1].sizes[2] = 960;
  test.tensors[5].sizes[1] = 40000;
  et_test_refused(&test, "winograd_f32: workspace is [1, 40000]");
  test.tensors[0].sizes[3] = test.tensors[1].sizes[2] = 4;
  test.tensors[5].sizes[1] = 5040;
  test.attributes[5] = 0x7fffffff;
  et_test_refused(&test, "winograd_f32: attribute 5 is 2147483647");
  test.attributes[5] = 2;
  test.attributes[4] = 3;
  et_test_refused(&test,
                  "winograd_f32: tiles of 3 x 3 outputs, expected 2 or 4");
  test.attributes[4] = 4;
  test.tensors[5].sizes[0] = 0;
  et_test_refused(&test, "winograd_f32: workspace is [0, 5040]");
  test.tensors[5].sizes[0] = 1;
  test.attributes[0] = 2;
  et_test_refused(
      &test, "winograd_f32: 6 outputs along an axis of size 6, expected 7");
  test.attributes[0] = 1;
  test.tensors[1].sizes[0] = 16;
  et_test_refused(&test, "winograd_f32: tensor 1, dim 0 is 16, expected 36");
  et_test_end(&test);
  free(weights);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_convolutions_of_random_shapes),
      cmocka_unit_test(test_threads_share_columns),
      cmocka_unit_test(test_rejects_invalid_shapes_and_attributes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
