/* Op conv_f32_f16w: a convolution of images [batch][y][x][channel] whose weights
 * are float16 or bfloat16. */
#include "backends/cpu/microkernels/conv_f16w.h"

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/convs.h"
#include "backends/cpu/ops/op_codes.h"

static et_cpu_conv_f16w_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_conv_halves);

static et_status check(const et_cpu_op *op, et_error *error) {
  const bool is_bfloat = op->input_count > 1 && et_cpu_conv_panels(op)->dtype ==
                                                    ET_SCALAR_TYPE_BFLOAT16;
  ET_RETURN_IF_ERROR(et_cpu_conv_check(
      op, is_bfloat ? ET_SCALAR_TYPE_BFLOAT16 : ET_SCALAR_TYPE_FLOAT16, error));
  ET_CPU_CHECK(error, !et_cpu_conv_reads_planes(op),
               "conv_f32_f16w: planes are read with weights of float32 only");
  return ET_STATUS_OK;
}

typedef struct work {
  et_cpu_conv_f16w conv;
  et_cpu_conv_f16w_function *function;
  et_cpu_pixel_blocks blocks;
} work;

static void run_block(void *data, size_t index) {
  const work *w = data;
  const et_cpu_pixels pixels = et_cpu_pixel_block_at(&w->blocks, index);
  w->function(&w->conv, &pixels);
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_tensor *panels = et_cpu_conv_panels(op);
  work w = {{et_cpu_conv_read(op), panels->data,
             panels->dtype == ET_SCALAR_TYPE_BFLOAT16},
            variants[run->isa],
            et_cpu_conv_blocks(op)};
  et_cpu_for_each(run, et_cpu_pixel_block_count(&w.blocks), run_block, &w);
}

static const et_cpu_op_type op_type = {"conv_f32_f16w", check, run, 0, NULL};
const et_backend_part et_cpu_op_conv_f32_f16w = {ET_CPU_OP_CONV_F32_F16W,
                                                 &op_type};
