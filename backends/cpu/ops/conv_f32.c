/* Op conv_f32: any window, any groups, of images [batch][y][x][channel]. */
#include "backends/cpu/microkernels/conv_planar.h"

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/convs.h"
#include "backends/cpu/ops/op_codes.h"

static et_cpu_conv_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_conv_f32);
static et_cpu_conv_planar_f32_function *const plane_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_conv_planar_f32);

/* That the rows which one output row reads fit the memory that is laid for them:
 * reading planes is for few channels. */
static et_status check_planes(const et_cpu_op *op, et_error *error) {
  const et_cpu_conv conv = et_cpu_conv_read(op);
  const et_cpu_window *window = &conv.window;
  ET_CPU_CHECK(error, conv.groups == 1,
               "conv_f32: planes are read in one group only");
  ET_CPU_CHECK(error, et_cpu_conv_planar_fit(window, conv.channels),
               "conv_f32: windows of %zu x %zu over %zu planes are too large",
               window->kernel_y, window->kernel_x, conv.channels);
  return ET_STATUS_OK;
}

static et_status check(const et_cpu_op *op, et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_conv_check(op, ET_SCALAR_TYPE_FLOAT32, error));
  return et_cpu_conv_reads_planes(op) ? check_planes(op, error) : ET_STATUS_OK;
}

static et_cpu_conv read(const et_cpu_op *op) {
  et_cpu_conv conv = et_cpu_conv_read(op);
  conv.panels = et_cpu_conv_panels(op)->data;
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

static void run_images(const et_cpu_op *op, const et_cpu_run *run) {
  work w = {read(op), variants[run->isa], et_cpu_conv_blocks(op)};
  et_cpu_for_each(run, et_cpu_pixel_block_count(&w.blocks), run_block, &w);
}

typedef struct plane_work {
  et_cpu_conv conv;
  et_cpu_conv_planar_f32_function *function;
  float *out;
  const float *residual; /* or NULL */
} plane_work;

static void run_row(void *data, size_t index) {
  const plane_work *w = data;
  const size_t before = index * w->conv.window.out_width * w->conv.columns;
  w->function(&w->conv, index, w->out + before,
              w->residual == NULL ? NULL : w->residual + before);
}

static void run_planes(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_tensor *y = op->tensors[op->input_count];
  plane_work w = {read(op), plane_variants[run->isa], y->data,
                  et_cpu_conv_residual(op)};
  et_cpu_for_each(run, (size_t)y->sizes[0] * (size_t)y->sizes[1], run_row, &w);
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  if (et_cpu_conv_reads_planes(op)) {
    run_planes(op, run);
  } else {
    run_images(op, run);
  }
}

static const et_cpu_op_type op_type = {"conv_f32", check, run, 0, NULL};
const et_backend_part et_cpu_op_conv_f32 = {ET_CPU_OP_CONV_F32, &op_type};
