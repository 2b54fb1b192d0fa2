#include "backends/cpu/schema/sdpa_f32.h"
#include "backends/cpu/microkernels/sdpa.h"
#include "backends/cpu/ops/testing.h"
#include "backends/cpu/schema/op_codes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define F32 ET_SCALAR_TYPE_FLOAT32
#define F16 ET_SCALAR_TYPE_FLOAT16
#define BF16 ET_SCALAR_TYPE_BFLOAT16

typedef struct shape {
  int32_t batch, queries, keys, heads, groups, depth, width;
  bool causal;
  int32_t position;
  int32_t mask[3]; /* sizes of the mask before the keys; 0: no mask */
  bool joined;     /* q, k and v are slices of one tensor */
  bool planes;     /* planar: [batch, groups, keys, depth] */
  uint8_t half;    /* dtype of keys and values; 0: float32 */
} shape;

static const int32_t *position_of; /* the only dim of the op */

static et_scalar_type keys_of(const shape *s) {
  return s->half == 0 ? F32 : (et_scalar_type)s->half;
}

static uint8_t some_dtype(void) {
  const uint8_t dtypes[] = {0, F16, BF16};
  return dtypes[et_test_below(3)];
}

static void add_inputs(et_test_op *test, const shape *s) {
  const int32_t q_row = s->heads * s->depth;
  const int32_t k_row = s->groups * s->depth;
  const int32_t v_row = s->groups * s->width;
  const int32_t q[3] = {s->batch, s->queries, q_row + 3};
  const int32_t k[3] = {s->batch, s->keys, k_row + 2};
  const int32_t v[3] = {s->batch, s->keys, v_row};
  const int32_t all[3] = {s->batch, s->keys, q_row + k_row + v_row};
  const int32_t k_planes[4] = {s->batch, s->groups, s->keys, s->depth + 2};
  const int32_t v_planes[4] = {s->batch, s->groups, s->keys, s->width};
  et_test_input(test, F32, 3, s->joined ? all : q);
  const et_scalar_type keys = keys_of(s);
  if (s->planes) {
    et_test_input(test, keys, 4, k_planes);
    et_test_input(test, keys, 4, v_planes);
  } else {
    et_test_input(test, keys, 3, s->joined ? all : k);
    et_test_input(test, keys, 3, s->joined ? all : v);
  }
  if (s->mask[0] != 0) {
    const int32_t mask[4] = {s->mask[0], s->mask[1], s->mask[2], s->keys};
    et_test_input(test, F32, 4, mask);
  }
}

static void make(et_test_op *test, const shape *s) {
  const int32_t out[3] = {s->batch, s->queries, s->heads * s->width};
  const size_t rows = (size_t)(s->queries * s->heads / s->groups);
  const size_t depth = (size_t)s->depth;
  const size_t width = (size_t)s->width;
  const size_t widened =
      keys_of(s) == F32 ? 0 : et_cpu_sdpa_widened_floats(depth, width);
  const int32_t workspace_sizes[2] = {
      3, (int32_t)(et_cpu_sdpa_floats(rows, depth, width) + widened)};
  et_test_begin(test, &et_cpu_op_sdpa_f32);
  add_inputs(test, s);
  et_test_output(test, F32, 3, out);
  et_test_workspace(test, F32, 2, workspace_sizes);
  et_test_int(test, s->heads);
  et_test_int(test, s->groups);
  et_test_int(test, s->depth);
  et_test_int(test, s->joined ? 0 : 3);
  et_test_int(test, s->joined ? s->heads * s->depth : 1);
  et_test_int(test, s->joined ? (s->heads + s->groups) * s->depth : 0);
  et_test_int(test, s->causal);
  et_test_float(test, 1.5f);
  position_of = &s->position;
  test->op.dims = &position_of;
  test->op.dim_count = 1;
}

/* Returns element `at` of head `head`, whose size is `size`, in a row of tensor `index`. */
static double read(const et_test_op *test, size_t index, int32_t batch,
                   int32_t row, int32_t head, int32_t size, int32_t at) {
  const et_cpu_tensor *x = &test->tensors[index];
  const int64_t offset = test->attributes[3 + index] + (uint32_t)at;
  if (x->rank == 4) {
    const int64_t rows =
        ((int64_t)batch * x->sizes[1] + head) * x->sizes[2] + row;
    return et_test_at(x, (size_t)(rows * x->sizes[3] + offset));
  }
  const int64_t from = ((int64_t)batch * x->sizes[1] + row) * x->sizes[2];
  return et_test_at(x, (size_t)(from + offset + head * size));
}

