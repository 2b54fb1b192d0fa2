/* Runs the model on the CPU backend, on two threads. */
#include <stdio.h>

#include "app/net_fast_cc.h"
#include "backends/cpu/threads/pool.h"

static app_net_fast_forward_memory memory;
static et_cpu_pool pool;

static et_status run_model(et_error *error) {
  const float x[4] = {1, 2, 3, 4};
  const float *y = NULL;
  const et_method_options options = {.parallel = &pool.parallel};
  app_net_fast_forward_method method = {NULL};
  ET_RETURN_IF_ERROR(
      app_net_fast_forward_load(&memory, &options, &method, error));
  ET_RETURN_IF_ERROR(app_net_fast_forward_set_x(method, x, error));
  ET_RETURN_IF_ERROR(app_net_fast_forward_execute(method, error));
  ET_RETURN_IF_ERROR(app_net_fast_forward_get_output_0(method, &y, error));
  printf("%f %f\n", y[0], y[1]);
  return ET_STATUS_OK;
}

int main(void) {
  et_error error = ET_ERROR_INIT;
  et_status status = et_cpu_pool_create(&pool, 2, &error);
  if (status == ET_STATUS_OK) {
    status = run_model(&error);
    et_cpu_pool_destroy(&pool);
  }
  if (status != ET_STATUS_OK) {
    fprintf(stderr, "%s\n", error.message);
  }
  return status == ET_STATUS_OK ? 0 : 1;
}
