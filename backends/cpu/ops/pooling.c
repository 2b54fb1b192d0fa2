#include "backends/cpu/ops/pooling.h"

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"

#define BLOCK_CHANNELS 256

enum { X, Y };
enum { MAXIMUM, WINDOW, COUNT_PADDING = WINDOW + ET_CPU_WINDOW_WORDS, DIVISOR };

/* A kernel of 0 x 0 is the whole image, whatever its size. */
static bool is_whole(const et_cpu_op *op) {
  return op->attributes[WINDOW] == 0 && op->attributes[WINDOW + 1] == 0;
}

static et_status check_window(const et_cpu_op *op, const int32_t *in,
                              const int32_t *out, et_error *error) {
  if (!is_whole(op)) {
    return et_cpu_check_window(op, WINDOW, in, out, error);
  }
  ET_CPU_CHECK(error, out[0] == 1 && out[1] == 1,
               "%s: the whole image gives %d x %d outputs, expected 1 x 1",
               op->type->name, (int)out[0], (int)out[1]);
  return ET_STATUS_OK;
}

static et_cpu_window read_window(const et_cpu_op *op, const int32_t *in,
                                 const int32_t *out) {
  et_cpu_window window = et_cpu_read_window(op, WINDOW, in, out);
  if (is_whole(op)) {
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

et_status et_cpu_check_pool(const et_cpu_op *op, et_error *error) {
  const int32_t *in = op->tensors[X]->sizes;
  const int32_t *out = op->tensors[Y]->sizes;
  ET_RETURN_IF_ERROR(et_cpu_check_channels(op, X, Y, error));
  ET_RETURN_IF_ERROR(check_window(op, in + 1, out + 1, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, MAXIMUM, 0, 1, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, COUNT_PADDING, 0, 1, error));
  return et_cpu_check_attribute(op, DIVISOR, 0, INT32_MAX, error);
}

et_cpu_pool et_cpu_read_pool(const et_cpu_op *op) {
  const et_cpu_tensor *x = op->tensors[X];
  const et_cpu_tensor *y = op->tensors[Y];
  const uint32_t *words = op->attributes;
  const et_cpu_pool pool = {.window =
                                read_window(op, x->sizes + 1, y->sizes + 1),
                            .channels = (size_t)x->sizes[3],
                            .maximum = words[MAXIMUM] != 0,
                            .count_padding = words[COUNT_PADDING] != 0,
                            .divisor = words[DIVISOR]};
  return pool;
}

size_t et_cpu_pool_parts(const et_cpu_op *op) {
  const int32_t *out = op->tensors[Y]->sizes;
  const size_t rows = (size_t)out[0] * (size_t)out[1];
  return rows * et_cpu_parts((size_t)out[3], BLOCK_CHANNELS);
}

et_cpu_pool_part et_cpu_pool_part_at(const et_cpu_pool *pool, size_t index) {
  const et_cpu_window *window = &pool->window;
  const size_t blocks = et_cpu_parts(pool->channels, BLOCK_CHANNELS);
  const size_t block = index % blocks;
  const size_t row = index / blocks;
  const et_cpu_pool_part part = {
      .image = row / window->out_height * window->height * window->width *
               pool->channels,
      .row = row % window->out_height,
      .first = block * BLOCK_CHANNELS,
      .channels = et_cpu_part(pool->channels, BLOCK_CHANNELS, block),
      .out = row * window->out_width * pool->channels};
  return part;
}
