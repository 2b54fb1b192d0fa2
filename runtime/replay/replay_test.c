/* Tests reading recorded calls and comparing outputs with them. */
#include "runtime/replay/replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runtime/replay/calls.h"
#include "runtime/replay/compare.h"
#include "runtime/replay/recording.h"
#include "runtime/testing/program_test_support.h"

static void start_call(et_recording *r, uint32_t expected_status,
                       uint32_t inputs) {
  et_recording_put_u32(r, 7);
  et_recording_put(r, "forward", 7);
  et_recording_put_u32(r, expected_status);
  et_recording_put_u32(r, inputs);
}

/* Records one call, out = copy(in), with two floats. */
static void record_copy(et_recording *r, const float *in, const float *out) {
  r->size = 0;
  et_recording_put(r, "ETCL", 4);
  et_recording_put_u32(r, 1);
  et_recording_put_u32(r, 1);
  start_call(r, 0, 1);
  et_recording_put_floats(r, in, 2);
  et_recording_put_u32(r, 1);
  et_recording_put_floats(r, out, 2);
}

static et_program_writer writer;

static bool allows_rounding;

static et_status replay(const et_recording *r, double atol, et_error *error) {
  const et_span calls = {r->bytes, r->size};
  const et_replay_options options = {
      .tolerance = {atol, 0},
      .allows_rounding = allows_rounding,
      .least = {20, 0.9},
  };
  et_error_clear(error);
  et_test_write_copy(&writer, 2);
  et_program program;
  assert_int_equal(et_program_load(et_writer_finish(&writer), &program, NULL),
                   ET_STATUS_OK);
  et_replay_result result = {0};
  return et_replay(&program, calls, &et_test_registry, &options, &result,
                   error);
}

static void test_calls_that_match_their_record_pass(void **state) {
  (void)state;
  et_recording r;
  et_error error;
  const float data[2] = {1, 2};
  const float near[2] = {1, 2.25F};
  record_copy(&r, data, data);
  assert_int_equal(replay(&r, 0, &error), ET_STATUS_OK);
  record_copy(&r, data, near);
  assert_int_equal(replay(&r, 0.25, &error), ET_STATUS_OK);
}

static void test_mismatch_is_reported_with_its_position(void **state) {
  (void)state;
  et_recording r;
  et_error error;
  const float data[2] = {1, 2};
  const float far[2] = {1, 2.5F};
  record_copy(&r, data, far);
  assert_int_equal(replay(&r, 0.25, &error), ET_STATUS_INVALID_TYPE);
  assert_string_equal(error.message,
                      "call 0: output 0: 1 elements differ by more than the "
                      "tolerance, the first at 1; if errors up to 0.5 are "
                      "acceptable, set atol = 0.6");
}

static void test_refusals_are_compared_by_status(void **state) {
  (void)state;
  et_recording r = {.size = 0};
  et_error error;
  const float data[3] = {1, 2, 3};
  et_recording_put(&r, "ETCL", 4);
  et_recording_put_u32(&r, 1);
  et_recording_put_u32(&r, 1);
  start_call(&r, ET_STATUS_INVALID_ARGUMENT, 1);
  et_recording_put_floats(&r, data, 3);
  et_recording_put_u32(&r, 0);
  assert_int_equal(replay(&r, 0, &error), ET_STATUS_OK);
  record_copy(&r, data, data);
  r.bytes[4 + 4 + 4 + 4 + 7] = ET_STATUS_NOT_FOUND;
  assert_int_equal(replay(&r, 0, &error), ET_STATUS_INVALID_STATE);
  assert_non_null(strstr(error.message, "status 0x0, expected 0x20"));
}

/* Records the same call of a quantized model, with the distance `step` between
 * values. */
