#include "app/classify.h"

#include "app/digits_cc.h"

/* Pixels of the data set are in [0, 16]. */
static const float kLargestValue = 16.0f;

static models_digits_forward_memory memory;
static models_digits_forward_method method;

et_status classify_load(et_error *error) {
  return models_digits_forward_load(&memory, NULL, &method, error);
}

et_status classify(const uint8_t *image, const float **out_logits,
                   et_error *error) {
  float input[kPixels];
  for (int i = 0; i < kPixels; ++i) {
    input[i] = (float)image[i] / kLargestValue;
  }
  ET_RETURN_IF_ERROR(models_digits_forward_set_x(method, input, error));
  ET_RETURN_IF_ERROR(models_digits_forward_execute(method, error));
  return models_digits_forward_get_output_0(method, out_logits, error);
}

int largest(const float *logits) {
  int best = 0;
  for (int i = 1; i < kClasses; ++i) {
    best = logits[i] > logits[best] ? i : best;
  }
  return best;
}

/* An IDX file starts with a word for its type, and one word for each
 * dimension. */
enum { kImagesHead = 4 * 4, kLabelsHead = 2 * 4 };

static const uint8_t kImagesFile[] = {
#include "app/images.inc"
};

static const uint8_t kLabelsFile[] = {
#include "app/labels.inc"
};

_Static_assert(sizeof(kImagesFile) == kImagesHead + kImages * kPixels,
               "the images are contiguous");
_Static_assert(sizeof(kLabelsFile) == kLabelsHead + kImages,
               "each image has a label");

const uint8_t *image_pixels(int index) {
  return kImagesFile + kImagesHead + index * kPixels;
}

int image_label(int index) { return kLabelsFile[kLabelsHead + index]; }
