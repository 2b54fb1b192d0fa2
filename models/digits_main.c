/* Classifies handwritten digits and prints the accuracy.
 *
 *   digits IMAGES.idx3 LABELS.idx1 PYTORCH.idx1 [SHARE]
 *
 * The third file contains PyTorch's predictions for the same images, which the
 * build computes. The predictions must be equal. If SHARE is given, for a
 * quantized model, at least that share of PyTorch's correct predictions must be
 * correct. All memory is static, as in a program without a heap. */
#include <stdio.h>
#include <stdlib.h>

#ifdef DIGITS_INT8
#include "models/digits_int8_cc.h"
#else
#include "models/digits_cc.h"
#endif
#include "models/idx_file.h"

enum { kSide = 8, kPixels = kSide * kSide, kClasses = 10 };

/* Pixels of the data set are in 0..16. */
static const float kLargestValue = 16.0f;

static models_digits_forward_memory memory;

static int largest(const float *logits) {
  int best = 0;
  for (int i = 1; i < kClasses; ++i) {
    best = logits[i] > logits[best] ? i : best;
  }
  return best;
}

static et_status classify(models_digits_forward_method method,
                          const uint8_t *pixels, int *out_digit,
                          et_error *error) {
  float input[kPixels];
  for (int i = 0; i < kPixels; ++i) {
    input[i] = (float)pixels[i] / kLargestValue;
  }
  const float *logits = NULL;
  ET_RETURN_IF_ERROR(models_digits_forward_set_x(method, input, error));
  ET_RETURN_IF_ERROR(models_digits_forward_execute(method, error));
  ET_RETURN_IF_ERROR(
      models_digits_forward_get_output_0(method, &logits, error));
  *out_digit = largest(logits);
  return ET_STATUS_OK;
}

typedef struct digit_set {
  idx_array images;  /* [count, 8, 8] */
  idx_array labels;  /* [count] */
  idx_array pytorch; /* [count] */
} digit_set;

static bool read_digits(char **paths, digit_set *out) {
  if (!idx_read(paths[0], 3, &out->images) ||
      !idx_read(paths[1], 1, &out->labels) ||
      !idx_read(paths[2], 1, &out->pytorch)) {
    return false;
  }
  const uint32_t count = out->images.sizes[0];
  if (out->images.sizes[1] != kSide || out->images.sizes[2] != kSide ||
      out->labels.sizes[0] != count || out->pytorch.sizes[0] != count) {
    fprintf(stderr,
            "digits: the files do not have 8 x 8 images with one label each\n");
    return false;
  }
  return true;
}

/* Counts of images by result. */
typedef struct tally {
  int right;
  int pytorch_right;
  int different; /* different from PyTorch's prediction */
} tally;

static et_status classify_all(models_digits_forward_method method,
                              const digit_set *set, tally *out,
                              et_error *error) {
  const int count = (int)set->images.sizes[0];
  for (int i = 0; i < count; ++i) {
    int digit = 0;
    const uint8_t label = set->labels.elements[i];
    const uint8_t pytorch = set->pytorch.elements[i];
    ET_RETURN_IF_ERROR(classify(
        method, set->images.elements + (size_t)i * kPixels, &digit, error));
    out->right += digit == label;
    out->pytorch_right += pytorch == label;
    out->different += digit != pytorch;
  }
  printf("accuracy: %.4f (%d of %d digits)\n", (double)out->right / count,
         out->right, count);
  printf("equal to PyTorch's prediction: %d of %d\n", count - out->different,
         count);
  return ET_STATUS_OK;
}

static bool is_enough(const tally *found, const char *share) {
  return share == NULL ? found->different == 0
                       : found->right >= atof(share) * found->pytorch_right;
}

static et_status load_and_classify(const digit_set *set, tally *out,
                                   et_error *error) {
  models_digits_forward_method method = {NULL};
  ET_RETURN_IF_ERROR(models_digits_forward_load(&memory, NULL, &method, error));
  return classify_all(method, set, out, error);
}

int main(int argc, char **argv) {
  if (argc != 4 && argc != 5) {
    fprintf(stderr,
            "usage: digits IMAGES.idx3 LABELS.idx1 PYTORCH.idx1 [SHARE]\n");
    return EXIT_FAILURE;
  }
  digit_set set = {0};
  tally found = {0};
  et_error error = ET_ERROR_INIT;
  bool passed = false;
  if (read_digits(argv + 1, &set)) {
    passed = load_and_classify(&set, &found, &error) == ET_STATUS_OK &&
             is_enough(&found, argc == 5 ? argv[4] : NULL);
    if (error.status != ET_STATUS_OK) {
      fprintf(stderr, "digits: %s: %s\n", et_status_text(error.status),
              error.message);
    }
  }
  idx_free(&set.images);
  idx_free(&set.labels);
  idx_free(&set.pytorch);
  return passed ? EXIT_SUCCESS : EXIT_FAILURE;
}
