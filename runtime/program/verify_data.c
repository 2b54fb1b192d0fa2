#include "executorch/checked.h"
#include "runtime/core/error.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"
#include "runtime/program/verify.h"

/* Visits segments in the order of their offsets. */
typedef struct segment_walk {
  const et_segments *segments;
  uint64_t end;    /* end of the last non-empty segment */
  uint32_t before; /* index of that segment */
} segment_walk;

static int compare_segments(void *context, uint32_t a, uint32_t b) {
  const segment_walk *walk = context;
  const et_fb_table first = et_fb_child_at(walk->segments->table, a);
  const et_fb_table second = et_fb_child_at(walk->segments->table, b);
  const uint64_t x = et_fb_u64(first, ET_SEGMENT_OFFSET);
  const uint64_t y = et_fb_u64(second, ET_SEGMENT_OFFSET);
  return (x > y) - (x < y);
}

static et_status check_overlap(void *context, uint32_t index, et_error *error) {
  segment_walk *walk = context;
  et_piece segment; /* verified to exist */
  if (!et_segments_find(walk->segments, index, &segment) || segment.size == 0) {
    return ET_STATUS_OK;
  }
  if (segment.offset < walk->end) {
    const uint32_t other = walk->before;
    return et_fail_program(error, "segments[%u] overlaps segments[%u]",
                           (unsigned)(index > other ? index : other),
                           (unsigned)(index > other ? other : index));
  }
  walk->end = segment.offset + segment.size;
  walk->before = index;
  return ET_STATUS_OK;
}

et_status et_verify_segments(const et_segments *segments, et_error *error) {
  segment_walk walk = {segments, 0, 0};
  const et_order order = {ET_MESSAGE_TEXT("segments"), compare_segments,
                          check_overlap, &walk};
  for (uint32_t i = 0; i < et_fb_count(segments->table); i++) {
    et_piece bytes;
    if (!et_segments_find(segments, i, &bytes)) {
      return et_fail_program(
          error, "segments[%u] is outside the %llu bytes of segments",
          (unsigned)i, (unsigned long long)segments->size);
    }
  }
  return et_order_walk(&order, et_fb_count(segments->table), error);
}

/* Checks the offsets of a SubsegmentOffsets table. Entry 0 is reserved, so a
 * table without other entries needs no segment. */
static et_status check_subsegments(const et_program *program, et_fb_table table,
                                   const char *name, et_error *error) {
  const et_fb_vector offsets = et_fb_list(table, ET_SUBSEGMENT_OFFSETS);
  const uint32_t index = et_fb_u32(table, ET_SUBSEGMENT_INDEX);
  et_piece segment = {0, 0};
  if (et_fb_count(offsets) > 1 &&
      !et_tables_segment(program, index, &segment)) {
    return et_fail_program(error, "%s.segment_index %u does not exist", name,
                           (unsigned)index);
  }
  for (uint32_t i = 1; i < et_fb_count(offsets); i++) {
    if (et_fb_u64_at(offsets, i) > segment.size) {
      return et_fail_program(
          error, "%s.offsets[%u] = %llu is outside its segment of %zu bytes",
          name, (unsigned)i, (unsigned long long)et_fb_u64_at(offsets, i),
          segment.size);
    }
  }
  return ET_STATUS_OK;
}

static et_status check_mutable_data(const et_program *program,
                                    et_error *error) {
  const et_fb_vector tables =
      et_tables_of_program(program, ET_PROGRAM_MUTABLE_DATA_SEGMENTS);
  for (uint32_t i = 0; i < et_fb_count(tables); i++) {
    const et_fb_table table = et_fb_child_at(tables, i);
    ET_RETURN_IF_ERROR(check_subsegments(
        program, table, ET_MESSAGE_TEXT("mutable_data_segments"), error));
  }
  return ET_STATUS_OK;
}

static et_status check_named_entry(et_fb_vector named, uint32_t index,
                                   const et_segments *segments,
                                   et_error *error) {
  const et_fb_table entry = et_fb_child_at(named, index);
  const uint32_t segment = et_fb_u32(entry, ET_NAMED_DATA_SEGMENT);
  et_piece bytes;
  if (!et_segments_find(segments, segment, &bytes)) {
    return et_fail_program(error, "named_data[%u]: segment %u does not exist",
                           (unsigned)index, (unsigned)segment);
  }
  return ET_STATUS_OK;
}

et_status et_verify_named_data(et_fb_vector named, const et_segments *segments,
                               et_error *error) {
  for (uint32_t i = 0; i < et_fb_count(named); i++) {
    ET_RETURN_IF_ERROR(check_named_entry(named, i, segments, error));
  }
  return et_verify_distinct(named, ET_NAMED_DATA_KEY,
                            ET_MESSAGE_TEXT("named_data"),
                            ET_MESSAGE_TEXT("key"), error);
}

et_status et_verify_data(const et_program *program, et_error *error) {
  const et_fb_table root = et_tables_root(program);
  const et_fb_vector named =
      et_tables_of_program(program, ET_PROGRAM_NAMED_DATA);
  const et_segments segments = et_tables_segments(program);
  const et_fb_table constants = et_fb_child(root, ET_PROGRAM_CONSTANT_SEGMENT);
  ET_RETURN_IF_ERROR(et_verify_segments(&segments, error));
  ET_RETURN_IF_ERROR(check_subsegments(
      program, constants, ET_MESSAGE_TEXT("constant_segment"), error));
  ET_RETURN_IF_ERROR(check_mutable_data(program, error));
  return et_verify_named_data(named, &segments, error);
}
