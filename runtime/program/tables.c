#include "runtime/program/tables.h"

#include <string.h>

#include "executorch/checked.h"
#include "runtime/program/schema.h"

et_fb_table et_tables_root(const et_program *program) {
  et_fb_table root;
  et_fb_table_at(program->flatbuffer, program->root, &root);
  return root;
}

et_fb_vector et_tables_vector(const et_fb_table *table, uint16_t field) {
  return et_fb_list(table, field, sizeof(uint32_t));
}

et_fb_table et_tables_plan(const et_program *program, uint32_t index) {
  const et_fb_table root = et_tables_root(program);
  const et_fb_vector plans = et_tables_vector(&root, ET_PROGRAM_EXECUTION_PLAN);
  return et_fb_child_at(&plans, index);
}

bool et_tables_segment(const et_program *program, uint32_t index,
                       et_piece *out) {
  const et_fb_table root = et_tables_root(program);
  const et_fb_vector segments = et_tables_vector(&root, ET_PROGRAM_SEGMENTS);
  if (index >= segments.count) {
    return false;
  }
  const et_fb_table segment = et_fb_child_at(&segments, index);
  const uint64_t offset = et_fb_u64(&segment, ET_SEGMENT_OFFSET);
  const uint64_t size = et_fb_u64(&segment, ET_SEGMENT_SIZE);
  if (!et_range_in(offset, size, program->segments_size) || size > SIZE_MAX) {
    return false;
  }
  out->offset = program->segments_offset + offset;
  out->size = (size_t)size;
  return true;
}

bool et_tables_subsegment(const et_program *program,
                          const et_fb_table *subsegments, uint32_t index,
                          size_t nbytes, et_piece *out) {
  const et_fb_vector offsets =
      et_fb_list(subsegments, ET_SUBSEGMENT_OFFSETS, sizeof(uint64_t));
  et_piece segment = {0, 0};
  if (index == 0 || index >= offsets.count ||
      !et_tables_segment(program, et_fb_u32(subsegments, ET_SUBSEGMENT_INDEX),
                         &segment)) {
    return false;
  }
  const uint64_t offset = et_fb_u64_at(&offsets, index);
  if (!et_range_in(offset, nbytes, segment.size)) {
    return false;
  }
  out->offset = segment.offset + offset;
  out->size = nbytes;
  return true;
}

static bool inline_payload(const et_program *program, uint32_t index,
                           et_piece *out) {
  const et_fb_table root = et_tables_root(program);
  const et_fb_vector payloads =
      et_tables_vector(&root, ET_PROGRAM_DELEGATE_DATA);
  const et_fb_table payload = et_fb_child_at(&payloads, index);
  const et_span bytes = et_fb_bytes(&payload, ET_SINGLE_FIELD);
  out->offset =
      bytes.size != 0 ? (uint64_t)(bytes.data - program->flatbuffer.data) : 0;
  out->size = bytes.size;
  return index < payloads.count;
}

bool et_tables_payload(const et_program *program, const et_fb_table *delegate,
                       et_piece *out) {
  const et_fb_table processed = et_fb_child(delegate, ET_DELEGATE_PROCESSED);
  const uint32_t index = et_fb_u32(&processed, ET_PROCESSED_INDEX);
  switch (et_fb_i8(&processed, ET_PROCESSED_LOCATION)) {
    case ET_LOCATION_INLINE:
      return inline_payload(program, index, out);
    case ET_LOCATION_SEGMENT:
      return et_tables_segment(program, index, out);
    default:
      return false;
  }
}

bool et_tables_named_data(const et_program *program, et_string key,
                          et_piece *out) {
  const et_fb_table root = et_tables_root(program);
  const et_fb_vector named = et_tables_vector(&root, ET_PROGRAM_NAMED_DATA);
  for (uint32_t i = 0; i < named.count; i++) {
    const et_fb_table entry = et_fb_child_at(&named, i);
    const et_string found = et_fb_text(&entry, ET_NAMED_DATA_KEY);
    if (found.size == key.size && memcmp(found.data, key.data, key.size) == 0) {
      return et_tables_segment(program,
                               et_fb_u32(&entry, ET_NAMED_DATA_SEGMENT), out);
    }
  }
  return false;
}

/* Entry 0 of the sizes stands for no buffer. */
uint32_t et_tables_planned_count(const et_fb_table *plan) {
  const et_fb_vector sizes =
      et_fb_list(plan, ET_PLAN_BUFFER_SIZES, sizeof(int64_t));
  return sizes.count != 0 ? sizes.count - 1 : 0;
}

int64_t et_tables_planned_bytes(const et_fb_table *plan, uint32_t index) {
  const et_fb_vector sizes =
      et_fb_list(plan, ET_PLAN_BUFFER_SIZES, sizeof(int64_t));
  return et_fb_i64_at(&sizes, index + 1);
}
