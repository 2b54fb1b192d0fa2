#include "backends/cpu/schema/grid_sample.h"
#include "backends/cpu/ops/testing.h"
#include "backends/cpu/schema/op_codes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define F32 ET_SCALAR_TYPE_FLOAT32

enum { LINEAR, NEAREST, CUBIC };
enum { ZEROS, BORDER, REFLECTION };

static void make(et_test_op *test, const int32_t *x, const int32_t *y,
                 int32_t mode, int32_t padding, int32_t corners) {
  const int32_t grid[4] = {y[0], y[1], y[2], 2};
  et_test_begin(test, &et_cpu_op_grid_sample);
  et_test_input(test, F32, 4, x);
  et_test_input(test, F32, 4, grid);
  et_test_output(test, F32, 4, y);
  et_test_int(test, mode);
  et_test_int(test, padding);
  et_test_int(test, corners);
}

/* Samples a row of four pixels, 1, 2, 4 and 8, at `count` positions. */
static void check_row(int32_t mode, int32_t padding, int32_t corners,
                      const float *positions, const double *expected,
                      int32_t count) {
  et_test_op test;
  double margin[8];
  make(&test, (int32_t[]){1, 1, 4, 1}, (int32_t[]){1, 1, count, 1}, mode,
       padding, corners);
  float *x = test.tensors[0].data;
  float *grid = test.tensors[1].data;
  for (int32_t i = 0; i < 4; i++) {
    x[i] = (float)(1 << i);
  }
  for (int32_t i = 0; i < count; i++) {
    grid[2 * i] = positions[i];
    grid[2 * i + 1] = 0;
    margin[i] = 1e-6;
  }
  et_test_run(&test, expected, margin);
  et_test_end(&test);
}

static void test_positions_are_relative_to_edges_or_corners(void **state) {
  (void)state;
  const float positions[5] = {-1, -0.75f, 0, 0.75f, 1};
  const double edges[5] = {0.5, 1, 3, 8, 4};
  const double corners[5] = {1, 1.375, 3, 6.5, 8};
  check_row(LINEAR, ZEROS, 0, positions, edges, 5);
  check_row(LINEAR, ZEROS, 1, positions, corners, 5);
}

static void test_nearest_rounds_ties_to_even(void **state) {
  (void)state;
  const float positions[4] = {-0.75f, -0.5f, 0, 0.5f};
  const double expected[4] = {1, 1, 4, 4};
  check_row(NEAREST, ZEROS, 0, positions, expected, 4);
}

static void test_pads_outside_the_image(void **state) {
  (void)state;
  const float positions[4] = {-1.75f, 1.25f, 1.75f, 50};
  const double zeros[4] = {0, 0, 0, 0};
  const double border[4] = {1, 8, 8, 8};
  const double mirrored[4] = {2, 8, 4, 3};
  check_row(LINEAR, ZEROS, 0, positions, zeros, 4);
  check_row(LINEAR, BORDER, 0, positions, border, 4);
  check_row(LINEAR, REFLECTION, 0, positions, mirrored, 4);
}

static void test_non_finite_positions_are_outside_the_image(void **state) {
  (void)state;
  const float positions[4] = {NAN, INFINITY, -INFINITY, 3e38f};
  const double zeros[4] = {0, 0, 0, 0};
  const double border[4] = {1, 8, 1, 8};
  for (int32_t mode = LINEAR; mode <= NEAREST; mode++) {
    check_row(mode, ZEROS, 0, positions, zeros, 4);
    check_row(mode, BORDER, 0, positions, border, 4);
  }
}

/* Each channel is constant, so the result is the constant if the sum of the weights is one. */
static void test_weights_add_up_to_one(void **state) {
  (void)state;
  const int32_t x[4] = {2, 5, 3, 19};
  const int32_t y[4] = {2, 4, 6, 19};
  double expected[2 * 4 * 6 * 19];
  double margin[2 * 4 * 6 * 19];
  for (int32_t i = 0; i < 18; i++) {
    et_test_op test;
    make(&test, x, y, i % 3, i / 3 % 2 == 0 ? BORDER : REFLECTION, i / 9);
    float *pixels = test.tensors[0].data;
    for (size_t k = 0; k < test.tensors[0].numel; k++) {
      pixels[k] = (float)(k % 19);
    }
    for (size_t k = 0; k < test.tensors[2].numel; k++) {
      expected[k] = (double)(k % 19);
      margin[k] = 1e-4;
    }
    et_test_run(&test, expected, margin);
    et_test_end(&test);
  }
}

static void test_rejects_grids_of_wrong_sizes(void **state) {
  (void)state;
  const int32_t x[4] = {2, 5, 3, 4};
  const int32_t y[4] = {2, 4, 6, 4};
  et_test_op test;
  make(&test, x, y, CUBIC, REFLECTION, 1);
  test.attributes[0] = 3;
  et_test_refused(&test, "grid_sample: attribute 0 is 3, expected 0 to 2");
  test.attributes[0] = CUBIC;
  test.attributes[1] = 3;
  et_test_refused(&test, "grid_sample: attribute 1 is 3, expected 0 to 2");
  test.attributes[1] = ZEROS;
  test.attributes[2] = 2;
  et_test_refused(&test, "grid_sample: attribute 2 is 2, expected 0 to 1");
  test.attributes[2] = 1;
  test.tensors[1].sizes[3] = 3;
  et_test_refused(&test, "grid_sample: tensor 1, dim 3 is 3, expected 2");
  test.tensors[1].sizes[3] = 2;
  test.tensors[2].sizes[3] = 3;
  et_test_refused(&test, "grid_sample: tensor 2, dim 3 is 3, expected 4");
  test.tensors[2].sizes[3] = 4;
  test.tensors[0].numel = 0;
  et_test_refused(&test, "grid_sample: input images are empty");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_positions_are_relative_to_edges_or_corners),
      cmocka_unit_test(test_nearest_rounds_ties_to_even),
      cmocka_unit_test(test_pads_outside_the_image),
      cmocka_unit_test(test_non_finite_positions_are_outside_the_image),
      cmocka_unit_test(test_weights_add_up_to_one),
      cmocka_unit_test(test_rejects_grids_of_wrong_sizes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
