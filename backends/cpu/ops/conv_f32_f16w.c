/* Op conv_f32_f16w: conv_f32 with float16 or bfloat16 weights. */
#include "backends/cpu/schema/conv_f32_f16w.h"

#include "backends/cpu/microkernels/conv_f32.h"
#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/convs.h"

static et_cpu_conv_f16w_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_conv_f32_f16w);

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_conv_f32_f16w_args args = et_cpu_conv_f32_f16w_args_of(op);
  ET_CPU_CHECK(error, !args.attributes.planar,
               "conv_f32_f16w: planar input requires float32 weights");
  return et_cpu_conv_check(op, &args, error);
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
  const et_cpu_conv_f32_f16w_args args = et_cpu_conv_f32_f16w_args_of(op);
  const et_cpu_tensor *weights = args.weights;
  work w = {{et_cpu_conv_of(&args), weights->data,
             weights->dtype == ET_SCALAR_TYPE_BFLOAT16},
            variants[run->isa],
            et_cpu_conv_blocks(&args)};
  et_cpu_for_each(run, et_cpu_pixel_block_count(&w.blocks), run_block, &w);
}

static const et_cpu_op_type op_type = {&et_cpu_conv_f32_f16w_schema, check,
                                       run};
const et_backend_part et_cpu_op_conv_f32_f16w = {ET_CPU_OP_CONV_F32_F16W,
                                                 &op_type};
