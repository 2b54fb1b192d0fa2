/* Tests the context of a kernel call: prepared state, scratch, workers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "executorch/hosted_method.h"
#include "runtime/core/limits.h"
#include "runtime/testing/program_test_support.h"

static et_program_writer writer;
static et_program program;
static et_hosted_method hosted;

/* The last values that the kernels below received. */
static struct {
  int32_t size;     /* size of the first operand of prepare */
  const void *data; /* data of the first operand of prepare */
  const et_parallel *prepare_parallel;
  const et_parallel *parallel;
  const et_observer *observer;
  size_t scratch;
  uint32_t prepares;
  bool repeats_out; /* args[2] is args[1] */
} received;

/* Uses the value in args[0] as the state, and as the scratch size. */
static et_status prepare_scale(et_prepare_context *context,
                               et_value *const *args, void **out_state) {
  void *state = NULL;
  const int64_t factor = args[0]->u.as_int;
  if (factor < 0) {
    return et_fail(context->error, ET_STATUS_INVALID_ARGUMENT,
                   "factor %lld is negative", (long long)factor);
  }
  if (!et_arena_take(context->arena, (size_t)factor, sizeof(float), 64,
                     &state)) {
    return et_fail(context->error, ET_STATUS_MEMORY_TOO_SMALL, "out of memory");
  }
  if (state != NULL) {
    assert_int_equal((uintptr_t)state % 64, 0);
    ((float *)state)[0] = (float)factor;
  }
  received.size = args[1]->u.as_tensor->sizes[0];
  received.data = args[1]->u.as_tensor->data;
  received.repeats_out = args[2] == args[3];
  received.prepare_parallel = context->parallel;
  received.prepares++;
  assert_int_equal(context->scratch_bytes, 16);
  context->scratch_bytes = (size_t)factor * 100;
  *out_state = state;
  return ET_STATUS_OK;
}

static et_status run_scale(et_kernel_context *context, et_value **args) {
  const float *state = context->state;
  const float *in = args[1]->u.as_tensor->data;
  float *out = args[2]->u.as_tensor->data;
  memset(context->scratch.data, 0, (size_t)state[0] * 100);
  for (size_t i = 0; i < args[1]->u.as_tensor->numel; i++) {
    out[i] = in[i] * state[0];
  }
  received.parallel = context->parallel;
  received.observer = context->observer;
  received.scratch = context->scratch.size;
  return ET_STATUS_OK;
}

/* Allocates a different size in each call. */
static et_status prepare_anew(et_prepare_context *context,
                              et_value *const *args, void **out_state) {
  static size_t bytes = 64;
  (void)args;
  bytes--;
  return et_arena_take(context->arena, 1, bytes, 1, out_state)
             ? ET_STATUS_OK
             : ET_STATUS_MEMORY_TOO_SMALL;
}

static et_status prepare_list(et_prepare_context *context,
                              et_value *const *args, void **out_state) {
  (void)context;
  *out_state = NULL;
  received.size = (int32_t)args[0]->u.as_list.size;
  for (size_t i = 0; i < args[0]->u.as_list.size; i++) {
    received.size += (int32_t)et_int_list_at(args[0], i);
  }
  return ET_STATUS_OK;
}

static et_status prepare_nothing(et_prepare_context *context,
                                 et_value *const *args, void **out_state) {
  (void)context;
  (void)args;
  (void)out_state;
  return ET_STATUS_OK;
}

static et_status run_nothing(et_kernel_context *context, et_value **args) {
  (void)args;
  assert_null(context->state);
  return ET_STATUS_OK;
}

/* addmm(bias, ...) with a bias that is a constant of the program. */
static et_status prepare_bias(et_prepare_context *context,
                              et_value *const *args, void **out_state) {
  const et_tensor *bias = args[0]->u.as_tensor;
  (void)context;
  *out_state = NULL;
  received.size = bias->sizes[0];
  received.data = bias->data;
  assert_true(bias->is_constant);
  assert_null(args[1]->u.as_tensor->data);
  return ET_STATUS_OK;
}

