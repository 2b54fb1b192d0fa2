#include "backends/cpu/schema/permute.h"
#include "backends/cpu/ops/testing.h"
#include "backends/cpu/schema/op_codes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void make(et_test_op *test, et_scalar_type dtype, uint8_t rank,
                 const int32_t *sizes, const int32_t *order) {
  int32_t out[ET_CPU_MAX_RANK];
  for (uint8_t i = 0; i < rank; i++) {
    out[i] = sizes[order[i]];
  }
  et_test_begin(test, &et_cpu_op_permute);
  et_test_input(test, dtype, rank, sizes);
  et_test_output(test, dtype, rank, out);
  for (uint8_t i = 0; i < rank; i++) {
    et_test_int(test, order[i]);
  }
}

/* Returns the index in x of output element `index`. */
static size_t source(const et_test_op *test, size_t index) {
  const et_cpu_tensor *x = &test->tensors[0];
  const et_cpu_tensor *y = &test->tensors[1];
  size_t at[ET_CPU_MAX_RANK] = {0};
  for (size_t i = y->rank; i-- > 0;) {
    at[test->attributes[i]] = index % (size_t)y->sizes[i];
    index /= (size_t)y->sizes[i];
  }
  size_t from = 0;
  for (size_t i = 0; i < x->rank; i++) {
    from = from * (size_t)x->sizes[i] + at[i];
  }
  return from;
}

static void check_permute(et_scalar_type dtype, uint8_t rank,
                          const int32_t *sizes, const int32_t *order) {
  et_test_op test;
  make(&test, dtype, rank, sizes, order);
  const et_cpu_tensor *y = et_test_result(&test);
  const size_t bytes = et_scalar_type_size((int32_t)dtype);
  const et_cpu_run run = {.isa = ET_CPU_PLAIN};
  et_error error = {0};
  assert_int_equal(et_test_check(&test, &error), ET_STATUS_OK);
  test.op.type->run(&test.op, &run);
  for (size_t i = 0; i < y->numel; i++) {
    const char *x = test.tensors[0].data;
    assert_memory_equal((const char *)y->data + i * bytes,
                        x + source(&test, i) * bytes, bytes);
  }
  et_test_end(&test);
}

static void shuffle(int32_t *order, uint8_t rank) {
  for (uint8_t i = 0; i < rank; i++) {
    const size_t j = et_test_below(i + 1u);
    order[i] = order[j];
    order[j] = i;
  }
}

static void test_permutes_dims_of_any_element_size(void **state) {
  (void)state;
  const et_scalar_type dtypes[] = {ET_SCALAR_TYPE_INT8, ET_SCALAR_TYPE_FLOAT16,
                                   ET_SCALAR_TYPE_FLOAT32,
                                   ET_SCALAR_TYPE_INT64};
  for (int i = 0; i < 300; i++) {
    const uint8_t rank = (uint8_t)(1 + et_test_below(5));
    int32_t sizes[ET_CPU_MAX_RANK];
    int32_t order[ET_CPU_MAX_RANK];
    for (uint8_t d = 0; d < rank; d++) {
      sizes[d] = (int32_t)(et_test_below(20) == 0 ? 0 : 1 + et_test_below(7));
    }
    sizes[et_test_below(rank)] = 1 + (int32_t)et_test_below(70);
    shuffle(order, rank);
    check_permute(dtypes[i % 4], rank, sizes, order);
  }
}

static void test_converts_between_nchw_and_nhwc(void **state) {
  (void)state;
  const int32_t planes[4] = {2, 37, 9, 11};
  const int32_t image[4] = {2, 9, 11, 37};
  const int32_t to_last[4] = {0, 2, 3, 1};
  const int32_t to_first[4] = {0, 3, 1, 2};
  check_permute(ET_SCALAR_TYPE_FLOAT32, 4, planes, to_last);
  check_permute(ET_SCALAR_TYPE_FLOAT32, 4, image, to_first);
}

/* Covers more pixels than one iteration stores. */
static void test_interleaves_three_channels_of_int8(void **state) {
  (void)state;
  const int32_t planes[4] = {2, 3, 23, 31};
  const int32_t wide[4] = {2, 19, 23, 31};
  const int32_t to_last[4] = {0, 2, 3, 1};
  check_permute(ET_SCALAR_TYPE_INT8, 4, planes, to_last);
  check_permute(ET_SCALAR_TYPE_UINT8, 4, wide, to_last);
  for (int32_t width = 1; width <= 50; width++) {
    const int32_t line[2] = {3, width};
    const int32_t turned[2] = {1, 0};
    check_permute(ET_SCALAR_TYPE_UINT8, 2, line, turned);
  }
}

static void test_permutes_a_scalar(void **state) {
  (void)state;
  check_permute(ET_SCALAR_TYPE_FLOAT32, 0, NULL, NULL);
}

static void test_rejects_invalid_permutations(void **state) {
  (void)state;
  const int32_t sizes[2] = {3, 4};
  const int32_t order[2] = {1, 0};
  et_test_op test;
  make(&test, ET_SCALAR_TYPE_FLOAT32, 2, sizes, order);
  test.attributes[0] = 2;
  et_test_refused(
      &test,
      "permute: attribute 0 is 2, which is repeated or out of range "
      "for 2 dims");
  test.attributes[0] = 0;
  et_test_refused(
      &test,
      "permute: attribute 1 is 0, which is repeated or out of range "
      "for 2 dims");
  test.attributes[0] = 1;
  test.attributes[1] = 0xffffffff;
  et_test_refused(&test, "permute: attribute 1 is -1, expected 0 to 7");
  test.attributes[1] = 0;
  test.tensors[1].dtype = ET_SCALAR_TYPE_INT32;
  et_test_refused(&test, "permute: tensor 1 is int32, expected float32");
  test.tensors[1].dtype = ET_SCALAR_TYPE_FLOAT32;
  test.op.attribute_count = 1;
  et_test_refused(&test,
                  "permute: 1 attributes, expected one for each of 2 dims");
  test.op.attribute_count = 2;
  test.tensors[1].sizes[0] = 5;
  et_test_refused(&test, "permute: tensor 1, dim 0 is 5, expected 4");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_permutes_dims_of_any_element_size),
      cmocka_unit_test(test_converts_between_nchw_and_nhwc),
      cmocka_unit_test(test_interleaves_three_channels_of_int8),
      cmocka_unit_test(test_permutes_a_scalar),
      cmocka_unit_test(test_rejects_invalid_permutations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
