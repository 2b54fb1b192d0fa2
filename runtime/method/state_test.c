/* Tests that mutable buffers are initialized once, shared, and reset on
 * request. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "executorch/method.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"
#include "runtime/testing/program_test_support.h"

static et_status do_nothing(et_kernel_context *context, et_value **args) {
  (void)context;
  (void)args;
  return ET_STATUS_OK;
}

/* The operators of multi_state_shared. Their results do not matter here. */
static const et_kernel rows[] = {
    {"aten::add.out", "ttnw>w", NULL, do_nothing, NULL, 0},
    {"aten::addmm.out", "tttnnw>w", NULL, do_nothing, NULL, 0},
    {"aten::copy_", "wtb>w", NULL, do_nothing, NULL, 0},
    {"aten::permute_copy.out", "tIw>w", NULL, do_nothing, NULL, 0},
    {"dim_order_ops::_to_dim_order_copy.out", "tb?Iw>w", NULL, do_nothing, NULL,
     0},
};
static const et_kernel_table table = {rows, sizeof rows / sizeof *rows};
static const et_registry registry = {.kernels = &table};

/* The program, a buffer that its methods share, and memory for each method. */
typedef struct sample {
  uint8_t *file;
  et_program program;
  et_state state;
  et_state *own_state; /* of the method's own buffer, or NULL */
  _Alignas(64) uint8_t shared[64];
  _Alignas(64) uint8_t own[2][1024];
  _Alignas(64) uint8_t memory[2][8192];
  et_method *methods[2];
  const struct et_sharing *sharing;
  et_error error;
} sample;

static void open_sample(sample *s) {
  size_t size = 0;
  memset(s, 0, sizeof *s);
  memset(s->shared, 0x55, sizeof s->shared);
  s->sharing = &et_sharing;
  s->file = et_test_read_fixture("multi_state_shared", &size);
  const et_span file = {s->file, size};
  assert_int_equal(et_program_load(file, &s->program, NULL), ET_STATUS_OK);
}

/* Loads method `index` with shared memory id 2. */
static et_status load(sample *s, size_t index) {
  et_string name = {NULL, 0};
  const et_planned_buffer planned[2] = {
      {{s->own[index], sizeof s->own[index]}, s->own_state, s->sharing},
      {{s->shared, sizeof s->shared}, &s->state, s->sharing}};
  const et_method_memory memory = {{s->memory[index], sizeof s->memory[index]},
                                   {NULL, 0},
                                   planned,
                                   2,
                                   {NULL, 0}};
  et_error_clear(&s->error);
  et_program_method_name(&s->program, index, &name);
  return et_method_load(&s->program, name.data, &registry, NULL, &memory,
                        &s->methods[index], &s->error);
}

/* Returns the name of a method's mutable buffer, in the file. */
static char *state_name(const sample *s, uint32_t method) {
  const et_fb_table plan = et_tables_plan(&s->program, method);
  const et_fb_vector values = et_tables_vector(plan, ET_PLAN_VALUES);
  const et_fb_table evalue = et_fb_child_at(values, 2);
  const et_fb_table held = et_fb_child(evalue, ET_EVALUE_VALUE);
  const et_fb_table extra = et_fb_child(held, ET_TENSOR_EXTRA);
  const et_string name = et_fb_text(extra, ET_EXTRA_NAME);
  assert_int_equal(name.size, strlen("m.state"));
  return (char *)(uintptr_t)name.data;
}

static void test_first_load_initializes_the_state(void **state) {
  (void)state;
  static sample s;
  static const uint8_t zeros[16] = {0};
  open_sample(&s);
  assert_int_equal(load(&s, 0), ET_STATUS_OK);
  assert_memory_equal(s.shared, zeros, 16);
  free(s.file);
}

static void test_planned_buffer_of_one_byte_starts_as_zero(void **state) {
  (void)state;
  static et_program_writer writer;
  static _Alignas(64) uint8_t bytes[2] = {0x55, 0x55};
  static _Alignas(64) uint8_t memory[8192];
  et_program program;
  et_method *method = NULL;
  et_writer_start(&writer, 1);
  const int32_t byte = et_writer_tensor(&writer, ET_SCALAR_TYPE_UINT8, 1, 0);
  et_writer_input(&writer, byte);
  et_writer_output(&writer, byte);
  const et_planned_buffer planned = {{bytes, 1}, NULL, NULL};
  const et_method_memory provided = {
      {memory, sizeof memory}, {NULL, 0}, &planned, 1, {NULL, 0}};
  assert_int_equal(et_program_load(et_writer_finish(&writer), &program, NULL),
                   ET_STATUS_OK);
  assert_int_equal(et_method_load(&program, "forward", &registry, NULL,
                                  &provided, &method, NULL),
                   ET_STATUS_OK);
  assert_int_equal(bytes[0], 0);
  assert_int_equal(bytes[1], 0x55);
}

