#include <string.h>

#include "executorch/checked.h"
#include "runtime/core/limits.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"
#include "runtime/program/verify.h"

static et_status check_overlaps(const et_program *program, uint32_t index,
                                et_span segment, et_error *error) {
  for (uint32_t i = 0; i < index; i++) {
    et_span other = {NULL, 0};
    et_tables_segment(program, i, &other);
    /* Both lie in the file, so that neither end wraps. Empty ones are NULL. */
    if (segment.size != 0 && other.size != 0 &&
        segment.data < other.data + other.size &&
        other.data < segment.data + segment.size) {
      return et_fail(error, ET_STATUS_INVALID_PROGRAM,
                     "segments[%u] overlaps segments[%u]", (unsigned)index,
                     (unsigned)i);
    }
  }
  return ET_STATUS_OK;
}

static et_status check_segments(const et_program *program,
                                const et_fb_vector *segments, et_error *error) {
  if (segments->count > ET_LIMIT_SEGMENTS) {
    return et_fail(error, ET_STATUS_INVALID_PROGRAM,
                   "%u segments, more than the limit of %d",
                   (unsigned)segments->count, ET_LIMIT_SEGMENTS);
  }
  for (uint32_t i = 0; i < segments->count; i++) {
    et_span bytes;
    if (!et_tables_segment(program, i, &bytes)) {
      return et_fail(error, ET_STATUS_INVALID_PROGRAM,
                     "segments[%u] does not lie in the %zu bytes of segments",
                     (unsigned)i, program->segments.size);
    }
    ET_RETURN_IF_ERROR(check_overlaps(program, i, bytes, error));
  }
  return ET_STATUS_OK;
}

/* Offsets of a SubsegmentOffsets table. Entry 0 is reserved, so that a table
 * with nothing behind it may leave out its segment. */
static et_status check_subsegments(const et_program *program,
                                   const et_fb_table *table, const char *name,
                                   et_error *error) {
  const et_fb_vector offsets =
      et_fb_list(table, ET_SUBSEGMENT_OFFSETS, sizeof(uint64_t));
  const uint32_t index = et_fb_u32(table, ET_SUBSEGMENT_INDEX);
  et_span segment = {NULL, 0};
  if (offsets.count > 1 && !et_tables_segment(program, index, &segment)) {
    return et_fail(error, ET_STATUS_INVALID_PROGRAM,
                   "%s.segment_index %u: there is no such segment", name,
                   (unsigned)index);
  }
  for (uint32_t i = 1; i < offsets.count; i++) {
    if (et_fb_u64_at(&offsets, i) > segment.size) {
      return et_fail(error, ET_STATUS_INVALID_PROGRAM,
                     "%s.offsets[%u] = %llu lies outside its segment of %zu bytes",
                     name, (unsigned)i,
                     (unsigned long long)et_fb_u64_at(&offsets, i),
                     segment.size);
    }
  }
  return ET_STATUS_OK;
}

static et_status check_mutable_data(const et_program *program,
                                    const et_fb_table *root, et_error *error) {
  const et_fb_vector tables =
      et_tables_vector(root, ET_PROGRAM_MUTABLE_DATA_SEGMENTS);
  for (uint32_t i = 0; i < tables.count; i++) {
    const et_fb_table table = et_fb_child_at(&tables, i);
    ET_RETURN_IF_ERROR(check_subsegments(program, &table,
                                         "mutable_data_segments", error));
  }
  return ET_STATUS_OK;
}

static et_status check_key_is_new(const et_fb_vector *named, uint32_t index,
                                  et_string key, et_error *error) {
  for (uint32_t i = 0; i < index; i++) {
    const et_fb_table other = et_fb_child_at(named, i);
    const et_string used = et_fb_text(&other, ET_NAMED_DATA_KEY);
    if (used.size == key.size && memcmp(used.data, key.data, key.size) == 0) {
      return et_fail(error, ET_STATUS_INVALID_PROGRAM,
                     "named_data[%u] has the key of named_data[%u]",
                     (unsigned)index, (unsigned)i);
    }
  }
  return ET_STATUS_OK;
}

static et_status check_named_data(const et_program *program,
                                  const et_fb_table *root, et_error *error) {
  const et_fb_vector named = et_tables_vector(root, ET_PROGRAM_NAMED_DATA);
  if (named.count > ET_LIMIT_SEGMENTS) {
    return et_fail(error, ET_STATUS_INVALID_PROGRAM,
                   "%u named_data, more than the limit of %d",
                   (unsigned)named.count, ET_LIMIT_SEGMENTS);
  }
  for (uint32_t i = 0; i < named.count; i++) {
    const et_fb_table entry = et_fb_child_at(&named, i);
    const et_string key = et_fb_text(&entry, ET_NAMED_DATA_KEY);
    et_span bytes;
    ET_RETURN_IF_ERROR(et_verify_name(key, "named_data", i, error));
    ET_RETURN_IF_ERROR(check_key_is_new(&named, i, key, error));
    if (!et_tables_segment(program, et_fb_u32(&entry, ET_NAMED_DATA_SEGMENT),
                           &bytes)) {
      return et_fail(error, ET_STATUS_INVALID_PROGRAM,
                     "named_data[%u]: there is no segment %u", (unsigned)i,
                     (unsigned)et_fb_u32(&entry, ET_NAMED_DATA_SEGMENT));
    }
  }
  return ET_STATUS_OK;
}

et_status et_verify_data(const et_program *program, et_error *error) {
  const et_fb_table root = et_tables_root(program);
  const et_fb_vector segments = et_tables_vector(&root, ET_PROGRAM_SEGMENTS);
  const et_fb_table constants =
      et_fb_child(&root, ET_PROGRAM_CONSTANT_SEGMENT);
  ET_RETURN_IF_ERROR(check_segments(program, &segments, error));
  ET_RETURN_IF_ERROR(
      check_subsegments(program, &constants, "constant_segment", error));
  ET_RETURN_IF_ERROR(check_mutable_data(program, &root, error));
  return check_named_data(program, &root, error);
}
