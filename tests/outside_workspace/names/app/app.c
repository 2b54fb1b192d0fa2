/* Runs two models with the same name, from two packages, in one program. */
#include <stdio.h>
#include "a/model_cc.h"
#include "a/words.h"
#include "app/twins.h"
#include "b/model_cc.h"
#include "b/words.h"

static a_model_forward_memory memory_a;
static b_model_forward_memory memory_b;

int main(void) {
  const float x[2] = {10, 20};
  const float *y = NULL;
  const float *z = NULL;
  et_error error = ET_ERROR_INIT;
  a_model_forward_method a = {NULL};
  b_model_forward_method b = {NULL};
  if (a_model_forward_load(&memory_a, NULL, &a, &error) != ET_STATUS_OK ||
      b_model_forward_load(&memory_b, NULL, &b, &error) != ET_STATUS_OK ||
      a_model_forward_set_x(a, x, &error) != ET_STATUS_OK ||
      b_model_forward_set_x(b, x, &error) != ET_STATUS_OK ||
      a_model_forward_execute(a, &error) != ET_STATUS_OK ||
      b_model_forward_execute(b, &error) != ET_STATUS_OK ||
      a_model_forward_get_output_0(a, &y, &error) != ET_STATUS_OK ||
      b_model_forward_get_output_0(b, &z, &error) != ET_STATUS_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  float twin_1 = 0;
  float twin_2 = 0;
  if (add_with_twin_1(&twin_1) != 0 || add_with_twin_2(&twin_2) != 0) {
    fprintf(stderr, "a twin fails\n");
    return 1;
  }
  printf("%g %g, %g %g, %g, %g\n", y[0], y[1], z[0], z[1], twin_1, twin_2);
  printf("%u %u, %u %u\n", (unsigned)a_words.count, (unsigned)b_words.count,
         (unsigned)words_of_twin_1(), (unsigned)words_of_twin_2());
  return 0;
}