static void record_quantized(et_recording *r, const float *in, const float *out,
                             double step, const float *real) {
  const uint8_t kind = ET_RECORD_QUANTIZED;
  const et_record_steps steps = {step, 1, 0, 0};
  r->size = 0;
  et_recording_put(r, "ETCL", 4);
  et_recording_put_u32(r, 1);
  et_recording_put_u32(r, 1);
  start_call(r, 0, 1);
  et_recording_put_floats(r, in, 2);
  et_recording_put_u32(r, 1);
  et_recording_put(r, &kind, 1);
  et_recording_put(r, &steps, sizeof steps);
  et_recording_put_floats(r, out, 2);
  et_recording_put_floats(r, real, 2);
}

static void test_quantized_outputs_may_differ_by_one_step(void **state) {
  (void)state;
  et_recording r;
  et_error error;
  const float data[2] = {1, 2};
  const float next[2] = {1, 2.25F};
  record_quantized(&r, data, next, 0.25, data);
  assert_int_equal(replay(&r, 0, &error), ET_STATUS_OK);
  record_quantized(&r, data, next, 0.125, data);
  assert_int_equal(replay(&r, 0, &error), ET_STATUS_INVALID_TYPE);
  assert_non_null(strstr(error.message, "1 elements differ by more than"));
}

static void test_recorded_rounding_is_allowed_on_request(void **state) {
  (void)state;
  et_recording r;
  et_error error;
  const float data[2] = {1, 2};
  const float next[2] = {1, 2.25F};
  const double rounding = 0.25;
  record_quantized(&r, data, next, 0, data);
  /* Follows the kind, step, scale and zero point of the output. */
  const size_t from_end = 2 * (1 + 2 + 4 + 1 + 8 + 2 * sizeof(float));
  memcpy(r.bytes + r.size - from_end - sizeof rounding, &rounding,
         sizeof rounding);
  assert_int_equal(replay(&r, 0, &error), ET_STATUS_INVALID_TYPE);
  assert_non_null(strstr(error.message, "set atol = "));
  allows_rounding = true;
  const et_status status = replay(&r, 0, &error);
  allows_rounding = false;
  assert_int_equal(status, ET_STATUS_OK);
}

static void test_quantized_outputs_are_close_to_the_float_model(void **state) {
  (void)state;
  et_recording r;
  et_error error;
  const float data[2] = {1, 2};
  const float near[2] = {1.01F, 2};
  const float turned[2] = {2, 1};
  record_quantized(&r, data, data, 0, near);
  assert_int_equal(replay(&r, 0, &error), ET_STATUS_OK);
  record_quantized(&r, data, data, 0, turned);
  assert_int_equal(replay(&r, 0, &error), ET_STATUS_INVALID_TYPE);
  assert_non_null(strstr(error.message, "call 0: output 0: SQNR "));
  assert_non_null(strstr(error.message, "at least 20.00 dB and 0.9000"));
}

static void test_reference_of_another_shape_is_refused(void **state) {
  (void)state;
  et_recording r;
  et_error error;
  const float data[3] = {1, 2, 3};
  record_quantized(&r, data, data, 0, data);
  r.size -= 1 + 2 + 4 + 1 + 8 + 2 * sizeof *data; /* the float model's output */
  et_recording_put_floats(&r, data, 3);
  assert_int_equal(replay(&r, 0, &error), ET_STATUS_INVALID_TYPE);
  assert_non_null(
      strstr(error.message, "the float model's output has a different shape"));
}

static et_similarity similarity_of_bytes(et_record_steps steps,
                                         const float *real) {
  int8_t bytes[2] = {3, 7};
  int32_t sizes[1] = {2};
  int32_t strides[1] = {1};
  const uint8_t order[1] = {0};
  const et_tensor actual = {.data = bytes,
                            .sizes = sizes,
                            .strides = strides,
                            .dim_order = order,
                            .numel = 2,
                            .dtype = ET_SCALAR_TYPE_INT8,
                            .rank = 1};
  const et_record expected = {.kind = ET_RECORD_TENSOR,
                              .dtype = ET_SCALAR_TYPE_FLOAT32,
                              .rank = 1,
                              .sizes = {2},
                              .strides = {1},
                              .numel = 2,
                              .bytes = {(const uint8_t *)real, 8}};
  et_similarity found = {0, 0};
  assert_int_equal(et_similarity_of(&actual, steps, &expected, &found, NULL),
                   ET_STATUS_OK);
  return found;
}

