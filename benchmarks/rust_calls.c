/* The C side of rust_calls.rs: the same call of the same model. */
#define _POSIX_C_SOURCE 200809L
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "runtime/size/add_cc.h"

static add_forward_memory memory;
static add_forward_method method;

/* Nanoseconds of CPU time of this thread. */
uint64_t rust_calls_cpu_time(void) {
  struct timespec now = {0};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Loads the model. Returns 0, or a status. */
int rust_calls_load(void) {
  return (int)add_forward_load(&memory, NULL, &method, NULL);
}

/* Calls the model, and returns the first element of its output, or -1 on failure. */
float rust_calls_add(const float *a, const float *b) {
  const float *result = NULL;
  et_error error;
  if (add_forward_set_input_0(method, a, &error) != ET_STATUS_OK ||
      add_forward_set_input_1(method, b, &error) != ET_STATUS_OK ||
      add_forward_execute(method, &error) != ET_STATUS_OK ||
      add_forward_get_output_0(method, &result, &error) != ET_STATUS_OK) {
    return -1;
  }
  return result[0];
}
