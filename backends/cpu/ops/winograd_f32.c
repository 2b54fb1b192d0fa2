/* Op winograd_f32: convolution 3 x 3 of stride 1 with a quarter of the products, or
 * four ninths. */
#include "backends/cpu/microkernels/winograd_f32.h"

#include <stdbool.h>

#include "backends/cpu/ops/activation.h"
#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/op_codes.h"

static et_cpu_winograd_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_winograd_f32);

enum { X, PANELS, BIAS, RESIDUAL, INPUTS };
enum {
  TOP,
  LEFT,
  BOTTOM,
  RIGHT,
  SIDE,
  TILES,
  ACTIVATION,
  WORDS = ACTIVATION + ET_CPU_ACTIVATION_WORDS
};

/* Larger values are of no use; within them no sum or product overflows. */
#define MOST (1 << 20)

static const et_cpu_tensor *output(const et_cpu_op *op) {
  return op->tensors[op->input_count];
}

static const et_cpu_tensor *workspace(const et_cpu_op *op) {
  return op->tensors[op->input_count + 1];
}

static et_status check_weights(const et_cpu_op *op, et_error *error) {
  const int64_t panels = ((int64_t)output(op)->sizes[3] + 15) / 16;
  const int64_t channels = op->tensors[X]->sizes[3];
  const size_t side = (size_t)et_cpu_attribute(op, SIDE);
  const int64_t packed[4] = {(int64_t)et_cpu_winograd_positions(side), panels,
                             channels, 16};
  ET_RETURN_IF_ERROR(
      et_cpu_check_sizes(op, PANELS, ET_SCALAR_TYPE_FLOAT32, 4, packed, error));
  return et_cpu_check_numel(op, BIAS, ET_SCALAR_TYPE_FLOAT32, panels * 16,
                            error);
}

/* Expects in + before + after - 2 outputs. */
static et_status check_axis(const et_cpu_op *op, size_t before, size_t after,
                            int32_t in, int32_t out, et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, before, 0, MOST, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, after, 0, MOST, error));
  const int64_t room =
      in + et_cpu_attribute(op, before) + et_cpu_attribute(op, after) - 2;
  const int64_t expected = room < 0 ? 0 : room;
  ET_CPU_CHECK(error, out == expected,
               "winograd_f32: %d outputs along an axis of %d, expected %lld",
               (int)out, (int)in, (long long)expected);
  return ET_STATUS_OK;
}

static et_status check_images(const et_cpu_op *op, et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_check_images(op, X, op->input_count, error));
  const int32_t *in = op->tensors[X]->sizes;
  const int32_t *out = output(op)->sizes;
  ET_RETURN_IF_ERROR(check_axis(op, TOP, BOTTOM, in[1], out[1], error));
  ET_RETURN_IF_ERROR(check_axis(op, LEFT, RIGHT, in[2], out[2], error));
  return op->input_count == INPUTS
             ? et_cpu_check_same(op, RESIDUAL, op->input_count, error)
             : ET_STATUS_OK;
}

static et_status check_side(const et_cpu_op *op, et_error *error) {
  const int64_t side = et_cpu_attribute(op, SIDE);
  ET_CPU_CHECK(error, side == 2 || side == 4,
               "winograd_f32: tiles of %lld x %lld results, expected 2 or 4",
               (long long)side, (long long)side);
  return ET_STATUS_OK;
}

static et_status check_workspace(const et_cpu_op *op, et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, TILES, 1, MOST, error));
  const size_t index = (size_t)op->input_count + 1;
  ET_RETURN_IF_ERROR(
      et_cpu_check_tensor(op, index, ET_SCALAR_TYPE_FLOAT32, 2, error));
  const int32_t *sizes = workspace(op)->sizes;
  const size_t needed = et_cpu_winograd_workspace(
      (size_t)et_cpu_attribute(op, SIDE), (size_t)et_cpu_attribute(op, TILES),
      (size_t)op->tensors[X]->sizes[3]);
  ET_CPU_CHECK(error, sizes[0] >= 1 && (size_t)sizes[1] >= needed,
               "winograd_f32: a workspace of %d x %d floats, needed 1 x %zu",
               (int)sizes[0], (int)sizes[1], needed);
  return ET_STATUS_OK;
}

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_counts counts = {.inputs_least = INPUTS - 1,
                                .inputs_most = INPUTS,
                                .outputs = 1,
                                .workspaces = 1,
                                .attributes = WORDS};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(op, &counts, error));
  ET_RETURN_IF_ERROR(et_cpu_check_activation(op, ACTIVATION, error));
  ET_RETURN_IF_ERROR(check_side(op, error));
  ET_RETURN_IF_ERROR(check_images(op, error));
  ET_RETURN_IF_ERROR(check_weights(op, error));
  return check_workspace(op, error);
}

