/* Opening a .pte program and asking what it holds. Nothing here runs it. */
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

/* Bytes of a source that lie in memory, from `offset` on. */
typedef struct et_extent {
  uint64_t offset;
  et_span bytes; /* not empty; address and offset are equal modulo 16 */
} et_extent;

/* Where the bytes of a file come from: memory, all in one piece or in several, and a
 * function of the caller's for what lies in none of them. */
typedef struct et_data_source {
  const char *name;         /* in messages; not NULL */
  uint64_t size;            /* of the file */
  const et_extent *extents; /* by rising offset, none overlapping another */
  size_t extent_count;
  /* Reads exactly `size` bytes at `offset` of the file to `out`. Any status but OK
   * ends what was being done. NULL when the extents hold the whole file. */
  et_status (*read)(void *context, uint64_t offset, size_t size, void *out,
                    et_error *error);
  void *context; /* of read */
} et_data_source;

/* An open program: a view of the caller's bytes. Plain data, freely copied; to
 * be read by the runtime's own code only. */
typedef struct et_program {
  et_span file; /* its first extent: the whole file when that is one span */
  et_span flatbuffer;            /* the part that holds tables */
  const et_data_source *sources; /* NULL: `file` is all there is */
  size_t source_count;
  const struct et_reading *reading;   /* what reads data; NULL: none needs be */
  const struct et_external *external; /* what reads .ptd files; NULL: none */
  uint64_t
      segments_offset; /* the part that holds constant and delegate bytes */
  uint64_t segments_size;
  uint32_t root; /* offset of the Program table in `flatbuffer` */
} et_program;

/* Bytes of the file that tell its length, for readers that load in pieces. */
#define ET_PROGRAM_HEAD_BYTES 64

/* Alignment that the file's first byte must have, so that constants (aligned to
 * 16 in the file) can be used where they lie. */
#define ET_PROGRAM_ALIGNMENT 16

/* Planned buffers that a method may have at most. */
#define ET_MAX_PLANNED_BUFFERS 32

/* Verifies the structure of the whole program (tables, vectors, strings, union
 * tags, indices, segments) and opens it.
 *
 * `file` is borrowed: it must stay unchanged as long as the program and every
 * method loaded from it are used. INVALID_PROGRAM when anything in it is out of
 * bounds or inconsistent; INVALID_ARGUMENT when file.data is NULL or not
 * aligned. Takes time linear in the number of bytes of tables, no memory. */
et_status et_program_load(et_span file, et_program *out_program,
                          et_error *out_error);

/* The same for a file that does not lie in memory in one piece, or whose weights lie
 * in files of their own. sources[0] is the .pte, the others are .ptd files, in any
 * order: the first extent of each begins at 0 and holds all its tables. Constants
 * and payloads that lie whole in one extent are used where they are; a method that
 * needs others is given memory for them (et_method_requirements.data_bytes) and puts
 * them together or reads them when it is loaded.
 *
 * The structure of every file is verified; which tensors a method needs, and whether
 * the files have them with its dtypes and sizes, when the method is loaded.
 *
 * `sources` and all that they refer to are borrowed, as `file` is above.
 * INVALID_ARGUMENT names the source whose extents are not as they must be;
 * INVALID_EXTERNAL_DATA the .ptd that is damaged, or has a key of another one. */
et_status et_program_load_sources(const et_data_source *sources, size_t count,
                                  et_program *out_program, et_error *out_error);

/* The same, with an observer that is told of it. */
et_status et_program_load_observed(const et_data_source *sources, size_t count,
                                   const et_observer *observer,
                                   et_program *out_program,
                                   et_error *out_error);

/* What a key of external data begins with that says what its bytes are: 64 digits
 * follow, the SHA-256 of a tensor's layout and bytes (check_contents.c). Programs
 * that the rules compile have such keys, so files of other weights lack them. */
#define ET_CONTENT_KEY_PREFIX "sha256:"

/* Reads all external data whose key says what it is, and compares it: whoever does not
 * trust where the files come from calls this once. INVALID_EXTERNAL_DATA names the
 * source and the key that do not agree. */
et_status et_program_check_contents(const et_program *program,
                                    et_error *out_error);

/* Number of methods. */
size_t et_program_method_count(const et_program *program);

/* Name of method `index`; INVALID_ARGUMENT when there is none. */
et_status et_program_method_name(const et_program *program, size_t index,
                                 et_string *out_name);

/* What a method takes and gives, without loading it. Borrowed from the
 * program. */
typedef struct et_method_meta {
  const et_program *program;
  uint32_t plan; /* offset of the ExecutionPlan table */
} et_method_meta;

/* NOT_FOUND names the methods that exist. `name` ends with NUL. */
et_status et_program_method_meta(const et_program *program, const char *name,
                                 et_method_meta *out_meta, et_error *out_error);

/* One input or output. Arrays hold `rank` entries. Unless stated otherwise, a field
 * describes tensors only. */
typedef struct et_value_meta {
  et_value_tag tag;
  et_scalar_type dtype;
  uint8_t rank;
  uint8_t dynamism;           /* et_shape_dynamism */
  int32_t sizes[ET_MAX_RANK]; /* upper bounds where dynamic */
  uint8_t dim_order[ET_MAX_RANK];
  size_t nbytes;   /* at these sizes */
  bool is_planned; /* lies in planned memory */
  /* Dimension d has min_sizes[d] + k * size_steps[d] elements, at most sizes[d]. Steps of
   * 0 are of fixed dimensions. A program of another exporter states no lower bounds. */
  int32_t min_sizes[ET_MAX_RANK];
  int32_t size_steps[ET_MAX_RANK];
  /* Of an int that each call gives: min + k * step, at most max. The step of any other
   * input is 0: its value is compiled into the program. */
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

/* Number of planned buffers, and the bytes of each. Buffer `index` is memory id
 * index + 1 of the file. */
size_t et_method_meta_planned_count(const et_method_meta *meta);
et_status et_method_meta_planned_bytes(const et_method_meta *meta, size_t index,
                                       size_t *out_bytes, et_error *out_error);

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_PROGRAM_H_ */
