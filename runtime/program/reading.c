#include "runtime/program/reading.h"
#include "executorch/checked.h"
#include "runtime/program/pieces.h"

static et_status fail_bytes(const et_data_needs *needs) {
  return et_fail(needs->error, ET_STATUS_OUT_OF_RESOURCES,
                 "the size of the method's data overflows");
}

/* Allocates a range whose address equals its offset modulo ET_MEMORY_ALIGNMENT,
 * so that data keeps its alignment in the file. */
static bool take_run(et_arena *arena, et_piece piece, et_data_run *out_run) {
  const size_t shift = (size_t)(piece.offset % ET_MEMORY_ALIGNMENT);
  size_t size = 0;
  void *data = NULL;
  if (!et_checked_add(piece.size, shift, &size) ||
      !et_arena_take(arena, 1, size, ET_MEMORY_ALIGNMENT, &data)) {
    return false;
  }
  const et_data_run run = {piece.offset, piece.size,
                           data != NULL ? (uint8_t *)data + shift : NULL,
                           false};
  *out_run = run;
  return true;
}

/* Allocates all ranges, and lists them in `runs` if it is not NULL. */
static et_status take_runs(const et_data_needs *needs, et_arena *arena,
                           et_data_run *runs, size_t *out_count) {
  et_piece_walk walk;
  et_piece piece;
  et_piece_walk_start(&walk, needs);
  *out_count = 0;
  for (;;) {
    et_data_run run;
    ET_RETURN_IF_ERROR(et_piece_walk_next(&walk, &piece));
    if (piece.size == 0) {
      return ET_STATUS_OK;
    }
    if (!take_run(arena, piece, &run)) {
      return fail_bytes(needs);
    }
    if (runs != NULL) {
      runs[*out_count] = run;
    }
    *out_count += 1;
  }
}

/* The ranges come first, and then their list, at `out_list`. */
static et_status measure(const et_data_needs *needs, size_t *out_list,
                         size_t *out_bytes) {
  et_arena arena = et_arena_measuring();
  size_t count = 0;
  void *list = NULL;
  *out_list = *out_bytes = 0;
  ET_RETURN_IF_ERROR(take_runs(needs, &arena, NULL, &count));
  if (!et_arena_take(&arena, 0, 1, ET_MEMORY_ALIGNMENT, &list)) {
    return fail_bytes(needs);
  }
  *out_list = arena.used;
  if (!et_arena_take(&arena, count, sizeof(et_data_run), ET_REGION_ALIGNMENT,
                     &list)) {
    return fail_bytes(needs);
  }
  *out_bytes = arena.used;
  return ET_STATUS_OK;
}

/* Returns the data run that contains `piece`. Every piece of the method is in
 * one. */
static et_data_run *find_run(const et_data *data, et_piece piece) {
  size_t low = 0;
  size_t high = data->count;
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    if (data->runs[middle].offset <= piece.offset) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return &data->runs[low];
}

static const uint8_t *find(const et_program *program, const et_data *data,
                           const et_piece *piece) {
  const uint8_t *there = et_source_address(program, *piece);
  if (there != NULL) {
    return there;
  }
  const et_data_run *run = find_run(data, *piece);
  return run->bytes + (piece->offset - run->offset);
}

static et_status read_run(const et_program *program, et_data_run *run,
                          et_error *error) {
  et_piece piece = {run->offset, run->size};
  if (!run->is_read) {
    const et_data_source *source = et_source_of(program, piece, &piece);
    ET_RETURN_IF_ERROR(et_source_read(source, piece, run->bytes, error));
    run->is_read = true;
  }
  return ET_STATUS_OK;
}

static et_status get(const et_program *program, const et_data *data,
                     et_piece piece, et_span *out_bytes, et_error *error) {
  if (et_source_address(program, piece) == NULL) {
    ET_RETURN_IF_ERROR(read_run(program, find_run(data, piece), error));
  }
  out_bytes->data = find(program, data, &piece);
  out_bytes->size = piece.size;
  return ET_STATUS_OK;
}

static et_status read_needed(const et_data_needs *needs, const et_data *data) {
  const uint32_t count = et_piece_needed_count(needs);
  for (uint32_t i = 0; i < count; i++) {
    et_piece piece;
    et_span bytes;
    if (et_piece_at(needs, i, &piece)) {
      ET_RETURN_IF_ERROR(
          get(needs->program, data, piece, &bytes, needs->error));
    }
  }
  return ET_STATUS_OK;
}

static et_status build(const et_data_needs *needs, et_mutable_span buffer,
                       size_t list, et_data *out_data) {
  et_arena arena = et_arena_over(buffer);
  out_data->runs = (void *)(buffer.data + list);
  ET_RETURN_IF_ERROR(
      take_runs(needs, &arena, out_data->runs, &out_data->count));
  return read_needed(needs, out_data);
}

const struct et_reading et_reading = {measure, build, find, get};
