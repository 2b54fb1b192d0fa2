/* Runs the payload of one delegate on its backend, between inaccessible pages. */
#ifndef ET_TESTS_FUZZ_PAYLOADS_DELEGATE_RUN_H_
#define ET_TESTS_FUZZ_PAYLOADS_DELEGATE_RUN_H_

#include "executorch/backend.h"
#include "executorch/random.h"

#define ET_RUN_ARGUMENTS 64
#define ET_RUN_CALLS 2
#define ET_RUN_DATA 64
#define ET_RUN_OPTIONS 2

typedef enum et_run_role {
  ET_RUN_INPUT,
  ET_RUN_STATE, /* an input that the call updates */
  ET_RUN_OUTPUT
} et_run_role;

/* An argument of the calls. */
typedef struct et_run_argument {
  et_run_role role;
  bool is_int;
  int64_t integers[ET_RUN_CALLS];
  et_scalar_type dtype;
  uint8_t rank;
  uint8_t dim_order[ET_MAX_RANK];
  int32_t sizes[ET_RUN_CALLS][ET_MAX_RANK]; /* largest in the first call */
  et_span content; /* content of an input, repeated; empty: random */
} et_run_argument;

/* Named data of a program. */
typedef struct et_run_data {
  et_string key;
  et_span bytes;
} et_run_data;

/* A payload with its data, options and arguments. */
typedef struct et_run {
  const et_backend *backend;
  const et_backend_part *const *parts;
  size_t part_count;
  et_span payload;
  size_t alignment; /* alignment of the payload */
  const et_run_data *data;
  size_t data_count;
  et_backend_option options[2][ET_RUN_OPTIONS]; /* options by instance */
  size_t option_count;
  et_run_argument arguments[ET_RUN_ARGUMENTS];
  size_t argument_count;
} et_run;

typedef enum et_run_end {
  ET_RUN_REFUSED,   /* rejected when it was loaded */
  ET_RUN_TOO_LARGE, /* accepted, but it needs more memory than the tests have */
  ET_RUN_CALL_REFUSED, /* accepted, but no call completed */
  ET_RUN_COMPLETED     /* at least one call completed */
} et_run_end;

typedef struct et_run_result {
  et_run_end end;
  bool is_leak;    /* results depend on the contents of memory, or on threads */
  bool is_overrun; /* memory around a region was written */
  et_error error;  /* error of a rejected payload or call */
} et_run_result;

/* Loads the payload twice, in memory with different contents, and calls both instances with the
 * same inputs. The second instance has three threads. Each region of memory, argument and piece
 * of data is a block that ends at an inaccessible page. Inputs and data are read-only. */
et_run_result et_run_delegate(const et_run *run, et_random *random);

#endif /* ET_TESTS_FUZZ_PAYLOADS_DELEGATE_RUN_H_ */
