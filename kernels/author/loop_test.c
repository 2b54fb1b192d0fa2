#include "executorch/kernels/loop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static et_view view_of(uint8_t *data, size_t rank, const int32_t *sizes,
                       const int64_t *strides) {
  et_view view = {data, ET_SCALAR_TYPE_UINT8, rank, {0}, {0}};
  for (size_t d = 0; d < rank; d++) {
    view.sizes[d] = sizes[d];
    view.strides[d] = strides[d];
  }
  return view;
}

/* Adds one to each element of the view. */
static size_t visit(const et_view *view, size_t *runs) {
  size_t visited = 0;
  *runs = 0;
  for (et_loop loop = et_loop_over(view, 1); loop.count > 0;
       et_loop_next(&loop)) {
    for (size_t i = 0; i < loop.count; i++) {
      loop.at[0][(ptrdiff_t)i * loop.strides[0]]++;
    }
    visited += loop.count;
    (*runs)++;
  }
  return visited;
}

static void test_every_element_is_visited_once(void **state) {
  (void)state;
  static const int64_t orders[3][3] = {{12, 4, 1}, {1, 2, 6}, {4, 8, 1}};
  for (size_t i = 0; i < 3; i++) {
    uint8_t data[24] = {0};
    size_t runs = 0;
    const et_view view = view_of(data, 3, (int32_t[]){2, 3, 4}, orders[i]);
    assert_int_equal(visit(&view, &runs), 24);
    for (size_t k = 0; k < sizeof(data); k++) {
      assert_int_equal(data[k], 1);
    }
    assert_int_equal(runs, 1); /* all three are dense */
  }
}

static void test_slices_have_one_run_per_row(void **state) {
  (void)state;
  uint8_t data[24] = {0};
  size_t runs = 0;
  const et_view whole = view_of(data, 2, (int32_t[]){4, 6}, (int64_t[]){6, 1});
  const et_view slice = et_view_slice(&whole, 1, 1, 2, 2);
  assert_int_equal(visit(&slice, &runs), 8);
  assert_int_equal(runs, 4);
  assert_int_equal(data[1] + data[3] + data[19] + data[21], 4);
  assert_int_equal(data[0] + data[2] + data[5], 0);
}

static void test_broadcast_repeats_an_element(void **state) {
  (void)state;
  uint8_t data[3] = {0};
  size_t runs = 0;
  et_view expanded;
  const et_view column = view_of(data, 2, (int32_t[]){3, 1}, (int64_t[]){1, 1});
  assert_true(et_view_expand(&column, (int32_t[]){2, 3, 5}, 3, &expanded));
  assert_int_equal(visit(&expanded, &runs), 30);
  assert_int_equal(data[0], 10);
  assert_int_equal(data[2], 10);
}

static void test_shapes_that_do_not_broadcast_are_refused(void **state) {
  (void)state;
  uint8_t data[3] = {0};
  et_view expanded;
  const et_view view = view_of(data, 1, (int32_t[]){3}, (int64_t[]){1});
  assert_false(et_view_expand(&view, (int32_t[]){4}, 1, &expanded));
  assert_false(et_view_expand(&view, NULL, 0, &expanded));
}

static void test_loop_handles_empty_and_zero_dimensional_tensors(void **state) {
  (void)state;
  uint8_t data[1] = {0};
  size_t runs = 0;
  const et_view empty = view_of(NULL, 2, (int32_t[]){0, 3}, (int64_t[]){3, 1});
  const et_view scalar = view_of(data, 0, NULL, NULL);
  assert_int_equal(visit(&empty, &runs), 0);
  assert_int_equal(runs, 0);
  assert_int_equal(visit(&scalar, &runs), 1);
  assert_int_equal(data[0], 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_element_is_visited_once),
      cmocka_unit_test(test_slices_have_one_run_per_row),
      cmocka_unit_test(test_broadcast_repeats_an_element),
      cmocka_unit_test(test_shapes_that_do_not_broadcast_are_refused),
      cmocka_unit_test(test_loop_handles_empty_and_zero_dimensional_tensors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
