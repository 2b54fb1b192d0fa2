#include "runtime/program/tables.h"

#include <string.h>

#include "executorch/checked.h"
#include "runtime/core/limits.h"
#include "runtime/program/schema.h"

et_fb_table et_tables_root(const et_program *program) {
  return et_fb_table_at(program->flatbuffer, program->root);
}

et_fb_vector et_tables_vector(et_fb_table table, uint16_t field) {
  return et_fb_list(table, field);
}

uint32_t et_tables_count(et_fb_table table, uint16_t field) {
  return et_fb_count(et_fb_list(table, field));
}

et_fb_vector et_tables_of_program(const et_program *program, uint16_t field) {
  const et_fb_table root = et_tables_root(program);
  return et_tables_vector(root, field);
}

et_fb_table et_tables_plan(const et_program *program, uint32_t index) {
  const et_fb_vector plans =
      et_tables_of_program(program, ET_PROGRAM_EXECUTION_PLAN);
  return et_fb_child_at(plans, index);
}

uint8_t et_tables_value(et_fb_vector values, uint32_t index,
                        et_fb_table *out_held) {
  const et_fb_table value = et_fb_child_at(values, index);
  const uint8_t tag = et_fb_u8(value, ET_EVALUE_TAG);
  /* The table of None has no known fields, and is not verified. */
  *out_held = tag == ET_VALUE_NONE ? ET_FB_ABSENT_TABLE
                                   : et_fb_child(value, ET_EVALUE_VALUE);
  return tag;
}

et_segments et_tables_segments(const et_program *program) {
  const et_segments segments = {
      et_tables_of_program(program, ET_PROGRAM_SEGMENTS),
      program->segments_offset,
      program->segments_size,
  };
  return segments;
}

bool et_segments_find(const et_segments *segments, uint32_t index,
                      et_piece *out) {
  if (index >= et_fb_count(segments->table)) {
    return false;
  }
  const et_fb_table segment = et_fb_child_at(segments->table, index);
  const uint64_t offset = et_fb_u64(segment, ET_SEGMENT_OFFSET);
  const uint64_t size = et_fb_u64(segment, ET_SEGMENT_SIZE);
  if (!et_range_in(offset, size, segments->size) || size > SIZE_MAX) {
    return false;
  }
  out->offset = segments->offset + offset;
  out->size = (size_t)size;
  return true;
}

bool et_tables_segment(const et_program *program, uint32_t index,
                       et_piece *out) {
  const et_segments segments = et_tables_segments(program);
  return et_segments_find(&segments, index, out);
}

bool et_tables_subsegment(const et_program *program, et_fb_table subsegments,
                          uint32_t index, size_t nbytes, et_piece *out) {
  const et_fb_vector offsets = et_fb_list(subsegments, ET_SUBSEGMENT_OFFSETS);
  et_piece segment;
  if (index == 0 || index >= et_fb_count(offsets) ||
      !et_tables_segment(program, et_fb_u32(subsegments, ET_SUBSEGMENT_INDEX),
                         &segment)) {
    return false;
  }
  const uint64_t offset = et_fb_u64_at(offsets, index);
  if (!et_range_in(offset, nbytes, segment.size)) {
    return false;
  }
  out->offset = segment.offset + offset;
  out->size = nbytes;
  return true;
}

static bool inline_payload(const et_program *program, uint32_t index,
                           et_piece *out) {
  const et_fb_vector payloads =
      et_tables_of_program(program, ET_PROGRAM_DELEGATE_DATA);
  const et_fb_vector bytes =
      et_fb_list(et_fb_child_at(payloads, index), ET_SINGLE_FIELD);
  out->size = et_fb_count(bytes);
  out->offset = out->size != 0
                    ? et_fb_position(program->flatbuffer, et_fb_first(bytes))
                    : 0;
  return index < et_fb_count(payloads);
}

bool et_tables_payload(const et_program *program, et_fb_table delegate,
                       et_piece *out) {
  const et_fb_table processed = et_fb_child(delegate, ET_DELEGATE_PROCESSED);
  const uint32_t index = et_fb_u32(processed, ET_PROCESSED_INDEX);
  switch (et_fb_i8(processed, ET_PROCESSED_LOCATION)) {
    case ET_LOCATION_INLINE:
      return inline_payload(program, index, out);
    case ET_LOCATION_SEGMENT:
      return et_tables_segment(program, index, out);
    default:
      return false;
  }
}

int et_string_compare(et_string a, et_string b) {
  if (a.size != b.size) {
    return (a.size > b.size) - (a.size < b.size);
  }
  return a.size != 0 ? memcmp(a.data, b.data, a.size) : 0;
}

static int compare_entry(et_fb_vector named, uint32_t index, et_string key,
                         et_fb_table *out) {
  *out = et_fb_child_at(named, index);
  return et_string_compare(et_fb_text(*out, ET_NAMED_DATA_KEY), key);
}

/* Binary search in sorted entries. */
static bool find_ordered(et_fb_vector named, et_string key, et_fb_table *out) {
  uint32_t low = 0;
  uint32_t high = et_fb_count(named);
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    const int compared = compare_entry(named, middle, key, out);
    if (compared == 0) {
      return true;
    }
    if (compared < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return false;
}

/* Unsorted entries are few: et_verify_distinct limits them. */
bool et_named_data_find(et_fb_vector named, et_string key, et_fb_table *out) {
  if (find_ordered(named, key, out)) {
    return true;
  }
  for (uint32_t i = 0;
       i < et_fb_count(named) && et_fb_count(named) <= ET_LIMIT_UNSORTED; i++) {
    if (compare_entry(named, i, key, out) == 0) {
      return true;
    }
  }
  return false;
}

bool et_tables_named_data(const et_program *program, et_string key,
                          et_piece *out) {
  const et_fb_vector named =
      et_tables_of_program(program, ET_PROGRAM_NAMED_DATA);
  et_fb_table entry;
  return et_named_data_find(named, key, &entry) &&
         et_tables_segment(program, et_fb_u32(entry, ET_NAMED_DATA_SEGMENT),
                           out);
}

/* Entry 0 of the sizes is reserved. */
uint32_t et_tables_planned_count(et_fb_table plan) {
  const et_fb_vector sizes = et_fb_list(plan, ET_PLAN_BUFFER_SIZES);
  return et_fb_count(sizes) != 0 ? et_fb_count(sizes) - 1 : 0;
}

int64_t et_tables_planned_bytes(et_fb_table plan, uint32_t index) {
  const et_fb_vector sizes = et_fb_list(plan, ET_PLAN_BUFFER_SIZES);
  return et_fb_i64_at(sizes, index + 1);
}
