/* Op conv_f32: convolution of images in NHWC or planar (NCHW) layout, with groups. */
#include "backends/cpu/schema/conv_f32.h"

#include "backends/cpu/microkernels/conv_planar.h"
#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/convs.h"

static et_cpu_conv_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_conv_f32);
static et_cpu_conv_planar_f32_function *const
    planar_variants[ET_CPU_ISA_COUNT] = ET_CPU_VARIANTS(et_cpu_conv_planar_f32);

/* The planar microkernel copies the image rows of an output row to the stack, so their size is
 * limited. */
static et_status check_planar(const et_cpu_conv_f32_args *args,
                              et_error *error) {
  const et_cpu_conv conv = et_cpu_conv_of(args);
  const et_cpu_window *window = &conv.window;
  ET_CPU_CHECK(error, conv.groups == 1,
               "conv_f32: planar input requires one group");
  ET_CPU_CHECK(error, et_cpu_conv_planar_fit(window, conv.channels),
               "conv_f32: windows of %zu x %zu over %zu channels are too large "
               "for planar input",
               window->kernel_y, window->kernel_x, conv.channels);
  return ET_STATUS_OK;
}

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_conv_f32_args args = et_cpu_conv_f32_args_of(op);
  ET_RETURN_IF_ERROR(et_cpu_conv_check(op, &args, error));
  return args.attributes.planar ? check_planar(&args, error) : ET_STATUS_OK;
}

static et_cpu_conv conv_of(const et_cpu_conv_f32_args *args) {
  et_cpu_conv conv = et_cpu_conv_of(args);
  conv.panels = args->weights->data;
  return conv;
}

typedef struct work {
  et_cpu_conv conv;
  et_cpu_conv_f32_function *function;
  et_cpu_pixel_blocks blocks;
} work;

static void run_block(void *data, size_t index) {
  const work *w = data;
  const et_cpu_pixels pixels = et_cpu_pixel_block_at(&w->blocks, index);
  w->function(&w->conv, &pixels);
}

static void run_nhwc(const et_cpu_conv_f32_args *args, const et_cpu_run *run) {
  work w = {conv_of(args), variants[run->isa], et_cpu_conv_blocks(args)};
  et_cpu_for_each(run, et_cpu_pixel_block_count(&w.blocks), run_block, &w);
}

typedef struct planar_work {
  et_cpu_conv conv;
  et_cpu_conv_planar_f32_function *function;
  float *out;
  const float *residual; /* or NULL */
} planar_work;

static void run_row(void *data, size_t index) {
  const planar_work *w = data;
  const size_t before = index * w->conv.window.out_width * w->conv.columns;
  w->function(&w->conv, index, w->out + before,
              w->residual == NULL ? NULL : w->residual + before);
}

static void run_planar(const et_cpu_conv_f32_args *args,
                       const et_cpu_run *run) {
  const et_cpu_tensor *y = args->y;
  planar_work w = {conv_of(args), planar_variants[run->isa], y->data,
                   et_cpu_conv_residual(args)};
  et_cpu_for_each(run, (size_t)y->sizes[0] * (size_t)y->sizes[1], run_row, &w);
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_conv_f32_args args = et_cpu_conv_f32_args_of(op);
  if (args.attributes.planar) {
    run_planar(&args, run);
  } else {
    run_nhwc(&args, run);
  }
}

static const et_cpu_op_type op_type = {&et_cpu_conv_f32_schema, check, run};
const et_backend_part et_cpu_op_conv_f32 = {ET_CPU_OP_CONV_F32, &op_type};
