/* Op winograd_qs8: conv_qs8 with a 3 x 3 kernel and stride 1, computed with Winograd's algorithm
 * F(4 x 4, 3 x 3) in integers. It needs a quarter of the multiplications. The results are
 * identical. */
#include "backends/cpu/schema/winograd_qs8.h"

#include "backends/cpu/microkernels/winograd_qs8.h"
#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/quantized.h"
#include "backends/cpu/ops/window.h"

static et_cpu_winograd_qs8_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS_I8(et_cpu_winograd_qs8);

static et_status check_weights(const et_cpu_op *op,
                               const et_cpu_winograd_qs8_args *args,
                               et_error *error) {
  const int64_t channels = args->x->sizes[3];
  const int64_t columns = args->y->sizes[3];
  ET_CPU_CHECK(error,
               channels % ET_CPU_WINOGRAD_QS8_CHANNEL_STEP == 0 &&
                   channels <= ET_CPU_WINOGRAD_QS8_MAX_CHANNELS,
               "winograd_qs8: %lld input channels, expected a multiple of %d, "
               "at most %d",
               (long long)channels, ET_CPU_WINOGRAD_QS8_CHANNEL_STEP,
               ET_CPU_WINOGRAD_QS8_MAX_CHANNELS);
  ET_CPU_CHECK(error, columns % 16 == 0,
               "winograd_qs8: %lld output channels, expected a multiple of 16",
               (long long)columns);
  const int64_t packed[4] = {
      (int64_t)et_cpu_winograd_positions(ET_CPU_WINOGRAD_QS8_SIDE),
      columns / 16, channels / 2, 32};
  ET_RETURN_IF_ERROR(et_cpu_check_shape(op, args->weights, 4, packed, error));
  return et_cpu_check_columns(op, args->sums, args->scales, args->biases,
                              columns, error);
}

static et_status check_workspace(const et_cpu_winograd_qs8_args *args,
                                 et_error *error) {
  const int32_t *sizes = args->workspace->sizes;
  const uint64_t needed = et_cpu_winograd_words_i8(
      (uint64_t)args->attributes.tiles, (size_t)args->x->sizes[3]);
  ET_CPU_CHECK(
      error, sizes[0] >= 1 && (uint64_t)sizes[1] >= needed,
      "winograd_qs8: workspace is [%d, %d], expected at least [1, %llu]",
      (int)sizes[0], (int)sizes[1], (unsigned long long)needed);
  return ET_STATUS_OK;
}

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_winograd_qs8_args args = et_cpu_winograd_qs8_args_of(op);
  ET_RETURN_IF_ERROR(et_cpu_check_same_batch(op, args.x, args.y, error));
  const et_cpu_winograd_qs8_attributes *a = &args.attributes;
  ET_RETURN_IF_ERROR(et_cpu_check_window_sizes(
      op, &a->window, args.x->sizes + 1, args.y->sizes + 1, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_conv_quantization(op, args.x, a->zero_point, a->min_value,
                                     args.y, &a->output_quantization, error));
  ET_RETURN_IF_ERROR(check_weights(op, &args, error));
  return check_workspace(&args, error);
}

/* Groups of tiles are divided among the threads that have a workspace. */
typedef struct work {
  et_cpu_winograd_qs8 winograd;
  et_cpu_winograd_qs8_function *function;
  size_t tiles;
  size_t group; /* number of tiles per group */
  size_t lanes;
  uint32_t *workspace;
  size_t workspace_size;
} work;

static void run_lane(void *data, size_t index) {
  const work *w = data;
  const size_t groups = et_cpu_parts(w->tiles, w->group);
  const size_t end = et_first_of_part(groups, index + 1, w->lanes);
  for (size_t i = et_first_of_part(groups, index, w->lanes); i < end; i++) {
    w->function(&w->winograd, i * w->group, et_cpu_part(w->tiles, w->group, i),
                w->workspace + index * w->workspace_size);
  }
}

static et_cpu_winograd_qs8 winograd_of(const et_cpu_winograd_qs8_args *args) {
  const et_cpu_winograd_qs8_attributes *a = &args->attributes;
  return (et_cpu_winograd_qs8){
      .window =
          et_cpu_window_of(&a->window, args->x->sizes + 1, args->y->sizes + 1),
      .x = et_cpu_qs8_of(args->x, a->zero_point),
      .panels = args->weights->data,
      .of_columns = et_cpu_columns_of(args->sums, args->scales, args->biases),
      .output_quantization = a->output_quantization,
      .out = args->y->data,
      .channels = (size_t)args->x->sizes[3],
      .columns = (size_t)args->y->sizes[3]};
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_winograd_qs8_args args = et_cpu_winograd_qs8_args_of(op);
  if (args.y->numel == 0) {
    return;
  }
  work w = {.winograd = winograd_of(&args),
            .function = variants[run->isa],
            .workspace = args.workspace->data,
            .workspace_size = (size_t)args.workspace->sizes[1]};
  const et_cpu_window *window = &w.winograd.window;
  w.tiles =
      (size_t)args.y->sizes[0] *
      et_cpu_winograd_tiles(window->out_height, ET_CPU_WINOGRAD_QS8_SIDE) *
      et_cpu_winograd_tiles(window->out_width, ET_CPU_WINOGRAD_QS8_SIDE);
  w.lanes = et_cpu_lanes(run, (size_t)args.workspace->sizes[0]);
  w.group = et_cpu_even_part(w.tiles, (size_t)args.attributes.tiles, w.lanes);
  et_cpu_for_each(run, w.lanes, run_lane, &w);
}

static const et_cpu_op_type op_type = {&et_cpu_winograd_qs8_schema, check, run};
const et_backend_part et_cpu_op_winograd_qs8 = {ET_CPU_OP_WINOGRAD_QS8,
                                                &op_type};