static double mask_at(const et_test_op *test, const shape *s, int32_t batch,
                      int32_t head, int32_t query, int32_t key) {
  if (s->mask[0] == 0) {
    return 0;
  }
  const int64_t b = s->mask[0] == 1 ? 0 : batch;
  const int64_t h = s->mask[1] == 1 ? 0 : head;
  const int64_t q = s->mask[2] == 1 ? 0 : query;
  const int64_t row = (b * s->mask[1] + h) * s->mask[2] + q;
  return (double)((const float *)test->tensors[3].data)[row * s->keys + key];
}

static double score_of(const et_test_op *test, const shape *s, int32_t batch,
                       int32_t head, int32_t query, int32_t key) {
  if (s->causal && key > query + s->position) {
    return -INFINITY;
  }
  const int32_t group = head / (s->heads / s->groups);
  double sum = 0;
  for (int32_t d = 0; d < s->depth; d++) {
    sum += read(test, 0, batch, query, head, s->depth, d) *
           read(test, 1, batch, key, group, s->depth, d);
  }
  return 1.5 * sum + mask_at(test, s, batch, head, query, key);
}

/* Computes the outputs of one query of one head. */
static void attend(const et_test_op *test, const shape *s, int32_t batch,
                   int32_t head, int32_t query, double *out) {
  double *scores = malloc((size_t)s->keys * sizeof(double));
  assert_non_null(scores);
  double max = -INFINITY;
  double sum = 0;
  for (int32_t k = 0; k < s->keys; k++) {
    scores[k] = score_of(test, s, batch, head, query, k);
    max = fmax(max, scores[k]);
  }
  for (int32_t i = 0; i < s->width; i++) {
    out[i] = 0;
  }
  const int32_t group = head / (s->heads / s->groups);
  for (int32_t k = 0; k < s->keys; k++) {
    const double weight = exp(scores[k] - max);
    sum += weight;
    for (int32_t i = 0; i < s->width; i++) {
      out[i] += weight * read(test, 2, batch, k, group, s->width, i);
    }
  }
  for (int32_t i = 0; i < s->width; i++) {
    out[i] /= sum;
  }
  free(scores);
}

static void check_result(et_test_op *test, const shape *s) {
  const size_t count = et_test_result(test)->numel;
  double *expected = malloc((2 * count + 1) * sizeof(double));
  assert_non_null(expected);
  double *to = expected;
  for (int32_t b = 0; b < s->batch; b++) {
    for (int32_t q = 0; q < s->queries; q++) {
      for (int32_t h = 0; h < s->heads; h++, to += s->width) {
        attend(test, s, b, h, q, to);
      }
    }
  }
  for (size_t i = 0; i < count; i++) {
    expected[count + i] = 3e-6;
  }
  et_test_run(test, expected, expected + count);
  free(expected);
}

static void check_attention(const shape *s) {
  et_test_op test;
  make(&test, s);
  check_result(&test, s);
  et_test_end(&test);
}

static void test_attention_of_random_shapes(void **state) {
  (void)state;
  for (int i = 0; i < 60; i++) {
    const int32_t groups = 1 + (int32_t)et_test_below(3);
    shape s = {.batch = 1 + (int32_t)et_test_below(2),
               .queries = 1 + (int32_t)et_test_below(60),
               .groups = groups,
               .heads = groups * (1 + (int32_t)et_test_below(3)),
               .depth = 1 + (int32_t)et_test_below(40),
               .width = 1 + (int32_t)et_test_below(40),
               .causal = et_test_below(2) == 0,
               .joined = et_test_below(3) == 0};
    s.planes = !s.joined && et_test_below(2) == 0;
    s.half = s.joined ? 0 : some_dtype();
    s.keys = s.joined ? s.queries : 1 + (int32_t)et_test_below(70);
    s.position = (int32_t)et_test_below(20);
    check_attention(&s);
  }
}

