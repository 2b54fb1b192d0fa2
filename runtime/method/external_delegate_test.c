/* Tests that delegates find the data of .ptd files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdbool.h>
#include <string.h>

#include "runtime/testing/external_sample.h"

/* The backend of ptd_mlp_xnn, which requests one key. */
static et_string asked;
static et_span answer;

static et_status measure_one(const et_backend_context *context,
                             et_backend_requirements *out) {
  out->output_count = 1;
  return context->find_data(context, asked, &answer, context->error);
}

static et_status init_one(const et_backend_context *context,
                          void **out_handle) {
  (void)context;
  (void)out_handle;
  return ET_STATUS_OK;
}

static et_status execute_one(void *handle, const et_execute_context *context,
                             et_value **args, size_t count) {
  (void)handle;
  (void)context;
  (void)args;
  (void)count;
  return ET_STATUS_OK;
}

static const et_backend backend = {"XnnpackBackend", measure_one, init_one,
                                   execute_one, NULL};
static const et_backend *const backends[] = {&backend};
static const et_registry with_backend = {.kernels = &et_external_kernels,
                                         .backends = backends,
                                         .backend_count = 1,
                                         .delegation = &et_delegation};

static et_status load_delegate(et_external_sample *s, size_t count) {
  ET_RETURN_IF_ERROR(et_external_load_program(s, count));
  return et_hosted_method_load(&s->program, "forward", &with_backend, NULL,
                               &s->hosted, &s->error);
}

/* Returns one of the four keys of xnn_weights.ptd. */
static et_string key_of(const et_external_sample *s, size_t index) {
  static const size_t offsets[4] = {0x78, 0xCC, 0x128, 0x17C};
  const et_string key = {(const char *)s->bytes[1] + offsets[index], 64};
  return key;
}

static void test_delegates_find_external_data(void **state) {
  (void)state;
  for (int reads = 0; reads < 2; reads++) {
    et_external_sample s;
    et_external_open(&s, "ptd_mlp_xnn.pte", "xnn_weights.ptd");
    asked = key_of(&s, 0);
    if (reads != 0) {
      et_external_read_segments(&s);
    }
    if (load_delegate(&s, 2) != ET_STATUS_OK) {
      fail_msg("%s", s.error.message);
    }
    assert_true(answer.size != 0);
    et_external_close(&s);
  }
}

static bool is_in_file(const et_external_sample *s, et_span part) {
  for (size_t at = 0; at + part.size <= s->sizes[1]; at++) {
    if (memcmp(s->bytes[1] + at, part.data, part.size) == 0) {
      return true;
    }
  }
  return false;
}

/* The other file has tensors, which delegates do not request. */
static void test_delegates_read_data_of_any_file(void **state) {
  (void)state;
  for (size_t i = 0; i < 8; i++) {
    et_external_sample s;
    et_external_open(&s, "ptd_mlp_xnn.pte", "xnn_weights.ptd");
    asked = key_of(&s, i / 2);
    et_external_read_segments(&s);
    et_external_add_file(&s, "mlp_weights.ptd", i % 2 != 0);
    if (load_delegate(&s, 3) != ET_STATUS_OK) {
      fail_msg("%s", s.error.message);
    }
    assert_true(s.reads != 0 && answer.size != 0 && is_in_file(&s, answer));
    et_external_close(&s);
  }
}

static void test_delegates_do_not_find_tensors_or_unknown_keys(void **state) {
  (void)state;
  static const et_string keys[] = {{"0.weight", 8}, {"1.weight", 8}};
  for (size_t i = 0; i < 2; i++) {
    et_external_sample s;
    et_external_open(&s, "ptd_mlp_xnn.pte", "mlp_weights.ptd");
    asked = keys[i];
    assert_int_equal(load_delegate(&s, 2), ET_STATUS_NOT_FOUND);
    et_external_close(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_delegates_find_external_data),
      cmocka_unit_test(test_delegates_read_data_of_any_file),
      cmocka_unit_test(test_delegates_do_not_find_tensors_or_unknown_keys),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
