#include "backends/cpu/ops/window.h"

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"

#define BLOCK_CHANNELS 256

/* A 0 x 0 kernel covers the whole image. */
static bool is_global(const et_cpu_window_attributes *window) {
  return window->kernel[0] == 0 && window->kernel[1] == 0;
}

/* Returns the window. For global pooling, its kernel has the size of the image. If the image
 * is empty, so is the kernel, because the image can have 2^31 rows. */
static et_cpu_window_attributes window_of(const et_cpu_pool_f32_args *args) {
  const int32_t *in = args->x->sizes + 1;
  if (!is_global(&args->attributes.window)) {
    return args->attributes.window;
  }
  et_cpu_window_attributes window = {.stride = {1, 1}, .dilation = {1, 1}};
  if (in[0] > 0 && in[1] > 0) {
    window.kernel[0] = in[0];
    window.kernel[1] = in[1];
  }
  return window;
}

static et_status check_window(const et_cpu_op *op,
                              const et_cpu_pool_f32_args *args,
                              et_error *error) {
  const et_cpu_window_attributes *window = &args->attributes.window;
  const int32_t *out = args->y->sizes + 1;
  if (is_global(window)) {
    ET_CPU_CHECK(error, out[0] == 1 && out[1] == 1,
                 "%s: global pooling has %d x %d outputs, expected 1 x 1",
                 op->type->schema->name, (int)out[0], (int)out[1]);
    return ET_STATUS_OK;
  }
  ET_CPU_CHECK(error, window->kernel[0] > 0 && window->kernel[1] > 0,
               "%s: kernel of %d x %d is empty", op->type->schema->name,
               (int)window->kernel[0], (int)window->kernel[1]);
  return et_cpu_check_window_sizes(op, window, args->x->sizes + 1, out, error);
}

et_status et_cpu_check_pool(const et_cpu_op *op,
                            const et_cpu_pool_f32_args *args, et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_check_same_channels(op, args->x, args->y, error));
  return check_window(op, args, error);
}

et_cpu_pool et_cpu_pool_of(const et_cpu_pool_f32_args *args) {
  const et_cpu_window_attributes window = window_of(args);
  return (et_cpu_pool){.window = et_cpu_window_of(&window, args->x->sizes + 1,
                                                  args->y->sizes + 1),
                       .channels = (size_t)args->x->sizes[3],
                       .maximum = args->attributes.mode == ET_CPU_POOL_MODE_MAX,
                       .count_padding = args->attributes.count_padding,
                       .divisor = (size_t)args->attributes.divisor};
}

size_t et_cpu_pool_parts(const et_cpu_tensor *y) {
  const size_t rows = (size_t)y->sizes[0] * (size_t)y->sizes[1];
  return rows * et_cpu_parts((size_t)y->sizes[3], BLOCK_CHANNELS);
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
