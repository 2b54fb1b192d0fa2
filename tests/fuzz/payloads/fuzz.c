#define _POSIX_C_SOURCE 200809L /* for clock_gettime */

/* Changes one field of a valid payload at a time, and runs the payload on its
 * backend.
 *
 *   cpu_payload_fuzz FILE ... TRIALS FIRST     for example a.pte b.pte 20000 0
 *   cpu_payload_fuzz FILE ... SECONDSs FIRST   for example a.pte b.pte 600s 0
 *
 * Seconds are CPU time. Trial i depends only on i and the files; to repeat it,
 * pass 1 for TRIALS and i for FIRST. With VERBOSE in the environment, each
 * trial is printed. For every kind of op, the files must contain a payload that
 * runs unchanged. */
#include <float.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "executorch/file_loader.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/payloads/target.h"

#define MAX_KINDS 128
#define MAX_FINDINGS 32
#define SPARE_BYTES 256 /* capacity for words that a change inserts */
#define SLOW_SECONDS 5.0

/* Maximum number of random inputs to try per payload; a valid payload can
 * reject some. */
#define MAX_TRIES 32

static const et_target *const target = &et_fuzz_target;

/* The results of one kind. */
typedef struct row {
  size_t seeds;
  size_t trials;
  size_t accepted; /* loaded */
  size_t completed;
  bool changed[ET_TARGET_FIELDS];
  bool passed[ET_TARGET_FIELDS]; /* a changed value was accepted */
} row;

static row rows[MAX_KINDS];
static size_t findings;
static double slowest;

/* The current trial, for reports of sanitizers. */
static unsigned long long current;
static et_mutation current_mutation;

/* Set by SIGINT and SIGTERM. The fuzzer then reports its results and ends. */
static volatile sig_atomic_t is_stopped;

static void stop(int number) {
  (void)number;
  is_stopped = 1;
}

void __sanitizer_set_death_callback(void (*callback)(void))
    __attribute__((weak));

