/* Finds plans, segments and payloads in a program.
 *
 * Use them only on programs with a verified structure. On other programs,
 * look-ups are safe but find nothing. */
#ifndef ET_RUNTIME_PROGRAM_TABLES_H_
#define ET_RUNTIME_PROGRAM_TABLES_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/program.h"
#include "runtime/program/flatbuffer.h"
#include "runtime/program/source.h"

/* Returns the Program table. */
et_fb_table et_tables_root(const et_program *program);

/* Returns a vector of tables in the Program table. */
et_fb_vector et_tables_of_program(const et_program *program, uint16_t field);

/* Returns ExecutionPlan `index`, or the absent table beyond the end. */
et_fb_table et_tables_plan(const et_program *program, uint32_t index);

/* Returns a vector of tables or 32-bit indices. */
et_fb_vector et_tables_vector(et_fb_table table, uint16_t field);

/* Returns the number of elements of that vector. */
uint32_t et_tables_count(et_fb_table table, uint16_t field);

/* Returns the tag (et_value_tag) of EValue `index` and the table of its value.
 * Beyond the end: 0 and the absent table. */
uint8_t et_tables_value(et_fb_vector values, uint32_t index,
                        et_fb_table *out_held);

/* The segments of a file. */
typedef struct et_segments {
  et_fb_vector table;
  uint64_t offset; /* start of segment 0 in the program's address space */
  uint64_t size;   /* total size of all segments */
} et_segments;

et_segments et_tables_segments(const et_program *program);

/* Finds segment `index`. Returns false if it does not exist or is out of
 * bounds. */
bool et_segments_find(const et_segments *segments, uint32_t index,
                      et_piece *out);
bool et_tables_segment(const et_program *program, uint32_t index,
                       et_piece *out);

/* Finds `nbytes` of entry `index` of a SubsegmentOffsets table. Returns false
 * if index is 0 (reserved) or beyond the end, or if the bytes exceed the
 * segment. */
bool et_tables_subsegment(const et_program *program, et_fb_table subsegments,
                          uint32_t index, size_t nbytes, et_piece *out);

/* Finds the payload of a BackendDelegate, which is inline or in a segment. */
bool et_tables_payload(const et_program *program, et_fb_table delegate,
                       et_piece *out);

/* Finds the NamedData entry for `key`. Returns false if it is missing. */
bool et_named_data_find(et_fb_vector named, et_string key, et_fb_table *out);

/* Compares keys by length, then by bytes: the order of exported files. */
int et_string_compare(et_string a, et_string b);

/* Finds the program's own named data for `key`. Returns false if it is
 * missing. */
bool et_tables_named_data(const et_program *program, et_string key,
                          et_piece *out);

/* Sizes of planned buffers. Buffer `index` has memory id index + 1. */
uint32_t et_tables_planned_count(et_fb_table plan);
int64_t et_tables_planned_bytes(et_fb_table plan, uint32_t index);

#endif /* ET_RUNTIME_PROGRAM_TABLES_H_ */
