/* app PTD: runs the network with weights from a file. */
#include <stdio.h>

#include "executorch/file_loader.h"
#include "tests/feature_models/external_weights/external_cc.h"

static one_row_forward_memory memory;

static et_status run_model(et_span weights, et_error *error) {
  const float x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  const float *y = NULL;
  one_row_forward_method method = {NULL};
  ET_RETURN_IF_ERROR(
      one_row_forward_load(&memory, NULL, weights, &method, error));
  ET_RETURN_IF_ERROR(one_row_forward_set_x(method, x, error));
  ET_RETURN_IF_ERROR(one_row_forward_execute(method, error));
  ET_RETURN_IF_ERROR(one_row_forward_get_output_0(method, &y, error));
  printf("%f %f %f %f\n", y[0], y[1], y[2], y[3]);
  return ET_STATUS_OK;
}

int main(int argc, char **argv) {
  et_file file = {{NULL, 0}};
  et_error error;
  et_error_clear(&error);
  et_status status = et_file_open(argc > 1 ? argv[1] : "", &file, &error);
  if (status == ET_STATUS_OK) {
    status = run_model(file.bytes, &error);
  }
  et_file_close(&file);
  if (status != ET_STATUS_OK) {
    fprintf(stderr, "%s\n", error.message);
  }
  return status == ET_STATUS_OK ? 0 : 1;
}