static const et_kernel rows[] = {
    {"aten::addmm.out", "tttnnw>w", NULL, run_nothing, prepare_bias, 0},
    {"aten::permute_copy.out", "tIw>w", NULL, run_nothing, NULL, 0},
    {"aten::relu.out", "tw>w", NULL, run_nothing, NULL, 0},
    {"test::anew.out", "tw>w", NULL, run_nothing, prepare_anew, 0},
    {"test::join.out", "Tw>w", NULL, run_nothing, prepare_nothing, 0},
    {"test::list.out", "Iw>w", NULL, run_nothing, prepare_list, 0},
    {"test::lists.out", "IIIw>w", NULL, run_nothing, prepare_nothing, 0},
    {"test::pick.out", "Ow>w", NULL, run_nothing, prepare_nothing, 0},
    {"test::scale.out", "itw>w", NULL, run_scale, prepare_scale, 16},
};
static const et_kernel_table table = {rows, sizeof rows / sizeof *rows};
static const et_registry registry = {.kernels = &table,
                                     .preparation = &et_preparation};

static et_status load(const et_method_options *options, et_error *out_error) {
  et_error_clear(out_error);
  memset(&received, 0, sizeof received);
  ET_RETURN_IF_ERROR(
      et_program_load(et_writer_finish(&writer), &program, out_error));
  return et_hosted_method_load(&program, "forward", &registry, options, &hosted,
                               out_error);
}

static void open_with(const et_method_options *options) {
  et_error error;
  if (load(options, &error) != ET_STATUS_OK) {
    fail_msg("%s", error.message);
  }
}

static void expect_refused(et_status status, const char *message) {
  et_error error;
  assert_int_equal(load(NULL, &error), status);
  assert_string_equal(error.message, message);
}

/* values[0]: an input of two floats; values[1]: an output. */
static void start(void) {
  et_writer_start(&writer, 128);
  et_writer_input(&writer, et_writer_floats(&writer, 2, 0));
  et_writer_output(&writer, et_writer_floats(&writer, 2, 16));
}

static void scale(int64_t factor) {
  const int32_t args[4] = {et_writer_int(&writer, factor), 0, 1, 1};
  et_writer_call(&writer, "scale", args, 4);
}

static et_status run_method(void) {
  const float data[2] = {1, 2};
  et_test_set_floats(hosted.method, 0, data, 2);
  return et_method_execute(hosted.method, NULL);
}

static void test_each_call_has_separate_state_and_scratch(void **state) {
  (void)state;
  start();
  scale(7);
  scale(3);
  open_with(NULL);
  assert_int_equal(hosted.requirements.scratch_bytes, 700);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(run_method(), ET_STATUS_OK);
    assert_true(et_test_first_output(hosted.method, 0) == 3);
  }
  assert_true(received.scratch >= 300);
  assert_int_equal(received.prepares % 2, 0);
  et_hosted_method_free(&hosted);
}

static void test_prepare_receives_shapes_without_planned_data(void **state) {
  (void)state;
  start();
  scale(1);
  open_with(NULL);
  assert_int_equal(received.size, 2);
  assert_null(received.data);
  assert_true(received.repeats_out);
  et_hosted_method_free(&hosted);
}

static void test_prepare_receives_list_items(void **state) {
  (void)state;
  start();
  const int64_t items[3] = {et_writer_int(&writer, 30),
                            et_writer_int(&writer, 400),
                            et_writer_int(&writer, 5000)};
  const int32_t list = et_writer_int_list(&writer, items, 3);
  const int32_t args[3] = {list, 1, 1};
  et_writer_call(&writer, "list", args, 3);
  open_with(NULL);
  assert_int_equal(received.size, 5433);
  et_hosted_method_free(&hosted);
}

static void test_prepare_receives_constants(void **state) {
  (void)state;
  et_span file = {NULL, 0};
  uint8_t *bytes = et_test_read_fixture("mlp_fp16_portable", &file.size);
  file.data = bytes;
  assert_int_equal(et_program_load(file, &program, NULL), ET_STATUS_OK);
  assert_int_equal(et_hosted_method_load(&program, "forward", &registry, NULL,
                                         &hosted, NULL),
                   ET_STATUS_OK);
  const uint8_t *data = received.data;
  assert_true(data > bytes && data < bytes + file.size);
  assert_int_equal(received.size, 4);
  et_hosted_method_free(&hosted);
  free(bytes);
}

static void test_kernel_state_counts_as_method_memory(void **state) {
  (void)state;
  et_method_requirements without;
  et_method_requirements with;
  start();
  scale(0);
  open_with(NULL);
  without = hosted.requirements;
  et_hosted_method_free(&hosted);
  start();
  scale(1000);
  open_with(NULL);
  with = hosted.requirements;
  et_hosted_method_free(&hosted);
  assert_true(with.method_bytes > 4000);
  assert_true(with.method_bytes - without.method_bytes <= 4032);
}