static void test_later_loads_do_not_change_the_state(void **state) {
  (void)state;
  static sample s;
  open_sample(&s);
  assert_int_equal(load(&s, 0), ET_STATUS_OK);
  memset(s.shared, 7, 16);
  assert_int_equal(load(&s, 1), ET_STATUS_OK);
  assert_int_equal(load(&s, 0), ET_STATUS_OK); /* loads the same method again */
  for (size_t i = 0; i < 16; i++) {
    assert_int_equal(s.shared[i], 7);
  }
  free(s.file);
}

static void test_reset_restores_initial_values(void **state) {
  (void)state;
  static sample s;
  static const uint8_t zeros[16] = {0};
  open_sample(&s);
  load(&s, 0);
  load(&s, 1);
  memset(s.shared, 7, 16);
  et_method_reset_state(s.methods[1]);
  assert_memory_equal(s.shared, zeros, 16);
  free(s.file);
}

static void test_state_of_another_program_or_buffer_is_refused(void **state) {
  (void)state;
  static sample a;
  static sample b;
  open_sample(&a);
  open_sample(&b);
  load(&a, 0);
  b.state = a.state;
  assert_int_equal(load(&b, 0), ET_STATUS_INVALID_ARGUMENT);
  assert_string_equal(b.error.message,
                      "memory.planned[1].state is in use with another "
                      "program; pass a new state");
  b.state = (et_state){0};
  b.own_state = &a.state;
  assert_int_equal(load(&b, 0), ET_STATUS_INVALID_ARGUMENT);
  assert_string_equal(b.error.message,
                      "memory.planned[0].state is in use with another "
                      "program; pass a new state");
  a.state.bytes.data = b.shared;
  assert_int_equal(load(&a, 1), ET_STATUS_INVALID_ARGUMENT);
  assert_string_equal(a.error.message,
                      "memory.planned[1].state is in use with another "
                      "buffer; pass a new state");
  free(a.file);
  free(b.file);
}

static void test_shared_state_requires_its_implementation(void **state) {
  (void)state;
  static sample s;
  open_sample(&s);
  s.sharing = NULL;
  assert_int_equal(load(&s, 0), ET_STATUS_INVALID_ARGUMENT);
  assert_string_equal(
      s.error.message,
      "memory.planned[1] has a state; set its sharing to &et_sharing");
  free(s.file);
}

static void test_different_state_at_the_same_offset_is_refused(void **state) {
  (void)state;
  static sample s;
  open_sample(&s);
  state_name(&s, 1)[0] = 'n';
  assert_int_equal(state_name(&s, 0)[0], 'm');
  assert_int_equal(load(&s, 0), ET_STATUS_OK);
  memset(s.shared, 7, 16);
  assert_int_equal(load(&s, 1), ET_STATUS_INVALID_PROGRAM);
  assert_string_equal(s.error.message,
                      "values[2] and values[2] of method 'get' share state, "
                      "but are at different offsets in memory id "
                      "2" ET_TEST_EXPORT_AGAIN);
  assert_int_equal(s.shared[0], 7);
  free(s.file);
}

static void test_same_state_at_another_offset_is_refused(void **state) {
  (void)state;
  static sample s;
  open_sample(&s);
  const et_fb_table plan = et_tables_plan(&s.program, 1);
  const et_fb_vector values = et_tables_vector(plan, ET_PLAN_VALUES);
  const et_fb_table evalue = et_fb_child_at(values, 2);
  const et_fb_table held = et_fb_child(evalue, ET_EVALUE_VALUE);
  const et_fb_vector sizes = et_fb_list(held, ET_TENSOR_SIZES);
  const int32_t two = 2; /* instead of 4: the same name, but fewer bytes */
  memcpy((void *)(uintptr_t)et_fb_data(sizes), &two, sizeof two);
  assert_int_equal(load(&s, 0), ET_STATUS_OK);
  assert_int_equal(load(&s, 1), ET_STATUS_INVALID_PROGRAM);
  assert_non_null(
      strstr(s.error.message, "share state, but are at different offsets"));
  free(s.file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_first_load_initializes_the_state),
      cmocka_unit_test(test_planned_buffer_of_one_byte_starts_as_zero),
      cmocka_unit_test(test_later_loads_do_not_change_the_state),
      cmocka_unit_test(test_reset_restores_initial_values),
      cmocka_unit_test(test_state_of_another_program_or_buffer_is_refused),
      cmocka_unit_test(test_shared_state_requires_its_implementation),
      cmocka_unit_test(test_different_state_at_the_same_offset_is_refused),
      cmocka_unit_test(test_same_state_at_another_offset_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
