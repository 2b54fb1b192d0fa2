/* Tests two models in one library through the typed functions of its header:
 * several methods, a dynamic size, and static memory. */
/* cmocka.h requires these four headers before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/feature_models/two_models_cc.h"

static tests_feature_models_encode_decode_encode_memory encoder_memory;
static tests_feature_models_encode_decode_decode_memory decoder_memory;
static tests_feature_models_dynamic_batch_forward_memory classifier_memory;

static void test_methods_of_one_model_have_separate_memory(void **state) {
  (void)state;
  static const float kRows[2 * 16] = {1, 2, 3};
  tests_feature_models_encode_decode_encode_method encoder = {NULL};
  tests_feature_models_encode_decode_decode_method decoder = {NULL};
  const float *codes = NULL;
  const float *rows = NULL;
  assert_int_equal(tests_feature_models_encode_decode_encode_load(
                       &encoder_memory, NULL, &encoder, NULL),
                   ET_STATUS_OK);
  assert_int_equal(tests_feature_models_encode_decode_decode_load(
                       &decoder_memory, NULL, &decoder, NULL),
                   ET_STATUS_OK);
  assert_int_equal(
      tests_feature_models_encode_decode_encode_set_rows(encoder, kRows, NULL),
      ET_STATUS_OK);
  assert_int_equal(
      tests_feature_models_encode_decode_encode_execute(encoder, NULL),
      ET_STATUS_OK);
  assert_int_equal(tests_feature_models_encode_decode_encode_get_output_0(
                       encoder, &codes, NULL),
                   ET_STATUS_OK);
  assert_int_equal(
      tests_feature_models_encode_decode_decode_set_codes(decoder, codes, NULL),
      ET_STATUS_OK);
  assert_int_equal(
      tests_feature_models_encode_decode_decode_execute(decoder, NULL),
      ET_STATUS_OK);
  assert_int_equal(tests_feature_models_encode_decode_decode_get_output_0(
                       decoder, &rows, NULL),
                   ET_STATUS_OK);
  /* The second row of codes was computed from zeros, so it has the column
   * sums. */
  assert_true(codes[0] != codes[4]);
  assert_true(rows[0] == rows[0]);
}

static void test_typed_batch_is_limited_to_its_maximum(void **state) {
  (void)state;
  static const float kInput[9 * 6] = {1, 2, 3, 4, 5, 6};
  static const int32_t kThree[2] = {3, 6};
  static const int32_t kNine[2] = {9, 6};
  tests_feature_models_dynamic_batch_forward_method method = {NULL};
  et_error error = {ET_STATUS_OK, ""};
  const float *logits = NULL;
  const int32_t *sizes = NULL;
  size_t count = 0;
  assert_int_equal(tests_feature_models_dynamic_batch_forward_load(
                       &classifier_memory, NULL, &method, &error),
                   ET_STATUS_OK);
  assert_int_equal(tests_feature_models_dynamic_batch_forward_set_x(
                       method, kInput, 3 * 6, kThree, &error),
                   ET_STATUS_OK);
  assert_int_equal(
      tests_feature_models_dynamic_batch_forward_execute(method, &error),
      ET_STATUS_OK);
  assert_int_equal(tests_feature_models_dynamic_batch_forward_get_output_0(
                       method, &logits, &count, &sizes, &error),
                   ET_STATUS_OK);
  assert_int_equal(count, 9);
  assert_int_equal(sizes[0], 3);
  assert_int_equal(sizes[1], 3);
  assert_int_equal(tests_feature_models_dynamic_batch_forward_set_x(
                       method, kInput, 9 * 6, kNine, &error),
                   ET_STATUS_NOT_SUPPORTED);
  assert_string_equal(
      error.message, "inputs[0]: size 9 of dim 0 is out of range; pass 1 to 8");
}

static void test_both_models_share_one_table_of_their_kernels(void **state) {
  (void)state;
  const et_string used = {"aten::tanh.out", 14};
  const et_string unused = {"aten::convolution.out", 21};
  assert_ptr_equal(tests_feature_models_encode_decode_registry.kernels,
                   tests_feature_models_dynamic_batch_registry.kernels);
  assert_non_null(et_kernel_table_find(
      tests_feature_models_dynamic_batch_registry.kernels, used));
  assert_null(et_kernel_table_find(
      tests_feature_models_dynamic_batch_registry.kernels, unused));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_methods_of_one_model_have_separate_memory),
      cmocka_unit_test(test_typed_batch_is_limited_to_its_maximum),
      cmocka_unit_test(test_both_models_share_one_table_of_their_kernels),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
