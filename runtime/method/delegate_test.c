/* Tests delegates: the backend's context, its requirements, and its calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executorch/method_layout.h"
#include "runtime/program/schema.h"
#include "runtime/testing/program_test_support.h"

static et_program_writer writer;
static et_program program;
static et_hosted_method hosted;

static const float ONES[2] = {1, 1};

/* values[0] is an input of two floats; values[1] is an output. */
static void start(int32_t in_offset) {
  et_writer_start(&writer, 128);
  et_writer_input(&writer, et_writer_floats(&writer, 2, in_offset));
  et_writer_output(&writer, et_writer_floats(&writer, 2, 16));
}

/* out = a + b. */
static void delegate(int32_t a, int32_t b, int32_t out) {
  const int32_t args[3] = {a, b, out};
  et_writer_delegate(&writer, "TestBackend", "payload", args, 3);
}

static void copy(int32_t from, int32_t to) {
  const int32_t args[3] = {from, to, to};
  et_writer_call(&writer, "copy", args, 3);
}

static void expect_refused(const char *part) {
  et_test_expect_method_refused(et_writer_finish(&writer),
                                ET_STATUS_INVALID_PROGRAM, part);
}

/* In one branch, a delegate writes the output. In the other, a temporary uses
 * the output's memory first, and then a delegate writes the output. */
static void test_branches_may_produce_the_same_output(void **state) {
  (void)state;
  for (int condition = 0; condition < 2; condition++) {
    start(0);
    const int32_t chosen = et_writer_bool(&writer, condition);
    const int32_t never = et_writer_bool(&writer, 0);
    const int32_t two = et_writer_int(&writer, 2);
    const int32_t same_bytes = et_writer_floats(&writer, 2, 16);
    const int32_t other = et_writer_floats(&writer, 2, 32);
    const int32_t fill[3] = {two, same_bytes, same_bytes};
    et_writer_jump_false(&writer, chosen, 3);
    delegate(0, 0, 1);
    et_writer_jump_false(&writer, never, 6);
    et_writer_call(&writer, "fill", fill, 3);
    copy(same_bytes, other);
    delegate(other, other, 1);
    et_test_open(&writer, &program, &hosted);
    et_test_set_floats(hosted.method, 0, ONES, 2);
    assert_int_equal(et_method_execute(hosted.method, NULL), ET_STATUS_OK);
    assert_true(et_test_first_output(hosted.method, 0) == (condition ? 2 : 4));
    et_hosted_method_free(&hosted);
  }
}

static void test_delegate_output_read_earlier_is_written(void **state) {
  (void)state;
  start(0);
  /* A view of the input. */
  const int32_t view = et_writer_floats(&writer, 2, 0);
  copy(view, 1);
  delegate(0, 0, view);
  expect_refused(
      "instructions[1] writes values[2], which overlaps its operand values[0]");
}

static void test_delegate_cannot_write_caller_provided_inputs(void **state) {
  (void)state;
  start(ET_NOT_PLANNED);
  delegate(0, 0, 0);
  expect_refused(
      "instructions[0] writes values[0], which is a constant or an external "
      "input");
}

/* A backend whose payload states its requirements: "handle scratch outputs
 * updated". The first two are in bytes. */
static struct {
  size_t size;
  char method_name[16];
  const et_backend_option *options;
  size_t option_count;
  const et_backend_part *const *parts;
  size_t part_count;
  et_shared_store *store;
  const et_parallel *parallel;
  const et_observer *observer;
  et_span data; /* for DATA_KEY */
  char data_message[ET_ERROR_MESSAGE_BYTES];
  et_mutable_span scratch;
  const et_parallel *execute_parallel;
  const et_observer *execute_observer;
  bool had_arena; /* whether measure received an arena */
  void *handle;
  size_t handle_bytes;
  int inits;
  int destroys;
  bool refuses_init;
  const et_compile_spec *specs[2]; /* by delegate, as passed to init */
  size_t spec_counts[2];
} received;

/* A key of named data in mlp_xnn_seg_default. */
#define DATA_KEY \
  "226f83a0d4c26cef173203881c8f30201f89e036fe9a18c34ff36c57aa9f96ee"

/* The key that init requests. */
static const char *data_key = "none";