static void test_masks_are_broadcast(void **state) {
  (void)state;
  for (int i = 0; i < 8; i++) {
    const shape s = {.batch = 2,
                     .queries = 9,
                     .keys = 21,
                     .heads = 4,
                     .groups = 2,
                     .depth = 8,
                     .width = 16,
                     .causal = i == 3,
                     .mask = {i % 2 + 1, i % 4 < 2 ? 1 : 4, i < 4 ? 1 : 9}};
    check_attention(&s);
  }
}

static void test_processes_many_keys_in_blocks(void **state) {
  (void)state;
  const shape shapes[] = {
      {1, 70, 513, 2, 1, 16, 16, false, 0, {0}, false, false, 0},
      {1, 5, 1300, 2, 2, 32, 20, true, 1100, {0}, false, true, 0},
      {1, 5, 1300, 2, 2, 32, 20, true, 1100, {0}, false, true, F16},
      {1, 70, 600, 2, 1, 32, 20, false, 0, {0}, false, false, BF16},
      {1, 5, 1300, 2, 2, 32, 20, true, 100, {1, 1, 5}, false, false, 0},
      {1, 600, 600, 1, 1, 8, 8, true, 0, {0}, true, false, 0},
  };
  for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
    check_attention(&shapes[i]);
  }
}

static const shape small_shape = {2,     5, 7,         4,     2,     8, 6,
                                  false, 0, {1, 1, 5}, false, false, 0};

/* With few queries, keys and values are read in place, for up to three queries at once. */
static void test_few_queries(void **state) {
  (void)state;
  for (int i = 0; i < 90; i++) {
    const int32_t groups = 1 + (int32_t)et_test_below(3);
    const int32_t shared = 1 + (int32_t)et_test_below(4);
    shape s = {.batch = 1 + (int32_t)et_test_below(2),
               .queries = 1 + (int32_t)et_test_below(8 / (size_t)shared),
               .keys = 1 + (int32_t)et_test_below(i < 80 ? 70 : 1200),
               .groups = groups,
               .heads = groups * shared,
               .depth = 1 + (int32_t)et_test_below(90),
               .width = 1 + (int32_t)et_test_below(90),
               .causal = et_test_below(3) == 0,
               .position = (int32_t)et_test_below(90),
               .mask = {(int32_t)et_test_below(2), 1, 1},
               .planes = et_test_below(2) == 0};
    s.mask[2] = et_test_below(2) == 0 ? 1 : s.queries;
    s.half = some_dtype();
    check_attention(&s);
  }
}

/* Checks that masked keys do not affect the result, even if whole blocks are masked or NaN. Keys
 * after the last visible one are never read. A query that attends to no key yields zeros. */
static void check_masked_out(int32_t queries, int32_t seen) {
  const shape s = {1,     queries, 600,       1,     1,     4, 4,
                   false, 0,       {1, 1, 1}, false, false, 0};
  et_test_op test;
  make(&test, &s);
  float *mask = test.tensors[3].data;
  for (int i = 0; i < 600; i++) {
    mask[i] = i == seen ? 0.0f : -INFINITY;
  }
  if (queries <= ET_CPU_SDPA_FEW_QUERIES) {
    ((float *)test.tensors[1].data)[13] = NAN;
    ((float *)test.tensors[2].data)[7] = NAN;
  }
  for (int32_t i = seen + 64; i < 600; i++) {
    ((float *)test.tensors[1].data)[i * 6 + 1] = NAN;
    ((float *)test.tensors[2].data)[i * 4 + 1] = NAN;
  }
  for (int isa = 0; isa < ET_CPU_ISA_COUNT; isa++) {
    const et_cpu_run run = {.isa = (uint8_t)isa};
    if (et_cpu_isa_available((et_cpu_isa)isa)) {
      test.op.type->run(&test.op, &run);
      const float *y = et_test_result(&test)->data;
      const double expected = seen < 0 ? 0 : read(&test, 2, 0, seen, 0, 4, 1);
      assert_true((double)y[queries * 4 - 3] == expected);
    }
  }
  et_test_end(&test);
}

