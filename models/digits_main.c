/* Classifies handwritten digits and prints the accuracy.
 *
 *   digits IMAGES.idx3 LABELS.idx1 PYTORCH.idx1
 *
 * The third file holds PyTorch's predictions for the same pictures, made by the build. All
 * memory is static: this is how a program without a heap uses a model. */
#include <stdio.h>
#include <stdlib.h>

#include "models/digits_cc.h"
#include "models/idx_file.h"

enum { kSide = 8, kPixels = kSide * kSide, kClasses = 10 };

/* Pixels of the data set lie in 0..16. */
static const float kLargestValue = 16.0f;

static models_digits_forward_memory memory;

static int largest(const float *logits) {
  int best = 0;
  for (int i = 1; i < kClasses; ++i) {
    best = logits[i] > logits[best] ? i : best;
  }
  return best;
}

static et_status classify(et_method *method, const uint8_t *pixels,
                          int *out_digit, et_error *error) {
  float input[kPixels];
  for (int i = 0; i < kPixels; ++i) {
    input[i] = (float)pixels[i] / kLargestValue;
  }
  const float *logits = NULL;
  ET_RETURN_IF_ERROR(models_digits_forward_set_x(method, input, error));
  ET_RETURN_IF_ERROR(et_method_execute(method, error));
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
            "digits: the files do not hold 8 x 8 pictures and one number for "
            "each\n");
    return false;
  }
  return true;
}

/* The number of pictures on which the program differs from PyTorch; -1 on an error. */
static int classify_all(et_method *method, const digit_set *set,
                        et_error *error) {
  const int count = (int)set->images.sizes[0];
  int right = 0;
  int different = 0;
  for (int i = 0; i < count; ++i) {
    int digit = 0;
    if (classify(method, set->images.elements + (size_t)i * kPixels, &digit,
                 error) != ET_STATUS_OK) {
      return -1;
    }
    right += digit == set->labels.elements[i];
    different += digit != set->pytorch.elements[i];
  }
  printf("accuracy: %.4f (%d of %d digits)\n", (double)right / count, right,
         count);
  printf("equal to PyTorch's prediction: %d of %d\n", count - different, count);
  return different;
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: digits IMAGES.idx3 LABELS.idx1 PYTORCH.idx1\n");
    return EXIT_FAILURE;
  }
  digit_set set = {0};
  et_error error = {0};
  et_method *method = NULL;
  int different = -1;
  if (read_digits(argv + 1, &set)) {
    if (models_digits_forward_load(&memory, NULL, &method, &error) ==
        ET_STATUS_OK) {
      different = classify_all(method, &set, &error);
    }
    if (error.status != ET_STATUS_OK) {
      fprintf(stderr, "digits: %s: %s\n", et_status_text(error.status),
              error.message);
    }
  }
  idx_free(&set.images);
  idx_free(&set.labels);
  idx_free(&set.pytorch);
  return different == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
