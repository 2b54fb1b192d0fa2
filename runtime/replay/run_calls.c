/* run_calls: replays recorded calls on a program and compares every output.
 *
 *   run_calls PROGRAM.pte CALLS.bin [--atol X] [--rtol X] [--share-planned ID]
 *
 * Methods are loaded once and keep their state from call to call. With
 * --share-planned the methods have one buffer for that memory id. Exits with 0 when
 * all calls gave what was recorded, 1 when not, 2 when called wrongly. Options may
 * also be spelled --atol=X. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executorch/file_loader.h"
#include "runtime/replay/replay.h"

/* The binary's kernels and backends: from the library that is linked in. */
extern const et_registry et_linked_registry;

static int usage(void) {
  fprintf(stderr,
          "usage: run_calls PROGRAM.pte CALLS.bin [--atol X] [--rtol X] "
          "[--share-planned ID]\n");
  return 2;
}

/* What the command line says. */
typedef struct options {
  const char *files[2];
  int file_count;
  et_replay_options replay;
} options;

/* The value of option `name` when argv[*index] is it, else NULL. */
static const char *option_value(int argc, char **argv, int *index,
                                const char *name) {
  const size_t size = strlen(name);
  const char *argument = argv[*index];
  if (strncmp(argument, name, size) != 0) {
    return NULL;
  }
  if (argument[size] == '=') {
    return argument + size + 1;
  }
  return argument[size] == '\0' && *index + 1 < argc ? argv[++*index] : NULL;
}

static bool parse_number(const char *text, double *out) {
  char *end = NULL;
  *out = strtod(text, &end);
  return end != text && *end == '\0' && *out >= 0;
}

static bool parse_argument(int argc, char **argv, int *index, options *out) {
  const char *text = NULL;
  double number = 0;
  if ((text = option_value(argc, argv, index, "--atol")) != NULL) {
    return parse_number(text, &out->replay.tolerance.atol);
  }
  if ((text = option_value(argc, argv, index, "--rtol")) != NULL) {
    return parse_number(text, &out->replay.tolerance.rtol);
  }
  if ((text = option_value(argc, argv, index, "--share-planned")) != NULL) {
    const bool valid = parse_number(text, &number) && number <= UINT16_MAX;
    out->replay.shared_memory_id = valid ? (uint32_t)number : 0;
    return valid;
  }
  if (argv[*index][0] == '-' || out->file_count == 2) {
    return false;
  }
  out->files[out->file_count++] = argv[*index];
  return true;
}

static bool parse_options(int argc, char **argv, options *out) {
  const options defaults = {.replay = {.tolerance = {1e-5, 1e-5}}};
  *out = defaults;
  for (int i = 1; i < argc; i++) {
    if (!parse_argument(argc, argv, &i, out)) {
      return false;
    }
  }
  return out->file_count == 2;
}

static et_status open_and_replay(const options *chosen, et_file files[2],
                                 et_error *error) {
  ET_RETURN_IF_ERROR(et_file_open(chosen->files[0], &files[0], error));
  ET_RETURN_IF_ERROR(et_file_open(chosen->files[1], &files[1], error));
  return et_replay(files[0].bytes, files[1].bytes, &et_linked_registry,
                   &chosen->replay, error);
}

int main(int argc, char **argv) {
  options chosen;
  if (!parse_options(argc, argv, &chosen)) {
    return usage();
  }
  et_file files[2] = {{{NULL, 0}}, {{NULL, 0}}};
  et_error error;
  et_error_clear(&error);
  const et_status status = open_and_replay(&chosen, files, &error);
  et_file_close(&files[0]);
  et_file_close(&files[1]);
  if (status != ET_STATUS_OK) {
    fprintf(stderr, "run_calls: %s: %s: %s\n", chosen.files[0],
            et_status_name(status), error.message);
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
