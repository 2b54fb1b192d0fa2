#include "backends/cpu/microkernels/winograd_qs8.h"

#include "backends/cpu/ops/testing_qs8.h"
#include "backends/cpu/ops/testing_window.h"
#include "backends/cpu/schema/op_codes.h"
#include "backends/cpu/schema/winograd_qs8.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define F32 ET_SCALAR_TYPE_FLOAT32
#define I8 ET_SCALAR_TYPE_INT8
#define U8 ET_SCALAR_TYPE_UINT8

typedef struct shape {
  int32_t batch, channels, columns;
  et_test_axis y, x;
  bool from_signed, to_signed;
  int32_t tiles, lanes;
  int32_t zero_point;
} shape;

/* A shape and its weights before packing, [columns][9][channels]. */
typedef struct given {
  shape shape;
  int8_t *weights;
} given;

/* The clamp excludes some values at each end of the range. */
static const et_cpu_output_quantization output_quantization = {19.0f, 7, 10,
                                                               117};

static const int32_t rows_of_g[6][3] = {{6, 0, 0}, {1, 1, 1},  {1, -1, 1},
                                        {1, 2, 4}, {1, -2, 4}, {0, 0, 6}};

static int8_t weight(const given *g, int32_t column, int32_t tap, int32_t c) {
  return g->weights[(column * 9 + tap) * g->shape.channels + c];
}

static int32_t transformed(const given *g, int32_t column, int32_t c,
                           int32_t position) {
  int32_t sum = 0;
  for (int32_t tap = 0; tap < 9; tap++) {
    sum += rows_of_g[position / 6][tap / 3] * rows_of_g[position % 6][tap % 3] *
           weight(g, column, tap, c);
  }
  return sum;
}

/* Packs weights as [position][panel][pair][16][2]. */
static void pack(const given *g, int16_t *panels) {
  const int32_t pairs = g->shape.channels / 2;
  for (int32_t p = 0; p < 36; p++) {
    for (int32_t n = 0; n < g->shape.columns; n++) {
      for (int32_t c = 0; c < g->shape.channels; c++) {
        const int32_t panel = p * (g->shape.columns / 16) + n / 16;
        panels[((panel * pairs + c / 2) * 16 + n % 16) * 2 + c % 2] =
            (int16_t)transformed(g, n, c, p);
      }
    }
  }
}

static void fill_sums(const given *g, int32_t *sums) {
  const int32_t depth = 9 * g->shape.channels;
  for (int32_t n = 0; n < g->shape.columns; n++) {
    sums[n] = 0;
    for (int32_t i = 0; i < depth; i++) {
      sums[n] += g->weights[n * depth + i];
    }
  }
}

static given given_of(const shape *s) {
  const size_t count = (size_t)(9 * s->channels * s->columns);
  const given g = {*s, malloc(count + 1)};
  assert_non_null(g.weights);
  for (size_t i = 0; i < count; i++) {
    g.weights[i] = (int8_t)((int32_t)et_test_below(256) - 128);
  }
  return g;
}

/* Sets scales that suit accumulators of several hundred thousand. */
static void fill_scales(float *scale, const shape *s) {
  for (int32_t n = 0; n < s->columns; n++) {
    scale[n] = (1.5f + et_test_number()) /
               (20000.0f * sqrtf(9.0f * (float)s->channels));
  }
}

static void make(et_test_op *test, const given *g) {
  const shape *s = &g->shape;
  const int32_t in[4] = {s->batch, s->y.in, s->x.in, s->channels};
  const int32_t out[4] = {s->batch, s->y.out, s->x.out, s->columns};
  const int32_t panels[4] = {36, s->columns / 16, s->channels / 2, 32};
  const int32_t columns[1] = {s->columns};
  const int32_t space[2] = {
      s->lanes,
      (int32_t)et_cpu_winograd_words_i8((size_t)s->tiles, (size_t)s->channels)};
  et_test_begin(test, &et_cpu_op_winograd_qs8);
  et_test_input(test, s->from_signed ? I8 : U8, 4, in);
  pack(g, et_test_input(test, ET_SCALAR_TYPE_INT16, 4, panels));
  fill_sums(g, et_test_input(test, ET_SCALAR_TYPE_INT32, 1, columns));
  fill_scales(et_test_input(test, F32, 1, columns), s);
  et_test_input(test, F32, 1, columns);
  et_test_output(test, s->to_signed ? I8 : U8, 4, out);
  et_test_workspace(test, F32, 2, space);
  et_test_window(test, &s->y, &s->x);
  et_test_int(test, s->zero_point);
  et_test_int(test, 0);
  et_test_int(test, s->from_signed ? -128 : 0);
  et_test_quantizing(test, &output_quantization);
  et_test_int(test, s->tiles);
}