static et_status probe_measure(const et_backend_context *context,
                               et_backend_requirements *out) {
  char text[64] = "";
  memcpy(text, context->payload.data,
         context->payload.size < 63 ? context->payload.size : 63);
  received.had_arena = received.had_arena || context->arena != NULL;
  received.handle_bytes = out->handle_bytes;
  if (sscanf(text, "%zu %zu %zu %zu", &out->handle_bytes, &out->scratch_bytes,
             &out->output_count, &out->updated_count) < 3) {
    out->output_count = 1;
  }
  out->shared_bytes = 11;
  return ET_STATUS_OK;
}

static et_status probe_init(const et_backend_context *context,
                            void **out_handle) {
  const et_string key = {data_key, strlen(data_key)};
  et_error error;
  et_error_clear(&error);
  received.size = context->size;
  snprintf(received.method_name, sizeof received.method_name, "%s",
           context->method_name);
  received.options = context->options;
  received.option_count = context->option_count;
  received.parts = context->parts;
  received.part_count = context->part_count;
  received.store = context->store;
  received.parallel = context->parallel;
  received.observer = context->observer;
  context->find_data(context, key, &received.data, &error);
  memcpy(received.data_message, error.message, sizeof error.message);
  received.handle_bytes = context->arena->size;
  if (received.inits < 2) {
    received.specs[received.inits] = context->specs;
    received.spec_counts[received.inits] = context->spec_count;
  }
  received.inits++;
  et_arena_take(context->arena, 1, context->arena->size, 64, &received.handle);
  *out_handle = received.handle;
  return received.refuses_init && received.inits == 2
             ? et_fail(context->error, ET_STATUS_DELEGATE_MEMORY, "not again")
             : ET_STATUS_OK;
}

static et_status probe_execute(void *handle, const et_execute_context *context,
                               et_value **args, size_t count) {
  (void)args;
  (void)count;
  assert_ptr_equal(handle, received.handle);
  received.scratch = context->scratch;
  received.execute_parallel = context->parallel;
  received.execute_observer = context->observer;
  return ET_STATUS_OK;
}

static void probe_destroy(void *handle) {
  (void)handle;
  received.destroys++;
}

static const et_backend probe = {"Probe", probe_measure, probe_init,
                                 probe_execute, probe_destroy};
static const et_backend xnnpack = {"XnnpackBackend", probe_measure, probe_init,
                                   probe_execute, probe_destroy};
static const et_backend *const probes[] = {&probe, &xnnpack};
/* Kernels between the delegates of dyn_mlp_xnn. They are not called. */
static const et_kernel rows[] = {
    {"aten::native_layer_norm.out", "tI?t?tdwww>W", NULL, NULL, NULL, 0},
};
static const et_kernel_table table = {rows, 1};
static const et_backend_part probe_part = {7, &received};
static const et_backend_part *const probe_items[] = {&probe_part};
static const et_backend_parts probe_parts[] = {{probe_items, 1}, {NULL, 0}};
static const et_registry probe_registry = {.kernels = &table,
                                           .backends = probes,
                                           .backend_count = 2,
                                           .parts = probe_parts,
                                           .delegation = &et_delegation};

static et_status load(et_span file, const et_method_options *options,
                      et_error *out_error) {
  et_error_clear(out_error);
  received.inits = 0;
  received.destroys = 0;
  ET_RETURN_IF_ERROR(et_program_load(file, &program, out_error));
  return et_hosted_method_load(&program, "forward", &probe_registry, options,
                               &hosted, out_error);
}

static void probe_with(const char *payload) {
  const int32_t args[2] = {0, 1};
  start(0);
  et_writer_delegate(&writer, "Probe", payload, args, 2);
}

static void open_with(const et_method_options *options) {
  et_error error;
  if (load(et_writer_finish(&writer), options, &error) != ET_STATUS_OK) {
    fail_msg("%s", error.message);
  }
}

static et_span read_program(const char *name) {
  et_span file = {NULL, 0};
  file.data = et_test_read_fixture(name, &file.size);
  return file;
}

