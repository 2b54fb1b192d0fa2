/* run_calls: replays recorded calls on a program and compares every output.
 *
 *   run_calls PROGRAM.pte CALLS.bin [WEIGHTS.ptd...] [STEPS.steps] [--atol X]
 *     [--rtol X] [--output-atol OUTPUT:X] [--output-rtol OUTPUT:X]
 *     [--min-sqnr X] [--min-cosine X] [--share-planned ID]
 *
 * .ptd and .steps files may be at any position. If a call differs from the
 * recording, the steps identify the first instruction that differs. Methods are
 * loaded once and keep their state between calls. With --share-planned, they
 * share one buffer for that memory id. Options may be written as --atol=X.
 *
 * Exit codes: 0 if all calls match the recording, 1 if not, 2 for a usage
 * error. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executorch/checked.h"
#include "executorch/file_loader.h"
#include "executorch/program.h"
#include "runtime/replay/calls.h"
#include "runtime/replay/replay.h"

/* The kernels and backends of the linked library. */
extern const et_registry et_linked_registry;

/* Maximum number of .ptd files. */
#define MAX_DATA 16

static int usage(void) {
  fprintf(
      stderr,
      "usage: run_calls PROGRAM.pte CALLS.bin [WEIGHTS.ptd...] [STEPS.steps] "
      "[--atol X] [--rtol X] [--output-atol OUTPUT:X] [--output-rtol "
      "OUTPUT:X] [--allow-rounding] [--min-sqnr X] [--min-cosine X] "
      "[--share-planned ID]\n");
  return 2;
}

/* The command line. */
typedef struct options {
  const char *files[2]; /* program and calls */
  size_t file_count;
  const char *data[MAX_DATA];
  size_t data_count;
  const char *steps; /* NULL for none */
  et_output_tolerance outputs[ET_REPLAY_MAX_OUTPUTS];
  et_replay_options replay;
} options;

/* Returns the value of option `name` if argv[*index] is that option, else
 * NULL. */
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

/* Adds an argument: a .ptd or .steps file, the program, or the calls. */
static bool add_file(const char *path, options *out) {
  const char *suffix = strrchr(path, '.');
  if (suffix != NULL && strcmp(suffix, ".steps") == 0) {
    out->steps = path;
    return true;
  }
  if (suffix != NULL && strcmp(suffix, ".ptd") == 0) {
    const bool fits = out->data_count < MAX_DATA;
    out->data[fits ? out->data_count++ : 0] = path;
    return fits;
  }
  const bool fits = out->file_count < 2;
  out->files[fits ? out->file_count++ : 0] = path;
  return fits;
}

/* Returns the variable that the option at argv[*index] sets, and the option's
 * value. NULL for other options. */
static double *number_option(int argc, char **argv, int *index,
                             et_replay_options *out, const char **out_text) {
  const struct {
    const char *name;
    double *place;
  } known[] = {
      {"--atol", &out->tolerance.atol},
      {"--rtol", &out->tolerance.rtol},
      {"--min-sqnr", &out->least.sqnr},
      {"--min-cosine", &out->least.cosine},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    *out_text = option_value(argc, argv, index, known[i].name);
    if (*out_text != NULL) {
      return known[i].place;
    }
  }
  return NULL;
}

/* Parses "1:0.5", the tolerance of output 1. */
static bool parse_output(const char *text, bool is_atol, options *out) {
  char *end = NULL;
  const unsigned long output = strtoul(text, &end, 10);
  if (end == text || *end != ':' || output >= ET_REPLAY_MAX_OUTPUTS) {
    return false;
  }
  et_output_tolerance *own = &out->outputs[output];
  return parse_number(end + 1, is_atol ? &own->atol : &own->rtol);
}

static bool parse_argument(int argc, char **argv, int *index, options *out) {
  const char *text = NULL;
  double number = 0;
  double *place = number_option(argc, argv, index, &out->replay, &text);
  if (place != NULL) {
    return parse_number(text, place);
  }
  if (strcmp(argv[*index], "--allow-rounding") == 0) {
    out->replay.allows_rounding = true;
    return true;
  }
  if ((text = option_value(argc, argv, index, "--output-atol")) != NULL) {
    return parse_output(text, true, out);
  }
  if ((text = option_value(argc, argv, index, "--output-rtol")) != NULL) {
    return parse_output(text, false, out);
  }
  if ((text = option_value(argc, argv, index, "--share-planned")) != NULL) {
    const bool valid = parse_number(text, &number) && number <= UINT16_MAX;
    out->replay.shared_memory_id = valid ? (uint32_t)number : 0;
    return valid;
  }
  return argv[*index][0] != '-' && add_file(argv[*index], out);
}

