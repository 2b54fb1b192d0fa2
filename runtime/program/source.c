#include "runtime/program/source.h"

#include <stdbool.h>
#include <string.h>

#include "executorch/checked.h"
#include "runtime/core/error.h"

static et_status fail_extent(const et_data_source *source, size_t index,
                             const char *reason, et_error *error) {
  return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                 "source '%s': extents[%zu] %s; correct the extent",
                 source->name, index, reason);
}

/* Constants that are aligned in the file must be aligned in memory. */
static bool is_aligned(const et_extent *extent) {
  return (uintptr_t)extent->bytes.data % ET_PROGRAM_ALIGNMENT ==
         extent->offset % ET_PROGRAM_ALIGNMENT;
}

/* Checks an extent. `end` is the end of the previous one. */
static et_status check_extent(const et_data_source *source, size_t index,
                              uint64_t end, et_error *error) {
  const et_extent *extent = &source->extents[index];
  if (extent->bytes.data == NULL || extent->bytes.size == 0) {
    return fail_extent(source, index, "is empty", error);
  }
  if (!et_range_in(extent->offset, extent->bytes.size, source->size)) {
    return fail_extent(source, index, "is outside the source", error);
  }
  if (extent->offset < end) {
    return fail_extent(source, index,
                       "starts before the end of the previous extent", error);
  }
  return is_aligned(extent)
             ? ET_STATUS_OK
             : fail_extent(source, index,
                           "has an address and an offset that differ modulo 16",
                           error);
}

static et_status check_gap(const et_data_source *source, uint64_t begin,
                           uint64_t end, et_error *error) {
  return begin == end || source->read != NULL
             ? ET_STATUS_OK
             : et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                       "source '%s': %llu bytes at %llu are outside all "
                       "extents; add an extent or a read function",
                       source->name, (unsigned long long)(end - begin),
                       (unsigned long long)begin);
}

et_status et_source_check(const et_data_source *source, et_error *error) {
  uint64_t end = 0;
  if (source->size == 0) {
    return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                   "source '%s' is empty; pass its size", source->name);
  }
  for (size_t i = 0; i < source->extent_count; i++) {
    const et_extent *extent = &source->extents[i];
    ET_RETURN_IF_ERROR(check_extent(source, i, end, error));
    ET_RETURN_IF_ERROR(check_gap(source, end, extent->offset, error));
    end = extent->offset + extent->bytes.size;
  }
  return check_gap(source, end, source->size, error);
}

/* Returns the index of the extent that contains `offset`, or of the first one
 * after it, or extent_count. */
static size_t find_extent(const et_data_source *source, uint64_t offset) {
  size_t index = 0;
  while (index < source->extent_count &&
         source->extents[index].offset + source->extents[index].bytes.size <=
             offset) {
    index++;
  }
  return index;
}

/* Returns the part of the extent from `offset` on, or NULL if `offset` is
 * before the extent. */
static et_span rest_of_extent(const et_data_source *source, size_t index,
                              uint64_t offset) {
  et_span rest = {NULL, 0};
  if (index < source->extent_count && source->extents[index].offset <= offset) {
    const et_extent *extent = &source->extents[index];
    const size_t skipped = (size_t)(offset - extent->offset);
    rest.data = extent->bytes.data + skipped;
    rest.size = extent->bytes.size - skipped;
  }
  return rest;
}

/* Returns the first possible offset of the next source. */
static uint64_t after(uint64_t base, const et_data_source *source) {
  const uint64_t end = base + source->size;
  return (end + ET_SOURCE_ALIGNMENT - 1) & ~(uint64_t)(ET_SOURCE_ALIGNMENT - 1);
}

uint64_t et_source_base(const et_program *program, size_t index) {
  uint64_t base = 0;
  for (size_t i = 0; i < index; i++) {
    base = after(base, &program->sources[i]);
  }
  return base;
}

et_status et_source_check_bases(const et_program *program, et_error *error) {
  uint64_t left = UINT64_MAX;
  for (size_t i = 0; i < program->source_count; i++) {
    const et_data_source *source = &program->sources[i];
    if (left < ET_SOURCE_ALIGNMENT ||
        source->size > left - ET_SOURCE_ALIGNMENT) {
      return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                     "source '%s': %llu bytes exceed the address space; "
                     "correct its size",
                     source->name, (unsigned long long)source->size);
    }
    left -= after(0, source);
  }
  return ET_STATUS_OK;
}

const et_data_source *et_source_of(const et_program *program, et_piece piece,
                                   et_piece *local) {
  uint64_t base = 0;
  size_t index = 0;
  while (index + 1 < program->source_count &&
         piece.offset >= after(base, &program->sources[index])) {
    base = after(base, &program->sources[index]);
    index++;
  }
  local->offset = piece.offset - base;
  local->size = piece.size;
  return &program->sources[index];
}

const uint8_t *et_source_address(const et_program *program, et_piece piece) {
  if (piece.size == 0) {
    return NULL;
  }
  if (et_range_in(piece.offset, piece.size, program->file.size)) {
    return program->file.data + piece.offset;
  }
  et_piece local;
  const et_data_source *source = et_source_of(program, piece, &local);
  const et_span rest =
      rest_of_extent(source, find_extent(source, local.offset), local.offset);
  return rest.size >= piece.size ? rest.data : NULL;
}

static et_status call_read(const et_data_source *source, et_piece piece,
                           uint8_t *out, et_error *error) {
  et_error reason;
  et_error_clear(&reason);
  const et_status status =
      source->read(source->context, piece.offset, piece.size, out, &reason);
  return status == ET_STATUS_OK
             ? ET_STATUS_OK
             : et_fail_because(
                   error, status, &reason,
                   "source '%s': reading %zu bytes at %llu: ", source->name,
                   piece.size, (unsigned long long)piece.offset);
}

/* Returns the number of bytes from `offset` to the start of extent `index`, or
 * to the end of the source after the last extent. */
static uint64_t gap_before(const et_data_source *source, size_t index,
                           uint64_t offset) {
  const uint64_t end = index < source->extent_count
                           ? source->extents[index].offset
                           : source->size;
  return end - offset;
}

/* Reads the first bytes of the piece, up to the end of an extent or gap. */
static et_status read_part(const et_data_source *source, et_piece piece,
                           uint8_t *out, size_t *out_size, et_error *error) {
  const size_t index = find_extent(source, piece.offset);
  const et_span rest = rest_of_extent(source, index, piece.offset);
  const uint64_t there =
      rest.data != NULL ? rest.size : gap_before(source, index, piece.offset);
  const et_piece part = {piece.offset,
                         there < piece.size ? (size_t)there : piece.size};
  *out_size = part.size;
  if (rest.data == NULL) {
    return call_read(source, part, out, error);
  }
  memcpy(out, rest.data, part.size);
  return ET_STATUS_OK;
}

et_status et_source_read(const et_data_source *source, et_piece piece,
                         uint8_t *out, et_error *error) {
  while (piece.size != 0) {
    size_t done = 0;
    ET_RETURN_IF_ERROR(read_part(source, piece, out, &done, error));
    piece.offset += done;
    piece.size -= done;
    out += done;
  }
  return ET_STATUS_OK;
}
