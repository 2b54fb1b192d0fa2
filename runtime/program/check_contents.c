#include <stdbool.h>
#include <string.h>

#include "executorch/program.h"
#include "runtime/core/sha256.h"
#include "runtime/program/data_file.h"
#include "runtime/program/schema.h"
#include "runtime/program/source.h"

/* Bytes read at a time from data that is not in memory. The buffer is on the
 * stack. */
#define PART_BYTES 1024

/* Returns true if the key has the form of a content hash. */
static bool names_content(et_string key) {
  const size_t prefix = sizeof ET_CONTENT_KEY_PREFIX - 1;
  return key.size == prefix + 2 * (size_t)ET_SHA256_BYTES &&
         memcmp(key.data, ET_CONTENT_KEY_PREFIX, prefix) == 0;
}

static bool names_digest(et_string key, const uint8_t *digest) {
  static const char digits[] = "0123456789abcdef";
  const char *text = key.data + sizeof ET_CONTENT_KEY_PREFIX - 1;
  bool same = true;
  for (size_t i = 0; i < ET_SHA256_BYTES; i++) {
    same = same && text[2 * i] == digits[digest[i] >> 4] &&
           text[2 * i + 1] == digits[digest[i] & 15];
  }
  return same;
}

/* Hashes the layout: dtype, rank, sizes and dim order, each as a byte or as 32
 * bits, little-endian. The tensor's bytes follow. */
static void add_layout(et_fb_table entry, et_sha256 *hash) {
  et_data_layout layout;
  if (!et_fb_has(entry, ET_NAMED_DATA_LAYOUT) ||
      et_data_layout_read(entry, &layout, NULL) != ET_STATUS_OK) {
    return;
  }
  const uint8_t head[2] = {(uint8_t)layout.dtype, (uint8_t)layout.rank};
  et_sha256_add(hash, head, sizeof head);
  for (uint32_t d = 0; d < layout.rank; d++) {
    const uint32_t size = (uint32_t)layout.sizes[d];
    const uint8_t bytes[4] = {(uint8_t)size, (uint8_t)(size >> 8),
                              (uint8_t)(size >> 16), (uint8_t)(size >> 24)};
    et_sha256_add(hash, bytes, sizeof bytes);
  }
  et_sha256_add(hash, layout.dim_order, layout.rank);
}

static et_status add_bytes(const et_program *program, et_piece piece,
                           et_sha256 *hash, et_error *error) {
  uint8_t part[PART_BYTES];
  const uint8_t *there = et_source_address(program, piece);
  if (there != NULL) {
    et_sha256_add(hash, there, piece.size);
    return ET_STATUS_OK;
  }
  const et_data_source *source = et_source_of(program, piece, &piece);
  for (size_t done = 0; done < piece.size; done += PART_BYTES) {
    const size_t left = piece.size - done;
    const et_piece next = {piece.offset + done,
                           left < PART_BYTES ? left : PART_BYTES};
    ET_RETURN_IF_ERROR(et_source_read(source, next, part, error));
    et_sha256_add(hash, part, next.size);
  }
  return ET_STATUS_OK;
}

static et_status check_entry(const et_program *program,
                             const et_data_file *file, uint32_t index,
                             et_error *error) {
  const et_fb_table entry = et_fb_child_at(file->named, index);
  const et_string key = et_fb_text(entry, ET_NAMED_DATA_KEY);
  et_piece piece = {0, 0};
  et_sha256 hash;
  uint8_t digest[ET_SHA256_BYTES];
  if (!names_content(key)) {
    return ET_STATUS_OK;
  }
  et_segments_find(&file->segments, et_fb_u32(entry, ET_NAMED_DATA_SEGMENT),
                   &piece);
  et_sha256_start(&hash);
  add_layout(entry, &hash);
  ET_RETURN_IF_ERROR(add_bytes(program, piece, &hash, error));
  et_sha256_finish(&hash, digest);
  return names_digest(key, digest)
             ? ET_STATUS_OK
             : et_fail(error, ET_STATUS_INVALID_EXTERNAL_DATA,
                       "source '%s': named_data[%u] does not have the digest "
                       "of its key '%s'",
                       file->source->name, (unsigned)index, key.data);
}

et_status et_program_check_contents(const et_program *program,
                                    et_error *out_error) {
  et_error_clear(out_error);
  for (size_t i = 1; i < program->source_count; i++) {
    et_data_file file;
    ET_RETURN_IF_ERROR(et_data_file_open(program, i, &file, out_error));
    for (uint32_t k = 0; k < et_fb_count(file.named); k++) {
      ET_RETURN_IF_ERROR(check_entry(program, &file, k, out_error));
    }
  }
  return ET_STATUS_OK;
}