static void print_current(void) {
  fprintf(stderr, "%s: trial %llu: %s: %s\n", target->name, current,
          target->kind_name(current_mutation.kind), current_mutation.text);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void et_seeds_add(et_seeds *seeds, const et_seed *seed) {
  uint8_t *bytes = malloc(seed->payload.size);
  if (seeds->count == seeds->capacity) {
    seeds->capacity = seeds->capacity == 0 ? 64 : 2 * seeds->capacity;
    seeds->items =
        realloc(seeds->items, seeds->capacity * sizeof *seeds->items);
  }
  if (seeds->items == NULL || bytes == NULL) {
    abort();
  }
  memcpy(bytes, seed->payload.data, seed->payload.size);
  seeds->items[seeds->count] = *seed;
  seeds->items[seeds->count++].payload.data = bytes;
}

static et_cpu_isa draw_isa(et_random *random) {
  et_cpu_isa isa = ET_CPU_PLAIN;
  do {
    isa = (et_cpu_isa)et_random_below(random, ET_CPU_ISA_COUNT);
  } while (!et_cpu_isa_available(isa));
  return isa;
}

/* The plain C code can be compiled without fused multiply-add, so its results
 * can differ. */
void et_draw_isas(et_random *random, et_run *run) {
  const et_cpu_isa first = draw_isa(random);
  et_cpu_isa second = first;
  while (first != ET_CPU_PLAIN) {
    second = draw_isa(random);
    if (second != ET_CPU_PLAIN) {
      break;
    }
  }
  run->options[0][0] = et_cpu_force_isa(first);
  run->options[1][0] = et_cpu_force_isa(second);
  run->option_count = 1;
}

int64_t et_near(et_random *random, int64_t value, int64_t low, int64_t high) {
  static const int64_t edges[] = {
      0,   1,   2,   3,   4,    5,     7,         8,         9,      15,
      16,  17,  31,  32,  33,   63,    64,        65,        -1,     -2,
      127, 128, 255, 256, 1024, 65536, INT32_MAX, INT32_MIN, 1 << 30};
  const int64_t ends[] = {low, high, low - 1, high + 1, low + 1, high - 1};
  switch (et_random_below(random, 8)) {
    case 0:
      return ends[et_random_below(random, 6)];
    case 1:
      return edges[et_random_below(random, sizeof edges / sizeof *edges)];
    case 2:
      return value + 1;
    case 3:
      return value - 1;
    case 4:
      return 2 * value;
    case 5:
      return value / 2;
    case 6:
      return low +
             (int64_t)(et_random_next(random) % (uint64_t)(high - low + 1));
    default:
      return low > INT32_MIN ? low + (int64_t)et_random_below(random, 12)
                             : (int64_t)et_random_below(random, 24) - 8;
  }
}

uint32_t et_near_float(et_random *random, uint32_t word) {
  const float edges[] = {
      0.0f,    -0.0f,    1.0f,    -1.0f,  0.5f,  NAN,    INFINITY, -INFINITY,
      FLT_MAX, -FLT_MAX, FLT_MIN, 1e-42f, 1e-6f, 255.0f, 1e9f,     3e38f};
  float value = 0;
  memcpy(&value, &word, sizeof value);
  switch (et_random_below(random, 4)) {
    case 0:
      value = -value;
      break;
    case 1:
      value *= 1.0f + (float)et_random_below(random, 32) / 8;
      break;
    default:
      value = edges[et_random_below(random, sizeof edges / sizeof *edges)];
      break;
  }
  memcpy(&word, &value, sizeof word);
  return word;
}

static et_run describe(const et_seed *seed, et_span payload,
                       et_random *random) {
  et_run run = {.backend = target->backend,
                .payload = payload,
                .alignment = target->alignment,
                .data = seed->data,
                .data_count = seed->data_count};
  target->describe(seed, random, &run);
  return run;
}

/* Returns true if the unchanged payload completes a call. */
static bool runs(const et_seed *seed) {
  for (unsigned i = 0; i < MAX_TRIES; i++) {
    et_random random = et_random_seeded(i);
    const et_run run = describe(seed, seed->payload, &random);
    const et_run_result result = et_run_delegate(&run, &random);
    if (result.is_leak || result.is_overrun) {
      printf("%s: an unchanged payload of kind %s %s\n", target->name,
             target->kind_name(seed->kind),
             result.is_leak ? "depends on the contents of memory"
                            : "writes outside its memory");
      findings++;
    }
    if (result.end == ET_RUN_COMPLETED) {
      return true;
    }
    if (i + 1 == MAX_TRIES && getenv("VERBOSE") != NULL) {
      printf("dropped %s: end %d: %s\n", target->kind_name(seed->kind),
             (int)result.end, result.error.message);
    }
  }
  return false;
}

static bool same_payload(const et_seed *a, const et_seed *b) {
  return a->payload.size == b->payload.size &&
         memcmp(a->payload.data, b->payload.data, a->payload.size) == 0;
}

/* Removes seeds that do not run. Consecutive seeds can have the same payload. */
static void remove_others(et_seeds *seeds) {
  size_t kept = 0;
  for (size_t i = 0; i < seeds->count; i++) {
    et_seed *seed = &seeds->items[i];
    if ((kept > 0 && same_payload(seed, &seeds->items[kept - 1])) ||
        runs(seed)) {
      seeds->items[kept++] = *seed;
    } else {
      free((void *)(uintptr_t)seed->payload.data);
    }
  }
  seeds->count = kept;
}

static const et_seed *draw(const et_seeds *seeds, et_random *random) {
  size_t kind = 0;
  do {
    kind = et_random_below(random, target->kind_count());
  } while (rows[kind].seeds == 0);
  size_t rest = et_random_below(random, rows[kind].seeds);
  for (size_t i = 0; i < seeds->count; i++) {
    if (seeds->items[i].kind == kind && rest-- == 0) {
      return &seeds->items[i];
    }
  }
  return NULL;
}

static void save(et_span payload) {
  const char *folder = getenv("TEST_UNDECLARED_OUTPUTS_DIR");
  char path[4096];
  snprintf(path, sizeof path, "%s/finding_%zu", folder != NULL ? folder : ".",
           findings);
  FILE *file = findings < MAX_FINDINGS ? fopen(path, "wb") : NULL;
  if (file != NULL) {
    fwrite(payload.data, 1, payload.size, file);
    fclose(file);
  }
}

static void count(const et_run_result *result, et_span payload) {
  row *r = &rows[current_mutation.kind];
  r->trials++;
  r->changed[current_mutation.field] = true;
  if (result->end != ET_RUN_REFUSED) {
    r->accepted++;
    r->passed[current_mutation.field] = true;
  }
  r->completed += result->end == ET_RUN_COMPLETED;
  if (result->is_leak || result->is_overrun) {
    save(payload);
    findings++;
    printf("%s\n", result->is_leak ? "results depend on the contents of memory"
                                   : "memory around a region is written");
    print_current();
  }
}

static void try_once(const et_seeds *seeds, unsigned long long number) {
  et_random random = et_random_seeded(number);
  const et_seed *seed = draw(seeds, &random);
  const double start = now();
  et_payload payload = {.size = seed->payload.size,
                        .capacity = seed->payload.size + SPARE_BYTES};
  payload.bytes = malloc(payload.capacity);
  if (payload.bytes == NULL) {
    abort();
  }
  memcpy(payload.bytes, seed->payload.data, payload.size);
  current = number;
  current_mutation = target->mutate(seed, &random, &payload);
  const et_span bytes = {payload.bytes, payload.size};
  const et_run run = describe(seed, bytes, &random);
  const et_run_result result = et_run_delegate(&run, &random);
  count(&result, bytes);
  if (getenv("VERBOSE") != NULL) {
    print_current();
    fprintf(stderr, "  end %d: %s\n", (int)result.end, result.error.message);
  }
  const double seconds = now() - start;
  slowest = seconds > slowest ? seconds : slowest;
  if (seconds > SLOW_SECONDS) {
    printf("%.1f s of CPU time\n", seconds);
    print_current();
    save(bytes);
    findings++;
  }
  free(payload.bytes);
}

static size_t set_in(const bool *fields) {
  size_t total = 0;
  for (size_t i = 0; i < ET_TARGET_FIELDS; i++) {
    total += fields[i];
  }
  return total;
}

static void report(void) {
  row all = {.seeds = 0};
  printf("%-28s %6s %8s %8s %9s %7s %8s\n", "kind", "seeds", "trials",
         "accepted", "completed", "fields", "accepted");
  for (size_t i = 0; i < target->kind_count(); i++) {
    const row *r = &rows[i];
    if (target->kind_name(i) == NULL) {
      continue;
    }
    printf("%-28s %6zu %8zu %8zu %9zu %7zu %8zu\n", target->kind_name(i),
           r->seeds, r->trials, r->accepted, r->completed, set_in(r->changed),
           set_in(r->passed));
    all.seeds += r->seeds;
    all.trials += r->trials;
    all.accepted += r->accepted;
    all.completed += r->completed;
  }
  printf(
      "%zu seeds, %zu trials: %zu refused, %zu accepted, %zu of them "
      "completed; slowest %.2f s; %zu findings; %.0f s of CPU time\n",
      all.seeds, all.trials, all.trials - all.accepted, all.accepted,
      all.completed, slowest, findings, now());
}

/* Opens the files and returns their seeds that run. Exits if a kind has none. */
static et_seeds read_seeds(char **paths, int path_count) {
  et_seeds seeds = {.items = NULL};
  for (int i = 0; i < path_count; i++) {
    et_file file;
    if (et_file_open(paths[i], &file, NULL) != ET_STATUS_OK) {
      fprintf(stderr, "%s: %s: cannot be read\n", target->name, paths[i]);
      exit(EXIT_FAILURE);
    }
    target->add_seeds(file.bytes, &seeds);
  }
  remove_others(&seeds);
  for (size_t i = 0; i < seeds.count; i++) {
    rows[seeds.items[i].kind].seeds++;
  }
  bool is_complete = true;
  for (size_t i = 0; i < target->kind_count(); i++) {
    if (target->kind_name(i) != NULL && rows[i].seeds == 0) {
      fprintf(stderr, "%s: no file contains a payload of kind %s that runs\n",
              target->name, target->kind_name(i));
      is_complete = false;
    }
  }
  if (!is_complete) {
    exit(EXIT_FAILURE);
  }
  return seeds;
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: %s FILE ... TRIALS|SECONDSs FIRST\n", target->name);
    return 2;
  }
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* findings appear at once */
  if (__sanitizer_set_death_callback != NULL) {
    __sanitizer_set_death_callback(print_current);
  }
  signal(SIGINT, stop);
  signal(SIGTERM, stop);
  const et_seeds seeds = read_seeds(argv + 1, argc - 3);
  const char *length = argv[argc - 2];
  const bool is_timed = strchr(length, 's') != NULL;
  const double limit = atof(length);
  const double start = now();
  const unsigned long long first = strtoull(argv[argc - 1], NULL, 10);
  for (unsigned long long i = 0;
       !is_stopped && (is_timed ? now() - start < limit : (double)i < limit);
       i++) {
    try_once(&seeds, first + i);
  }
  report();
  for (size_t i = 0; i < seeds.count; i++) {
    free((void *)(uintptr_t)seeds.items[i].payload.data);
  }
  free(seeds.items);
  return findings == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