/* Computes the direct convolution in integers. */
static int32_t sum_at(const et_test_op *test, const given *g,
                      const et_test_place *at) {
  const shape *s = &g->shape;
  int32_t sum = 0;
  for (int32_t tap = 0; tap < 9; tap++) {
    const int32_t y = et_test_tap(&s->y, at->y, tap / 3);
    const int32_t x = et_test_tap(&s->x, at->x, tap % 3);
    const int32_t pixel = (at->image * s->y.in + y) * s->x.in + x;
    for (int32_t c = 0; y >= 0 && x >= 0 && c < s->channels; c++) {
      const size_t index = (size_t)(pixel * s->channels + c);
      sum += (et_test_byte(&test->tensors[0], index) - s->zero_point) *
             weight(g, at->channel, tap, c);
    }
  }
  return sum;
}

static double element(const et_test_op *test, const void *given_,
                      const et_test_place *at) {
  return et_test_requantized(
      &output_quantization, sum_at(test, given_, at),
      ((const float *)test->tensors[3].data)[at->channel],
      ((const float *)test->tensors[4].data)[at->channel]);
}

static void check_winograd(const shape *s) {
  given g = given_of(s);
  et_test_op test;
  make(&test, &g);
  et_test_run_exact(&test, &g, element);
  et_test_end(&test);
  free(g.weights);
}

static void test_convolutions_of_random_shapes(void **state) {
  (void)state;
  for (int i = 0; i < 40; i++) {
    const shape s = {.batch = 1 + (int32_t)et_test_below(2),
                     .channels = 32 * (1 + (int32_t)et_test_below(3)),
                     .columns = 16 * (1 + (int32_t)et_test_below(10)),
                     .y = et_test_axis_random(3, 1, 1),
                     .x = et_test_axis_random(3, 1, 1),
                     .from_signed = et_test_below(2) == 0,
                     .to_signed = et_test_below(2) == 0,
                     .tiles = 1 + (int32_t)et_test_below(8),
                     .lanes = 1 + (int32_t)et_test_below(4),
                     .zero_point = (int32_t)et_test_below(128)};
    check_winograd(&s);
  }
}

/* Covers from one tile per iteration to more than fit in several GEMM tiles. */
static void test_every_number_of_tiles_per_iteration(void **state) {
  (void)state;
  for (int32_t width = 1; width <= 80; width += 3) {
    const shape s = {1,
                     32,
                     16 * (1 + width % 5),
                     {3, 1, 3, 1, 0, 0, 1},
                     {width, width, 3, 1, 1, 1, 1},
                     true,
                     true,
                     20,
                     1,
                     -5};
    check_winograd(&s);
  }
}

/* Covers the maximum number of channels with extreme weights and pixels. Accumulators reach 33
 * million. */
static void test_the_largest_accumulators_are_exact(void **state) {
  (void)state;
  const int8_t weights[] = {-128, 127};
  const uint8_t pixels[] = {0, 255};
  for (size_t i = 0; i < 8; i++) {
    const et_test_axis axis = {7, 5, 3, 1, 0, 0, 1};
    const shape s = {1,          224,  16, axis, axis,
                     i / 4 == 0, true, 4,  1,    i / 4 == 0 ? -128 : 255};
    given g = given_of(&s);
    memset(g.weights, weights[i % 2], 9 * 224 * 16);
    et_test_op test;
    make(&test, &g);
    memset(test.tensors[0].data, pixels[i / 2 % 2], test.tensors[0].bytes);
    for (int32_t n = 0; n < 16; n++) {
      ((float *)test.tensors[3].data)[n] = 1e-7f * (float)(1 + n % 3);
    }
    et_test_run_exact(&test, &g, element);
    et_test_end(&test);
    free(g.weights);
  }
}

/* The packed weights are not transforms of any convolution. */
static void test_overflowing_sums_are_equal_for_every_isa(void **state) {
  (void)state;
  const et_test_axis axis = {8, 8, 3, 1, 1, 1, 1};
  const shape s = {1, 224, 16, axis, axis, true, true, 4, 1, 3};
  given g = given_of(&s);
  et_test_op test, again;
  make(&test, &g);
  make(&again, &g);
  for (size_t i = 0; i < test.tensors[1].numel; i++) {
    const int16_t any = (int16_t)((int32_t)et_test_below(65536) - 32768);
    ((int16_t *)test.tensors[1].data)[i] = any;
    ((int16_t *)again.tensors[1].data)[i] = any;
  }
  for (size_t i = 0; i < 5; i++) {
    memcpy(again.tensors[i].data, test.tensors[i].data, test.tensors[i].bytes);
  }
  et_test_same_bits(&test, &again);
  et_test_end(&again);
  et_test_end(&test);
  free(g.weights);
}