/* Shared out among as many lanes as have a workspace: groups of tiles, or where one
 * group has all tiles, columns, as each lane would read all weights else, which is
 * what takes the time then. */
typedef struct work {
  et_cpu_winograd winograd;
  et_cpu_winograd_f32_function *function;
  size_t tiles;
  size_t group; /* tiles at once */
  size_t lanes;
  bool shares_columns;
  float *workspace;
  size_t workspace_size;
} work;

static void run_tiles(const work *w, size_t lane, float *workspace) {
  const size_t groups = et_cpu_parts(w->tiles, w->group);
  const size_t end = groups * (lane + 1) / w->lanes;
  for (size_t i = groups * lane / w->lanes; i < end; i++) {
    const et_cpu_winograd_part part = {.first_tile = i * w->group,
                                       .tiles =
                                           et_cpu_part(w->tiles, w->group, i),
                                       .end_column = w->winograd.columns};
    w->function(&w->winograd, &part, workspace);
  }
}

static size_t column_groups(const work *w) {
  return et_cpu_parts(w->winograd.columns, ET_CPU_WINOGRAD_COLUMNS);
}

static void run_columns(const work *w, size_t lane, float *workspace) {
  const size_t groups = column_groups(w);
  const size_t end = groups * (lane + 1) / w->lanes * ET_CPU_WINOGRAD_COLUMNS;
  const et_cpu_winograd_part part = {
      .tiles = w->tiles,
      .first_column = groups * lane / w->lanes * ET_CPU_WINOGRAD_COLUMNS,
      .end_column = end < w->winograd.columns ? end : w->winograd.columns};
  if (part.first_column < part.end_column) {
    w->function(&w->winograd, &part, workspace);
  }
}

static void run_lane(void *data, size_t index) {
  const work *w = data;
  float *workspace = w->workspace + index * w->workspace_size;
  if (w->shares_columns) {
    run_columns(w, index, workspace);
  } else {
    run_tiles(w, index, workspace);
  }
}

static et_cpu_winograd read(const et_cpu_op *op) {
  const int32_t *in = op->tensors[X]->sizes;
  const int32_t *out = output(op)->sizes;
  const et_cpu_winograd winograd = {
      .x = op->tensors[X]->data,
      .panels = op->tensors[PANELS]->data,
      .bias = op->tensors[BIAS]->data,
      .residual =
          op->input_count == INPUTS ? op->tensors[RESIDUAL]->data : NULL,
      .out = output(op)->data,
      .height = (size_t)in[1],
      .width = (size_t)in[2],
      .out_height = (size_t)out[1],
      .out_width = (size_t)out[2],
      .top = op->attributes[TOP],
      .left = op->attributes[LEFT],
      .side = op->attributes[SIDE],
      .channels = (size_t)in[3],
      .columns = (size_t)out[3],
      .activation = et_cpu_read_activation(op, ACTIVATION)};
  return winograd;
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_tensor *space = workspace(op);
  work w = {.winograd = read(op),
            .function = variants[run->isa],
            .workspace = space->data,
            .workspace_size = (size_t)space->sizes[1]};
  const size_t side = w.winograd.side;
  w.tiles = (size_t)output(op)->sizes[0] *
            et_cpu_winograd_tiles(w.winograd.out_height, side) *
            et_cpu_winograd_tiles(w.winograd.out_width, side);
  w.lanes = et_cpu_lanes(run, (size_t)space->sizes[0]);
  w.shares_columns = w.tiles <= op->attributes[TILES] && w.lanes > 1 &&
                     w.lanes <= column_groups(&w);
  w.group = w.shares_columns || w.tiles == 0
                ? op->attributes[TILES]
                : et_cpu_even_part(w.tiles, op->attributes[TILES], w.lanes);
  et_cpu_for_each(run, w.lanes, run_lane, &w);
}

static const et_cpu_op_type op_type = {"winograd_f32", check, run, 0, NULL};
const et_backend_part et_cpu_op_winograd_f32 = {ET_CPU_OP_WINOGRAD_F32,
                                                &op_type};
