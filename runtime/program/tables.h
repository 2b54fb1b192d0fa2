/* Finding one's way in a program: its plans, segments and payloads.
 *
 * To be used on programs whose structure is verified; on others every lookup is
 * still safe and finds nothing. */
#ifndef ET_RUNTIME_PROGRAM_TABLES_H_
#define ET_RUNTIME_PROGRAM_TABLES_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/program.h"
#include "runtime/program/flatbuffer.h"
#include "runtime/program/source.h"

/* The Program table. */
et_fb_table et_tables_root(const et_program *program);

/* A vector of tables in the Program table. */
et_fb_vector et_tables_of_program(const et_program *program, uint16_t field);

/* ExecutionPlan `index`; the absent table past the end. */
et_fb_table et_tables_plan(const et_program *program, uint32_t index);

/* A vector of tables, or of 32-bit indices, in a table. */
et_fb_vector et_tables_vector(et_fb_table table, uint16_t field);

/* How many elements that has. */
uint32_t et_tables_count(et_fb_table table, uint16_t field);

/* EValue `index` of a plan's values: its tag, et_value_tag, and the table that holds what
 * it is. 0, and the absent table, past the end. */
uint8_t et_tables_value(et_fb_vector values, uint32_t index,
                        et_fb_table *out_held);

/* The segments of a file: a vector of DataSegment, and where they lie. */
typedef struct et_segments {
  et_fb_vector table;
  uint64_t offset; /* of the first, as et_piece counts */
  uint64_t size;   /* of all of them */
} et_segments;

et_segments et_tables_segments(const et_program *program);

/* Where segment `index` lies. False when there is none or it does not lie in the
 * file. */
bool et_segments_find(const et_segments *segments, uint32_t index,
                      et_piece *out);
bool et_tables_segment(const et_program *program, uint32_t index,
                       et_piece *out);

/* `nbytes` of entry `index` of a SubsegmentOffsets table. False when index is 0
 * (reserved), past the end, or the bytes do not lie in the segment. */
bool et_tables_subsegment(const et_program *program, et_fb_table subsegments,
                          uint32_t index, size_t nbytes, et_piece *out);

/* The payload of a BackendDelegate, inline or in a segment. */
bool et_tables_payload(const et_program *program, et_fb_table delegate,
                       et_piece *out);

/* The entry of a vector of NamedData that has `key`. False when there is none. */
bool et_named_data_find(et_fb_vector named, et_string key, et_fb_table *out);

/* Orders keys by length, then by bytes, as writers leave them. */
int et_string_compare(et_string a, et_string b);

/* The program's own named data under `key`. False when there is none. */
bool et_tables_named_data(const et_program *program, et_string key,
                          et_piece *out);

/* Buffer sizes: planned buffer `index` is memory id index + 1. */
uint32_t et_tables_planned_count(et_fb_table plan);
int64_t et_tables_planned_bytes(et_fb_table plan, uint32_t index);

#endif /* ET_RUNTIME_PROGRAM_TABLES_H_ */
