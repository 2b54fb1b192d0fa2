#define _POSIX_C_SOURCE 200809L /* posix_memalign */

/* Loads damaged copies of small exported programs. Each must fail or run
 * without invalid memory accesses. Also run this test with sanitizers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "executorch/method.h"
#include "executorch/program.h"
#include "runtime/testing/program_test_support.h"

static et_status do_nothing(et_kernel_context *context, et_value **args) {
  (void)context;
  (void)args;
  return ET_STATUS_OK;
}

/* The operators of the programs below. Only their arguments matter here, not
 * their results. */
static const et_kernel kernels[] = {
    {"aten::add.out", "ttnw>w", NULL, do_nothing, NULL, 0},
    {"aten::addmm.out", "tttnnw>w", NULL, do_nothing, NULL, 64},
    {"aten::copy_", "wtb>w", NULL, do_nothing, NULL, 0},
    {"aten::cos.out", "tw>w", NULL, do_nothing, NULL, 0},
    {"aten::mul.out", "ttw>w", NULL, do_nothing, NULL, 0},
    {"aten::permute_copy.out", "tIw>w", NULL, do_nothing, NULL, 0},
    {"aten::select_copy.int_out", "tiiw>w", NULL, do_nothing, NULL, 0},
    {"aten::sin.out", "tw>w", NULL, do_nothing, NULL, 0},
    {"aten::sym_size.int", "ti>x", NULL, do_nothing, NULL, 0},
    {"dim_order_ops::_to_dim_order_copy.out", "tb?Iw>w", NULL, do_nothing, NULL,
     0},
    {"executorch_prim::add.Scalar", "nn>x", NULL, do_nothing, NULL, 0},
    {"executorch_prim::eq.Scalar", "nn>x", NULL, do_nothing, NULL, 0},
    {"executorch_prim::et_copy_index.tensor", "mti", NULL, do_nothing, NULL, 0},
    {"executorch_prim::sub.Scalar", "nn>x", NULL, do_nothing, NULL, 0},
};
static const et_kernel_table table = {kernels,
                                      sizeof kernels / sizeof *kernels};
static const et_registry registry = {.kernels = &table,
                                     .views = &et_views,
                                     .branching = &et_branching,
                                     .ranges = &et_ranges_and_conditions};

static const char *const FIXTURES[] = {
    "control_flow_cond", "control_flow_map",    "counter_mutable_init",
    "nested_pytree_io",  "noconst_mul",         "multi_state_shared",
    "tut02_basic_add",   "tut03_dynamic_basic", "tut07a_lowered_buffer_only",
};

/* Returns the number of bytes that a hosted method allocates for planned
 * buffers and outputs. */
static uint64_t hosted_bytes(const et_method_meta *meta) {
  uint64_t total = 0;
  et_value_meta value;
  for (size_t i = 0; i < et_method_meta_planned_count(meta); i++) {
    size_t bytes = 0;
    et_method_meta_planned_bytes(meta, i, &bytes, NULL);
    total += bytes;
  }
  for (size_t i = 0; i < et_method_meta_output_count(meta); i++) {
    value.nbytes = 0;
    et_method_meta_output(meta, i, &value, NULL);
    total += value.nbytes;
  }
  return total;
}

/* Describes and loads every method, which reads the whole program. Skips
 * methods that need a large amount of memory. */
static void use_program(const et_program *program) {
  for (size_t i = 0; i < et_program_method_count(program); i++) {
    et_string name;
    et_method_meta meta;
    et_value_meta value;
    et_hosted_method hosted;
    et_program_method_name(program, i, &name);
    et_program_method_meta(program, name.data, &meta, NULL);
    for (size_t k = 0; k < et_method_meta_input_count(&meta); k++) {
      et_method_meta_input(&meta, k, &value, NULL);
    }
    if (hosted_bytes(&meta) <= 1u << 20) {
      et_hosted_method_load(program, name.data, &registry, NULL, &hosted, NULL);
      et_hosted_method_free(&hosted);
    }
  }
}

/* Returns 1 if the program is accepted. A failure must have a message. */
static int try_program(const uint8_t *bytes, size_t size) {
  const et_span file = {bytes, size};
  et_program program;
  et_error error;
  et_error_clear(&error);
  const et_status status = et_program_load(file, &program, &error);
  if (status == ET_STATUS_OK) {
    use_program(&program);
    return 1;
  }
  assert_int_equal(error.status, status);
  assert_true(error.message[0] != '\0');
  return 0;
}

