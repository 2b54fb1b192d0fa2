/* The expected results are those of sdpa_f32 with the dequantized keys and values. */
#include "backends/cpu/schema/sdpa_f32_qd8kv.h"
#include "backends/cpu/microkernels/sdpa.h"
#include "backends/cpu/ops/testing.h"
#include "backends/cpu/schema/op_codes.h"
#include "backends/cpu/schema/sdpa_f32.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define F32 ET_SCALAR_TYPE_FLOAT32
#define I8 ET_SCALAR_TYPE_INT8

typedef struct shape {
  int32_t batch, queries, keys, heads, groups, depth, width;
  bool causal;
  int32_t position;
  bool has_mask;
} shape;

static const int32_t *position_of; /* the only dim of the op */

static void add_rest(et_test_op *test, const shape *s) {
  const int32_t mask[4] = {1, 1, s->queries, s->keys};
  const int32_t out[3] = {s->batch, s->queries, s->heads * s->width};
  const size_t rows = (size_t)(s->queries * s->heads / s->groups);
  const size_t depth = (size_t)s->depth;
  const size_t width = (size_t)s->width;
  const int32_t workspace[2] = {
      3, (int32_t)(et_cpu_sdpa_floats(rows, depth, width) +
                   et_cpu_sdpa_widened_floats(depth, width))};
  if (s->has_mask) {
    et_test_input(test, F32, 4, mask);
  }
  et_test_output(test, F32, 3, out);
  et_test_workspace(test, F32, 2, workspace);
  et_test_int(test, s->heads);
  et_test_int(test, s->groups);
  et_test_int(test, s->depth);
  et_test_int(test, 0);
  et_test_int(test, 1);
  et_test_int(test, 0);
  et_test_int(test, s->causal);
  et_test_float(test, 0.5f);
  position_of = &s->position;
  test->op.dims = &position_of;
  test->op.dim_count = 1;
}

static void make(et_test_op *test, const shape *s) {
  const int32_t q[3] = {s->batch, s->queries, s->heads * s->depth};
  const int32_t k[4] = {s->batch, s->groups, s->keys, s->depth + 2};
  const int32_t v[4] = {s->batch, s->groups, s->keys, s->width};
  et_test_begin(test, &et_cpu_op_sdpa_f32_qd8kv);
  et_test_input(test, F32, 3, q);
  et_test_input(test, I8, 4, k);
  et_test_input(test, I8, 4, v);
  for (int i = 0; i < 2; i++) {
    float *scales = et_test_input(test, F32, 3, k);
    for (int32_t n = 0; n < s->batch * s->groups * s->keys; n++) {
      scales[n] = scales[n] / 127.0f;
    }
  }
  add_rest(test, s);
}

/* Dequantizes rows of the int8 op to an input of the float32 op. */
static void dequantize(et_test_op *to, size_t index, const et_test_op *from) {
  const et_cpu_tensor *rows = &from->tensors[index];
  const float *scales = from->tensors[index + 2].data;
  float *x = et_test_input(to, F32, 4, rows->sizes);
  for (size_t i = 0; i < rows->numel; i++) {
    x[i] = (float)((const int8_t *)rows->data)[i] *
           scales[i / (size_t)rows->sizes[3]];
  }
}

static void make_float(et_test_op *test, const shape *s,
                       const et_test_op *from) {
  et_test_begin(test, &et_cpu_op_sdpa_f32);
  et_test_input(test, F32, 3, from->tensors[0].sizes);
  et_test_copy(test, 0, from);
  dequantize(test, 1, from);
  dequantize(test, 2, from);
  add_rest(test, s);
  if (s->has_mask) {
    memcpy(test->tensors[3].data, from->tensors[5].data,
           test->tensors[3].bytes);
  }
}

static void check_attention(const shape *s) {
  const et_cpu_run run = {.isa = et_test_isa()};
  et_test_op test;
  et_test_op other;
  make(&test, s);
  make_float(&other, s, &test);
  other.op.type->run(&other.op, &run);
  const et_cpu_tensor *y = et_test_result(&other);
  double *expected = malloc(2 * y->numel * sizeof(double));
  assert_non_null(expected);
  for (size_t i = 0; i < y->numel; i++) {
    expected[i] = (double)((const float *)y->data)[i];
    expected[y->numel + i] = 3e-6;
  }
  et_test_run(&test, expected, expected + y->numel);
  free(expected);
  et_test_end(&other);
  et_test_end(&test);
}

