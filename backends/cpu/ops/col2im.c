/* Op col2im: sums overlapping windows. */
#include "backends/cpu/schema/col2im.h"

#include <string.h>

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/window.h"

/* Dimensions of x. */
enum { BATCH, ROWS, COLUMNS, TAPS, CHANNELS, RANK };

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_col2im_args args = et_cpu_col2im_args_of(op);
  const int32_t *kernel = args.attributes.window.kernel;
  const int32_t *x = args.x->sizes;
  const int32_t *y = args.y->sizes;
  ET_RETURN_IF_ERROR(et_cpu_check_window_sizes(op, &args.attributes.window,
                                               y + 1, x + ROWS, error));
  const int64_t taps = (int64_t)kernel[0] * kernel[1];
  const int64_t sizes[RANK] = {y[0], x[ROWS], x[COLUMNS], taps, y[3]};
  return et_cpu_check_shape(op, args.x, RANK, sizes, error);
}

/* Finds the window whose tap at offset `reach` is at `pixel`. Returns false if it does not
 * exist. */
static bool find_window(size_t pixel, size_t pad, size_t reach, size_t stride,
                        size_t count, size_t *index) {
  const size_t at = pixel + pad;
  if (at < reach || (at - reach) % stride != 0) {
    return false;
  }
  *index = (at - reach) / stride;
  return *index < count;
}

static void add_pixel(const float *x, size_t channels, float *y) {
  for (size_t c = 0; c < channels; c++) {
    y[c] += x[c];
  }
}

/* Adds kernel row `tap` of all windows of one output row to a row of y. */
static void add_row(const et_cpu_window *w, size_t channels, size_t tap,
                    const float *windows, float *y) {
  const size_t taps = w->kernel_y * w->kernel_x;
  for (size_t pixel = 0; pixel < w->width; pixel++, y += channels) {
    for (size_t kx = 0; kx < w->kernel_x; kx++) {
      size_t index = 0;
      if (find_window(pixel, w->left, kx * w->dilation_x, w->stride_x,
                      w->out_width, &index)) {
        const size_t at = index * taps + tap * w->kernel_x + kx;
        add_pixel(windows + at * channels, channels, y);
      }
    }
  }
}

typedef struct work {
  et_cpu_window window;
  size_t channels;
  const float *x;
  float *y;
} work;

/* Computes a row of y. */
static void run_row(void *data, size_t index) {
  const work *work = data;
  const et_cpu_window *w = &work->window;
  const size_t channels = work->channels;
  const size_t windows = w->out_width * w->kernel_y * w->kernel_x * channels;
  const size_t batch = index / w->height;
  float *to = work->y + index * w->width * channels;
  memset(to, 0, w->width * channels * sizeof(*to));
  for (size_t ky = 0; ky < w->kernel_y; ky++) {
    size_t row = 0;
    if (find_window(index % w->height, w->top, ky * w->dilation_y, w->stride_y,
                    w->out_height, &row)) {
      add_row(w, channels, ky,
              work->x + (batch * w->out_height + row) * windows, to);
    }
  }
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_col2im_args args = et_cpu_col2im_args_of(op);
  const int32_t *sizes = args.y->sizes;
  work w = {.window = et_cpu_window_of(&args.attributes.window, sizes + 1,
                                       args.x->sizes + ROWS),
            .channels = (size_t)sizes[3],
            .x = args.x->data,
            .y = args.y->data};
  if (args.x->numel == 0) {
    /* Loops over taps are too slow here: if x is empty, the kernel can have 2^30 taps. */
    memset(w.y, 0, args.y->bytes);
  } else if (args.y->numel > 0) {
    et_cpu_for_each(run, (size_t)sizes[0] * (size_t)sizes[1], run_row, &w);
  }
}

static const et_cpu_op_type op_type = {&et_cpu_col2im_schema, check, run};
const et_backend_part et_cpu_op_col2im = {ET_CPU_OP_COL2IM, &op_type};
