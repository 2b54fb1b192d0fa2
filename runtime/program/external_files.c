#include "runtime/program/external.h"

#include <string.h>

#include "runtime/core/error.h"
#include "runtime/program/data_file.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"
#include "runtime/program/tensor_record.h"

/* An entry that was found in one of the files. */
typedef struct found {
  et_data_file file;
  et_fb_table entry;
  et_piece piece;
} found;

/* Searches sources 1 to `end` - 1. */
static bool find_before(const et_program *program, size_t end, et_string key,
                        found *out) {
  for (size_t i = 1; i < end; i++) {
    if (et_data_file_open(program, i, &out->file, NULL) == ET_STATUS_OK &&
        et_data_file_find(&out->file, key, &out->entry, &out->piece)) {
      return true;
    }
  }
  return false;
}

static bool find(const et_program *program, et_string key, found *out) {
  return find_before(program, program->source_count, key, out);
}

/* Adds the source's name to the message. */
static et_status fail_source(const et_data_source *source, et_status status,
                             const et_error *reason, et_error *error) {
  return et_fail_because(error,
                         status == ET_STATUS_INVALID_PROGRAM
                             ? ET_STATUS_INVALID_EXTERNAL_DATA
                             : status,
                         reason, "source '%s': ", source->name);
}

/* Checks that neither an earlier file nor the program has one of this file's
 * keys. */
static et_status check_keys(const et_program *program, size_t index,
                            const et_data_file *file, et_error *error) {
  for (uint32_t i = 0; i < et_fb_count(file->named); i++) {
    const et_fb_table entry = et_fb_child_at(file->named, i);
    const et_string key = et_fb_text(entry, ET_NAMED_DATA_KEY);
    et_piece piece;
    found other;
    if (find_before(program, index, key, &other)) {
      return et_fail(error, ET_STATUS_INVALID_EXTERNAL_DATA,
                     "source '%s': key '%s' is also in source '%s'; "
                     "pass only one of them",
                     file->source->name, key.data, other.file.source->name);
    }
    if (et_tables_named_data(program, key, &piece)) {
      return et_fail(error, ET_STATUS_INVALID_EXTERNAL_DATA,
                     "source '%s': key '%s' is also in the program",
                     file->source->name, key.data);
    }
  }
  return ET_STATUS_OK;
}

static et_status verify_file(const et_program *program, size_t index,
                             et_error *error) {
  et_data_file file;
  et_error reason;
  et_error_clear(&reason);
  const et_status status = et_data_file_verify(program, index, &file, &reason);
  if (status == ET_STATUS_INVALID_ARGUMENT) {
    /* The reason names the source. */
    return et_fail(error, status, "%s", reason.message);
  }
  return status == ET_STATUS_OK
             ? check_keys(program, index, &file, error)
             : fail_source(file.source, status, &reason, error);
}

static et_status verify(const et_program *program, et_error *error) {
  for (size_t i = 1; i < program->source_count; i++) {
    ET_RETURN_IF_ERROR(verify_file(program, i, error));
  }
  return ET_STATUS_OK;
}

static bool find_tensor(const et_program *program,
                        const et_tensor_record *record, et_piece *out) {
  found it;
  if (!find(program, et_tensor_record_key(record), &it) ||
      it.piece.size != record->nbytes) {
    return false;
  }
  *out = it.piece;
  return true;
}

/* Returns the first property that differs between program and file, or NULL. */
static const char *difference(const et_tensor_record *record,
                              const et_data_layout *layout) {
  if (layout->dtype != record->dtype) {
    return "dtype";
  }
  if (layout->rank != record->rank ||
      memcmp(layout->sizes, record->sizes,
             record->rank * sizeof *record->sizes) != 0) {
    return "sizes";
  }
  return record->rank != 0 &&
                 memcmp(layout->dim_order, record->dim_order, record->rank) != 0
             ? "dim order"
             : NULL;
}

/* Compares layouts. If the entry has a layout, it is valid and determines the
 * number of bytes. */
static const char *check_layout(const et_tensor_record *record,
                                const found *it) {
  et_data_layout layout;
  if (!et_fb_has(it->entry, ET_NAMED_DATA_LAYOUT)) {
    return "kind: the entry does not have a tensor layout";
  }
  if (et_data_layout_read(it->entry, &layout, NULL) != ET_STATUS_OK) {
    return "layout";
  }
  return difference(record, &layout);
}

/* Constants are used in place and must be aligned; initial state is copied. */
static bool is_aligned(const et_tensor_record *record, const found *it) {
  return record->is_planned || it->piece.size == 0 ||
         et_tensor_record_fits_at(record, it->piece.offset);
}

static et_status check_tensor(const et_program *program, uint32_t index,
                              const et_tensor_record *record, et_error *error) {
  const et_string key = et_tensor_record_key(record);
  found it;
  if (key.size == 0 || !find(program, key, &it)) {
    return et_external_absent(program, index, record, error);
  }
  const char *what = check_layout(record, &it);
  if (what != NULL) {
    return et_fail(error, ET_STATUS_INVALID_EXTERNAL_DATA,
                   "values[%u]: '%s' of source '%s' differs from the program's "
                   "tensor in %s",
                   (unsigned)index, key.data, it.file.source->name, what);
  }
  return is_aligned(record, &it)
             ? ET_STATUS_OK
             : et_fail(error, ET_STATUS_INVALID_EXTERNAL_DATA,
                       "values[%u]: '%s' of source '%s' is not aligned",
                       (unsigned)index, key.data, it.file.source->name);
}

static bool find_bytes(const et_program *program, et_string key,
                       et_piece *out) {
  found it;
  if (!find(program, key, &it) || et_fb_has(it.entry, ET_NAMED_DATA_LAYOUT)) {
    return false;
  }
  *out = it.piece;
  return true;
}

static uint32_t count_entries(const et_program *program) {
  uint32_t count = 0;
  for (size_t i = 1; i < program->source_count; i++) {
    et_data_file file;
    et_data_file_open(program, i, &file, NULL);
    count += et_fb_count(file.named);
  }
  return count;
}

static bool find_bytes_at(const et_program *program, uint32_t index,
                          et_piece *out) {
  for (size_t i = 1; i < program->source_count; i++) {
    et_data_file file;
    et_data_file_open(program, i, &file, NULL);
    if (index < et_fb_count(file.named)) {
      const et_fb_table entry = et_fb_child_at(file.named, index);
      return !et_fb_has(entry, ET_NAMED_DATA_LAYOUT) &&
             et_segments_find(&file.segments,
                              et_fb_u32(entry, ET_NAMED_DATA_SEGMENT), out);
    }
    index -= et_fb_count(file.named);
  }
  return false;
}

const et_external et_external_files = {
    verify, check_tensor, find_tensor, find_bytes, count_entries, find_bytes_at,
};
