#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kernels/testing/harness.h"

static et_value *ints(et_test *t, const int32_t *sizes, size_t rank) {
  return et_test_tensor(t, ET_SCALAR_TYPE_INT32, sizes, rank, NULL);
}

static et_value *yes(et_test *t) { return et_test_bool(t, true); }

static et_value *no(et_test *t) { return et_test_bool(t, false); }

static et_value *list(et_test *t, et_value *const *items, size_t count) {
  return et_test_list(t, ET_VALUE_TENSOR_LIST, items, count);
}

static et_status invert(et_test *t, et_value *a, et_value *check, et_value *out,
                        et_value *info) {
  et_value *returned = list(t, (et_value *[]){out, info}, 2);
  return ET_CALL(t, "aten::linalg_inv_ex.inverse", a, check, out, info,
                 returned);
}

static void test_inverse_pivots_rows(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *a = et_test_floats(t, ET_SHAPE(2, 2), (float[]){0, 2, 4, 0});
  et_value *out = et_test_floats(t, ET_SHAPE(2, 2), NULL);
  et_value *info = ints(t, ET_SCALAR_SHAPE);
  assert_int_equal(invert(t, a, yes(t), out, info), ET_STATUS_OK);
  et_test_assert_floats(out, (float[]){0, 0.25f, 0.5f, 0}, 4);
  et_test_end(t);
}

static void test_nonsquare_matrices_are_refused(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *a = et_test_random(t, ET_SHAPE(2, 3), 1);
  et_value *out = et_test_floats(t, ET_SHAPE(2, 3), NULL);
  et_value *info = ints(t, ET_SCALAR_SHAPE);
  et_test_assert_refused(t, invert(t, a, no(t), out, info),
                         "linalg_inv_ex: matrices of 2 x 3 are not square");
  et_test_assert_refused(t,
                         ET_CALL(t, "aten::linalg_matrix_exp.out", a, out, out),
                         "linalg_matrix_exp: matrices of 2 x 3 are not square");
  et_test_end(t);
}

static et_status solve_factored(et_test *t, et_value *factors, et_value *pivots,
                                et_value *b, et_value *out) {
  return ET_CALL(t, "aten::linalg_lu_solve.out", factors, pivots, b, yes(t),
                 no(t), out, out);
}

/* Pivots are tensor elements, so a program can contain any values. */
static void test_pivots_out_of_range_are_refused(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *factors = et_test_random(t, ET_SHAPE(2, 2), 1);
  et_value *b = et_test_random(t, ET_SHAPE(2, 1), 2);
  et_value *out = et_test_floats(t, ET_SHAPE(2, 1), NULL);
  const int32_t wrong[][2] = {{1, 3}, {0, 2}, {-5, 1}};
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
    et_value *pivots =
        et_test_tensor(t, ET_SCALAR_TYPE_INT32, ET_SHAPE(2), wrong[i]);
    et_test_assert_refused(t, solve_factored(t, factors, pivots, b, out),
                           "is not in [1, 2]");
  }
  et_test_end(t);
}

static void test_pivots_of_mismatched_shape_are_refused(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  const int32_t ones[4] = {1, 1, 1, 1};
  et_value *factors = et_test_random(t, ET_SHAPE(2, 2, 2), 1);
  et_value *b = et_test_random(t, ET_SHAPE(2, 2, 1), 2);
  et_value *out = et_test_floats(t, ET_SHAPE(2, 2, 1), NULL);
  et_value *short_of_one =
      et_test_tensor(t, ET_SCALAR_TYPE_INT32, ET_SHAPE(2, 1), ones);
  et_value *without_batch =
      et_test_tensor(t, ET_SCALAR_TYPE_INT32, ET_SHAPE(2), ones);
  et_test_assert_refused(t, solve_factored(t, factors, short_of_one, b, out),
                         "matrices of 2 x 2 need 2 pivots each");
  et_test_assert_refused(t, solve_factored(t, factors, without_batch, b, out),
                         "matrices of 2 x 2 need 2 pivots each");
  et_test_end(t);
}

static et_status solve_triangle(et_test *t, et_value *a, et_value *b,
                                et_value *out) {
  return ET_CALL(t, "aten::linalg_solve_triangular.out", a, b, yes(t), yes(t),
                 no(t), out, out);
}

