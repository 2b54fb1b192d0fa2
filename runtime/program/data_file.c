#include "runtime/program/data_file.h"

#include <string.h>

#include "executorch/checked.h"
#include "runtime/core/error.h"
#include "runtime/program/header.h"
#include "runtime/program/schema.h"
#include "runtime/program/schema_types.h"
#include "runtime/program/source.h"
#include "runtime/program/verify.h"

/* The extended header, which is between the identifier and the tables. */
#define IDENTIFIER "FT01"
#define MAGIC "FH01"
#define LENGTH_AT 12
#define FLATBUFFER_AT 16
#define FLATBUFFER_SIZE_AT 24
#define SEGMENT_BASE_AT 32
#define SEGMENT_SIZE_AT 40
#define HEADER_BYTES 40

#define MAX_SCALAR_TYPE_CODE 29

/* `previous` is the part of the file that must end before `what` begins. */
static et_status fail_header(et_error *error, const char *what,
                             const char *previous, uint64_t at, uint64_t size,
                             uint64_t file_size) {
  return et_fail_program(error,
                         "header: %llu bytes of %s at %llu overlap the %s or "
                         "exceed the file of %llu bytes",
                         (unsigned long long)size, what, (unsigned long long)at,
                         previous, (unsigned long long)file_size);
}

static et_status check_magic(et_span head, et_error *error) {
  ET_RETURN_IF_ERROR(
      et_head_check_identifier(head, IDENTIFIER, "a data file (.ptd)", error));
  if (head.size < ET_HEAD_MAGIC_AT + HEADER_BYTES ||
      memcmp(head.data + ET_HEAD_MAGIC_AT, MAGIC, 4) != 0) {
    return et_fail_program(error, "the header '" MAGIC "' is missing");
  }
  const uint32_t length = et_head_u32(head, LENGTH_AT);
  return length >= HEADER_BYTES
             ? ET_STATUS_OK
             : et_fail_program(error, "header: length %u is less than %d",
                               (unsigned)length, HEADER_BYTES);
}

/* Splits the file into tables and segments. */
static et_status split(et_span head, uint64_t file_size, et_data_file *file,
                       et_error *error) {
  const uint64_t at = et_head_u64(head, FLATBUFFER_AT);
  const uint64_t size = et_head_u64(head, FLATBUFFER_SIZE_AT);
  const uint64_t base = et_head_u64(head, SEGMENT_BASE_AT);
  const uint64_t bytes = et_head_u64(head, SEGMENT_SIZE_AT);
  if (at < ET_HEAD_MAGIC_AT + HEADER_BYTES ||
      !et_range_in(at, size, file_size)) {
    return fail_header(error, "tables", "header", at, size, file_size);
  }
  if (base < at + size || !et_range_in(base, bytes, file_size)) {
    return fail_header(error, "segments", "tables", base, bytes, file_size);
  }
  file->flatbuffer.size = (size_t)(at + size);
  file->segments.offset += base;
  file->segments.size = bytes;
  return ET_STATUS_OK;
}

/* Opens a file whose tables are not verified yet. */
static et_status open_head(const et_program *program, size_t index,
                           et_data_file *out, et_error *error) {
  const et_data_source *source = &program->sources[index];
  const uint64_t least = ET_HEAD_MAGIC_AT + HEADER_BYTES;
  const et_data_file none = {.source = source};
  *out = none;
  ET_RETURN_IF_ERROR(
      et_head_check_extent(source, source->size < least ? source->size : least,
                           "its header", error));
  const et_span head = source->extents[0].bytes;
  ET_RETURN_IF_ERROR(check_magic(head, error));
  out->segments.offset = et_source_base(program, index);
  ET_RETURN_IF_ERROR(split(head, source->size, out, error));
  ET_RETURN_IF_ERROR(
      et_head_check_extent(source, out->flatbuffer.size, "tables", error));
  out->flatbuffer.data = head.data;
  out->root = et_head_u32(head, 0);
  return ET_STATUS_OK;
}

static void find_tables(et_data_file *file) {
  const et_fb_table root = et_fb_table_at(file->flatbuffer, file->root);
  file->segments.table = et_fb_list(root, ET_FLAT_SEGMENTS);
  file->named = et_fb_list(root, ET_FLAT_NAMED_DATA);
}

et_status et_data_file_open(const et_program *program, size_t index,
                            et_data_file *out, et_error *error) {
  ET_RETURN_IF_ERROR(open_head(program, index, out, error));
  find_tables(out);
  return ET_STATUS_OK;
}

