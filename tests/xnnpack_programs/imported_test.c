/* Tests imported XNNPACK programs: the build links their backend and states
 * their memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/xnnpack_programs/imported.h"

static tests_xnnpack_programs_product_forward_memory product_memory;
static tests_xnnpack_programs_doubled_forward_memory doubled_memory;
static tests_xnnpack_programs_stripes_forward_memory stripes_memory;
static tests_xnnpack_programs_tiles_forward_memory tiles_memory;
static tests_xnnpack_programs_tiles_forward_memory more_tiles_memory;

static void assert_ok(et_status status, const et_error *error) {
  if (status != ET_STATUS_OK) {
    fail_msg("%s", error->message);
  }
}

static void multiply(tests_xnnpack_programs_product_forward_method method,
                     const float *x, float y[20]) {
  et_error error = {0};
  const float *out = NULL;
  assert_ok(
      tests_xnnpack_programs_product_forward_set_input_0(method, x, &error),
      &error);
  assert_ok(tests_xnnpack_programs_product_forward_execute(method, &error),
            &error);
  assert_ok(
      tests_xnnpack_programs_product_forward_get_output_0(method, &out, &error),
      &error);
  for (size_t i = 0; i < 20; i++) {
    y[i] = out[i];
  }
}

/* [4, 8] times packed weights: each row is a separate GEMM. */
static void test_weights_are_packed_in_the_measured_memory(void **state) {
  et_error error = {0};
  tests_xnnpack_programs_product_forward_method method = {NULL};
  float x[32] = {0};
  float y[20];
  (void)state;
  assert_ok(tests_xnnpack_programs_product_forward_load(&product_memory, NULL,
                                                        &method, &error),
            &error);
  x[0] = 1.0f;
  x[8] = 2.0f;
  multiply(method, x, y);
  for (size_t i = 0; i < 5; i++) {
    assert_true(y[i] != 0.0f);
    assert_true(y[5 + i] == 2.0f * y[i]);
    assert_true(y[10 + i] == 0.0f);
  }
}

static void test_two_delegates_in_a_method_run(void **state) {
  et_error error = {0};
  tests_xnnpack_programs_doubled_forward_method method = {NULL};
  const float *out = NULL;
  float x[24];
  (void)state;
  for (size_t i = 0; i < 24; i++) {
    x[i] = (float)i;
  }
  assert_ok(tests_xnnpack_programs_doubled_forward_load(&doubled_memory, NULL,
                                                        &method, &error),
            &error);
  assert_ok(
      tests_xnnpack_programs_doubled_forward_set_input_0(method, x, &error),
      &error);
  assert_ok(tests_xnnpack_programs_doubled_forward_execute(method, &error),
            &error);
  assert_ok(
      tests_xnnpack_programs_doubled_forward_get_output_0(method, &out, &error),
      &error);
  for (size_t i = 0; i < 24; i++) {
    assert_true(out[i] == 2.0f * x[i]);
  }
}

static void test_winograd_runs_in_the_measured_memory(void **state) {
  static const float x[32 * 15 * 15];
  et_error error = {0};
  tests_xnnpack_programs_tiles_forward_method method = {NULL};
  (void)state;
  assert_ok(tests_xnnpack_programs_tiles_forward_load(&tiles_memory, NULL,
                                                      &method, &error),
            &error);
  assert_ok(tests_xnnpack_programs_tiles_forward_set_input_0(method, x, &error),
            &error);
  assert_ok(tests_xnnpack_programs_tiles_forward_execute(method, &error),
            &error);
}

enum { TILES = 32 * 6 * 6 }; /* number of elements of the output */

static void load_and_run_tiles(
    tests_xnnpack_programs_tiles_forward_memory *memory,
    const et_method_options *options, float y[TILES]) {
  static float x[32 * 15 * 15];
  et_error error = {0};
  tests_xnnpack_programs_tiles_forward_method method = {NULL};
  const float *out = NULL;
  for (size_t i = 0; i < sizeof x / sizeof x[0]; i++) {
    x[i] = (float)(i % 37) / 37 - 0.5f;
  }
  assert_ok(tests_xnnpack_programs_tiles_forward_load(memory, options, &method,
                                                      &error),
            &error);
  assert_ok(tests_xnnpack_programs_tiles_forward_set_input_0(method, x, &error),
            &error);
  assert_ok(tests_xnnpack_programs_tiles_forward_execute(method, &error),
            &error);
  assert_ok(
      tests_xnnpack_programs_tiles_forward_get_output_0(method, &out, &error),
      &error);
  memcpy(y, out, TILES * sizeof y[0]);
}

/* Float weights of the tiles, columns x channels x positions. */
#define TILE_FLOATS (48 * 32 * 36 + 48 * 40 * 36 + 32 * 33 * 16)

static void test_methods_share_winograd_weights(void **state) {
  static _Alignas(ET_MEMORY_ALIGNMENT) uint8_t memory[TILE_FLOATS * 4 + 4096];
  et_shared_store store =
      et_shared_store_over((et_mutable_span){memory, sizeof memory});
  const et_method_options options = {.store = &store};
  static float alone[TILES];
  static float first[TILES];
  static float second[TILES];
  (void)state;
  load_and_run_tiles(&tiles_memory, NULL, alone);
  load_and_run_tiles(&tiles_memory, &options, first);
  const size_t used = store.arena.used;
  assert_true(used >= TILE_FLOATS * sizeof(float));
  load_and_run_tiles(&more_tiles_memory, &options, second);
  assert_int_equal(store.arena.used, used);
  assert_memory_equal(first, alone, sizeof alone);
  assert_memory_equal(second, alone, sizeof alone);
}

static void test_row_tiled_blocks_run_in_the_measured_memory(void **state) {
  static const float x[3 * 64 * 58];
  et_error error = {0};
  tests_xnnpack_programs_stripes_forward_method method = {NULL};
  (void)state;
  assert_ok(tests_xnnpack_programs_stripes_forward_load(&stripes_memory, NULL,
                                                        &method, &error),
            &error);
  assert_ok(
      tests_xnnpack_programs_stripes_forward_set_input_0(method, x, &error),
      &error);
  assert_ok(tests_xnnpack_programs_stripes_forward_execute(method, &error),
            &error);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_weights_are_packed_in_the_measured_memory),
      cmocka_unit_test(test_two_delegates_in_a_method_run),
      cmocka_unit_test(test_winograd_runs_in_the_measured_memory),
      cmocka_unit_test(test_methods_share_winograd_weights),
      cmocka_unit_test(test_row_tiled_blocks_run_in_the_measured_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
