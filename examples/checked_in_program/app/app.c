/* Adds two matrices with a prebuilt program. All memory is in one struct, without
 * a heap. */
#include <stdio.h>
#include "app/add_cc.h"

static app_add_forward_memory memory;

int main(void) {
  const float x[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const float y[9] = {10, 20, 30, 40, 50, 60, 70, 80, 90};
  const float *sum = NULL;
  et_error error = ET_ERROR_INIT;
  app_add_forward_method method = {NULL};
  if (app_add_forward_load(&memory, NULL, &method, &error) != ET_STATUS_OK ||
      app_add_forward_set_input_0(method, x, &error) != ET_STATUS_OK ||
      app_add_forward_set_input_1(method, y, &error) != ET_STATUS_OK ||
      app_add_forward_execute(method, &error) != ET_STATUS_OK ||
      app_add_forward_get_output_0(method, &sum, &error) != ET_STATUS_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  printf("%g %g\n", sum[0], sum[8]);
  return 0;
}