bool et_data_file_find(const et_data_file *file, et_string key,
                       et_fb_table *out_entry, et_piece *out_piece) {
  return et_named_data_find(file->named, key, out_entry) &&
         et_segments_find(&file->segments,
                          et_fb_u32(*out_entry, ET_NAMED_DATA_SEGMENT),
                          out_piece);
}

static et_status read_sizes(et_fb_table layout, et_data_layout *out,
                            et_error *error) {
  const et_fb_vector sizes = et_fb_list(layout, ET_LAYOUT_SIZES);
  const et_fb_vector dim_order = et_fb_list(layout, ET_LAYOUT_DIM_ORDER);
  if (et_fb_count(sizes) > ET_MAX_RANK ||
      et_fb_count(sizes) != et_fb_count(dim_order)) {
    return et_fail_program(error,
                           "got %u sizes and %u entries of dim_order; the "
                           "counts must be equal and at most %d",
                           (unsigned)et_fb_count(sizes),
                           (unsigned)et_fb_count(dim_order), ET_MAX_RANK);
  }
  for (uint32_t d = 0; d < et_fb_count(sizes); d++) {
    out->sizes[d] = et_fb_i32_at(sizes, d);
  }
  out->rank = et_fb_count(sizes);
  out->dim_order = et_fb_data(dim_order);
  return ET_STATUS_OK;
}

et_status et_data_layout_read(et_fb_table entry, et_data_layout *out,
                              et_error *error) {
  const et_fb_table layout = et_fb_child(entry, ET_NAMED_DATA_LAYOUT);
  int32_t strides[ET_MAX_RANK];
  size_t numel = 0;
  out->dtype = et_fb_i8(layout, ET_LAYOUT_SCALAR_TYPE);
  if (out->dtype < 0 || out->dtype > MAX_SCALAR_TYPE_CODE) {
    return et_fail_program(error, "scalar_type %d is unknown", (int)out->dtype);
  }
  ET_RETURN_IF_ERROR(read_sizes(layout, out, error));
  ET_RETURN_IF_ERROR(et_tensor_layout(out->sizes, out->dim_order, out->rank,
                                      strides, &numel, error));
  return et_checked_mul(numel, et_scalar_type_size(out->dtype), &out->nbytes)
             ? ET_STATUS_OK
             : et_fail_program(error, "the tensor's size in bytes overflows");
}

/* Checks an entry. A tensor has exactly the bytes of its layout; plain bytes
 * have no layout. */
static et_status verify_entry(const et_data_file *file, uint32_t index,
                              et_error *error) {
  const et_fb_table entry = et_fb_child_at(file->named, index);
  et_data_layout layout;
  et_piece piece = {0, 0};
  et_error reason;
  et_error_clear(&reason);
  if (!et_fb_has(entry, ET_NAMED_DATA_LAYOUT)) {
    return ET_STATUS_OK;
  }
  if (et_data_layout_read(entry, &layout, &reason) != ET_STATUS_OK) {
    return et_fail_because(error, ET_STATUS_INVALID_PROGRAM, &reason,
                           "named_data[%u]: ", (unsigned)index);
  }
  et_segments_find(&file->segments, et_fb_u32(entry, ET_NAMED_DATA_SEGMENT),
                   &piece);
  return et_scalar_type_size(layout.dtype) == 0 || layout.nbytes == piece.size
             ? ET_STATUS_OK
             : et_fail_program(error,
                               "named_data[%u]: the layout needs %zu bytes, "
                               "but the segment has %zu",
                               (unsigned)index, layout.nbytes, piece.size);
}

et_status et_data_file_verify(const et_program *program, size_t index,
                              et_data_file *file, et_error *error) {
  ET_RETURN_IF_ERROR(open_head(program, index, file, error));
  ET_RETURN_IF_ERROR(et_schema_verify(file->flatbuffer, &et_flat_tensor_schema,
                                      file->root, error));
  find_tables(file);
  ET_RETURN_IF_ERROR(et_verify_segments(&file->segments, error));
  ET_RETURN_IF_ERROR(et_verify_named_data(file->named, &file->segments, error));
  for (uint32_t i = 0; i < et_fb_count(file->named); i++) {
    ET_RETURN_IF_ERROR(verify_entry(file, i, error));
  }
  return ET_STATUS_OK;
}
