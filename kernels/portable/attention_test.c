#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kernels/testing/harness.h"

#define NAME "attention::scaled_dot_product.out"

/* Sizes of one head. Values have depth + 1 elements. */
typedef struct sizes {
  int32_t queries;
  int32_t keys;
  int32_t depth;
} sizes;

static double score_of(const float *q, const float *k, int32_t depth) {
  double sum = 0;
  for (int32_t e = 0; e < depth; e++) {
    sum += (double)q[e] * (double)k[e];
  }
  return 0.5 * sum;
}

/* Returns element `e` of the attention output for query `row`, which attends to
 * the first `visible` keys. */
static float attended(const float *q, const float *k, const float *v, sizes s,
                      int32_t row, int32_t visible, int32_t e) {
  double total = 0;
  double mixed = 0;
  for (int32_t j = 0; j < visible; j++) {
    const double weight =
        exp(score_of(q + row * s.depth, k + j * s.depth, s.depth));
    total += weight;
    mixed += weight * (double)v[j * (s.depth + 1) + e];
  }
  return (float)(mixed / total);
}

static void check_attention(sizes s, bool causal) {
  et_test *t = et_test_begin();
  const int32_t width = s.depth + 1;
  et_value *q = et_test_random(t, ET_SHAPE(1, 1, s.queries, s.depth), 1);
  et_value *k = et_test_random(t, ET_SHAPE(1, 1, s.keys, s.depth), 2);
  et_value *v = et_test_random(t, ET_SHAPE(1, 1, s.keys, width), 3);
  et_value *out = et_test_floats(t, ET_SHAPE(1, 1, s.queries, width), NULL);
  assert_int_equal(
      ET_CALL(t, NAME, q, k, v, et_test_none(t), et_test_bool(t, causal),
              et_test_double(t, 0.5), out, out),
      ET_STATUS_OK);
  for (int32_t i = 0; i < s.queries * width; i++) {
    const int32_t row = i / width;
    const int32_t visible = causal && row < s.keys ? row + 1 : s.keys;
    assert_float_equal(et_test_data(out)[i],
                       attended(et_test_data(q), et_test_data(k),
                                et_test_data(v), s, row, visible, i % width),
                       1e-4f);
  }
  et_test_end(t);
}

/* Full and partial blocks of 32 queries and panels of 64 keys. */
static void test_sdpa_matches_plain_loops(void **state) {
  (void)state;
  static const sizes cases[] = {{1, 1, 1},   {3, 5, 2},   {32, 64, 4},
                                {33, 65, 3}, {7, 130, 8}, {70, 7, 5}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    check_attention(cases[i], false);
    check_attention(cases[i], true);
  }
}

static void test_sdpa_scratch_matches_the_kernel_table(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *q = et_test_random(t, ET_SHAPE(1, 1, 2, 8), 1);
  et_value *k = et_test_random(t, ET_SHAPE(1, 1, 100, 8), 2);
  et_value *v = et_test_random(t, ET_SHAPE(1, 1, 100, 6), 3);
  et_value *out = et_test_floats(t, ET_SHAPE(1, 1, 2, 6), NULL);
  const size_t floats = 32 * (100 + 8 + 6) + 64 * (8 + 6);
  assert_int_equal(
      ET_SCRATCH(NAME, q, k, v, et_test_none(t), et_test_bool(t, false),
                 et_test_double(t, 1), out, out),
      4 * floats);
  et_test_end(t);
}

static void test_sdpa_mask_of_another_size_is_refused(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *x = et_test_random(t, ET_SHAPE(1, 2, 3, 4), 1);
  et_value *mask = et_test_random(t, ET_SHAPE(2, 3), 2);
  et_value *out = et_test_floats(t, ET_SHAPE(1, 2, 3, 4), NULL);
  et_test_assert_refused(
      t,
      ET_CALL(t, NAME, x, x, x, mask, et_test_bool(t, false),
              et_test_double(t, 1), out, out),
      "scaled_dot_product: the mask does not broadcast to [1, 2, 3, 3]");
  et_test_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sdpa_matches_plain_loops),
      cmocka_unit_test(test_sdpa_scratch_matches_the_kernel_table),
      cmocka_unit_test(test_sdpa_mask_of_another_size_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
