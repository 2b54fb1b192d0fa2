#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kernels/testing/harness.h"

/* A convolution with equal attributes in both dimensions. */
typedef struct problem {
  int32_t channels, height, width; /* sizes of each of the two images */
  int32_t outs;
  int32_t kernel;
  int32_t groups;
  int64_t stride, padding, dilation;
} problem;

static int64_t out_size(const problem *p, int64_t size) {
  return (size + 2 * p->padding - p->dilation * (p->kernel - 1) - 1) /
             p->stride +
         1;
}

/* Returns output element (oy, ox) of channel m, computed tap by tap. */
static float sum_taps(const problem *p, const float *image, const float *weight,
                      int64_t m, int64_t oy, int64_t ox) {
  const int64_t channels = p->channels / p->groups;
  const int64_t first = m / (p->outs / p->groups) * channels;
  float sum = 0.0f;
  for (int64_t i = 0; i < channels * p->kernel * p->kernel; i++) {
    const int64_t c = i / p->kernel / p->kernel;
    const int64_t y =
        oy * p->stride - p->padding + i / p->kernel % p->kernel * p->dilation;
    const int64_t x = ox * p->stride - p->padding + i % p->kernel * p->dilation;
    if (y >= 0 && y < p->height && x >= 0 && x < p->width) {
      sum += image[((first + c) * p->height + y) * p->width + x] *
             weight[m * channels * p->kernel * p->kernel + i];
    }
  }
  return sum;
}

static et_status convolve(et_test *t, const problem *p, et_value *input,
                          et_value *weight, et_value *bias, et_value *out) {
  return ET_CALL(t, "aten::convolution.out", input, weight, bias,
                 ET_INTS(t, p->stride, p->stride),
                 ET_INTS(t, p->padding, p->padding),
                 ET_INTS(t, p->dilation, p->dilation), et_test_bool(t, false),
                 ET_INTS(t, 0, 0), et_test_int(t, p->groups), out, out);
}

static void check_convolution(const problem *p) {
  et_test *t = et_test_begin();
  const int32_t oh = (int32_t)out_size(p, p->height);
  const int32_t ow = (int32_t)out_size(p, p->width);
  et_value *input =
      et_test_random(t, ET_SHAPE(2, p->channels, p->height, p->width), 1);
  et_value *weight = et_test_random(
      t, ET_SHAPE(p->outs, p->channels / p->groups, p->kernel, p->kernel), 2);
  et_value *bias = et_test_random(t, ET_SHAPE(p->outs), 3);
  et_value *out = et_test_floats(t, ET_SHAPE(2, p->outs, oh, ow), NULL);
  assert_int_equal(convolve(t, p, input, weight, bias, out), ET_STATUS_OK);
  const int64_t plane = (int64_t)oh * ow;
  for (int64_t i = 0; i < 2 * p->outs * plane; i++) {
    const int64_t n = i / plane / p->outs;
    const int64_t m = i / plane % p->outs;
    const float *image =
        et_test_data(input) + n * p->channels * p->height * p->width;
    const float expected =
        et_test_data(bias)[m] +
        sum_taps(p, image, et_test_data(weight), m, i % plane / ow, i % ow);
    assert_float_equal(et_test_data(out)[i], expected, 1e-3f);
  }
  et_test_end(t);
}

static void test_convolution_by_gemm_matches_plain_loops(void **state) {
  (void)state;
  for (int64_t stride = 1; stride <= 3; stride++) {
    for (int64_t padding = 0; padding <= 2; padding++) {
      check_convolution(&(problem){4, 9, 7, 5, 3, 1, stride, padding, 1});
      check_convolution(&(problem){4, 9, 7, 6, 2, 2, stride, padding, 2});
      check_convolution(&(problem){6, 6, 5, 3, 1, 1, stride, padding, 1});
    }
  }
}

static void test_depthwise_convolution_matches_plain_loops(void **state) {
  (void)state;
  for (int64_t stride = 1; stride <= 3; stride++) {
    for (int64_t dilation = 1; dilation <= 2; dilation++) {
      check_convolution(
          &(problem){3, 9, 10, 3, 3, 3, stride, dilation, dilation});
      check_convolution(&(problem){2, 9, 9, 6, 5, 2, stride, 2, dilation});
      check_convolution(&(problem){1, 5, 5, 4, 1, 1, stride, 0, dilation});
    }
  }
}

static void test_large_convolutions_use_several_blocks(void **state) {
  (void)state;
  check_convolution(&(problem){70, 20, 21, 3, 3, 1, 1, 1, 1});
  check_convolution(&(problem){2, 150, 150, 2, 3, 2, 1, 1, 1});
}

