/* Classifies an image with MobileNetV2. Prints the five most probable classes, the latency and the
 * memory use.
 *
 *   mobilenet [--program FILE.pte] [--labels FILE] [--runs N] IMAGE.ppm
 *
 * The binary contains the program that the build compiled; --program runs another one. --labels is
 * a text file with one class name per line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executorch/file_loader.h"
#include "executorch/hosted_method.h"
#include "models/image.h"
#include "models/mobilenet_cc.h"
#include "models/stopwatch.h"

enum {
  kResizeSide = 256,
  kSide = 224,
  kElements = 3 * kSide * kSide,
  kBest = 5,
  kDefaultRuns = 20,
  kMaxRuns = 10000,
  kLabelBytes = 128,
};

typedef struct options {
  const char *program; /* NULL: the embedded one */
  const char *labels;  /* NULL: print indices only */
  const char *image;
  int runs;
} options;

static bool parse_options(int argc, char **argv, options *out) {
  *out = (options){NULL, NULL, NULL, kDefaultRuns};
  for (int i = 1; i < argc; ++i) {
    const bool has_value = i + 1 < argc;
    if (strcmp(argv[i], "--program") == 0 && has_value) {
      out->program = argv[++i];
    } else if (strcmp(argv[i], "--labels") == 0 && has_value) {
      out->labels = argv[++i];
    } else if (strcmp(argv[i], "--runs") == 0 && has_value) {
      out->runs = (int)strtol(argv[++i], NULL, 10);
    } else if (argv[i][0] != '-') {
      out->image = argv[i];
    } else {
      return false;
    }
  }
  return out->image != NULL && out->runs >= 1 && out->runs <= kMaxRuns;
}

/* Reads line `index` of a text file, without its line ending; "" if there is
 * none. */
static void read_label(const char *path, size_t index, char *out) {
  FILE *file = path != NULL ? fopen(path, "r") : NULL;
  out[0] = '\0';
  for (size_t line = 0; file != NULL && fgets(out, kLabelBytes, file) != NULL;
       ++line) {
    if (line == index) {
      out[strcspn(out, "\r\n")] = '\0';
      fclose(file);
      return;
    }
  }
  out[0] = '\0';
  if (file != NULL) {
    fclose(file);
  }
}

/* Returns the index of the largest logit that is not in `taken`; the lower index wins a tie. */
static size_t next_best(const float *logits, size_t count, const size_t *taken,
                        size_t n) {
  size_t best = count;
  for (size_t i = 0; i < count; ++i) {
    bool is_taken = false;
    for (size_t k = 0; k < n; ++k) {
      is_taken = is_taken || taken[k] == i;
    }
    if (!is_taken && (best == count || logits[i] > logits[best])) {
      best = i;
    }
  }
  return best;
}

static void print_best(const et_tensor *logits, const char *labels) {
  const float *values = logits->data;
  size_t best[kBest];
  const size_t shown = logits->numel < kBest ? logits->numel : kBest;
  for (size_t rank = 0; rank < shown; ++rank) {
    char label[kLabelBytes];
    best[rank] = next_best(values, logits->numel, best, rank);
    read_label(labels, best[rank], label);
    printf("  %zu. class %4zu  logit %9.4f  %s\n", rank + 1, best[rank],
           (double)values[best[rank]], label);
  }
}

/* Runs once to warm up, then `runs` times, and prints the median time. */
static et_status run_timed(et_method *method, const float *input, int runs,
                           et_error *error) {
  static const int32_t kSizes[4] = {1, 3, kSide, kSide};
  static double seconds[kMaxRuns];
  for (int run = -1; run < runs; ++run) {
    const double start = stopwatch_seconds();
    ET_RETURN_IF_ERROR(et_method_set_input(method, 0, ET_SCALAR_TYPE_FLOAT32,
                                           kSizes, 4, input,
                                           kElements * sizeof(float), error));
    ET_RETURN_IF_ERROR(et_method_execute(method, error));
    if (run >= 0) {
      seconds[run] = stopwatch_seconds() - start;
    }
  }
  printf("latency: %.2f ms (median of %d runs, 1 thread)\n",
         1e3 * stopwatch_median(seconds, (size_t)runs), runs);
  return ET_STATUS_OK;
}

static et_status classify(const et_program *program, const float *input,
                          const options *chosen, et_error *error) {
  et_hosted_method hosted;
  ET_RETURN_IF_ERROR(et_hosted_method_load(
      program, "forward", &models_mobilenet_registry, NULL, &hosted, error));
  const et_value *logits = NULL;
  et_status status = run_timed(hosted.method, input, chosen->runs, error);
  if (status == ET_STATUS_OK) {
    status = et_method_get_output(hosted.method, 0, &logits, error);
  }
  if (status == ET_STATUS_OK &&
      (logits->tag != ET_VALUE_TENSOR ||
       logits->u.as_tensor->dtype != ET_SCALAR_TYPE_FLOAT32)) {
    status = et_fail(error, ET_STATUS_INVALID_TYPE,
                     "the output is not a float32 tensor");
  }
  if (status == ET_STATUS_OK) {
    printf(
        "memory: %zu bytes planned, %zu for the method, %zu scratch; program "
        "%zu bytes\n",
        hosted.planned_bytes, hosted.requirements.method_bytes,
        hosted.requirements.scratch_bytes, program->file.size);
    printf("best %d of %zu classes:\n", kBest, logits->u.as_tensor->numel);
    print_best(logits->u.as_tensor, chosen->labels);
  }
  et_hosted_method_free(&hosted);
  return status;
}

static et_status run_program(const float *input, const options *chosen,
                             et_error *error) {
  et_file file = {{NULL, 0}};
  et_span bytes = {models_mobilenet_program_data,
                   models_mobilenet_program_size};
  if (chosen->program != NULL) {
    ET_RETURN_IF_ERROR(et_file_open(chosen->program, &file, error));
    bytes = file.bytes;
    printf("program: %s\n", chosen->program);
  } else {
    printf("weights: %s\n", MODELS_MOBILENET_WEIGHTS_FROM_FILE
                                ? "from the file given to the rule"
                                : "seeded random; the classes are meaningless");
  }
  et_program program;
  et_status status = et_program_load(bytes, &program, error);
  if (status == ET_STATUS_OK) {
    status = classify(&program, input, chosen, error);
  }
  et_file_close(&file);
  return status;
}

int main(int argc, char **argv) {
  options chosen;
  if (!parse_options(argc, argv, &chosen)) {
    fprintf(stderr,
            "usage: mobilenet [--program FILE.pte] [--labels FILE] [--runs "
            "1..10000] "
            "IMAGE.ppm\n");
    return EXIT_FAILURE;
  }
  static float input[kElements];
  rgb_image image;
  if (!image_read_ppm(chosen.image, &image)) {
    return EXIT_FAILURE;
  }
  printf("image: %s, %d x %d\n", chosen.image, image.width, image.height);
  image_to_tensor(&image, kResizeSide, kSide, input);
  image_free(&image);
  et_error error = {ET_STATUS_OK, ""};
  if (run_program(input, &chosen, &error) != ET_STATUS_OK) {
    fprintf(stderr, "mobilenet: %s: %s\n", et_status_text(error.status),
            error.message);
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