static void test_bytes_are_compared_by_dtype(void **state) {
  (void)state;
  const et_record_steps steps = {1, 0.5, 1, 0};
  const float meant[2] = {1, 3};
  const float none[2] = {0, 0};
  const float other_first[2] = {2, 3};
  assert_true(isinf(similarity_of_bytes(steps, meant).sqnr));
  assert_true(similarity_of_bytes(steps, meant).cosine == 1);
  assert_true(similarity_of_bytes(steps, none).sqnr < 0);
  assert_true(isfinite(similarity_of_bytes(steps, other_first).sqnr));
  assert_true(isnan(similarity_of_bytes(steps, none).cosine));
}

static void test_truncated_records_are_refused(void **state) {
  (void)state;
  et_recording r;
  et_error error;
  const float data[2] = {1, 2};
  record_quantized(&r, data, data, 1, data);
  const size_t size = r.size;
  for (r.size = 0; r.size < size; r.size++) {
    assert_int_not_equal(replay(&r, 0, &error), ET_STATUS_OK);
  }
}

static void test_changed_records_are_survived(void **state) {
  (void)state;
  et_recording r;
  et_error error;
  const float data[2] = {1, 2};
  record_quantized(&r, data, data, 1, data);
  for (size_t at = 0; at < r.size; at++) {
    const uint8_t old = r.bytes[at];
    for (int bit = 0; bit < 8; bit++) {
      r.bytes[at] = (uint8_t)(old ^ (1 << bit));
      replay(&r, 0, &error);
    }
    r.bytes[at] = old;
  }
}

static et_difference difference_of(float actual, float expected, double atol,
                                   double rtol) {
  et_difference difference;
  int32_t one = 1;
  const uint8_t order = 0;
  et_tensor tensor = {.data = &actual,
                      .capacity = 4,
                      .sizes = &one,
                      .strides = &one,
                      .dim_order = &order,
                      .numel = 1,
                      .dtype = ET_SCALAR_TYPE_FLOAT32,
                      .rank = 1};
  const et_value value = {ET_VALUE_TENSOR, {.as_tensor = &tensor}};
  et_record record = {.kind = ET_RECORD_TENSOR,
                      .dtype = ET_SCALAR_TYPE_FLOAT32,
                      .rank = 1,
                      .sizes = {1},
                      .strides = {1},
                      .numel = 1};
  record.bytes.data = (const uint8_t *)&expected;
  record.bytes.size = sizeof expected;
  const et_tolerance tolerance = {atol, rtol};
  assert_int_equal(et_compare(&value, &record, tolerance, &difference, NULL),
                   ET_STATUS_OK);
  return difference;
}

static void test_tolerance_is_absolute_plus_relative(void **state) {
  (void)state;
  assert_int_equal(difference_of(1.5F, 1, 0.25, 0.25).failed, 0);
  assert_int_equal(difference_of(1.75F, 1, 0.25, 0.25).failed, 1);
  assert_true(difference_of(3, 2, 0, 0).max_relative == 0.5);
}

static void test_complex_values_compare_both_parts(void **state) {
  (void)state;
  float actual[2] = {1, 2};
  const float expected[2][2] = {{1, 2.5F}, {1.5F, 2}};
  int32_t one = 1;
  const uint8_t order = 0;
  et_tensor tensor = {.data = actual,
                      .sizes = &one,
                      .strides = &one,
                      .dim_order = &order,
                      .numel = 1,
                      .dtype = ET_SCALAR_TYPE_COMPLEX64,
                      .rank = 1};
  const et_value value = {ET_VALUE_TENSOR, {.as_tensor = &tensor}};
  for (size_t i = 0; i < 2; i++) {
    const et_tolerance exact = {0, 0};
    et_difference difference;
    const et_record record = {
        .kind = ET_RECORD_TENSOR,
        .dtype = ET_SCALAR_TYPE_COMPLEX64,
        .rank = 1,
        .sizes = {1},
        .strides = {1},
        .numel = 1,
        .bytes = {(const uint8_t *)expected[i], sizeof expected[i]}};
    assert_int_equal(et_compare(&value, &record, exact, &difference, NULL),
                     ET_STATUS_OK);
    assert_int_equal(difference.failed, 1);
    assert_true(difference.max_absolute == 0.5);
  }
}