static void test_backend_receives_the_memory_it_measured(void **state) {
  (void)state;
  probe_with("100 7000 1");
  open_with(NULL);
  assert_int_equal(received.size, sizeof(et_backend_context));
  assert_string_equal(received.method_name, "forward");
  assert_int_equal(received.handle_bytes, 100);
  assert_false(received.had_arena);
  assert_non_null(received.handle);
  assert_int_equal((uintptr_t)received.handle % 64, 0);
  assert_int_equal(hosted.requirements.scratch_bytes, 7000);
  assert_int_equal(hosted.requirements.shared_bytes, 11);
  et_test_set_floats(hosted.method, 0, ONES, 2);
  assert_int_equal(et_method_execute(hosted.method, NULL), ET_STATUS_OK);
  assert_true(received.scratch.size >= 7000);
  et_hosted_method_free(&hosted);
}

static void test_backends_require_the_delegate_runner(void **state) {
  (void)state;
  const et_registry without = {.backends = probes, .backend_count = 2};
  et_error error;
  et_error_clear(&error);
  probe_with("100 7000 1");
  assert_int_equal(et_program_load(et_writer_finish(&writer), &program, &error),
                   ET_STATUS_OK);
  assert_int_equal(et_hosted_method_load(&program, "forward", &without, NULL,
                                         &hosted, &error),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_string_equal(
      error.message,
      "the registry has backends; set registry.delegation to &et_delegation");
}

static void test_backend_receives_its_linked_parts(void **state) {
  (void)state;
  et_error error;
  probe_with("0 0 1");
  open_with(NULL);
  assert_int_equal(received.part_count, 1);
  assert_ptr_equal(received.parts[0], &probe_part);
  et_hosted_method_free(&hosted);
  const et_span file = read_program("mlp_xnn_seg_default");
  assert_int_equal(load(file, NULL, &error), ET_STATUS_OK);
  assert_int_equal(received.part_count, 0);
  et_hosted_method_free(&hosted);
  free((void *)(uintptr_t)file.data);
}

static void test_method_size_macro_includes_handles(void **state) {
  (void)state;
  const char *const payloads[] = {"0 0 1", "1 0 1", "64 0 1", "3000 0 1"};
  const size_t handles[] = {0, 1, 64, 3000};
  for (size_t i = 0; i < 4; i++) {
    probe_with(payloads[i]);
    open_with(NULL);
    assert_int_equal(hosted.requirements.method_bytes,
                     ET_METHOD_BYTES(2u, 2u, 2u, 0u, 1u, 2u, 1u, 0u, 2u, 2u,
                                     ET_PERSISTENT_BYTES(handles[i])));
    et_hosted_method_free(&hosted);
  }
}

/* Adds a delegate with `count` specs. Key and value are "k" and a digit. */
static size_t add_specified(uint32_t count, char first) {
  et_fb_writer *buffer = &writer.buffer;
  const size_t delegate = et_fb_add_table(buffer, 3);
  et_fb_refer(buffer, delegate, ET_DELEGATE_ID,
              et_fb_add_text(buffer, "Probe"));
  et_fb_refer(buffer, delegate, ET_DELEGATE_PROCESSED,
              et_fb_add_table(buffer, 2));
  const size_t specs = et_fb_add_vector(buffer, NULL, count, 4);
  et_fb_refer(buffer, delegate, ET_DELEGATE_SPECS, specs);
  for (uint32_t i = 0; i < count; i++) {
    const char key[3] = {'k', (char)(first + (char)i), '\0'};
    const size_t spec = et_fb_add_table(buffer, 2);
    et_fb_refer_element(buffer, specs, i, spec);
    et_fb_refer(buffer, spec, ET_SPEC_KEY, et_fb_add_text(buffer, key));
    et_fb_refer(buffer, spec, ET_SPEC_VALUE,
                et_fb_add_vector(buffer, key + 1, 1, 1));
  }
  return delegate;
}

static void expect_specs(size_t delegate, size_t count, char first) {
  assert_int_equal(received.spec_counts[delegate], count);
  for (size_t i = 0; i < count; i++) {
    const et_compile_spec *spec = &received.specs[delegate][i];
    assert_int_equal(spec->key.size, 2);
    assert_int_equal(spec->key.data[0], 'k');
    assert_int_equal(spec->key.data[1], first + (int)i);
    assert_int_equal(spec->value.size, 1);
    assert_int_equal(spec->value.data[0], first + (int)i);
  }
}

/* Specs are valid while the method exists. */
static void test_each_delegate_has_its_compile_specs(void **state) {
  (void)state;
  probe_with("8 0 1");
  const size_t delegates = et_fb_add_vector(&writer.buffer, NULL, 2, 4);
  et_fb_refer(&writer.buffer, writer.plan, ET_PLAN_DELEGATES, delegates);
  et_fb_refer_element(&writer.buffer, delegates, 0, add_specified(2, '0'));
  et_fb_refer_element(&writer.buffer, delegates, 1, add_specified(3, '5'));
  open_with(NULL);
  assert_int_equal(received.inits, 2);
  expect_specs(0, 2, '0');
  expect_specs(1, 3, '5');
  et_hosted_method_free(&hosted);
}

static void run_parallel(void *context, size_t count,
                         void (*function)(void *data, size_t index),
                         void *data) {
  (void)context;
  for (size_t i = 0; i < count; i++) {
    function(data, i);
  }
}

static void ignore_begin(void *context, const et_event *event) {
  (void)context;
  (void)event;
}

static void ignore_end(void *context, const et_event *event, et_status status) {
  (void)context;
  (void)event;
  (void)status;
}

static void test_backend_receives_options_and_caller_resources(void **state) {
  (void)state;
  const et_parallel parallel = {NULL, 1, run_parallel};
  const et_observer observer = {NULL, ignore_begin, ignore_end, NULL};
  const et_backend_option option = {"cores", {ET_VALUE_INT, {.as_int = 2}}};
  const et_backend_option other = {"speed", {ET_VALUE_INT, {.as_int = 1}}};
  const et_backend_options groups[2] = {{"Another", &other, 1},
                                        {"Probe", &option, 1}};
  const et_mutable_span nothing = {NULL, 0};
  et_shared_store store = et_shared_store_over(nothing);
  const et_method_options options = {.parallel = &parallel,
                                     .observer = &observer,
                                     .backend_options = groups,
                                     .backend_options_count = 2,
                                     .store = &store};
  probe_with("0 0 1");
  open_with(&options);
  assert_int_equal(received.option_count, 1);
  assert_ptr_equal(received.options, &option);
  assert_ptr_equal(received.store, &store);
  assert_ptr_equal(received.parallel, &parallel);
  assert_ptr_equal(received.observer, &observer);
  et_test_set_floats(hosted.method, 0, ONES, 2);
  assert_int_equal(et_method_execute(hosted.method, NULL), ET_STATUS_OK);
  assert_ptr_equal(received.execute_parallel, &parallel);
  assert_ptr_equal(received.execute_observer, &observer);
  et_hosted_method_free(&hosted);
  const et_backend_options turned[2] = {groups[1], groups[0]};
  const et_method_options first = {.backend_options = turned,
                                   .backend_options_count = 2};
  open_with(&first);
  assert_ptr_equal(received.options, &option);
  et_hosted_method_free(&hosted);
}

static void test_delegate_handles_are_destroyed_once(void **state) {
  (void)state;
  probe_with("8 0 1");
  open_with(NULL);
  assert_int_equal(received.destroys, 0);
  et_method_unload(hosted.method);
  assert_int_equal(received.destroys, 1);
  et_hosted_method_free(&hosted);
  assert_int_equal(received.destroys, 1);
  et_method_unload(NULL); /* does nothing */
}

static void test_delegate_handles_are_destroyed_when_a_later_one_fails(
    void **state) {
  (void)state;
  et_error error;
  const et_span file = read_program("dyn_mlp_xnn"); /* has two delegates */
  received.refuses_init = true;
  assert_int_not_equal(load(file, NULL, &error), ET_STATUS_OK);
  assert_string_equal(error.message, "delegates[1] XnnpackBackend: not again");
  assert_int_equal(received.inits, 2);
  assert_int_equal(received.destroys, 1);
  received.refuses_init = false;
  free((void *)(uintptr_t)file.data);
}

static void test_delegates_find_named_data_by_key(void **state) {
  (void)state;
  et_error error;
  const et_span file = read_program("mlp_xnn_seg_default");
  const char *const keys[] = {"none", DATA_KEY};
  const size_t sizes[] = {0, 16};
  for (size_t i = 0; i < 2; i++) {
    data_key = keys[i];
    received.data.size = 0;
    assert_int_equal(load(file, NULL, &error), ET_STATUS_OK);
    assert_int_equal(received.data.size, sizes[i]);
    assert_string_equal(received.data_message,
                        i == 0 ? "the program does not have named data 'none'"
                               : "");
    et_hosted_method_free(&hosted);
  }
  free((void *)(uintptr_t)file.data);
}

static void expect_call_refused(const char *message) {
  et_error error;
  char expected[ET_ERROR_MESSAGE_BYTES];
  assert_int_equal(load(et_writer_finish(&writer), NULL, &error),
                   ET_STATUS_INVALID_PROGRAM);
  snprintf(expected, sizeof expected, "%s" ET_TEST_EXPORT_AGAIN, message);
  assert_string_equal(error.message, expected);
}

static void test_delegate_calls_need_as_many_args_as_outputs(void **state) {
  (void)state;
  probe_with("0 0 3");
  expect_call_refused(
      "instructions[0] Probe: got 2 args, fewer than the 3 outputs");
}

static void test_delegate_outputs_must_be_tensors(void **state) {
  (void)state;
  start(0);
  const int32_t args[2] = {0, et_writer_int(&writer, 1)};
  et_writer_delegate(&writer, "Probe", "0 0 1", args, 2);
  expect_call_refused("instructions[0] Probe: output args[1] is not a Tensor");
}

/* Adds a call that reads values[0], updates `updated` and writes values[1]. */
static void probe_that_updates(int32_t updated) {
  const int32_t args[3] = {0, updated, 1};
  et_writer_delegate(&writer, "Probe", "0 0 1 1", args, 3);
}

static void test_updated_argument_is_read_and_written(void **state) {
  (void)state;
  start(0);
  const int32_t state_value = et_writer_floats(&writer, 2, 32);
  const int32_t same_bytes = et_writer_floats(&writer, 2, 32);
  probe_that_updates(state_value);
  probe_that_updates(state_value);
  open_with(NULL);
  et_hosted_method_free(&hosted);
  probe_that_updates(same_bytes);
  expect_call_refused(
      "instructions[2] reads values[3], but values[2] has overwritten its "
      "bytes");
}

static void test_updated_argument_aliases_no_other_argument(void **state) {
  (void)state;
  start(0);
  probe_that_updates(0);
  expect_call_refused(
      "instructions[0] writes values[0], which overlaps its operand values[0]");
  start(0);
  probe_that_updates(1);
  expect_call_refused("instructions[0] writes values[1] twice");
  start(0);
  probe_that_updates(et_writer_int(&writer, 2));
  expect_call_refused("instructions[0] Probe: output args[1] is not a Tensor");
}

static void test_caller_provided_memory_is_not_updated(void **state) {
  (void)state;
  start(0);
  et_writer_input(&writer, et_writer_floats(&writer, 2, ET_NOT_PLANNED));
  probe_that_updates(2);
  expect_call_refused(
      "instructions[0] writes values[2], which is a constant or an external "
      "input");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_branches_may_produce_the_same_output),
      cmocka_unit_test(test_delegate_output_read_earlier_is_written),
      cmocka_unit_test(test_delegate_cannot_write_caller_provided_inputs),
      cmocka_unit_test(test_backend_receives_the_memory_it_measured),
      cmocka_unit_test(test_backends_require_the_delegate_runner),
      cmocka_unit_test(test_backend_receives_its_linked_parts),
      cmocka_unit_test(test_method_size_macro_includes_handles),
      cmocka_unit_test(test_backend_receives_options_and_caller_resources),
      cmocka_unit_test(test_each_delegate_has_its_compile_specs),
      cmocka_unit_test(test_delegate_handles_are_destroyed_once),
      cmocka_unit_test(
          test_delegate_handles_are_destroyed_when_a_later_one_fails),
      cmocka_unit_test(test_delegates_find_named_data_by_key),
      cmocka_unit_test(test_delegate_calls_need_as_many_args_as_outputs),
      cmocka_unit_test(test_delegate_outputs_must_be_tensors),
      cmocka_unit_test(test_updated_argument_is_read_and_written),
      cmocka_unit_test(test_updated_argument_aliases_no_other_argument),
      cmocka_unit_test(test_caller_provided_memory_is_not_updated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