static void test_convolution_of_an_empty_tensor_is_empty(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  const problem p = {3, 5, 5, 4, 3, 1, 1, 1, 1};
  et_value *input = et_test_floats(t, ET_SHAPE(0, 3, 5, 5), NULL);
  et_value *weight = et_test_random(t, ET_SHAPE(4, 3, 3, 3), 1);
  et_value *out = et_test_floats(t, ET_SHAPE(0, 4, 5, 5), NULL);
  assert_int_equal(convolve(t, &p, input, weight, et_test_none(t), out),
                   ET_STATUS_OK);
  et_test_end(t);
}

static void refuse(problem p, const char *part) {
  et_test *t = et_test_begin();
  et_value *input = et_test_random(t, ET_SHAPE(1, 4, 5, 5), 1);
  et_value *weight = et_test_random(t, ET_SHAPE(4, 4, 3, 3), 1);
  const float before[4] = {1, 2, 3, 4};
  et_value *out = et_test_floats(t, ET_SHAPE(4), before);
  et_test_assert_refused(
      t, convolve(t, &p, input, weight, et_test_none(t), out), part);
  et_test_assert_floats(out, before, 4);
  et_test_end(t);
}

static void test_invalid_convolution_attributes_are_refused_before_writing(
    void **state) {
  (void)state;
  refuse((problem){.groups = 1, .stride = 0, .dilation = 1}, "stride");
  refuse((problem){.groups = 1, .stride = -1, .dilation = 1}, "stride");
  refuse((problem){.groups = 1, .stride = 1, .dilation = 0}, "dilation");
  refuse((problem){.groups = 1, .stride = 1, .dilation = 1, .padding = -1},
         "padding");
  refuse((problem){.groups = 0, .stride = 1, .dilation = 1}, "groups");
  refuse((problem){.groups = -4, .stride = 1, .dilation = 1}, "groups");
  refuse((problem){.groups = 1, .stride = 1, .dilation = INT32_MAX},
         "exceeds an input");
  refuse(
      (problem){.groups = 1, .stride = 1, .dilation = 1, .padding = INT32_MAX},
      "too large");
}

static void test_convolution_out_that_is_too_small_is_refused(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  const problem p = {4, 5, 5, 4, 3, 1, 1, 1, 1};
  et_value *input = et_test_random(t, ET_SHAPE(1, 4, 5, 5), 1);
  et_value *weight = et_test_random(t, ET_SHAPE(4, 4, 3, 3), 1);
  et_value *out = et_test_floats(t, ET_SHAPE(1, 4, 5, 4), NULL);
  assert_int_not_equal(convolve(t, &p, input, weight, et_test_none(t), out),
                       ET_STATUS_OK);
  et_test_end(t);
}

static size_t scratch_of(int32_t channels, int32_t kernel, int64_t stride,
                         int64_t padding) {
  et_test *t = et_test_begin();
  et_value *input = et_test_random(t, ET_SHAPE(1, 4, 8, 8), 1);
  et_value *weight =
      et_test_random(t, ET_SHAPE(4, channels, kernel, kernel), 2);
  et_value *out = et_test_floats(t, ET_SHAPE(1, 4, 8, 8), NULL);
  const size_t bytes =
      ET_SCRATCH("aten::convolution.out", input, weight, et_test_none(t),
                 ET_INTS(t, stride, stride), ET_INTS(t, padding, padding),
                 ET_INTS(t, 1, 1), et_test_bool(t, false), ET_INTS(t, 0, 0),
                 et_test_int(t, 4 / channels), out, out);
  et_test_end(t);
  return bytes;
}

static void test_convolution_scratch_matches_the_kernel_table(void **state) {
  (void)state;
  assert_int_equal(scratch_of(4, 1, 1, 0), 0);     /* pointwise */
  assert_int_equal(scratch_of(2, 1, 1, 0), 0);     /* groups */
  assert_int_equal(scratch_of(4, 1, 2, 0), 32768); /* stride 2 */
  assert_int_equal(scratch_of(4, 1, 1, 1), 32768); /* padding */
  assert_int_equal(scratch_of(4, 3, 1, 1), 32768);
  assert_int_equal(scratch_of(1, 3, 1, 1), 32768); /* depthwise */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_convolution_by_gemm_matches_plain_loops),
      cmocka_unit_test(test_depthwise_convolution_matches_plain_loops),
      cmocka_unit_test(test_large_convolutions_use_several_blocks),
      cmocka_unit_test(test_convolution_of_an_empty_tensor_is_empty),
      cmocka_unit_test(
          test_invalid_convolution_attributes_are_refused_before_writing),
      cmocka_unit_test(test_convolution_out_that_is_too_small_is_refused),
      cmocka_unit_test(test_convolution_scratch_matches_the_kernel_table),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
