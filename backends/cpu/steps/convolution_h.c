/* Step convolution_h: a convolution of images [batch][y][x][channel] whose weights
 * are float16 or bfloat16. */
#include "backends/cpu/simd/convolution_h.h"

#include "backends/cpu/steps/check.h"
#include "backends/cpu/steps/chunks.h"
#include "backends/cpu/steps/convolutions.h"
#include "backends/cpu/steps/kinds.h"

static et_cpu_convolution_h_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_convolution_halves);

static et_status check(const et_cpu_step *step, et_error *error) {
  const bool is_bfloat =
      step->input_count > 1 &&
      et_cpu_convolution_panels(step)->dtype == ET_SCALAR_TYPE_BFLOAT16;
  ET_RETURN_IF_ERROR(et_cpu_convolution_check(
      step, is_bfloat ? ET_SCALAR_TYPE_BFLOAT16 : ET_SCALAR_TYPE_FLOAT16,
      error));
  ET_CPU_CHECK(error, !et_cpu_convolution_reads_planes(step),
               "convolution_h: planes are read with weights of float32 only");
  return ET_STATUS_OK;
}

typedef struct work {
  et_cpu_convolution_h conv;
  et_cpu_convolution_h_function *function;
  et_cpu_pixel_blocks blocks;
} work;

static void run_block(void *data, size_t index) {
  const work *w = data;
  const et_cpu_pixels pixels = et_cpu_pixel_block_at(&w->blocks, index);
  w->function(&w->conv, &pixels);
}

static void run(const et_cpu_step *step, const et_cpu_run *run) {
  const et_cpu_tensor *panels = et_cpu_convolution_panels(step);
  work w = {{et_cpu_convolution_read(step), panels->data,
             panels->dtype == ET_SCALAR_TYPE_BFLOAT16},
            variants[run->isa],
            et_cpu_convolution_blocks(step)};
  et_cpu_for_each(run, et_cpu_pixel_block_count(&w.blocks), run_block, &w);
}

static const et_cpu_kind kind = {"convolution_h", check, run, 0};
const et_backend_part et_cpu_step_convolution_h = {ET_CPU_KIND_CONVOLUTION_H,
                                                   &kind};