static void test_ignores_masked_keys(void **state) {
  (void)state;
  for (int32_t queries = 1; queries < 16; queries += 7) {
    check_masked_out(queries, 590);
    check_masked_out(queries, 20);
    check_masked_out(queries, -1);
  }
}

/* Masks keys so that query i attends only to the last `back` keys up to its own position. */
static void hide(et_test_op *test, const shape *s, int32_t back) {
  float *mask = test->tensors[3].data;
  for (int32_t q = 0; q < s->queries; q++) {
    for (int32_t k = 0; k < s->keys; k++) {
      const int32_t behind = q + s->position - k;
      mask[q * s->keys + k] = behind >= 0 && behind < back ? 0.0f : -INFINITY;
    }
  }
}

/* A block of queries can skip leading blocks of keys, and stops at the last key that any of its
 * queries attends to. */
static void test_masks_that_differ_between_queries(void **state) {
  (void)state;
  const int32_t backs[] = {1200, 100, 1};
  for (size_t i = 0; i < 6; i++) {
    const shape s = {.batch = 1,
                     .queries = i < 3 ? 90 : 37,
                     .keys = i < 3 ? 1130 : 41,
                     .heads = 2,
                     .groups = 1,
                     .depth = 8,
                     .width = 12,
                     .position = i < 3 ? 1000 : 2,
                     .mask = {1, 1, i < 3 ? 90 : 37}};
    et_test_op test;
    make(&test, &s);
    hide(&test, &s, backs[i % 3]);
    check_result(&test, &s);
    et_test_end(&test);
  }
}

static void test_causal_mask_equals_causal_attribute(void **state) {
  (void)state;
  shape s = {.batch = 1,
             .queries = 131,
             .keys = 150,
             .heads = 4,
             .groups = 2,
             .depth = 16,
             .width = 20,
             .position = 3,
             .mask = {1, 1, 131}};
  et_test_op masked;
  et_test_op causal;
  make(&masked, &s);
  hide(&masked, &s, 200);
  s.mask[0] = 0;
  s.causal = true;
  make(&causal, &s);
  for (size_t i = 0; i < 3; i++) {
    et_test_copy(&causal, i, &masked);
  }
  et_test_same_bits(&causal, &masked);
  et_test_end(&causal);
  et_test_end(&masked);
}

