#include "app/classify.h"

#include "app/digits_cc.h"
#include "app/pictures.h"

/* Pixels of the data set lie in 0..16. */
static const float kLargestValue = 16.0f;

static models_digits_forward_memory memory;
static et_method *method;

et_status classify_load(et_error *error) {
  return models_digits_forward_load(&memory, NULL, &method, error);
}

et_status classify(const uint8_t *picture, const float **out_logits,
                   et_error *error) {
  float input[kPixels];
  for (int i = 0; i < kPixels; ++i) {
    input[i] = (float)picture[i] / kLargestValue;
  }
  ET_RETURN_IF_ERROR(models_digits_forward_set_x(method, input, error));
  ET_RETURN_IF_ERROR(et_method_execute(method, error));
  return models_digits_forward_get_output_0(method, out_logits, error);
}

int largest(const float *logits) {
  int best = 0;
  for (int i = 1; i < kClasses; ++i) {
    best = logits[i] > logits[best] ? i : best;
  }
  return best;
}