static bool parse_options(int argc, char **argv, options *out) {
  const options defaults = {.replay = {.tolerance = {1e-5, 1e-5}}};
  *out = defaults;
  out->replay.outputs = out->outputs;
  for (size_t i = 0; i < ET_REPLAY_MAX_OUTPUTS; i++) {
    out->outputs[i].atol = out->outputs[i].rtol = -1;
  }
  for (int i = 1; i < argc; i++) {
    if (!parse_argument(argc, argv, &i, out)) {
      return false;
    }
  }
  return out->file_count == 2;
}

/* Mapped files: program, data, calls and steps. */
typedef struct opened {
  et_file calls;
  et_file steps;
  et_file files[1 + MAX_DATA];
  et_extent extents[1 + MAX_DATA];
  et_data_source sources[1 + MAX_DATA];
  size_t count;
} opened;

static et_status open_source(opened *o, const char *path, et_error *error) {
  et_file *file = &o->files[o->count];
  et_extent *extent = &o->extents[o->count];
  ET_RETURN_IF_ERROR(et_file_open(path, file, error));
  extent->bytes = file->bytes;
  const et_data_source source = {path, file->bytes.size, extent, 1, NULL, NULL};
  o->sources[o->count++] = source;
  return ET_STATUS_OK;
}

/* Rejects tolerances for outputs that no method has; they would have no
 * effect. */
static et_status check_outputs(const options *chosen, const et_program *program,
                               et_error *error) {
  size_t most = 0;
  for (size_t i = 0; i < et_program_method_count(program); i++) {
    et_string name;
    et_method_meta meta;
    ET_RETURN_IF_ERROR(et_program_method_name(program, i, &name));
    ET_RETURN_IF_ERROR(
        et_program_method_meta(program, name.data, &meta, error));
    const size_t count = et_method_meta_output_count(&meta);
    most = count > most ? count : most;
  }
  for (size_t i = most; i < ET_REPLAY_MAX_OUTPUTS; i++) {
    if (chosen->outputs[i].atol >= 0 || chosen->outputs[i].rtol >= 0) {
      return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                     "output %zu has a tolerance, but the last output is %zu",
                     i, most - 1);
    }
  }
  return ET_STATUS_OK;
}

static et_status open_all(const options *chosen, opened *o,
                          et_program *out_program, et_error *error) {
  ET_RETURN_IF_ERROR(open_source(o, chosen->files[0], error));
  for (size_t i = 0; i < chosen->data_count; i++) {
    ET_RETURN_IF_ERROR(open_source(o, chosen->data[i], error));
  }
  ET_RETURN_IF_ERROR(et_file_open(chosen->files[1], &o->calls, error));
  if (chosen->steps != NULL) {
    ET_RETURN_IF_ERROR(et_file_open(chosen->steps, &o->steps, error));
  }
  ET_RETURN_IF_ERROR(
      et_program_load_sources(o->sources, o->count, out_program, error));
  ET_RETURN_IF_ERROR(et_program_check_contents(out_program, error));
  return check_outputs(chosen, out_program, error);
}

/* Prints the failure and the file that caused it, program or calls. Earlier
 * results are flushed first. */
static void print_failure(const options *chosen, const char *what,
                          const et_error *error) {
  const bool is_calls =
      strncmp(error->message, ET_CALLS_FAULT, strlen(ET_CALLS_FAULT)) == 0;
  fflush(stdout);
  fprintf(stderr, "run_calls: %s: %s: %s\n", chosen->files[is_calls ? 1 : 0],
          what, error->message);
}

static et_status replay(const options *chosen, const opened *o,
                        const et_program *program, et_error *error) {
  et_replay_result result = {0};
  const et_status status =
      et_replay(program, o->calls.bytes, &et_linked_registry, &chosen->replay,
                &result, error);
  if (status == ET_STATUS_OK) {
    return ET_STATUS_OK;
  }
  print_failure(
      chosen, result.differs ? "wrong result" : et_status_name(status), error);
  if (status == ET_STATUS_INVALID_TYPE && chosen->steps != NULL) {
    et_error reason;
    et_error_clear(&reason);
    if (et_deviation_print(program, o->steps.bytes, result.call,
                           &et_linked_registry, &chosen->replay,
                           &reason) != ET_STATUS_OK) {
      fprintf(stderr, "  %s: %s\n", chosen->steps, reason.message);
    }
  }
  return status;
}

static void close_all(opened *o) {
  et_file_close(&o->calls);
  et_file_close(&o->steps);
  for (size_t i = 0; i < o->count; i++) {
    et_file_close(&o->files[i]);
  }
}

int main(int argc, char **argv) {
  options chosen;
  if (!parse_options(argc, argv, &chosen)) {
    return usage();
  }
  opened o = {.count = 0};
  et_program program;
  et_error error;
  et_error_clear(&error);
  et_status status = open_all(&chosen, &o, &program, &error);
  if (status != ET_STATUS_OK) {
    print_failure(&chosen, et_status_name(status), &error);
  } else {
    status = replay(&chosen, &o, &program, &error);
  }
  close_all(&o);
  return status == ET_STATUS_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