/* The previous contents of the output are not read. */
static void test_queries_without_keys_yield_zeros(void **state) {
  (void)state;
  for (int32_t queries = 1; queries < 16; queries += 7) {
    const shape s = {.batch = 1,
                     .queries = queries,
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
    for (int32_t i = 0; i < queries * 4; i++) {
      assert_true(y[i] == 0.0f);
    }
    et_test_end(&test);
  }
}

static void test_rejects_strided_heads_of_wrong_sizes(void **state) {
  (void)state;
  const shape s = {1, 2, 7, 4, 2, 8, 6, false, 0, {0}, false, true, 0};
  et_test_op test;
  make(&test, &s);
  test.tensors[1].sizes[1] = 3;
  et_test_refused(&test, "sdpa_f32: tensor 1 has 3 heads, expected 2");
  test.tensors[1].sizes[1] = 2;
  test.tensors[2].sizes[3] = 5;
  et_test_refused(&test,
                  "sdpa_f32: tensor 2 has rows of 5 elements, too few for 6 "
                  "elements at offset 0");
  test.tensors[2].sizes[3] = 6;
  test.tensors[2].sizes[2] = 8;
  et_test_refused(&test, "sdpa_f32: tensor 2 is [1, 8, ...], expected [1, 7");
  test.tensors[2].rank = 2;
  et_test_refused(&test, "sdpa_f32: tensor 2 has 2 dims, expected 3");
  et_test_end(&test);
}

static void test_rejects_keys_and_values_of_different_dtypes(void **state) {
  (void)state;
  shape s = small_shape;
  s.half = F16;
  et_test_op test;
  make(&test, &s);
  et_cpu_tensor *workspace = &test.tensors[test.op.input_count + 1];
  workspace->sizes[1] -= 1;
  et_test_refused(&test, "sdpa_f32: workspace is [3, ");
  workspace->sizes[1] += 1;
  test.tensors[2].dtype = BF16;
  et_test_refused(&test, "sdpa_f32: tensor 2 is bfloat16, expected float16");
  et_test_end(&test);
}

static void test_rejects_invalid_attributes(void **state) {
  (void)state;
  et_test_op test;
  make(&test, &small_shape);
  test.attributes[0] = 0;
  et_test_refused(&test, "sdpa_f32: attribute 0 is 0");
  test.attributes[0] = 4;
  test.attributes[1] = 3;
  et_test_refused(&test,
                  "sdpa_f32: 4 heads cannot be split evenly into 3 groups");
  test.attributes[1] = 2;
  test.attributes[2] = 0;
  et_test_refused(&test, "sdpa_f32: attribute 2 is 0");
  test.attributes[2] = 9;
  et_test_refused(&test, "35 elements, too few for 36 elements at offset 3");
  test.attributes[2] = 8;
  test.attributes[4] = 3;
  et_test_refused(&test, "18 elements, too few for 16 elements at offset 3");
  test.attributes[4] = 1;
  test.attributes[5] = 1;
  et_test_refused(&test, "12 elements, too few for 12 elements at offset 1");
  test.attributes[5] = 0;
  test.attributes[6] = 2;
  et_test_refused(&test, "sdpa_f32: attribute 6 is 2");
  test.attributes[6] = 0;
  test.attributes[3] = UINT32_MAX;
  et_test_refused(&test, "sdpa_f32: attribute 3 is -1");
  et_test_end(&test);
}

static void test_rejects_mismatched_sizes(void **state) {
  (void)state;
  et_test_op test;
  make(&test, &small_shape);
  test.tensors[2].sizes[1] = 6;
  et_test_refused(&test, "sdpa_f32: tensor 2 is [2, 6, ...], expected [2, 7");
  test.tensors[2].sizes[1] = 7;
  test.tensors[0].sizes[0] = 1;
  et_test_refused(&test, "sdpa_f32: tensor 4 is [2, 5, ...], expected [1, 5");
  test.tensors[0].sizes[0] = 2;
  test.tensors[3].sizes[3] = 1;
  et_test_refused(&test, "sdpa_f32: tensor 3, dim 3 is 1, expected 7");
  test.tensors[3].sizes[3] = 7;
  test.tensors[3].sizes[2] = 3;
  et_test_refused(&test, "sdpa_f32: tensor 3, dim 2 is 3, expected 5 or 1");
  test.tensors[3].sizes[2] = 5;
  test.tensors[4].sizes[2] = 25;
  et_test_refused(
      &test,
      "sdpa_f32: rows of 25 elements cannot be split evenly into 4 heads");
  test.tensors[4].sizes[2] = 0;
  et_test_refused(
      &test,
      "sdpa_f32: rows of 0 elements cannot be split evenly into 4 heads");
  test.tensors[4].sizes[2] = 24;
  test.tensors[5].sizes[1]--;
  et_test_refused(&test, "sdpa_f32: workspace is [3, ");
  test.tensors[5].sizes[1]++;
  /* Values with 2^23 elements need more than 512 * 2^23 floats, which is 0 modulo 2^32. */
  test.tensors[2].sizes[2] = 2 << 23;
  test.tensors[4].sizes[2] = 4 << 23;
  test.tensors[5].sizes[1] = 1 << 20;
  et_test_refused(&test, "sdpa_f32: workspace is [3, 1048576]");
  test.op.dim_count = 0;
  et_test_refused(&test, "sdpa_f32: 0 dims, expected 1");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_attention_of_random_shapes),
      cmocka_unit_test(test_masks_are_broadcast),
      cmocka_unit_test(test_processes_many_keys_in_blocks),
      cmocka_unit_test(test_few_queries),
      cmocka_unit_test(test_ignores_masked_keys),
      cmocka_unit_test(test_queries_without_keys_yield_zeros),
      cmocka_unit_test(test_masks_that_differ_between_queries),
      cmocka_unit_test(test_causal_mask_equals_causal_attribute),
      cmocka_unit_test(test_rejects_strided_heads_of_wrong_sizes),
      cmocka_unit_test(test_rejects_keys_and_values_of_different_dtypes),
      cmocka_unit_test(test_rejects_invalid_attributes),
      cmocka_unit_test(test_rejects_mismatched_sizes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