static void test_nan_and_infinity_equal_only_themselves(void **state) {
  (void)state;
  const float nan = (float)NAN;
  const float infinity = (float)INFINITY;
  assert_int_equal(difference_of(nan, nan, 0, 0).failed, 0);
  assert_int_equal(difference_of(infinity, infinity, 0, 0).failed, 0);
  assert_int_equal(difference_of(nan, 1, 1e9, 1).failed, 1);
  assert_int_equal(difference_of(1, nan, 1e9, 1).failed, 1);
  assert_int_equal(difference_of(1, infinity, 1e9, 1).failed, 1);
  assert_int_equal(difference_of(-infinity, infinity, 1e9, 1).failed, 1);
}

static void test_records_are_permuted_by_dim_order(void **state) {
  (void)state;
  const float data[6] = {0, 1, 2, 3, 4, 5}; /* rows of a 2 x 3 matrix */
  float columns[6];
  et_record record = {.kind = ET_RECORD_TENSOR,
                      .dtype = ET_SCALAR_TYPE_FLOAT32,
                      .rank = 2,
                      .sizes = {2, 3},
                      .dim_order = {0, 1},
                      .strides = {3, 1},
                      .numel = 6};
  const uint8_t order[2] = {1, 0};
  const float expected[6] = {0, 3, 1, 4, 2, 5};
  record.bytes.data = (const uint8_t *)data;
  record.bytes.size = sizeof data;
  et_record_reorder(&record, order, columns);
  assert_memory_equal(columns, expected, sizeof expected);
}

static void test_float16_elements_are_read(void **state) {
  (void)state;
  const struct {
    et_scalar_type dtype;
    uint16_t bits;
    double value;
  } cases[] = {
      {ET_SCALAR_TYPE_FLOAT16, 0x3C00, 1},
      {ET_SCALAR_TYPE_FLOAT16, 0xC500, -5},
      {ET_SCALAR_TYPE_FLOAT16, 0x0001, 0x1p-24},
      {ET_SCALAR_TYPE_FLOAT16, 0x7BFF, 65504},
      {ET_SCALAR_TYPE_FLOAT16, 0xFC00, -(double)INFINITY},
      {ET_SCALAR_TYPE_BFLOAT16, 0x3FC0, 1.5},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_true(et_element_load(cases[i].dtype, &cases[i].bits) ==
                cases[i].value);
  }
  const uint16_t nan = 0x7E00;
  assert_true(isnan(et_element_load(ET_SCALAR_TYPE_FLOAT16, &nan)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_calls_that_match_their_record_pass),
      cmocka_unit_test(test_mismatch_is_reported_with_its_position),
      cmocka_unit_test(test_refusals_are_compared_by_status),
      cmocka_unit_test(test_quantized_outputs_may_differ_by_one_step),
      cmocka_unit_test(test_recorded_rounding_is_allowed_on_request),
      cmocka_unit_test(test_quantized_outputs_are_close_to_the_float_model),
      cmocka_unit_test(test_reference_of_another_shape_is_refused),
      cmocka_unit_test(test_bytes_are_compared_by_dtype),
      cmocka_unit_test(test_truncated_records_are_refused),
      cmocka_unit_test(test_changed_records_are_survived),
      cmocka_unit_test(test_tolerance_is_absolute_plus_relative),
      cmocka_unit_test(test_complex_values_compare_both_parts),
      cmocka_unit_test(test_nan_and_infinity_equal_only_themselves),
      cmocka_unit_test(test_records_are_permuted_by_dim_order),
      cmocka_unit_test(test_float16_elements_are_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
