#define _POSIX_C_SOURCE 200809L /* for clock_gettime */

/* execute_fuzz: damages programs, then loads and runs them with the real
 * kernels. cpu_fuzz: damages payloads of the CPU backend, then runs them on it.
 *
 *   execute_fuzz SECONDS SEED PROGRAM.pte[,DATA.ptd...] ...
 *
 * If a program has data files, one of them is damaged instead. A damaged
 * program must be rejected or run without invalid accesses, and its results
 * must not depend on uninitialized memory. Programs that fail are written to
 * $TEST_UNDECLARED_OUTPUTS_DIR, or to the current folder. Equal seeds try the
 * same programs in the same order. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "executorch/file_loader.h"
#include "tests/fuzz/guarded.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/trial.h"

#define MAX_PROGRAMS 128
#define MAX_FINDINGS 16

/* Maximum number of runs of an original program; it can reject random sizes or
 * values. */
#define MAX_TRIES 64

/* A file, and its sites. */
typedef struct original_file {
  et_file file;
  et_site *sites;
  size_t site_count;
} original_file;

/* A valid program that runs, and its data files. */
typedef struct original {
  original_file files[ET_TRIAL_FILES];
  size_t count;
} original;

static bool ends_with(const char *path, const char *end) {
  const size_t size = strlen(path);
  return size > strlen(end) && strcmp(path + size - strlen(end), end) == 0;
}

static void close_original(original *o) {
  for (size_t i = 0; i < o->count; i++) {
    free(o->files[i].sites);
    et_file_close(&o->files[i].file);
  }
  o->count = 0;
}

static void spans_of(const original *o, et_span *files) {
  for (size_t i = 0; i < o->count; i++) {
    files[i] = o->files[i].file.bytes;
  }
}

static bool runs(const original *o) {
  et_span files[ET_TRIAL_FILES];
  et_random random = et_random_seeded(0);
  et_trials trials = {0};
  spans_of(o, files);
  for (int i = 0; i < MAX_TRIES && trials.completed == 0; i++) {
    et_try_program(files, o->count, &random, &trials);
  }
  return trials.completed > 0;
}

/* Opens a program and its data files. Exits if one cannot be read. */
static void open_files(char *paths, original *out) {
  for (char *path = strtok(paths, ","); path != NULL;
       path = strtok(NULL, ",")) {
    original_file *next = &out->files[out->count];
    if (out->count == ET_TRIAL_FILES ||
        !ends_with(path, out->count == 0 ? ".pte" : ".ptd") ||
        et_file_open(path, &next->file, NULL) != ET_STATUS_OK) {
      fprintf(stderr, "execute_fuzz: %s: cannot be read\n", path);
      exit(EXIT_FAILURE);
    }
    next->sites = NULL;
    out->count++;
  }
}

/* Returns false for a program that cannot run here, such as one for another backend. */
static bool open_original(char *paths, original *out) {
  open_files(paths, out);
  if (!runs(out)) {
    close_original(out);
    return false;
  }
  for (size_t i = 0; i < out->count; i++) {
    original_file *file = &out->files[i];
    file->sites = et_sites_of(file->file.bytes, &file->site_count);
  }
  return true;
}

/* Writes a failing program to a file, for inspection. */
static void save_finding(const uint8_t *bytes, size_t size) {
  const char *folder = getenv("TEST_UNDECLARED_OUTPUTS_DIR");
  char path[4096];
  static int saved;
  snprintf(path, sizeof path, "%s/finding_%d", folder != NULL ? folder : ".",
           saved++);
  FILE *file = fopen(path, "wb");
  if (file != NULL && saved <= MAX_FINDINGS) {
    fwrite(bytes, 1, size, file);
    printf("%s\n", path);
  }
  if (file != NULL) {
    fclose(file);
  }
}

/* Damages the program, or one of its data files if it has any. */
static void try_damaged(const original *chosen, et_random *random,
                        et_trials *trials) {
  const size_t data = chosen->count - 1;
  const size_t index = data == 0 ? 0 : 1 + et_random_below(random, data);
  const original_file *damaged = &chosen->files[index];
  const size_t findings = trials->leaks + trials->overruns;
  et_span files[ET_TRIAL_FILES];
  spans_of(chosen, files);
  et_guarded copy = et_guarded_take(files[index].size, 64, 0);
  memcpy(copy.data, files[index].data, files[index].size);
  et_mutate(random, damaged->sites, damaged->site_count,
            (et_mutable_span){copy.data, copy.size});
  et_guarded_seal(&copy);
  files[index].data = copy.data;
  et_try_program(files, chosen->count, random, trials);
  if (trials->leaks + trials->overruns != findings) {
    save_finding(copy.data, copy.size);
  }
  et_guarded_free(&copy);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Returns true if no problem was found. */
static bool fuzz(const original *originals, size_t count, double seconds,
                 uint64_t seed) {
  et_random random = et_random_seeded(seed);
  et_trials trials = {0};
  const double end = now() + seconds;
  while (now() < end) {
    try_damaged(&originals[et_random_below(&random, count)], &random, &trials);
  }
  printf(
      "%zu originals, %zu damaged programs, %zu methods loaded; executions: "
      "%zu completed, %zu rejected, %zu stopped; %zu methods depend on "
      "uninitialized memory, %zu write outside their memory\n",
      count, trials.programs, trials.loaded, trials.completed, trials.refused,
      trials.stopped, trials.leaks, trials.overruns);
  return trials.leaks + trials.overruns == 0;
}

int main(int argc, char **argv) {
  static original originals[MAX_PROGRAMS];
  size_t count = 0;
  if (argc < 4) {
    fprintf(stderr,
            "usage: execute_fuzz SECONDS SEED PROGRAM.pte[,DATA.ptd...] ...\n");
    return 2;
  }
  for (int i = 3; i < argc && count < MAX_PROGRAMS; i++) {
    count += open_original(argv[i], &originals[count]) ? 1 : 0;
  }
  if (count == 0) {
    fprintf(stderr, "execute_fuzz: no program runs, even without damage\n");
    return EXIT_FAILURE;
  }
  const char *missing = et_sites_missing_kind();
  if (missing != NULL) {
    fprintf(stderr, "execute_fuzz: none of the programs has kind %s\n",
            missing);
    return EXIT_FAILURE;
  }
  const bool is_clean =
      fuzz(originals, count, atof(argv[1]), strtoull(argv[2], NULL, 10));
  for (size_t i = 0; i < count; i++) {
    close_original(&originals[i]);
  }
  return is_clean ? EXIT_SUCCESS : EXIT_FAILURE;
}
