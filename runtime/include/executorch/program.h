/* Open a .pte program and query its methods, without loading them. */
#ifndef EXECUTORCH_PROGRAM_H_
#define EXECUTORCH_PROGRAM_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/observer.h"
#include "executorch/span.h"
#include "executorch/status.h"
#include "executorch/tensor.h"
#include "executorch/value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A range of a source that is in memory. It starts at file offset `offset`. */
typedef struct et_extent {
  uint64_t offset;
  et_span bytes; /* not empty; address and offset are equal modulo 16 */
} et_extent;

/* The bytes of a file: extents in memory, and a function that reads the
 * rest. */
typedef struct et_data_source {
  const char *name;         /* for messages; not NULL */
  uint64_t size;            /* size of the file */
  const et_extent *extents; /* sorted by offset, without overlaps */
  size_t extent_count;
  /* Reads exactly `size` bytes at `offset` of the file into `out`. A status
   * other than OK ends the calling operation. May be NULL if the extents hold
   * the whole file. */
  et_status (*read)(void *context, uint64_t offset, size_t size, void *out,
                    et_error *error);
  void *context; /* passed to read */
} et_data_source;

/* An open program: a view of the caller's bytes.
 *
 * The struct may be copied. The fields are private to the runtime. */
typedef struct et_program {
  et_span file;                  /* first extent, or the whole file */
  et_span flatbuffer;            /* the part with the tables */
  const et_data_source *sources; /* NULL: `file` is the whole program */
  size_t source_count;
  /* Reads data from sources; NULL if not needed. */
  const struct et_reading *reading;
  const struct et_external *external; /* reads .ptd files; NULL without them */
  uint64_t segments_offset; /* start of the part with constants and payloads */
  uint64_t segments_size;
  uint32_t root; /* offset of the Program table in `flatbuffer` */
} et_program;

/* Bytes at the start of a file that determine its length, for readers that load
 * it in pieces. */
#define ET_PROGRAM_HEAD_BYTES 64

/* Required alignment of the file's first byte. Constants, which are 16-byte
 * aligned in the file, are then used in place. */
#define ET_PROGRAM_ALIGNMENT 16

/* Maximum number of planned buffers of a method. */
#define ET_MAX_PLANNED_BUFFERS 32

/* Verifies the structure of a program and opens it.
 *
 * The check covers all tables, vectors, strings, union tags, indices and
 * segments. It takes time linear in the size of the tables, and no memory.
 *
 * `file` is borrowed. It must not change while the program, or a method loaded
 * from it, is in use. INVALID_PROGRAM: an element is out of bounds or
 * inconsistent. INVALID_ARGUMENT: file.data is NULL or misaligned. */
et_status et_program_load(et_span file, et_program *out_program,
                          et_error *out_error);

/* Opens a program that is in several pieces, or whose weights are in .ptd
 * files.
 *
 * sources[0] is the .pte; the others are .ptd files, in any order. The first
 * extent of each source begins at offset 0 and contains all its tables.
 * Constants and payloads that are completely in one extent are used in place. A
 * method that needs other data gets memory for it
 * (et_method_requirements.data_bytes), and assembles or reads the data when it
 * is loaded.
 *
 * The structure of every file is verified here. Loading a method then checks
 * that the files contain its tensors, with matching dtypes and sizes.
 *
 * `sources` and the memory that it refers to are borrowed, like `file` of
 * et_program_load. INVALID_ARGUMENT: the message names the source with invalid
 * extents. INVALID_EXTERNAL_DATA: the message names the .ptd file that is
 * damaged or repeats a key of another file. */
et_status et_program_load_sources(const et_data_source *sources, size_t count,
                                  et_program *out_program, et_error *out_error);

/* Like et_program_load_sources, and reports the load to an observer. */
et_status et_program_load_observed(const et_data_source *sources, size_t count,
                                   const et_observer *observer,
                                   et_program *out_program,
                                   et_error *out_error);

/* Prefix of external data keys that contain a hash of the data.
 *
 * The key continues with 64 hexadecimal digits: the SHA-256 of a tensor's
 * layout and bytes (check_contents.c). Programs that the rules compile use such
 * keys, so files with other weights do not match. */
#define ET_CONTENT_KEY_PREFIX "sha256:"

/* Reads all external data whose key contains a hash, and compares the hashes.
 *
 * Call this function once if the files are not trusted. INVALID_EXTERNAL_DATA:
 * the message names the source and the key that do not match. */
et_status et_program_check_contents(const et_program *program,
                                    et_error *out_error);

size_t et_program_method_count(const et_program *program);

/* Returns the name of method `index`. INVALID_ARGUMENT: no such method. */
et_status et_program_method_name(const et_program *program, size_t index,
                                 et_string *out_name);

/* The inputs and outputs of a method, without loading it. Borrows the
 * program. */
typedef struct et_method_meta {
  const et_program *program;
  uint32_t plan; /* offset of the ExecutionPlan table */
} et_method_meta;

/* Finds a method by its NUL-terminated name. NOT_FOUND: the message lists the
 * methods. */
et_status et_program_method_meta(const et_program *program, const char *name,
                                 et_method_meta *out_meta, et_error *out_error);

/* An input or output. Arrays have `rank` entries. Unless stated otherwise,
 * fields apply to tensors only. */
typedef struct et_value_meta {
  et_value_tag tag;
  et_scalar_type dtype;
  uint8_t rank;
  uint8_t dynamism;           /* et_shape_dynamism */
  int32_t sizes[ET_MAX_RANK]; /* upper bounds if dynamic */
  uint8_t dim_order[ET_MAX_RANK];
  size_t nbytes;   /* for these sizes */
  bool is_planned; /* is in planned memory */
  /* Dimension d has min_sizes[d] + k * size_steps[d] elements, at most
   * sizes[d]. Fixed dimensions have a step of 0. Programs from other exporters
   * have no lower bounds. */
  int32_t min_sizes[ET_MAX_RANK];
  int32_t size_steps[ET_MAX_RANK];
  /* Range of an int input that is set for each call: min + k * step, at most
   * max. All other inputs have a step of 0; their values are compiled into the
   * program. */
  int64_t min;
  int64_t max;
  int64_t step;
} et_value_meta;

size_t et_method_meta_input_count(const et_method_meta *meta);
size_t et_method_meta_output_count(const et_method_meta *meta);
et_status et_method_meta_input(const et_method_meta *meta, size_t index,
                               et_value_meta *out_meta, et_error *out_error);
et_status et_method_meta_output(const et_method_meta *meta, size_t index,
                                et_value_meta *out_meta, et_error *out_error);

/* Number of planned buffers, and the size of each. Buffer `index` has memory id
 * index + 1 in the file. */
size_t et_method_meta_planned_count(const et_method_meta *meta);
et_status et_method_meta_planned_bytes(const et_method_meta *meta, size_t index,
                                       size_t *out_bytes, et_error *out_error);

/* Returns the conditions on sizes that each call checks, one per line, such as
 * "x.shape[0] % 4 == 0". Without conditions, the text is empty. It is valid as
 * long as the program. */
const char *et_method_meta_conditions(const et_method_meta *meta);

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_PROGRAM_H_ */
