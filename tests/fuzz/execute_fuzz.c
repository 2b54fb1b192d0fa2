#define _POSIX_C_SOURCE 200809L /* posix_memalign, clock_gettime */

/* execute_fuzz: damages programs, loads and runs them with the real kernels.
 * cpu_fuzz: damages payloads of the CPU backend, and runs them on it.
 *
 *   execute_fuzz SECONDS SEED PROGRAM.pte ...
 *
 * Whatever is damaged, a program is refused or runs, without a bad access:
 * build it with the sanitizers. The same seed tries the same programs in the
 * same order. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "executorch/file_loader.h"
#include "tests/fuzz/damage.h"
#include "tests/fuzz/trial.h"

#define MOST_PROGRAMS 128

/* A valid program that runs. */
typedef struct original {
  const char *path;
  et_file file;
  et_site *sites;
  size_t site_count;
} original;

static bool is_program(const char *path) {
  const size_t size = strlen(path);
  return size > 4 && strcmp(path + size - 4, ".pte") == 0;
}

/* Programs for other backends cannot be run here; they are left out. */
static bool open_original(const char *path, original *out) {
  et_random random = et_random_seeded(0);
  et_trials trials = {0};
  if (!is_program(path) ||
      et_file_open(path, &out->file, NULL) != ET_STATUS_OK) {
    return false;
  }
  et_try_program(out->file.bytes, &random, &trials);
  if (trials.completed == 0) {
    et_file_close(&out->file);
    return false;
  }
  out->path = path;
  out->sites = et_sites_of(out->file.bytes, &out->site_count);
  return true;
}

static void try_damaged(const original *chosen, et_random *random,
                        et_trials *trials) {
  const et_span bytes = chosen->file.bytes;
  void *copy = NULL;
  if (posix_memalign(&copy, 64, bytes.size) != 0) {
    abort();
  }
  memcpy(copy, bytes.data, bytes.size);
  et_damage(random, chosen->sites, chosen->site_count,
            (et_mutable_span){copy, bytes.size});
  et_try_program((et_span){copy, bytes.size}, random, trials);
  free(copy);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void fuzz(const original *originals, size_t count, double seconds,
                 uint64_t seed) {
  et_random random = et_random_seeded(seed);
  et_trials trials = {0};
  const double end = now() + seconds;
  while (now() < end) {
    try_damaged(&originals[et_random_below(&random, count)], &random, &trials);
  }
  printf(
      "%zu originals, %zu damaged programs, %zu methods loaded; executions: "
      "%zu "
      "completed, %zu refused, %zu stopped\n",
      count, trials.programs, trials.loaded, trials.completed, trials.refused,
      trials.stopped);
}

int main(int argc, char **argv) {
  static original originals[MOST_PROGRAMS];
  size_t count = 0;
  if (argc < 4) {
    fprintf(stderr, "usage: execute_fuzz SECONDS SEED PROGRAM.pte ...\n");
    return 2;
  }
  for (int i = 3; i < argc && count < MOST_PROGRAMS; i++) {
    count += open_original(argv[i], &originals[count]) ? 1 : 0;
  }
  if (count == 0) {
    fprintf(stderr, "execute_fuzz: none of the programs runs undamaged\n");
    return EXIT_FAILURE;
  }
  fuzz(originals, count, atof(argv[1]), strtoull(argv[2], NULL, 10));
  for (size_t i = 0; i < count; i++) {
    free(originals[i].sites);
    et_file_close(&originals[i].file);
  }
  return EXIT_SUCCESS;
}
