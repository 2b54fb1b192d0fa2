/* Files of the drivers in C and C++: calls to run, and their outputs.
 *
 * calls.py describes the format. A driver stops at the first error. */
#ifndef ET_TESTS_LANGUAGES_DRIVER_H_
#define ET_TESTS_LANGUAGES_DRIVER_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executorch/file_loader.h"
#include "executorch/status.h"
#include "executorch/tensor.h"

typedef struct driver {
  FILE *calls;
  FILE *outputs;
  et_file program; /* only of a model that borrows its files */
  et_file weights;
} driver;

/* An argument of a call. An integer is 8 bytes. */
typedef struct driver_input {
  int32_t sizes[ET_MAX_RANK];
  size_t bytes;
  void *data; /* aligned for all elements; freed by the caller */
} driver_input;

static inline void driver_stop(const char *text) {
  fprintf(stderr, "%s\n", text);
  exit(1);
}

static inline void driver_check(et_status status, const et_error *error) {
  if (status != ET_STATUS_OK) {
    driver_stop(error->message);
  }
}

/* Reads the index of the method of the next call. Returns false at the end. */
static inline bool driver_next_call(driver *io, uint32_t *out_method) {
  return fread(out_method, sizeof *out_method, 1, io->calls) == 1;
}

static inline void driver_read_bytes(driver *io, void *bytes, size_t count) {
  if (fread(bytes, 1, count, io->calls) != count) {
    driver_stop("the calls are truncated");
  }
}

static inline driver_input driver_read(driver *io) {
  driver_input input;
  uint32_t rank = 0;
  uint64_t bytes = 0;
  driver_read_bytes(io, &rank, sizeof rank);
  if (rank > ET_MAX_RANK) {
    driver_stop("an argument has too many dimensions");
  }
  driver_read_bytes(io, input.sizes, rank * sizeof input.sizes[0]);
  driver_read_bytes(io, &bytes, sizeof bytes);
  input.bytes = (size_t)bytes;
  input.data = malloc(input.bytes + 1);
  if (input.data == NULL) {
    driver_stop("the heap has no memory for an argument");
  }
  driver_read_bytes(io, input.data, input.bytes);
  return input;
}

static inline int64_t driver_read_int(driver *io) {
  driver_input input = driver_read(io);
  int64_t value = 0;
  memcpy(&value, input.data, sizeof value);
  free(input.data);
  return value;
}

static inline void driver_write(driver *io, uint32_t rank, const int32_t *sizes,
                                const void *data, size_t bytes) {
  const uint64_t count = bytes;
  fwrite(&rank, sizeof rank, 1, io->outputs);
  fwrite(sizes, sizeof *sizes, rank, io->outputs);
  fwrite(&count, sizeof count, 1, io->outputs);
  fwrite(data, 1, bytes, io->outputs);
}

/* Opens the files of `driver MODEL CALLS OUTPUTS [PROGRAM WEIGHTS]`. */
static inline driver driver_open(int argc, char **argv) {
  driver io;
  et_error error = ET_ERROR_INIT;
  memset(&io, 0, sizeof io);
  if (argc != 4 && argc != 6) {
    driver_stop("usage: driver MODEL CALLS OUTPUTS [PROGRAM WEIGHTS]");
  }
  io.calls = fopen(argv[2], "rb");
  io.outputs = fopen(argv[3], "wb");
  if (io.calls == NULL || io.outputs == NULL) {
    driver_stop("a file of the driver cannot be opened");
  }
  if (argc == 6) {
    driver_check(et_file_open(argv[4], &io.program, &error), &error);
    driver_check(et_file_open(argv[5], &io.weights, &error), &error);
  }
  return io;
}

static inline int driver_close(driver *io) {
  const bool failed = ferror(io->outputs) != 0;
  return fclose(io->outputs) != 0 || failed;
}

#endif /* ET_TESTS_LANGUAGES_DRIVER_H_ */
