/* MobileNetV2 on the CPU backend, in exactly the memory that its header states.
 * This is the smallest program that runs it. Prints the best of 1,000
 * classes. */
#include <stdio.h>

#include "models/mobilenet_cpu_cc.h"

enum { kElements = 3 * 224 * 224, kClasses = 1000 };

static models_mobilenet_cpu_forward_memory memory;
static float image[kElements];

static size_t best_of(const float *logits) {
  size_t best = 0;
  for (size_t i = 1; i < kClasses; ++i) {
    best = logits[i] > logits[best] ? i : best;
  }
  return best;
}

static et_status classify(size_t *out_best, et_error *error) {
  models_mobilenet_cpu_forward_method method = {NULL};
  const float *logits = NULL;
  ET_RETURN_IF_ERROR(
      models_mobilenet_cpu_forward_load(&memory, NULL, &method, error));
  ET_RETURN_IF_ERROR(models_mobilenet_cpu_forward_set_x(method, image, error));
  ET_RETURN_IF_ERROR(models_mobilenet_cpu_forward_execute(method, error));
  ET_RETURN_IF_ERROR(
      models_mobilenet_cpu_forward_get_output_0(method, &logits, error));
  *out_best = best_of(logits);
  return ET_STATUS_OK;
}

int main(void) {
  et_error error = ET_ERROR_INIT;
  size_t best = 0;
  for (size_t i = 0; i < kElements; ++i) {
    image[i] = (float)(i % 251) / 251.0f;
  }
  if (classify(&best, &error) != ET_STATUS_OK) {
    fprintf(stderr, "mobilenet_cpu: %s\n", error.message);
    return 1;
  }
  printf("%zu\n", best);
  return 0;
}
