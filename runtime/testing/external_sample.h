/* A program with its external data files (.ptd), for tests that change copies
 * of the files. */
#ifndef ET_RUNTIME_TESTING_EXTERNAL_SAMPLE_H_
#define ET_RUNTIME_TESTING_EXTERNAL_SAMPLE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/hosted_method.h"
#include "executorch/status.h"
#include "runtime/testing/program_test_support.h"

/* Source 0 is the program, source 1 its data file, source 2 an optional other
 * data file. Each source has one extent, which holds the whole file. */
typedef struct et_external_sample {
  uint8_t *bytes[3];
  size_t sizes[3];
  et_extent extents[3];
  et_data_source sources[3];
  et_program program;
  et_hosted_method hosted;
  size_t reads;
  et_error error;
} et_external_sample;

/* The kernels of ptd_mlp. They compute nothing. */
extern const et_kernel_table et_external_kernels;

/* Open fixtures; release them with et_external_close. */
void et_external_open(et_external_sample *s, const char *program,
                      const char *data);
void et_external_open_mlp(et_external_sample *s);

/* Adds a data file before or after the one that the sample has. */
void et_external_add_file(et_external_sample *s, const char *data,
                          bool is_first);

/* Frees the method and the files. */
void et_external_close(et_external_sample *s);

/* Load the first `count` sources: the program, or also its method. */
et_status et_external_load_program(et_external_sample *s, size_t count);
et_status et_external_load(et_external_sample *s, size_t count);

/* Asserts the status and the message of a load, and closes the sample. */
void et_external_expect(et_external_sample *s, et_status status,
                        et_status expected, const char *message);

/* Returns the segments of source 1, found through its header. */
const uint8_t *et_external_segments(const et_external_sample *s);

/* Reads source 1 and counts the call. `context` is the sample. */
et_status et_external_read(void *context, uint64_t offset, size_t size,
                           void *out, et_error *error);

/* Keeps only the tables of source 1 in memory; its segments are read. */
void et_external_read_segments(et_external_sample *s);

#endif /* ET_RUNTIME_TESTING_EXTERNAL_SAMPLE_H_ */
