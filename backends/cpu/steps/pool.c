/* Step pool: averages and maxima of windows, or of whole images. */
#include "backends/cpu/simd/pool.h"

#include "backends/cpu/steps/check.h"
#include "backends/cpu/steps/chunks.h"
#include "backends/cpu/steps/kinds.h"
#include "backends/cpu/steps/window.h"

static et_cpu_pool_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_pool_f32);

enum { X, Y };
enum {
  MAXIMUM,
  WINDOW,
  COUNT_PADDING = WINDOW + ET_CPU_WINDOW_WORDS,
  DIVISOR,
  WORDS
};

/* A kernel of 0 x 0 is the whole image, whatever its size. */
static bool is_whole(const et_cpu_step *step) {
  return step->attributes[WINDOW] == 0 && step->attributes[WINDOW + 1] == 0;
}

static et_status check_window(const et_cpu_step *step, const int32_t *in,
                              const int32_t *out, et_error *error) {
  if (!is_whole(step)) {
    return et_cpu_check_window(step, WINDOW, in, out, error);
  }
  ET_CPU_CHECK(error, out[0] == 1 && out[1] == 1,
               "pool: the whole image gives %d x %d outputs, expected 1 x 1",
               (int)out[0], (int)out[1]);
  return ET_STATUS_OK;
}

static et_cpu_window read_window(const et_cpu_step *step, const int32_t *in,
                                 const int32_t *out) {
  et_cpu_window window = et_cpu_read_window(step, WINDOW, in, out);
  if (is_whole(step)) {
    window = (et_cpu_window){.height = window.height,
                             .width = window.width,
                             .out_height = 1,
                             .out_width = 1,
                             .kernel_y = window.height,
                             .kernel_x = window.width,
                             .stride_y = 1,
                             .stride_x = 1,
                             .dilation_y = 1,
                             .dilation_x = 1};
  }
  return window;
}

static et_status check(const et_cpu_step *step, et_error *error) {
  const et_cpu_counts counts = {
      .inputs_least = 1, .inputs_most = 1, .outputs = 1, .attributes = WORDS};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(step, &counts, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_tensor(step, X, ET_SCALAR_TYPE_FLOAT32, 4, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_tensor(step, Y, ET_SCALAR_TYPE_FLOAT32, 4, error));
  const int32_t *in = step->tensors[X]->sizes;
  const int32_t *out = step->tensors[Y]->sizes;
  ET_CPU_CHECK(error, in[0] == out[0] && in[3] == out[3],
               "pool: %d images of %d channels in, %d of %d out", (int)in[0],
               (int)in[3], (int)out[0], (int)out[3]);
  ET_RETURN_IF_ERROR(check_window(step, in + 1, out + 1, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(step, MAXIMUM, 0, 1, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(step, COUNT_PADDING, 0, 1, error));
  return et_cpu_check_attribute(step, DIVISOR, 0, INT32_MAX, error);
}

/* Rows of the output times blocks of channels. */
typedef struct work {
  et_cpu_pool pool;
  et_cpu_pool_f32_function *function;
  const float *x;
  float *y;
  size_t block_channels;
  size_t channel_blocks;
} work;

static void run_block(void *data, size_t index) {
  const work *w = data;
  const et_cpu_window *window = &w->pool.window;
  const size_t block = index % w->channel_blocks;
  const size_t row = index / w->channel_blocks;
  const float *image = w->x + row / window->out_height * window->height *
                                  window->width * w->pool.channels;
  w->function(&w->pool, image, row % window->out_height,
              block * w->block_channels,
              et_cpu_part(w->pool.channels, w->block_channels, block),
              w->y + row * window->out_width * w->pool.channels);
}

static et_cpu_pool read(const et_cpu_step *step) {
  const et_cpu_tensor *x = step->tensors[X];
  const et_cpu_tensor *y = step->tensors[Y];
  const uint32_t *words = step->attributes;
  const et_cpu_pool pool = {.window =
                                read_window(step, x->sizes + 1, y->sizes + 1),
                            .channels = (size_t)x->sizes[3],
                            .maximum = words[MAXIMUM] != 0,
                            .count_padding = words[COUNT_PADDING] != 0,
                            .divisor = words[DIVISOR]};
  return pool;
}

static void run(const et_cpu_step *step, const et_cpu_run *run) {
  const et_cpu_tensor *y = step->tensors[Y];
  work w = {.pool = read(step),
            .function = variants[run->isa],
            .x = step->tensors[X]->data,
            .y = y->data,
            .block_channels = 256};
  w.channel_blocks = et_cpu_parts(w.pool.channels, w.block_channels);
  const size_t rows = (size_t)y->sizes[0] * (size_t)y->sizes[1];
  et_cpu_for_each(run, rows * w.channel_blocks, run_block, &w);
}

static const et_cpu_kind kind = {"pool", check, run, 0};
const et_backend_part et_cpu_step_pool = {ET_CPU_KIND_POOL, &kind};