static void test_undamaged_programs_are_accepted(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof FIXTURES / sizeof *FIXTURES; i++) {
    size_t size = 0;
    uint8_t *bytes = et_test_read_fixture(FIXTURES[i], &size);
    assert_true(try_program(bytes, size));
    free(bytes);
  }
}

/* Each length uses its own allocation, so that sanitizers detect overruns. */
static void test_truncated_program_is_survived(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof FIXTURES / sizeof *FIXTURES; i++) {
    size_t size = 0;
    uint8_t *bytes = et_test_read_fixture(FIXTURES[i], &size);
    for (size_t cut = 1; cut < size; cut++) {
      void *copy = NULL;
      assert_int_equal(posix_memalign(&copy, 64, cut), 0);
      memcpy(copy, bytes, cut);
      try_program(copy, cut);
      free(copy);
    }
    free(bytes);
  }
}

static void test_program_with_any_byte_changed_is_survived(void **state) {
  (void)state;
  const uint8_t changes[] = {0x01, 0x80, 0xFF, 0x7F};
  for (size_t i = 0; i < sizeof FIXTURES / sizeof *FIXTURES; i++) {
    size_t size = 0;
    uint8_t *bytes = et_test_read_fixture(FIXTURES[i], &size);
    for (size_t at = 0; at < size; at++) {
      const uint8_t old = bytes[at];
      for (size_t k = 0; k < sizeof changes; k++) {
        bytes[at] = old ^ changes[k];
        try_program(bytes, size);
      }
      bytes[at] = 0;
      try_program(bytes, size);
      bytes[at] = old;
    }
    free(bytes);
  }
}

static void test_program_with_any_word_replaced_is_survived(void **state) {
  (void)state;
  const uint32_t words[] = {0xFFFFFFFFu, 0x7FFFFFFFu, 0x80000000u, 0x10000u};
  for (size_t i = 0; i < sizeof FIXTURES / sizeof *FIXTURES; i++) {
    size_t size = 0;
    uint8_t *bytes = et_test_read_fixture(FIXTURES[i], &size);
    for (size_t at = 0; at + 4 <= size; at += 4) {
      uint32_t old = 0;
      memcpy(&old, bytes + at, sizeof old);
      for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        memcpy(bytes + at, &words[k], sizeof old);
        try_program(bytes, size);
      }
      memcpy(bytes + at, &old, sizeof old);
    }
    free(bytes);
  }
}

static et_status read_file(void *context, uint64_t offset, size_t size,
                           void *out, et_error *error) {
  const et_span *file = context;
  (void)error;
  assert_true(offset <= file->size && size <= file->size - offset);
  memcpy(out, file->data + offset, size);
  return ET_STATUS_OK;
}

/* Loads and uses the program with only its tables in memory. */
static void try_reading(et_span file) {
  et_extent extent = {0, file};
  const et_data_source source = {"file", file.size, &extent,
                                 1,      read_file, &file};
  et_program program;
  if (et_program_load(file, &program, NULL) != ET_STATUS_OK) {
    return;
  }
  extent.bytes = program.flatbuffer;
  if (et_program_load_sources(&source, 1, &program, NULL) == ET_STATUS_OK) {
    use_program(&program);
  } else {
    assert_true(extent.bytes.size < ET_PROGRAM_HEAD_BYTES);
  }
}

static void test_read_program_with_any_byte_changed_is_survived(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof FIXTURES / sizeof *FIXTURES; i++) {
    size_t size = 0;
    uint8_t *bytes = et_test_read_fixture(FIXTURES[i], &size);
    const et_span file = {bytes, size};
    for (size_t at = 0; at < size; at++) {
      bytes[at] ^= 0xFF;
      try_reading(file);
      bytes[at] ^= 0xFF;
    }
    free(bytes);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_undamaged_programs_are_accepted),
      cmocka_unit_test(test_truncated_program_is_survived),
      cmocka_unit_test(test_program_with_any_byte_changed_is_survived),
      cmocka_unit_test(test_program_with_any_word_replaced_is_survived),
      cmocka_unit_test(test_read_program_with_any_byte_changed_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
