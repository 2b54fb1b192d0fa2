/* The smallest application: loads and runs a program with one operator.
 *
 * All memory is static, and the program is used in place. Prints nothing; the
 * exit code is 0 if the sum is correct. */
#include "runtime/size/add_cc.h"

static add_forward_memory memory;

int main(void) {
  static const float x[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const float *sum = NULL;
  add_forward_method method = {NULL};
  if (add_forward_load(&memory, NULL, &method, NULL) != ET_STATUS_OK ||
      add_forward_set_input_0(method, x, NULL) != ET_STATUS_OK ||
      add_forward_set_input_1(method, x, NULL) != ET_STATUS_OK ||
      add_forward_execute(method, NULL) != ET_STATUS_OK ||
      add_forward_get_output_0(method, &sum, NULL) != ET_STATUS_OK) {
    return 2;
  }
  for (int i = 0; i < 9; i++) {
    if (sum[i] != 2 * x[i]) {
      return 1;
    }
  }
  return 0;
}
