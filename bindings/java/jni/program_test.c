/* Tests programs without generated classes, without Java. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bindings/java/jni/model.h"
#include "runtime/size/add_cc.h"

/* The library of a program defines it. */
extern const et_registry et_linked_registry;
const et_registry et_linked_registry = {.kernels = NULL};

enum {
  SLOTS = 3,
  FRAME_BYTES = sizeof(et_java_frame) + SLOTS * sizeof(et_java_slot)
};

static et_status create(int64_t selected, size_t frame_bytes,
                        uint64_t max_memory, et_java_frame **frame,
                        et_java_model **model, et_error *error) {
  static const et_java_file files[2];
  const et_java_options options = {.max_memory = max_memory};
  const et_java_spec spec = {.registry = &add_registry,
                             .program = {add_program_data, add_program_size}};
  *frame = calloc(1, FRAME_BYTES);
  assert_non_null(*frame);
  return et_java_model_create(&spec, selected, *frame, frame_bytes, files,
                              &options, model, error);
}

static void programs_are_described_without_loading_a_method(void **state) {
  static const int32_t values[] = {5, 6, 2, 3, 3, 0, 0, 3, 3, 0, 1};
  et_java_frame *frame = NULL;
  et_java_model *model = NULL;
  et_error error = ET_ERROR_INIT;
  uint8_t bytes[1024];
  size_t size = sizeof bytes;
  int32_t words[sizeof bytes / sizeof(int32_t)];
  (void)state;
  assert_int_equal(create(-1, sizeof *frame, 0, &frame, &model, &error),
                   ET_STATUS_OK);
  assert_int_equal(
      et_java_describe_program(&model->program, bytes, &size, &error),
      ET_STATUS_OK);
  /* The name, no conditions, and the number of inputs. */
  memcpy(words, bytes, sizeof words[0]);
  assert_int_equal(words[0], strlen("forward"));
  assert_memory_equal(bytes + 4, "forward", strlen("forward"));
  memcpy(words, bytes + 4 + strlen("forward"), sizeof words - 11);
  assert_int_equal(words[0], 0);
  assert_int_equal(words[1], 2);
  assert_memory_equal(words + 2, values, sizeof values);
  /* Less memory is an error, and is not exceeded. */
  for (size_t less = 0; less < size; less++) {
    size_t given = less;
    memset(bytes, 0xAA, sizeof bytes);
    assert_int_equal(
        et_java_describe_program(&model->program, bytes, &given, &error),
        ET_STATUS_OUT_OF_RESOURCES);
    for (size_t i = less; i < sizeof bytes; i++) {
      assert_int_equal(bytes[i], 0xAA);
    }
  }
  et_java_model_free(model);
  free(frame);
}

static void one_method_is_loaded(void **state) {
  et_java_frame *frame = NULL;
  et_java_model *model = NULL;
  et_error error = ET_ERROR_INIT;
  (void)state;
  assert_int_equal(create(0, FRAME_BYTES, 1 << 20, &frame, &model, &error),
                   ET_STATUS_OK);
  assert_int_equal(model->spec.method_count, 1);
  assert_string_equal(model->spec.methods[0].name, "forward");
  et_java_model_free(model);
  free(frame);
}

static void unusable_selections_and_limits_are_errors(void **state) {
  et_java_frame *frame = NULL;
  et_java_model *model = NULL;
  et_error error = ET_ERROR_INIT;
  (void)state;
  assert_int_equal(create(1, FRAME_BYTES, 0, &frame, &model, &error),
                   ET_STATUS_NOT_FOUND);
  assert_null(model);
  free(frame);
  assert_int_equal(create(0, FRAME_BYTES, 16, &frame, &model, &error),
                   ET_STATUS_OUT_OF_RESOURCES);
  assert_non_null(strstr(error.message, "maxMemory is 16; raise it"));
  free(frame);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(programs_are_described_without_loading_a_method),
      cmocka_unit_test(one_method_is_loaded),
      cmocka_unit_test(unusable_selections_and_limits_are_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
