/* Prints the message of each misuse in C: `case: STATUS: message`. */
#include <stdio.h>
#include <string.h>

#include "executorch/file_loader.h"
#include "executorch/status.h"
#include "tests/languages/feature_models_external_weights_one_row_cc.h"
#include "tests/languages/feature_models_integer_inputs_cc.h"

#define ONE_ROW(name) one_row_forward_##name
#define WINDOW(name) tests_feature_models_integer_inputs_forward_##name

static void show(const char *name, et_status status, const et_error *error) {
  printf("%s: %s: %s\n", name, et_status_name(status), error->message);
}

static void run_with_wrong_inputs(void) {
  static WINDOW(memory) memory;
  static const float x[27];
  static const int32_t sizes[] = {9, 3};
  et_error error = ET_ERROR_INIT;
  WINDOW(method) method;
  if (WINDOW(load)(&memory, NULL, &method, &error) != ET_STATUS_OK) {
    return;
  }
  show("size", WINDOW(set_x)(method, x, 27, sizes, &error), &error);
  show("count", WINDOW(set_x)(method, x, 20, sizes, &error), &error);
  show("integer", WINDOW(set_start)(method, 4, &error), &error);
  show("no output",
       WINDOW(get_output_0)(method, &(const float *){NULL}, &(size_t){0},
                            &(const int32_t *){NULL}, &error),
       &error);
  WINDOW(unload)(method);
}

/* Opens the program and the weights, of which only a part may be passed. */
static void load(const char *name, et_span program, et_span weights) {
  static ONE_ROW(memory) memory;
  et_error error = ET_ERROR_INIT;
  ONE_ROW(method) method;
  const et_status status =
      ONE_ROW(load)(&memory, NULL, program, weights, &method, &error);
  show(name, status, &error);
}

static void open_short_file(void) {
  et_error error = ET_ERROR_INIT;
  et_file file = {{NULL, 0}};
  FILE *created = fopen("short.pte", "wb");
  if (created == NULL || fputs("ET", created) < 0 || fclose(created) != 0) {
    return;
  }
  show("short", et_file_open("short.pte", &file, &error), &error);
}

static void load_wrong_files(const char *program_path,
                             const char *weights_path) {
  et_error error = ET_ERROR_INIT;
  et_file program = {{NULL, 0}};
  et_file weights = {{NULL, 0}};
  show("missing", et_file_open("missing.pte", &program, &error), &error);
  open_short_file();
  if (et_file_open(program_path, &program, &error) != ET_STATUS_OK ||
      et_file_open(weights_path, &weights, &error) != ET_STATUS_OK) {
    return;
  }
  load("truncated program", (et_span){program.bytes.data, 64}, weights.bytes);
  load("truncated weights", program.bytes, (et_span){weights.bytes.data, 64});
  load("no program", weights.bytes, weights.bytes);
  et_file_close(&program);
  et_file_close(&weights);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    return 2;
  }
  run_with_wrong_inputs();
  load_wrong_files(argv[1], argv[2]);
  return 0;
}
