/* Tests that the model's kernel table lists the kernels of //ops before the built-in ones. */
#include <stdio.h>

#include "app/net_cc.h"
#include "ops/kernels.h"

static int is_first(const char *name, size_t size, et_kernel_fn run) {
  const et_string key = {name, size};
  const et_kernel *kernel = et_kernel_table_find(app_net_registry.kernels, key);
  const int right = kernel != NULL && kernel->run == run;
  printf("%s: %s\n", name, right ? "of //ops" : "of another");
  return right;
}

int main(void) {
  const int add =
      is_first("aten::add.out", sizeof "aten::add.out" - 1, demo_add_float32);
  const int step =
      is_first("demo::soft_step.out", sizeof "demo::soft_step.out" - 1,
               demo_soft_step_out);
  return add && step ? 0 : 1;
}
