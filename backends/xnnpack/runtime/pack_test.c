#include "backends/xnnpack/runtime/builder.h"
#include "backends/xnnpack/runtime/panels.h"
#include "backends/xnnpack/runtime/schema.h"

/* required by cmocka.h */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/**/
#include <cmocka.h>

static void test_panels_cover_all_columns(void **state) {
  (void)state;
  assert_int_equal(et_xnn_panels_of(1), 1);
  assert_int_equal(et_xnn_panels_of(16), 1);
  assert_int_equal(et_xnn_panels_of(17), 2);
  assert_int_equal(et_xnn_panels_of(INT32_MAX), 1 << 27);
}

/* Returns the largest divisor of `whole` that is at most `max` and a multiple of `per_word`. */
static int32_t slow_group_size(int32_t whole, int32_t per_word, int32_t max) {
  int32_t group = 0;
  for (int32_t i = per_word; i <= whole && i <= max; i += per_word) {
    group = whole % i == 0 ? i : group;
  }
  return group;
}

static void test_groups_divide_rows_and_consist_of_words(void **state) {
  (void)state;
  for (int32_t whole = 1; whole <= 1200; whole++) {
    for (int32_t per_word = 4; per_word <= 8; per_word += 4) {
      assert_int_equal(et_xnn_group_size(whole, per_word, 512),
                       slow_group_size(whole, per_word, 512));
      assert_int_equal(et_xnn_group_size(whole, per_word, whole),
                       slow_group_size(whole, per_word, whole));
    }
  }
}

/* The size of a row is only declared at this point; its data may be missing. Trying all divisors
 * would exceed the time limit of the test. */
static void test_groups_of_huge_rows_are_found_fast(void **state) {
  (void)state;
  for (int32_t i = 0; i < 20; i++) {
    assert_int_equal(et_xnn_group_size(INT32_MAX, 4, INT32_MAX), 0);
  }
  assert_int_equal(et_xnn_group_size(1 << 30, 8, 1 << 30), 1 << 30);
  assert_int_equal(et_xnn_group_size(1 << 30, 8, 512), 512);
  /* 8 times a prime number */
  assert_int_equal(et_xnn_group_size(8 * 268435399, 8, 512), 8);
}

/* The sum of 2^25 weights does not fit in int32. The graph is not read before the check. */
static void test_rejects_int8_layers_with_too_many_weights(void **state) {
  (void)state;
  const et_xnn_node node = {.index = 3, .tag = ET_XNN_NODE_FULLY_CONNECTED};
  const et_xnn_matrix matrix = {.groups = 1, .outputs = 1, .depth = 1 << 25};
  et_xnn_tensor tensors[3] = {0};
  et_error error;
  et_error_clear(&error);
  et_xnn_builder b = {.mode = ET_XNN_COUNT, .node = &node, .error = &error};
  et_xnn_pack_columns(&b, &matrix, ET_XNN_NO_VALUE, tensors);
  assert_int_equal(b.status, ET_STATUS_DELEGATE_INCOMPATIBLE);
  assert_non_null(strstr(error.message,
                         "xnodes[3] FullyConnected: int8 layer has 33554432 "
                         "weights per output, expected at most 16384"));
}

/* Returns true if two shapes of a constant have the same name. */
static bool have_same_name(const et_xnn_packing *packing,
                           const et_xnn_dims *first,
                           const et_xnn_dims *second) {
  char texts[2][ET_XNN_NAME_BYTES];
  const et_string key = {"weight", 6};
  const et_xnn_value values[2] = {{.dims = *first}, {.dims = *second}};
  const et_string one = et_xnn_shared_name(&values[0], key, packing, texts[0]);
  const et_string two = et_xnn_shared_name(&values[1], key, packing, texts[1]);
  assert_true(one.size > key.size && two.size > key.size);
  return one.size == two.size && memcmp(one.data, two.data, one.size) == 0;
}

/* Filters of 3 x 4 and 6 x 2 taps have 4 quads each, but not at the same positions. */
static void test_shared_names_differ_by_shape(void **state) {
  (void)state;
  const et_xnn_packing packing = {.dtype = ET_SCALAR_TYPE_INT8,
                                  .dims = {4, {1, 4, ET_CPU_PANEL, 4}},
                                  .share = "taps"};
  const et_xnn_dims wide = {4, {1, 3, 4, 16}};
  const et_xnn_dims high = {4, {1, 6, 2, 16}};
  assert_true(have_same_name(&packing, &wide, &wide));
  assert_false(have_same_name(&packing, &wide, &high));
}

static void test_longest_shared_name_fits(void **state) {
  static const char bytes[ET_XNN_NAME_BYTES];
  char text[ET_XNN_NAME_BYTES];
  et_xnn_dims most = {.rank = ET_XNN_MAX_DIMS};
  (void)state;
  for (size_t i = 0; i < ET_XNN_MAX_DIMS; i++) {
    most.sizes[i] = INT32_MAX;
  }
  const et_xnn_value value = {.dims = most, .datatype = UINT8_MAX};
  const et_xnn_packing packing = {
      .dtype = ET_SCALAR_TYPE_INT8, .dims = most, .share = "column quads"};
  size_t longest = 0;
  for (size_t size = 1; size <= sizeof bytes; size++) {
    const et_string name =
        et_xnn_shared_name(&value, (et_string){bytes, size}, &packing, text);
    longest = name.size > longest ? name.size : longest;
    assert_true(name.size == 0 || text[name.size - 1] == '7');
  }
  assert_in_range(longest, 300, ET_XNN_NAME_BYTES - 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_panels_cover_all_columns),
      cmocka_unit_test(test_groups_divide_rows_and_consist_of_words),
      cmocka_unit_test(test_groups_of_huge_rows_are_found_fast),
      cmocka_unit_test(test_rejects_int8_layers_with_too_many_weights),
      cmocka_unit_test(test_shared_names_differ_by_shape),
      cmocka_unit_test(test_longest_shared_name_fits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
