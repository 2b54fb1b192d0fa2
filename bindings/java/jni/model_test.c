/* Tests objects of Java classes without Java. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bindings/java/jni/model.h"
#include "runtime/size/add_cc.h"

enum {
  SLOTS = 3,
  FRAME_BYTES = sizeof(et_java_frame) + SLOTS * sizeof(et_java_slot)
};

static const et_java_method kMethods[] = {{"forward", 0}};
static const et_java_file kNoFiles[2];
static const et_java_options kNoOptions;

static et_java_spec add_spec(void) {
  const et_java_spec spec = {.registry = &add_registry,
                             .program = {add_program_data, add_program_size},
                             .methods = kMethods,
                             .method_count = 1};
  return spec;
}

static char *copy(const char *text) {
  char *copied = malloc(strlen(text) + 1);
  assert_non_null(copied);
  return strcpy(copied, text);
}

static et_status create(const et_java_spec *spec, size_t frame_bytes,
                        const et_java_file files[2],
                        const et_java_options *options, et_java_frame **frame,
                        et_java_model **model, et_error *error) {
  *frame = calloc(1, FRAME_BYTES);
  assert_non_null(*frame);
  return et_java_model_create(spec, 0, *frame, frame_bytes, files, options,
                              model, error);
}

static void assert_fails(const et_java_spec *spec, size_t frame_bytes,
                         const et_java_file files[2],
                         const et_java_options *options, et_status status,
                         const char *message) {
  et_java_frame *frame = NULL;
  et_java_model *model = NULL;
  et_error error = ET_ERROR_INIT;
  assert_int_equal(
      create(spec, frame_bytes, files, options, &frame, &model, &error),
      status);
  assert_non_null(strstr(error.message, message));
  assert_null(model);
  free(frame);
}

static void outputs_are_described_after_a_run(void **state) {
  static const int32_t sizes[2] = {3, 3};
  const et_java_spec spec = add_spec();
  et_java_frame *frame = NULL;
  et_java_model *model = NULL;
  et_error error = ET_ERROR_INIT;
  (void)state;
  assert_int_equal(
      create(&spec, FRAME_BYTES, kNoFiles, &kNoOptions, &frame, &model, &error),
      ET_STATUS_OK);
  et_java_loaded *forward = &model->methods[0];
  assert_int_equal(et_java_describe_outputs(forward, &error),
                   ET_STATUS_INVALID_STATE);
  for (size_t i = 0; i < 2; i++) {
    float *elements = et_java_input_memory(&forward->inputs[i]);
    assert_non_null(elements);
    assert_ptr_equal(et_java_input_memory(&forward->inputs[i]), elements);
    for (size_t k = 0; k < 9; k++) {
      elements[k] = 1;
    }
    assert_int_equal(
        et_method_set_input(forward->hosted.method, i, ET_SCALAR_TYPE_FLOAT32,
                            sizes, 2, elements, sizeof(float) * 9, &error),
        ET_STATUS_OK);
  }
  assert_int_equal(et_method_execute(forward->hosted.method, &error),
                   ET_STATUS_OK);
  assert_int_equal(et_java_describe_outputs(forward, &error), ET_STATUS_OK);
  const et_java_slot *output = &frame->slots[2];
  assert_int_equal(output->kind, ET_VALUE_TENSOR);
  assert_int_equal(output->dtype, ET_SCALAR_TYPE_FLOAT32);
  assert_int_equal(output->count, 9);
  assert_int_equal(output->rank, 2);
  assert_int_equal(output->sizes[0], 3);
  et_java_model_free(model);
  free(frame);
}

static void frames_of_another_interface_are_rejected(void **state) {
  const et_java_spec spec = add_spec();
  static const size_t sizes[] = {0, 8, sizeof(et_java_frame),
                                 FRAME_BYTES - sizeof(et_java_slot),
                                 FRAME_BYTES + sizeof(et_java_slot)};
  (void)state;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    assert_fails(&spec, sizes[i], kNoFiles, &kNoOptions,
                 ET_STATUS_INVALID_ARGUMENT, "differs from the model");
  }
}

static void errors_of_files_have_their_paths(void **state) {
  et_java_spec spec = add_spec();
  et_java_file files[2] = {{.path = copy("/missing.pte")}, {.path = NULL}};
  (void)state;
  assert_fails(&spec, FRAME_BYTES, files, &kNoOptions, ET_STATUS_ACCESS_FAILED,
               "/missing.pte: ");
  FILE *created = fopen("damaged.pte", "wb");
  assert_non_null(created);
  assert_int_equal(fwrite(add_program_data, 1, 64, created), 64);
  assert_int_equal(fclose(created), 0);
  files[0].path = copy("damaged.pte");
  assert_fails(&spec, FRAME_BYTES, files, &kNoOptions,
               ET_STATUS_INVALID_PROGRAM, "damaged.pte: program");
  spec.has_weights = true;
  spec.weights = spec.program;
  assert_fails(&spec, FRAME_BYTES, kNoFiles, &kNoOptions,
               ET_STATUS_INVALID_EXTERNAL_DATA, "source 'weights': ");
}

static void failures_free_options(void **state) {
  et_java_spec spec = add_spec();
  static const et_java_method missing[] = {{"missing", 0}};
  et_java_options options = {.thread_count = 2, .text_count = 1};
  (void)state;
  spec.methods = missing;
  options.texts = malloc(sizeof *options.texts);
  assert_non_null(options.texts);
  options.texts[0] = copy("text");
  assert_fails(&spec, FRAME_BYTES, kNoFiles, &options, ET_STATUS_NOT_FOUND,
               "missing");
  options = kNoOptions;
  options.thread_count = 1000;
  spec.methods = kMethods;
  assert_fails(&spec, FRAME_BYTES, kNoFiles, &options,
               ET_STATUS_INVALID_ARGUMENT, "64");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(outputs_are_described_after_a_run),
      cmocka_unit_test(frames_of_another_interface_are_rejected),
      cmocka_unit_test(errors_of_files_have_their_paths),
      cmocka_unit_test(failures_free_options),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
