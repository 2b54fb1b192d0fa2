/* Tests argmax_pool with windows that extend beyond the image. */
#include "backends/cpu/schema/argmax_pool.h"
#include "backends/cpu/ops/testing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void test_padding_is_never_the_maximum(void **state) {
  (void)state;
  const float image[9] = {-5, -1, -2, -6, -9, -3, -4, -8, -7}; /* 3 x 3 */
  const double expected[4] = {-5, -1, -4, -3};
  const int32_t expected_indices[4] = {3, 2, 3,
                                       1}; /* indices in 2 x 2 windows */
  const double margin[4] = {0};
  const int32_t in[4] = {1, 3, 3, 1};
  const int32_t out[4] = {1, 2, 2, 1};
  et_test_op test;
  et_test_begin(&test, &et_xnn_op_argmax_pool);
  memcpy(et_test_input(&test, ET_SCALAR_TYPE_FLOAT32, 4, in), image,
         sizeof image);
  et_test_output(&test, ET_SCALAR_TYPE_FLOAT32, 4, out);
  const void *found = et_test_output(&test, ET_SCALAR_TYPE_INT32, 4, out);
  et_test_int(&test, 2);
  et_test_int(&test, 2);
  et_test_int(&test, 1);
  et_test_int(&test, 1);
  et_test_run(&test, expected, margin);
  assert_memory_equal(found, expected_indices, sizeof expected_indices);
  test.attributes[0] = 0;
  et_test_refused(&test, "argmax_pool: attribute 0 is 0, expected 1 to");
  test.attributes[0] = 2;
  test.tensors[2].sizes[1] = 3;
  et_test_refused(&test, "argmax_pool: tensor 2, dim 1 is 3, expected 2");
  et_test_end(&test);
}

/* Visiting each pixel of the padding would exceed the time limit of the test. */
static void test_skips_padding(void **state) {
  (void)state;
  const int32_t size = 1 << 20;
  const int32_t sizes[4] = {1, 1, 1, 64};
  const double margin[64] = {0};
  double expected[64];
  et_test_op test;
  et_test_begin(&test, &et_xnn_op_argmax_pool);
  const float *image = et_test_input(&test, ET_SCALAR_TYPE_FLOAT32, 4, sizes);
  et_test_output(&test, ET_SCALAR_TYPE_FLOAT32, 4, sizes);
  const int32_t *found = et_test_output(&test, ET_SCALAR_TYPE_INT32, 4, sizes);
  et_test_int(&test, size);
  et_test_int(&test, size);
  et_test_int(&test, 3);
  et_test_int(&test, 5);
  for (size_t i = 0; i < 64; i++) {
    expected[i] = (double)image[i];
  }
  et_test_run(&test, expected, margin);
  for (size_t i = 0; i < 64; i++) {
    assert_int_equal(found[i], 3 * size + 5);
  }
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_padding_is_never_the_maximum),
      cmocka_unit_test(test_skips_padding),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