static void test_rejects_invalid_shapes_and_attributes(void **state) {
  (void)state;
  const et_test_axis side = {6, 6, 3, 1, 1, 1, 1};
  const shape s = {1, 32, 16, side, side, true, true, 2, 1, 3};
  given g = given_of(&s);
  et_test_op test;
  et_error error = {0};
  make(&test, &g);
  assert_int_equal(et_test_check(&test, &error), ET_STATUS_OK);
  test.attributes[17] = 3;
  et_test_refused(
      &test, "winograd_qs8: workspace is [1, 5760], expected at least [1, ");
  /* 36 * 745,655 * 160 words; 5504 modulo 2^32 */
  test.attributes[17] = 745655;
  test.tensors[0].sizes[3] = 192;
  test.tensors[1].sizes[2] = 96;
  et_test_refused(&test, "winograd_qs8: workspace is [1, 5760]");
  test.tensors[0].sizes[3] = 32;
  test.tensors[1].sizes[2] = 16;
  test.attributes[17] = 0;
  et_test_refused(&test, "winograd_qs8: attribute 17 is 0");
  test.attributes[17] = 2;
  test.tensors[6].sizes[0] = 0;
  et_test_refused(&test, "winograd_qs8: workspace is [0, 5760]");
  test.tensors[6].sizes[0] = 1;
  test.attributes[10] = 200;
  et_test_refused(&test, "winograd_qs8: quantized value of tensor 0 is 200");
  test.attributes[10] = 3;
  test.tensors[1].sizes[0] = 16;
  et_test_refused(&test, "winograd_qs8: tensor 1, dim 0 is 16, expected 36");
  test.tensors[1].sizes[0] = 36;
  test.tensors[1].dtype = I8;
  et_test_refused(&test, "winograd_qs8: tensor 1 is int8, expected int16");
  et_test_end(&test);
  free(g.weights);
}

static void test_rejects_unsupported_windows_and_channels(void **state) {
  (void)state;
  const et_test_axis three = {6, 6, 3, 1, 1, 1, 1};
  const et_test_axis one = {6, 6, 1, 1, 0, 0, 1};
  const et_test_axis two = {6, 3, 3, 2, 1, 1, 1};
  const et_test_axis apart = {6, 4, 3, 1, 1, 1, 2};
  const shape shapes[] = {{1, 32, 16, one, three, true, true, 2, 1, 3},
                          {1, 32, 16, three, one, true, true, 2, 1, 3},
                          {1, 32, 16, two, three, true, true, 2, 1, 3},
                          {1, 32, 16, three, two, true, true, 2, 1, 3},
                          {1, 32, 16, apart, three, true, true, 2, 1, 3},
                          {1, 32, 16, three, apart, true, true, 2, 1, 3},
                          {1, 16, 16, three, three, true, true, 2, 1, 3},
                          {1, 256, 16, three, three, true, true, 2, 1, 3},
                          {1, 32, 24, three, three, true, true, 2, 1, 3}};
  static const char *const messages[] = {
      "attribute 0 is 1, expected 3",
      "attribute 1 is 1, expected 3",
      "attribute 2 is 2, expected 1",
      "attribute 3 is 2, expected 1",
      "attribute 8 is 2, expected 1",
      "attribute 9 is 2, expected 1",
      "winograd_qs8: 16 input channels, expected a multiple of 32, at most 224",
      ("winograd_qs8: 256 input channels, expected a multiple of 32, at most "
       "224"),
      "winograd_qs8: 24 output channels, expected a multiple of 16"};
  for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
    shape s = shapes[i];
    s.columns = s.columns / 16 * 16;
    given g = given_of(&s);
    et_test_op test;
    make(&test, &g);
    test.tensors[5].sizes[3] = shapes[i].columns;
    et_test_refused(&test, messages[i]);
    et_test_end(&test);
    free(g.weights);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_convolutions_of_random_shapes),
      cmocka_unit_test(test_every_number_of_tiles_per_iteration),
      cmocka_unit_test(test_the_largest_accumulators_are_exact),
      cmocka_unit_test(test_overflowing_sums_are_equal_for_every_isa),
      cmocka_unit_test(test_rejects_invalid_shapes_and_attributes),
      cmocka_unit_test(test_rejects_unsupported_windows_and_channels),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
