/* Adds two tensors, like add.cc. text_size_test compares the sizes of both programs. */
#include <stdio.h>

#include "tests/cxx/add_cc.h"

static et_status add(float *out, et_error *error) {
  static add_forward_memory memory;
  static const float x[9] = {1};
  add_forward_method method = {NULL};
  const float *sum = NULL;
  ET_RETURN_IF_ERROR(add_forward_load(&memory, NULL, &method, error));
  ET_RETURN_IF_ERROR(add_forward_set_input_0(method, x, error));
  ET_RETURN_IF_ERROR(add_forward_set_input_1(method, x, error));
  ET_RETURN_IF_ERROR(add_forward_execute(method, error));
  ET_RETURN_IF_ERROR(add_forward_get_output_0(method, &sum, error));
  *out = sum[0];
  add_forward_unload(method);
  return ET_STATUS_OK;
}

int main(void) {
  et_error error = ET_ERROR_INIT;
  float sum = 0;
  if (add(&sum, &error) != ET_STATUS_OK) {
    printf("%s: %s\n", et_status_name(error.status), error.message);
    return 1;
  }
  printf("%g\n", (double)sum);
  return 0;
}
