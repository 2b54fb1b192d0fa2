#include "runtime/program/pieces.h"

#include <string.h>

#include "runtime/core/limits.h"
#include "runtime/program/external.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"
#include "runtime/program/tensor_record.h"

static bool value_piece(const et_data_needs *needs, uint32_t index,
                        et_piece *out) {
  et_fb_table held;
  et_tensor_record record;
  return et_tables_value(needs->values, index, &held) == ET_VALUE_TENSOR &&
         et_tensor_record_read(held, &record, NULL) == ET_STATUS_OK &&
         record.has_data && et_tensor_record_data(needs->program, &record, out);
}

static bool payload_piece(const et_data_needs *needs, uint32_t index,
                          et_piece *out) {
  const et_fb_table delegate = et_fb_child_at(needs->delegates, index);
  return et_tables_payload(needs->program, delegate, out);
}

static et_fb_vector named_data(const et_data_needs *needs) {
  return et_tables_of_program(needs->program, ET_PROGRAM_NAMED_DATA);
}

static bool named_piece(const et_data_needs *needs, uint32_t index,
                        et_piece *out) {
  const et_fb_vector named = named_data(needs);
  if (index >= et_fb_count(named)) {
    return et_external_bytes_at(needs->program, index - et_fb_count(named),
                                out);
  }
  const et_fb_table entry = et_fb_child_at(named, index);
  return et_tables_segment(needs->program,
                           et_fb_u32(entry, ET_NAMED_DATA_SEGMENT), out);
}

uint32_t et_piece_needed_count(const et_data_needs *needs) {
  return et_fb_count(needs->values) + et_fb_count(needs->delegates);
}

uint32_t et_piece_count(const et_data_needs *needs) {
  const uint32_t needed = et_piece_needed_count(needs);
  return et_fb_count(needs->delegates) != 0
             ? needed + et_fb_count(named_data(needs)) +
                   et_external_count(needs->program)
             : needed;
}

static bool find_piece(const et_data_needs *needs, uint32_t index,
                       et_piece *out) {
  const uint32_t values = et_fb_count(needs->values);
  const uint32_t needed = et_piece_needed_count(needs);
  return index < values   ? value_piece(needs, index, out)
         : index < needed ? payload_piece(needs, index - values, out)
                          : named_piece(needs, index - needed, out);
}

bool et_piece_at(const et_data_needs *needs, uint32_t index, et_piece *out) {
  return find_piece(needs, index, out) && out->size != 0 &&
         et_source_address(needs->program, *out) == NULL;
}

void et_piece_walk_start(et_piece_walk *walk, const et_data_needs *needs) {
  walk->needs = needs;
  walk->count = et_piece_count(needs);
  walk->steps_left = ET_LIMIT_PLAN_STEPS;
  walk->from = 0;
  walk->used = walk->next = 0;
}

/* Returns the number of entries that begin before `offset`. */
static uint32_t entries_before(const et_piece_walk *walk, uint64_t offset) {
  uint32_t low = 0;
  uint32_t high = walk->used;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (walk->window[middle].offset < offset) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* Inserts a piece. If pieces have the same offset, the longest is kept. A full
 * window drops its last entry. */
static void insert(et_piece_walk *walk, et_piece piece) {
  const uint32_t at = entries_before(walk, piece.offset);
  if (at == ET_PIECE_WINDOW) {
    return;
  }
  et_piece *entry = &walk->window[at];
  if (at < walk->used && entry->offset == piece.offset) {
    entry->size = entry->size > piece.size ? entry->size : piece.size;
    return;
  }
  walk->used += walk->used < ET_PIECE_WINDOW ? 1 : 0;
  memmove(entry + 1, entry, (walk->used - at - 1) * sizeof *entry);
  *entry = piece;
}

static et_status fill_window(et_piece_walk *walk) {
  walk->used = walk->next = 0;
  if (walk->count > walk->steps_left) {
    return et_fail(walk->needs->error, ET_STATUS_OUT_OF_RESOURCES,
                   "the method has too many constants outside of extents; "
                   "provide them in one extent");
  }
  walk->steps_left -= walk->count;
  for (uint32_t i = 0; i < walk->count; i++) {
    et_piece piece;
    if (et_piece_at(walk->needs, i, &piece) && piece.offset >= walk->from) {
      insert(walk, piece);
    }
  }
  if (walk->used != 0) {
    walk->from = walk->window[walk->used - 1].offset + 1;
  }
  return ET_STATUS_OK;
}

/* Returns the next entry, or NULL after the last. A window that is not full
 * contains all remaining pieces. */
static et_status peek(et_piece_walk *walk, const et_piece **out) {
  const bool all = walk->used != 0 && walk->used < ET_PIECE_WINDOW;
  if (walk->next == walk->used && !all) {
    ET_RETURN_IF_ERROR(fill_window(walk));
  }
  *out = walk->next < walk->used ? &walk->window[walk->next] : NULL;
  return ET_STATUS_OK;
}

et_status et_piece_walk_next(et_piece_walk *walk, et_piece *out) {
  const et_piece *entry = NULL;
  const et_piece none = {0, 0};
  ET_RETURN_IF_ERROR(peek(walk, &entry));
  *out = entry != NULL ? *entry : none;
  while (entry != NULL && entry->offset < out->offset + out->size) {
    const uint64_t end = entry->offset + entry->size;
    const uint64_t larger =
        end > out->offset + out->size ? end : out->offset + out->size;
    out->size = (size_t)(larger - out->offset);
    walk->next++;
    ET_RETURN_IF_ERROR(peek(walk, &entry));
  }
  return ET_STATUS_OK;
}
