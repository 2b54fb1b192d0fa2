/* The part of the payload fuzzer that depends on the backend. */
#ifndef ET_TESTS_FUZZ_PAYLOADS_TARGET_H_
#define ET_TESTS_FUZZ_PAYLOADS_TARGET_H_

#include "backends/cpu/runtime/isa.h"
#include "tests/fuzz/payloads/delegate_run.h"

#define ET_TARGET_FIELDS 1024 /* maximum fields of one kind */

/* A payload under construction. The buffer has space for a few more words. */
typedef struct et_payload {
  uint8_t *bytes;
  size_t size;
  size_t capacity;
} et_payload;

/* A valid payload. */
typedef struct et_seed {
  size_t kind; /* its op, or another row in the report */
  et_span payload;
  et_run_data data[ET_RUN_DATA];
  size_t data_count;
  et_span contents[ET_RUN_ARGUMENTS]; /* contents of inputs; empty: random */
} et_seed;

typedef struct et_seeds {
  et_seed *items;
  size_t count;
  size_t capacity;
} et_seeds;

/* Appends a seed. The payload is copied, all other bytes are borrowed. */
void et_seeds_add(et_seeds *seeds, const et_seed *seed);

/* The changed field. */
typedef struct et_mutation {
  size_t kind;
  size_t field; /* below ET_TARGET_FIELDS, unique in the kind */
  char text[160];
} et_mutation;

typedef struct et_target {
  const char *name;
  const et_backend *backend;
  size_t alignment; /* alignment of payloads */
  size_t (*kind_count)(void);
  const char *(*kind_name)(
      size_t kind); /* NULL: the backend has no such kind */
  /* Appends seeds from the payloads in a file, which stays open. */
  void (*add_seeds)(et_span file, et_seeds *seeds);
  /* Changes exactly one field of the seed's payload, which it has copied to `payload`. */
  et_mutation (*mutate)(const et_seed *seed, et_random *random,
                        et_payload *payload);
  /* Sets parts and arguments as the payload declares them. */
  void (*describe)(const et_seed *seed, et_random *random, et_run *run);
} et_target;

extern const et_target et_fuzz_target;

/* Draws an instruction set for each instance, as option 0. Results on both are bit-identical. */
void et_draw_isas(et_random *random, et_run *run);

/* Returns an interesting value near `value`, or at the ends of low..high. */
int64_t et_near(et_random *random, int64_t value, int64_t low, int64_t high);

/* Returns the bits of an interesting float near the float with bits `word`. */
uint32_t et_near_float(et_random *random, uint32_t word);

#endif /* ET_TESTS_FUZZ_PAYLOADS_TARGET_H_ */
