/* Prints the five most probable classes of photographs, with
 * EfficientNet-Lite0.
 *
 *   classify [--int8] PHOTO...
 *
 * Photos are JPEG, PNG or binary PPM. --int8 runs the quantized program, which
 * is a quarter of the size. A photo that cannot be read is reported, and the
 * others are still classified. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/classify/classify_cc.h"
#include "models/classify/classify_int8_cc.h"
#include "models/classify/labels.h"
#include "models/classify/photo.h"

enum { kBest = 5 };

static union {
  classify_forward_memory floats;
  classify_int8_forward_memory int8;
} memory;

/* One of the two programs. */
typedef struct classifier {
  classify_forward_method floats;
  classify_int8_forward_method int8;
  /* Computes scores of a photo, which are valid until the next call. */
  et_status (*run)(const struct classifier *network, const float *photo,
                   const float **out_scores, et_error *error);
} classifier;

static et_status run_floats(const classifier *network, const float *photo,
                            const float **out_scores, et_error *error) {
  ET_RETURN_IF_ERROR(classify_forward_set_image(network->floats, photo, error));
  ET_RETURN_IF_ERROR(classify_forward_execute(network->floats, error));
  return classify_forward_get_output_0(network->floats, out_scores, error);
}

static et_status run_int8(const classifier *network, const float *photo,
                          const float **out_scores, et_error *error) {
  ET_RETURN_IF_ERROR(
      classify_int8_forward_set_image(network->int8, photo, error));
  ET_RETURN_IF_ERROR(classify_int8_forward_execute(network->int8, error));
  return classify_int8_forward_get_output_0(network->int8, out_scores, error);
}

static et_status load_floats(classifier *out, et_error *error) {
  out->run = run_floats;
  return classify_forward_load(&memory.floats, NULL, &out->floats, error);
}

static et_status load_int8(classifier *out, et_error *error) {
  out->run = run_int8;
  return classify_int8_forward_load(&memory.int8, NULL, &out->int8, error);
}

/* Converts scores to percentages of all classes (softmax). */
static void percentages(const float *scores, float *out) {
  float largest = scores[0];
  for (int i = 1; i < CLASSIFY_CLASSES; ++i) {
    largest = fmaxf(largest, scores[i]);
  }
  float sum = 0;
  for (int i = 0; i < CLASSIFY_CLASSES; ++i) {
    out[i] = expf(scores[i] - largest);
    sum += out[i];
  }
  for (int i = 0; i < CLASSIFY_CLASSES; ++i) {
    out[i] *= 100 / sum;
  }
}

static int largest_of(float *values) {
  int best = 0;
  for (int i = 1; i < CLASSIFY_CLASSES; ++i) {
    best = values[i] > values[best] ? i : best;
  }
  return best;
}

static void print_best(const char *path, const float *scores) {
  float percent[CLASSIFY_CLASSES];
  percentages(scores, percent);
  printf("%s\n", path);
  for (int rank = 0; rank < kBest; ++rank) {
    const int best = largest_of(percent);
    printf("  %5.1f %%  %s (%d)\n", (double)percent[best],
           classify_labels[best], best);
    percent[best] = -1;
  }
}

static et_status classify(const classifier *network, const char *path,
                          const float *photo, et_error *error) {
  const float *scores = NULL;
  ET_RETURN_IF_ERROR(network->run(network, photo, &scores, error));
  print_best(path, scores);
  return ET_STATUS_OK;
}

/* Classifies all photos. Counts those that cannot be read. */
static et_status classify_all(const classifier *network, char **paths,
                              int *out_unread, et_error *error) {
  static float photo[PHOTO_ELEMENTS];
  for (*out_unread = 0; *paths != NULL; ++paths) {
    if (!photo_read(*paths, PHOTO_SHARE, photo)) {
      ++*out_unread;
      continue;
    }
    ET_RETURN_IF_ERROR(classify(network, *paths, photo, error));
  }
  return ET_STATUS_OK;
}

typedef struct options {
  bool bytes;
  char **photos; /* ends with NULL */
} options;

static bool parse_options(char **argv, options *out) {
  *out = (options){false, argv + 1};
  char **photos = argv + 1;
  for (char **argument = argv + 1; *argument != NULL; ++argument) {
    if (strcmp(*argument, "--int8") == 0) {
      out->bytes = true;
    } else if (**argument != '-') {
      *photos++ = *argument;
    } else {
      return false;
    }
  }
  *photos = NULL;
  return out->photos[0] != NULL;
}

int main(int argc, char **argv) {
  options chosen;
  if (argc < 2 || !parse_options(argv, &chosen)) {
    fprintf(stderr, "usage: classify [--int8] PHOTO...\n");
    return EXIT_FAILURE;
  }
  classifier network = {0};
  int unread = 0;
  et_error error = ET_ERROR_INIT;
  et_status status = (chosen.bytes ? load_int8 : load_floats)(&network, &error);
  if (status == ET_STATUS_OK) {
    status = classify_all(&network, chosen.photos, &unread, &error);
  }
  if (status != ET_STATUS_OK) {
    fprintf(stderr, "classify: %s: %s\n", et_status_text(status),
            error.message);
  }
  return status == ET_STATUS_OK && unread == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
