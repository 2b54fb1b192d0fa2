/* Op winograd_f32: 3 x 3 convolution with stride 1, computed with Winograd's algorithm
 * F(2 x 2, 3 x 3) or F(4 x 4, 3 x 3) (Lavin & Gray 2016). It needs 4/9 or 1/4 of the
 * multiplications of a direct convolution. */
#include "backends/cpu/schema/winograd_f32.h"

#include "backends/cpu/microkernels/winograd_f32.h"
#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/window.h"

static et_cpu_winograd_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_winograd_f32);

static et_status check_weights(const et_cpu_op *op,
                               const et_cpu_winograd_f32_args *args,
                               et_error *error) {
  const int64_t panels = ((int64_t)args->y->sizes[3] + 15) / 16;
  const size_t side = (size_t)args->attributes.side;
  ET_CPU_CHECK(error, side == 2 || side == 4,
               "winograd_f32: tiles of %zu x %zu outputs, expected 2 or 4",
               side, side);
  const int64_t packed[4] = {(int64_t)et_cpu_winograd_positions(side), panels,
                             args->x->sizes[3], 16};
  ET_RETURN_IF_ERROR(et_cpu_check_shape(op, args->weights, 4, packed, error));
  return et_cpu_check_elements(op, args->bias, panels * 16, error);
}

static et_status check_images(const et_cpu_op *op,
                              const et_cpu_winograd_f32_args *args,
                              et_error *error) {
  const int32_t *padding = args->attributes.padding;
  const et_cpu_window_attributes window = {
      .kernel = {3, 3},
      .stride = {1, 1},
      .padding = {padding[0], padding[1], padding[2], padding[3]},
      .dilation = {1, 1}};
  ET_RETURN_IF_ERROR(et_cpu_check_same_batch(op, args->x, args->y, error));
  ET_RETURN_IF_ERROR(et_cpu_check_window_sizes(op, &window, args->x->sizes + 1,
                                               args->y->sizes + 1, error));
  return args->residual != NULL
             ? et_cpu_check_alike(op, args->residual, args->y, error)
             : ET_STATUS_OK;
}

static et_status check_workspace(const et_cpu_winograd_f32_args *args,
                                 et_error *error) {
  const int32_t *sizes = args->workspace->sizes;
  const uint64_t needed = et_cpu_winograd_workspace(
      (size_t)args->attributes.side, (uint64_t)args->attributes.tiles,
      (size_t)args->x->sizes[3]);
  ET_CPU_CHECK(
      error, sizes[0] >= 1 && (uint64_t)sizes[1] >= needed,
      "winograd_f32: workspace is [%d, %d], expected at least [1, %llu]",
      (int)sizes[0], (int)sizes[1], (unsigned long long)needed);
  return ET_STATUS_OK;
}

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_winograd_f32_args args = et_cpu_winograd_f32_args_of(op);
  ET_RETURN_IF_ERROR(check_images(op, &args, error));
  ET_RETURN_IF_ERROR(check_weights(op, &args, error));
  return check_workspace(&args, error);
}

/* Groups of tiles are divided among the threads that have a workspace. If there is only one group,
 * columns are divided instead, because reading the weights then dominates, and each thread reads
 * only its part. */
typedef struct work {
  et_cpu_winograd winograd;
  et_cpu_winograd_f32_function *function;
  size_t tiles;
  size_t group; /* number of tiles per group */
  size_t lanes;
  bool shares_columns;
  float *workspace;
  size_t workspace_size;
} work;

static void run_tiles(const work *w, size_t lane, float *workspace) {
  const size_t groups = et_cpu_parts(w->tiles, w->group);
  const size_t end = et_first_of_part(groups, lane + 1, w->lanes);
  for (size_t i = et_first_of_part(groups, lane, w->lanes); i < end; i++) {
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
  const size_t end =
      et_first_of_part(groups, lane + 1, w->lanes) * ET_CPU_WINOGRAD_COLUMNS;
  const et_cpu_winograd_part part = {
      .tiles = w->tiles,
      .first_column =
          et_first_of_part(groups, lane, w->lanes) * ET_CPU_WINOGRAD_COLUMNS,
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

static et_cpu_winograd winograd_of(const et_cpu_winograd_f32_args *args) {
  const et_cpu_winograd_f32_attributes *a = &args->attributes;
  const int32_t *in = args->x->sizes;
  const int32_t *out = args->y->sizes;
  return (et_cpu_winograd){
      .x = args->x->data,
      .panels = args->weights->data,
      .bias = args->bias->data,
      .residual = args->residual != NULL ? args->residual->data : NULL,
      .out = args->y->data,
      .height = (size_t)in[1],
      .width = (size_t)in[2],
      .out_height = (size_t)out[1],
      .out_width = (size_t)out[2],
      .top = (size_t)a->padding[0],
      .left = (size_t)a->padding[1],
      .side = (size_t)a->side,
      .channels = (size_t)in[3],
      .columns = (size_t)out[3],
      .activation = a->activation};
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_winograd_f32_args args = et_cpu_winograd_f32_args_of(op);
  const size_t max = (size_t)args.attributes.tiles;
  work w = {.winograd = winograd_of(&args),
            .function = variants[run->isa],
            .workspace = args.workspace->data,
            .workspace_size = (size_t)args.workspace->sizes[1]};
  const size_t side = w.winograd.side;
  w.tiles = (size_t)args.y->sizes[0] *
            et_cpu_winograd_tiles(w.winograd.out_height, side) *
            et_cpu_winograd_tiles(w.winograd.out_width, side);
  w.lanes = et_cpu_lanes(run, (size_t)args.workspace->sizes[0]);
  w.shares_columns =
      w.tiles <= max && w.lanes > 1 && w.lanes <= column_groups(&w);
  w.group = w.shares_columns || w.tiles == 0
                ? max
                : et_cpu_even_part(w.tiles, max, w.lanes);
  et_cpu_for_each(run, w.lanes, run_lane, &w);
}

static const et_cpu_op_type op_type = {&et_cpu_winograd_f32_schema, check, run};
const et_backend_part et_cpu_op_winograd_f32 = {ET_CPU_OP_WINOGRAD_F32,
                                                &op_type};
