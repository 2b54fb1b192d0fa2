/* Tests named data that delegates of two methods share, and the backend parts
 * that a program links. */
/* cmocka.h requires these four headers before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "executorch/hosted_method.h"
#include "tests/feature_models/bias_backend/bias_backend.h"
#include "tests/feature_models/shared_bias_cc.h"

#define MAX_DELEGATES 4

static tests_feature_models_shared_bias_once_memory once_memory;
static tests_feature_models_shared_bias_twice_memory twice_memory;

/* The initial values of the delegates' constants. */
static struct {
  const float *constants[MAX_DELEGATES];
  size_t count;
} seen;

static et_status spy_measure(const et_backend_context *context,
                             et_backend_requirements *out) {
  return bias_backend.measure(context, out);
}

static et_status spy_init(const et_backend_context *context,
                          void **out_handle) {
  ET_RETURN_IF_ERROR(bias_backend.init(context, out_handle));
  const bias_handle *handle = *out_handle;
  assert_true(seen.count < MAX_DELEGATES);
  assert_int_equal(handle->count, 8);
  seen.constants[seen.count++] = handle->constants;
  return ET_STATUS_OK;
}

static et_status spy_execute(void *handle, const et_execute_context *context,
                             et_value **args, size_t count) {
  return bias_backend.execute(handle, context, args, count);
}

static const et_backend spy = {"BiasBackend", spy_measure, spy_init,
                               spy_execute, NULL};
static const et_backend *const spies[] = {&spy};

static void load_and_free(const char *name) {
  et_registry registry = tests_feature_models_shared_bias_registry;
  registry.backends = spies;
  const et_span file = {tests_feature_models_shared_bias_program_data,
                        tests_feature_models_shared_bias_program_size};
  et_program program;
  et_hosted_method hosted;
  assert_int_equal(et_program_load(file, &program, NULL), ET_STATUS_OK);
  assert_int_equal(
      et_hosted_method_load(&program, name, &registry, NULL, &hosted, NULL),
      ET_STATUS_OK);
  et_hosted_method_free(&hosted);
}

static void test_delegates_share_one_constant_in_place(void **state) {
  (void)state;
  const uintptr_t start =
      (uintptr_t)tests_feature_models_shared_bias_program_data;
  load_and_free("once");
  load_and_free("twice");
  assert_int_equal(seen.count, 3);
  for (size_t i = 0; i < seen.count; i++) {
    const uintptr_t at = (uintptr_t)seen.constants[i];
    assert_ptr_equal(seen.constants[i], seen.constants[0]);
    assert_int_equal(at % 64, 0);
    assert_true(at > start &&
                at < start + tests_feature_models_shared_bias_program_size);
  }
}

static void test_only_required_backend_parts_are_linked(void **state) {
  (void)state;
  const et_registry *registry = &tests_feature_models_shared_bias_registry;
  assert_int_equal(registry->backend_count, 1);
  assert_int_equal(registry->parts[0].count, 1);
  assert_int_equal(registry->parts[0].items[0]->id, BIAS_ADD);
}

static void test_both_methods_use_the_shared_constant(void **state) {
  (void)state;
  static const float kInput[8] = {1, 2, 3};
  tests_feature_models_shared_bias_once_method once = {NULL};
  tests_feature_models_shared_bias_twice_method twice = {NULL};
  const float *one = NULL;
  const float *two = NULL;
  assert_int_equal(tests_feature_models_shared_bias_once_load(
                       &once_memory, NULL, &once, NULL),
                   ET_STATUS_OK);
  assert_int_equal(tests_feature_models_shared_bias_twice_load(
                       &twice_memory, NULL, &twice, NULL),
                   ET_STATUS_OK);
  tests_feature_models_shared_bias_once_set_x(once, kInput, NULL);
  tests_feature_models_shared_bias_twice_set_x(twice, kInput, NULL);
  assert_int_equal(tests_feature_models_shared_bias_once_execute(once, NULL),
                   ET_STATUS_OK);
  assert_int_equal(tests_feature_models_shared_bias_twice_execute(twice, NULL),
                   ET_STATUS_OK);
  tests_feature_models_shared_bias_once_get_output_0(once, &one, NULL);
  tests_feature_models_shared_bias_twice_get_output_0(twice, &two, NULL);
  for (size_t i = 0; i < 8; i++) {
    assert_true(two[i] == one[i] + seen.constants[0][i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_delegates_share_one_constant_in_place),
      cmocka_unit_test(test_only_required_backend_parts_are_linked),
      cmocka_unit_test(test_both_methods_use_the_shared_constant),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