static void test_mismatched_linear_systems_are_refused(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *a = et_test_random(t, ET_SHAPE(2, 3, 3), 1);
  et_value *out = et_test_floats(t, ET_SHAPE(2, 3, 3), NULL);
  et_test_assert_refused(
      t, solve_triangle(t, a, et_test_random(t, ET_SHAPE(2, 4, 1), 2), out),
      "columns of 4 elements do not match matrices of 3 rows");
  et_test_assert_refused(
      t, solve_triangle(t, a, et_test_random(t, ET_SHAPE(3, 3, 1), 2), out),
      "batches of 2 and 3 do not match");
  et_test_end(t);
}

static void test_mismatched_householder_reflections_are_refused(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *a = et_test_random(t, ET_SHAPE(3, 2), 1);
  et_value *wide = et_test_random(t, ET_SHAPE(2, 3), 1);
  et_value *three = et_test_random(t, ET_SHAPE(3), 1);
  et_value *two = et_test_random(t, ET_SHAPE(2), 1);
  et_value *out = et_test_floats(t, ET_SHAPE(3, 3), NULL);
  et_test_assert_refused(
      t, ET_CALL(t, "aten::linalg_householder_product.out", a, three, out, out),
      "tau has 3 elements, but the matrices have fewer columns or rows");
  et_test_assert_refused(
      t,
      ET_CALL(t, "aten::linalg_householder_product.out", wide, two, out, out),
      "matrices have more columns than rows");
  et_test_assert_refused(
      t, ET_CALL(t, "aten::ormqr.out", a, two, wide, yes(t), no(t), out, out),
      "ormqr: reflectors have 3 elements, expected 2");
  et_test_end(t);
}

static et_status find_vectors(et_test *t, et_value *a, bool full, et_value *u,
                              et_value *s, et_value *vh) {
  et_value *returned = list(t, (et_value *[]){u, s, vh}, 3);
  return ET_CALL(t, "aten::_linalg_svd.U", a, et_test_bool(t, full), yes(t),
                 et_test_none(t), u, s, vh, returned);
}

static void test_singular_vectors_of_zeros_are_unit_vectors(void **state) {
  (void)state;
  et_test *t = et_test_begin();
  et_value *a = et_test_floats(t, ET_SHAPE(3, 2), (float[6]){0});
  et_value *u = et_test_floats(t, ET_SHAPE(3, 3), NULL);
  et_value *s = et_test_floats(t, ET_SHAPE(2), NULL);
  et_value *vh = et_test_floats(t, ET_SHAPE(2, 2), NULL);
  assert_int_equal(find_vectors(t, a, true, u, s, vh), ET_STATUS_OK);
  et_test_assert_floats(u, (float[]){1, 0, 0, 0, 1, 0, 0, 0, 1}, 9);
  et_test_assert_floats(s, (float[]){0, 0}, 2);
  et_test_end(t);
}

/* Full and partial panels of columns. */
static void test_every_matrix_size_stays_in_bounds(void **state) {
  (void)state;
  for (int32_t rows = 0; rows < 19; rows += 3) {
    for (int32_t columns = 0; columns < 19; columns += 3) {
      et_test *t = et_test_begin();
      const int32_t count = rows < columns ? rows : columns;
      et_value *a = et_test_random(t, ET_SHAPE(2, rows, columns), 1);
      et_value *u = et_test_floats(t, ET_SHAPE(2, rows, rows), NULL);
      et_value *s = et_test_floats(t, ET_SHAPE(2, count), NULL);
      et_value *vh = et_test_floats(t, ET_SHAPE(2, columns, columns), NULL);
      assert_int_equal(find_vectors(t, a, true, u, s, vh), ET_STATUS_OK);
      et_value *out = et_test_floats(t, ET_SHAPE(2, rows, columns), NULL);
      et_value *returned = list(t, (et_value *[]){out, s}, 2);
      assert_int_equal(ET_CALL(t, "aten::geqrf.a", a, out, s, returned),
                       ET_STATUS_OK);
      et_test_end(t);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_inverse_pivots_rows),
      cmocka_unit_test(test_nonsquare_matrices_are_refused),
      cmocka_unit_test(test_pivots_out_of_range_are_refused),
      cmocka_unit_test(test_pivots_of_mismatched_shape_are_refused),
      cmocka_unit_test(test_mismatched_linear_systems_are_refused),
      cmocka_unit_test(test_mismatched_householder_reflections_are_refused),
      cmocka_unit_test(test_singular_vectors_of_zeros_are_unit_vectors),
      cmocka_unit_test(test_every_matrix_size_stays_in_bounds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
