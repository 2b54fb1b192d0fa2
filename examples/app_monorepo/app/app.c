/* Runs the model once. All memory is in one struct, without a heap. */
#include <stdio.h>
#include "app/net_cc.h"

static app_net_forward_memory memory;

int main(void) {
  const float x[4] = {1, 2, 3, 4};
  const float *y = NULL;
  et_error error = ET_ERROR_INIT;
  app_net_forward_method method = {NULL};
  if (app_net_forward_load(&memory, NULL, &method, &error) != ET_STATUS_OK ||
      app_net_forward_set_x(method, x, &error) != ET_STATUS_OK ||
      app_net_forward_execute(method, &error) != ET_STATUS_OK ||
      app_net_forward_get_output_0(method, &y, &error) != ET_STATUS_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  printf("%f %f\n", y[0], y[1]);
  return 0;
}