static void test_method_memory_without_room_for_kernel_state_is_refused(
    void **state) {
  (void)state;
  et_method_requirements needed;
  et_method *method = NULL;
  et_error error;
  _Alignas(64) static uint8_t bytes[8192];
  _Alignas(64) static uint8_t planned[128];
  const et_planned_buffer buffer = {{planned, sizeof planned}, NULL, NULL};
  start();
  scale(100);
  et_error_clear(&error);
  et_program_load(et_writer_finish(&writer), &program, NULL);
  assert_int_equal(
      et_method_measure(&program, "forward", &registry, NULL, &needed, NULL),
      ET_STATUS_OK);
  et_method_memory memory = {
      {bytes, needed.method_bytes - 1}, {NULL, 0}, &buffer, 1, {NULL, 0}};
  assert_int_equal(et_method_load(&program, "forward", &registry, NULL, &memory,
                                  &method, &error),
                   ET_STATUS_MEMORY_TOO_SMALL);
  assert_non_null(strstr(error.message, "memory.method[0]"));
}

static void test_prepare_failure_names_the_call(void **state) {
  (void)state;
  start();
  scale(1);
  scale(-4);
  expect_refused(ET_STATUS_INVALID_ARGUMENT,
                 "instructions[1] test::scale.out: factor -4 is negative");
}

