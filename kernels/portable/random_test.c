#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "executorch/kernels/convert.h"
#include "kernels/testing/harness.h"

#define COUNT 10000

static const float *draw(et_test *t, const char *name) {
  et_value *out = et_test_floats(t, ET_SHAPE(COUNT), NULL);
  assert_int_equal(ET_CALL(t, name, ET_INTS(t, COUNT), out, out), ET_STATUS_OK);
  return et_test_data(out);
}

static void moments(const float *x, double *mean, double *variance) {
  double sum = 0.0;
  double squares = 0.0;
  for (size_t i = 0; i < COUNT; i++) {
    sum += (double)x[i];
    squares += (double)x[i] * (double)x[i];
  }
  *mean = sum / COUNT;
  *variance = squares / COUNT - *mean * *mean;
}

static void test_uniform_values_are_below_one(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_random random = et_random_seeded(1);
  et_test_draw_from(t, &random);
  const float *x = draw(t, "aten::rand.out");
  double mean = 0.0;
  double variance = 0.0;
  moments(x, &mean, &variance);
  for (size_t i = 0; i < COUNT; i++) {
    assert_true(x[i] >= 0.0f && x[i] < 1.0f);
  }
  assert_true(fabs(mean - 0.5) < 0.02 && fabs(variance - 1.0 / 12) < 0.005);
  et_test_end(t);
}

/* A value with more bits than the dtype's significand could round to 1. */
static void check_resolution(et_scalar_type dtype, int bits) {
  et_test *t = et_test_begin();
  et_random random = et_random_seeded(1);
  et_test_draw_from(t, &random);
  et_value *out = et_test_tensor(t, dtype, ET_SHAPE(COUNT), NULL);
  assert_int_equal(ET_CALL(t, "aten::rand.out", ET_INTS(t, COUNT), out, out),
                   ET_STATUS_OK);
  bool is_finer = false;
  for (size_t i = 0; i < COUNT; i++) {
    double x = 0.0;
    et_load_run(ET_COMPUTE_FLOAT64, dtype,
                (const uint8_t *)out->u.as_tensor->data +
                    i * et_scalar_type_size((int32_t)dtype),
                0, 1, &x);
    const double steps = ldexp(x, bits);
    assert_true(x < 1.0 && steps == floor(steps));
    is_finer = is_finer || fmod(steps, 2.0) != 0.0;
  }
  assert_true(is_finer);
  et_test_end(t);
}

static void test_uniform_values_have_the_resolution_of_their_dtype(
    void **state) {
  (void)state;
  check_resolution(ET_SCALAR_TYPE_FLOAT64, 53);
  check_resolution(ET_SCALAR_TYPE_FLOAT32, 24);
  check_resolution(ET_SCALAR_TYPE_FLOAT16, 11);
  check_resolution(ET_SCALAR_TYPE_BFLOAT16, 8);
}

static void test_normal_values_have_their_moments(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_random random = et_random_seeded(2);
  et_test_draw_from(t, &random);
  double mean = 0.0;
  double variance = 0.0;
  moments(draw(t, "aten::randn.out"), &mean, &variance);
  assert_true(fabs(mean) < 0.05 && fabs(variance - 1.0) < 0.05);
  et_test_end(t);
}

static void test_seed_repeats_its_values_and_runs_continue(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_random random = et_random_seeded(3);
  et_test_draw_from(t, &random);
  const float *first = draw(t, "aten::rand.out");
  const float *second = draw(t, "aten::rand.out");
  random = et_random_seeded(3);
  const float *again = draw(t, "aten::rand.out");
  assert_memory_equal(first, again, COUNT * sizeof(float));
  assert_memory_not_equal(first, second, COUNT * sizeof(float));
  et_test_end(t);
}

static et_status drop(et_test *t, double p, bool train, et_value *x,
                      et_value *out, et_value *mask) {
  et_value *outs[2] = {out, mask};
  return ET_CALL(t, "aten::native_dropout.out", x, et_test_double(t, p),
                 et_test_bool(t, train), out, mask,
                 et_test_list(t, ET_VALUE_TENSOR_LIST, outs, 2));
}

static void test_dropout_scales_preserved_elements(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_random random = et_random_seeded(4);
  et_test_draw_from(t, &random);
  et_value *x = et_test_random(t, ET_SHAPE(COUNT), 1);
  et_value *out = et_test_floats(t, ET_SHAPE(COUNT), NULL);
  et_value *mask =
      et_test_tensor(t, ET_SCALAR_TYPE_BOOL, ET_SHAPE(COUNT), NULL);
  assert_int_equal(drop(t, 0.75, true, x, out, mask), ET_STATUS_OK);
  const bool *kept = mask->u.as_tensor->data;
  size_t count = 0;
  for (size_t i = 0; i < COUNT; i++) {
    const float expected = kept[i] ? et_test_data(x)[i] * 4.0f : 0.0f;
    assert_true(et_test_data(out)[i] == expected);
    count += kept[i];
  }
  assert_in_range(count, COUNT / 4 - 250, COUNT / 4 + 250);
  assert_int_equal(drop(t, 0.75, false, x, out, mask), ET_STATUS_OK);
  assert_memory_equal(et_test_data(out), et_test_data(x),
                      COUNT * sizeof(float));
  assert_int_equal(drop(t, 1.0, true, x, out, mask), ET_STATUS_OK);
  assert_true(et_test_data(out)[COUNT - 1] == 0.0f);
  et_test_assert_refused(t, drop(t, 1.5, true, x, out, mask),
                         "p = 1.5 is not in [0, 1]");
  et_test_end(t);
}

static void test_random_op_without_a_generator_is_refused(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *out = et_test_floats(t, ET_SHAPE(4), NULL);
  et_test_assert_refused(
      t, ET_CALL(t, "aten::rand.out", ET_INTS(t, 4), out, out),
      "rand: draws random numbers; set et_method_options.random");
  et_test_end(t);
}

static void test_random_integers_are_refused(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_random random = et_random_seeded(0);
  et_test_draw_from(t, &random);
  et_value *out = et_test_tensor(t, ET_SCALAR_TYPE_INT32, ET_SHAPE(4), NULL);
  et_test_assert_refused(
      t, ET_CALL(t, "aten::rand.out", ET_INTS(t, 4), out, out), "rand");
  et_test_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_uniform_values_are_below_one),
      cmocka_unit_test(test_uniform_values_have_the_resolution_of_their_dtype),
      cmocka_unit_test(test_normal_values_have_their_moments),
      cmocka_unit_test(test_seed_repeats_its_values_and_runs_continue),
      cmocka_unit_test(test_dropout_scales_preserved_elements),
      cmocka_unit_test(test_random_op_without_a_generator_is_refused),
      cmocka_unit_test(test_random_integers_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
