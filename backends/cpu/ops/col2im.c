/* Op col2im: windows of a picture, added up where they overlap. */
#include <string.h>

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/op_codes.h"
#include "backends/cpu/ops/window.h"

enum { X, Y };

/* Dimensions of x; y has those of a picture. */
enum { BATCH, DOWN, ACROSS, TAPS, CHANNELS, RANK };
enum { HEIGHT = 1, WIDTH = 2, PICTURE_CHANNELS = 3, PICTURE_RANK = 4 };

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_counts counts = {.inputs_least = Y,
                                .inputs_most = Y,
                                .outputs = 1,
                                .attributes = ET_CPU_WINDOW_WORDS};
  const et_scalar_type f32 = ET_SCALAR_TYPE_FLOAT32;
  ET_RETURN_IF_ERROR(et_cpu_check_counts(op, &counts, error));
  ET_RETURN_IF_ERROR(et_cpu_check_tensor(op, X, f32, RANK, error));
  ET_RETURN_IF_ERROR(et_cpu_check_tensor(op, Y, f32, PICTURE_RANK, error));
  const int32_t *x = op->tensors[X]->sizes;
  const int32_t *y = op->tensors[Y]->sizes;
  ET_RETURN_IF_ERROR(et_cpu_check_window(op, 0, y + HEIGHT, x + DOWN, error));
  const int64_t taps = et_cpu_attribute(op, 0) * et_cpu_attribute(op, 1);
  const int64_t sizes[RANK] = {y[BATCH], x[DOWN], x[ACROSS], taps,
                               y[PICTURE_CHANNELS]};
  return et_cpu_check_sizes(op, X, f32, RANK, sizes, error);
}

/* Whether a place of the window has `pixel` below its tap that lies `reach` from
 * its first: which one. */
static bool find_place(size_t pixel, size_t pad, size_t reach, size_t stride,
                       size_t places, size_t *place) {
  const size_t at = pixel + pad;
  if (at < reach || (at - reach) % stride != 0) {
    return false;
  }
  *place = (at - reach) / stride;
  return *place < places;
}

static void add_pixel(const float *x, size_t channels, float *y) {
  for (size_t c = 0; c < channels; c++) {
    y[c] += x[c];
  }
}

/* Adds what a row of windows has below row `tap` of its taps to a row of y. */
static void add_row(const et_cpu_window *w, size_t channels, size_t tap,
                    const float *windows, float *y) {
  const size_t taps = w->kernel_y * w->kernel_x;
  for (size_t pixel = 0; pixel < w->width; pixel++, y += channels) {
    for (size_t kx = 0; kx < w->kernel_x; kx++) {
      size_t place = 0;
      if (find_place(pixel, w->left, kx * w->dilation_x, w->stride_x,
                     w->out_width, &place)) {
        const size_t at = place * taps + tap * w->kernel_x + kx;
        add_pixel(windows + at * channels, channels, y);
      }
    }
  }
}

/* A row of y. */
static void run_row(void *data, size_t index) {
  const et_cpu_op *op = data;
  const et_cpu_tensor *x = op->tensors[X];
  const et_cpu_tensor *y = op->tensors[Y];
  const et_cpu_window w =
      et_cpu_read_window(op, 0, y->sizes + HEIGHT, x->sizes + DOWN);
  const size_t channels = (size_t)y->sizes[PICTURE_CHANNELS];
  const size_t windows = w.out_width * w.kernel_y * w.kernel_x * channels;
  const size_t batch = index / w.height;
  float *to = (float *)y->data + index * w.width * channels;
  memset(to, 0, w.width * channels * sizeof(*to));
  for (size_t ky = 0; ky < w.kernel_y; ky++) {
    size_t place = 0;
    if (find_place(index % w.height, w.top, ky * w.dilation_y, w.stride_y,
                   w.out_height, &place)) {
      const float *from =
          (const float *)x->data + (batch * w.out_height + place) * windows;
      add_row(&w, channels, ky, from, to);
    }
  }
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  et_cpu_for_each_row(run, op, Y, run_row);
}

static const et_cpu_op_type op_type = {"col2im", check, run, 0, NULL};
const et_backend_part et_cpu_op_col2im = {ET_CPU_OP_COL2IM, &op_type};