static void test_kernels_with_prepare_require_its_implementation(void **state) {
  (void)state;
  const et_registry without = {.kernels = &table};
  et_error error;
  et_error_clear(&error);
  start();
  scale(1);
  assert_int_equal(et_program_load(et_writer_finish(&writer), &program, &error),
                   ET_STATUS_OK);
  assert_int_equal(et_hosted_method_load(&program, "forward", &without, NULL,
                                         &hosted, &error),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_string_equal(
      error.message,
      "instructions[0] test::scale.out: the kernel has a prepare function; set "
      "registry.preparation to &et_preparation");
}

static void test_prepare_with_inconsistent_measurements_is_refused(
    void **state) {
  (void)state;
  const int32_t args[3] = {0, 1, 1};
  start();
  et_writer_call(&writer, "anew", args, 3);
  expect_refused(ET_STATUS_INTERNAL,
                 "instructions[0] test::anew.out: prepare used 60 bytes and 0 "
                 "scratch bytes, but measured 61 and 0; use the same "
                 "sizes in both calls");
}

#define TOO_MANY                                               \
  "the call exceeds the limit of 64 values or 16 tensors for " \
  "prepare; split the model"

static void join_tensors(uint32_t count) {
  int32_t items[ET_LIMIT_PREPARED_TENSORS];
  start();
  for (uint32_t i = 0; i < count; i++) {
    items[i] = et_writer_floats(&writer, 1, 32);
  }
  const int32_t list =
      et_writer_tensor_list(&writer, items, count, ET_VALUE_TENSOR_LIST);
  const int32_t args[3] = {list, 1, 1};
  et_writer_call(&writer, "join", args, 3);
}

static void test_prepared_call_limits_its_tensors(void **state) {
  (void)state;
  join_tensors(ET_LIMIT_PREPARED_TENSORS - 1); /* plus the output */
  open_with(NULL);
  et_hosted_method_free(&hosted);
  join_tensors(ET_LIMIT_PREPARED_TENSORS);
  expect_refused(ET_STATUS_OUT_OF_RESOURCES,
                 "instructions[0] test::join.out: " TOO_MANY);
}

static void list_ints(uint32_t count) {
  int64_t items[ET_LIMIT_PREPARED_VALUES];
  start();
  const int32_t item = et_writer_int(&writer, 1);
  for (uint32_t i = 0; i < count; i++) {
    items[i] = item;
  }
  const int32_t list = et_writer_int_list(&writer, items, count);
  const int32_t args[3] = {list, 1, 1};
  et_writer_call(&writer, "list", args, 3);
}

static void test_prepared_call_limits_its_values(void **state) {
  (void)state;
  list_ints(ET_LIMIT_PREPARED_VALUES - 2);
  open_with(NULL);
  et_hosted_method_free(&hosted);
  list_ints(ET_LIMIT_PREPARED_VALUES - 1); /* plus the list and the output */
  expect_refused(ET_STATUS_OUT_OF_RESOURCES,
                 "instructions[0] test::list.out: " TOO_MANY);
}

/* Writes a list that has the same tensor `count` times. */
static void list_tensor(const char *name, uint8_t tag, uint32_t count) {
  const int32_t items[ET_LIMIT_PREPARED_VALUES] = {0};
  start();
  const int32_t list = et_writer_tensor_list(&writer, items, count, tag);
  const int32_t args[3] = {list, 1, 1};
  et_writer_call(&writer, name, args, 3);
}

static void test_items_of_tensor_lists_are_counted(void **state) {
  (void)state;
  const struct {
    const char *name;
    uint8_t tag;
    const char *message;
  } lists[] = {
      {"join", ET_VALUE_TENSOR_LIST,
       "instructions[0] test::join.out: " TOO_MANY},
      {"pick", ET_VALUE_OPTIONAL_TENSOR_LIST,
       "instructions[0] test::pick.out: " TOO_MANY},
  };
  for (size_t i = 0; i < 2; i++) {
    list_tensor(lists[i].name, lists[i].tag, ET_LIMIT_PREPARED_VALUES - 2);
    open_with(NULL);
    et_hosted_method_free(&hosted);
    list_tensor(lists[i].name, lists[i].tag, ET_LIMIT_PREPARED_VALUES - 1);
    expect_refused(ET_STATUS_OUT_OF_RESOURCES, lists[i].message);
  }
}

/* Writes a call with three lists of ints. */
static void list_thrice(const uint32_t *counts) {
  int64_t items[ET_LIMIT_PREPARED_VALUES];
  int32_t args[5] = {0, 0, 0, 1, 1};
  start();
  const int32_t item = et_writer_int(&writer, 1);
  for (uint32_t i = 0; i < ET_LIMIT_PREPARED_VALUES; i++) {
    items[i] = item;
  }
  for (size_t i = 0; i < 3; i++) {
    args[i] = et_writer_int_list(&writer, items, counts[i]);
  }
  et_writer_call(&writer, "lists", args, 5);
}

static void test_items_of_all_lists_are_counted(void **state) {
  (void)state;
  list_thrice((const uint32_t[]){20, 20, 24});
  open_with(NULL);
  et_hosted_method_free(&hosted);
  list_thrice((const uint32_t[]){20, 20, 25});
  expect_refused(ET_STATUS_OUT_OF_RESOURCES,
                 "instructions[0] test::lists.out: " TOO_MANY);
}

static void run_parallel(void *context, size_t count,
                         void (*function)(void *data, size_t index),
                         void *data) {
  (void)context;
  for (size_t i = 0; i < count; i++) {
    function(data, i);
  }
}

static void test_workers_and_observer_reach_kernels(void **state) {
  (void)state;
  const et_parallel parallel = {NULL, 1, run_parallel};
  const et_observer observer = {NULL, NULL, NULL, NULL};
  const et_method_options options = {.parallel = &parallel,
                                     .observer = &observer};
  start();
  scale(1);
  open_with(&options);
  assert_int_equal(run_method(), ET_STATUS_OK);
  assert_ptr_equal(received.prepare_parallel, &parallel);
  assert_ptr_equal(received.parallel, &parallel);
  assert_ptr_equal(received.observer, &observer);
  et_hosted_method_free(&hosted);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_call_has_separate_state_and_scratch),
      cmocka_unit_test(test_prepare_receives_shapes_without_planned_data),
      cmocka_unit_test(test_prepare_receives_list_items),
      cmocka_unit_test(test_prepare_receives_constants),
      cmocka_unit_test(test_kernel_state_counts_as_method_memory),
      cmocka_unit_test(
          test_method_memory_without_room_for_kernel_state_is_refused),
      cmocka_unit_test(test_prepare_failure_names_the_call),
      cmocka_unit_test(test_kernels_with_prepare_require_its_implementation),
      cmocka_unit_test(test_prepare_with_inconsistent_measurements_is_refused),
      cmocka_unit_test(test_prepared_call_limits_its_tensors),
      cmocka_unit_test(test_prepared_call_limits_its_values),
      cmocka_unit_test(test_items_of_tensor_lists_are_counted),
      cmocka_unit_test(test_items_of_all_lists_are_counted),
      cmocka_unit_test(test_workers_and_observer_reach_kernels),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