static shape random_shape(size_t keys, size_t queries) {
  const int32_t groups = 1 + (int32_t)et_test_below(3);
  const shape s = {.batch = 1 + (int32_t)et_test_below(2),
                   .queries = 1 + (int32_t)et_test_below(queries),
                   .keys = 1 + (int32_t)et_test_below(keys),
                   .groups = groups,
                   .heads = groups * (1 + (int32_t)et_test_below(3)),
                   .depth = 1 + (int32_t)et_test_below(70),
                   .width = 1 + (int32_t)et_test_below(70),
                   .causal = et_test_below(3) == 0,
                   .position = (int32_t)et_test_below(20),
                   .has_mask = et_test_below(2) == 0};
  return s;
}

static void test_int8_attention_equals_that_of_dequantized_rows(void **state) {
  (void)state;
  for (int i = 0; i < 80; i++) {
    const shape s = random_shape(70, i < 40 ? 2 : 60);
    check_attention(&s);
  }
}

static void test_int8_keys_are_processed_in_blocks(void **state) {
  (void)state;
  for (int i = 0; i < 8; i++) {
    shape s = random_shape(70, i < 4 ? 2 : 60);
    s.keys += 500 + 200 * i;
    s.position = s.causal ? s.keys - s.queries : 0;
    check_attention(&s);
  }
}

static void test_int8_attention_without_keys_yields_zeros(void **state) {
  (void)state;
  const shape s = {.batch = 1,
                   .queries = 2,
                   .heads = 1,
                   .groups = 1,
                   .depth = 4,
                   .width = 4};
  const et_cpu_run run = {.isa = et_test_isa()};
  et_test_op test;
  make(&test, &s);
  float *y = et_test_result(&test)->data;
  y[3] = NAN;
  test.op.type->run(&test.op, &run);
  for (int32_t i = 0; i < 8; i++) {
    assert_true(y[i] == 0.0f);
  }
  et_test_end(&test);
}

static const shape small_shape = {2, 5, 7, 4, 2, 8, 6, false, 0, true};

static void test_rejects_scales_that_do_not_match_int8_rows(void **state) {
  (void)state;
  et_test_op test;
  make(&test, &small_shape);
  test.tensors[3].sizes[2] = 6;
  et_test_refused(&test, "sdpa_f32_qd8kv: tensor 3, dim 2 is 6, expected 7");
  test.tensors[3].sizes[2] = 7;
  test.tensors[4].sizes[1] = 1;
  et_test_refused(&test, "sdpa_f32_qd8kv: tensor 4, dim 1 is 1, expected 2");
  test.tensors[4].sizes[1] = 2;
  test.tensors[4].rank = 4;
  et_test_refused(&test, "sdpa_f32_qd8kv: tensor 4 has 4 dims, expected 3");
  test.tensors[4].rank = 3;
  test.tensors[4].dtype = I8;
  et_test_refused(&test, "sdpa_f32_qd8kv: tensor 4 is int8, expected float32");
  et_test_end(&test);
}

static void test_rejects_int8_attention_of_invalid_tensors(void **state) {
  (void)state;
  et_test_op test;
  make(&test, &small_shape);
  test.tensors[1].dtype = F32;
  et_test_refused(&test, "sdpa_f32_qd8kv: tensor 1 is float32, expected int8");
  test.tensors[1].dtype = I8;
  test.tensors[2].sizes[1] = 3;
  et_test_refused(&test, "sdpa_f32_qd8kv: tensor 2 has 3 heads, expected 2");
  test.tensors[2].sizes[1] = 2;
  test.tensors[1].sizes[3] = 8;
  et_test_refused(&test,
                  "sdpa_f32_qd8kv: tensor 1 has rows of 8 elements, too few "
                  "for 8 elements at offset 1");
  test.tensors[1].sizes[3] = 10;
  test.tensors[5].sizes[3] = 1;
  et_test_refused(&test, "sdpa_f32_qd8kv: tensor 5, dim 3 is 1, expected 7");
  test.tensors[5].sizes[3] = 7;
  test.tensors[7].sizes[1]--;
  et_test_refused(&test, "sdpa_f32_qd8kv: workspace is [3, ");
  test.tensors[7].sizes[1]++;
  test.attributes[1] = 3;
  et_test_refused(&test, "sdpa_f32_qd8kv: 4 heads cannot be split evenly");
  test.attributes[1] = 2;
  test.op.input_count = 4;
  et_test_refused(&test, "sdpa_f32_qd8kv: 4 inputs, expected 5 to 6");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_int8_attention_equals_that_of_dequantized_rows),
      cmocka_unit_test(test_int8_keys_are_processed_in_blocks),
      cmocka_unit_test(test_int8_attention_without_keys_yields_zeros),
      cmocka_unit_test(test_rejects_scales_that_do_not_match_int8_rows),
      cmocka_unit_test(test_rejects_int8_attention_of_invalid_tensors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
