/* Op argmax_pool: the largest of windows that lie side by side, and where in its
 * window it stands. */
#include <math.h>

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/xnnpack/runtime/ops.h"

enum { X, Y, PLACES };
enum { HEIGHT, WIDTH, TOP, LEFT, WORDS };

#define MOST (1 << 20)

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_counts counts = {
      .inputs_least = 1, .inputs_most = 1, .outputs = 2, .attributes = WORDS};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(op, &counts, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_tensor(op, X, ET_SCALAR_TYPE_FLOAT32, 4, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_tensor(op, Y, ET_SCALAR_TYPE_FLOAT32, 4, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, HEIGHT, 1, MOST, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, WIDTH, 1, MOST, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, TOP, 0, MOST, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, LEFT, 0, MOST, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_same_channels(op, op->tensors[X], op->tensors[Y], error));
  const int32_t *out = op->tensors[Y]->sizes;
  const int64_t sizes[4] = {out[0], out[1], out[2], out[3]};
  return et_cpu_check_sizes(op, PLACES, ET_SCALAR_TYPE_INT32, 4, sizes, error);
}

/* The largest so far of one channel of one window. */
typedef struct largest {
  float value;
  int32_t place;
} largest;

static largest largest_in(const et_cpu_op *op, const float *image, int64_t row,
                          int64_t column) {
  const int32_t *in = op->tensors[X]->sizes;
  largest found = {-INFINITY, 0};
  const int64_t height = et_cpu_attribute(op, HEIGHT);
  const int64_t width = et_cpu_attribute(op, WIDTH);
  for (int64_t i = 0; i < height * width; i++) {
    const int64_t y = row * height + i / width - et_cpu_attribute(op, TOP);
    const int64_t x = column * width + i % width - et_cpu_attribute(op, LEFT);
    if (y >= 0 && y < in[1] && x >= 0 && x < in[2]) {
      const float value = image[(y * in[2] + x) * in[3]];
      found = value > found.value ? (largest){value, (int32_t)i} : found;
    }
  }
  return found;
}

static void run_row(void *data, size_t index) {
  const et_cpu_op *op = data;
  const int32_t *in = op->tensors[X]->sizes;
  const int32_t *out = op->tensors[Y]->sizes;
  const size_t channels = (size_t)out[3];
  const size_t image = index / (size_t)out[1];
  const float *x = (const float *)op->tensors[X]->data +
                   image * (size_t)in[1] * (size_t)in[2] * channels;
  const size_t before = index * (size_t)out[2] * channels;
  for (size_t i = 0; i < (size_t)out[2] * channels; i++) {
    const largest found =
        largest_in(op, x + i % channels, (int64_t)(index % (size_t)out[1]),
                   (int64_t)(i / channels));
    ((float *)op->tensors[Y]->data)[before + i] = found.value;
    ((int32_t *)op->tensors[PLACES]->data)[before + i] = found.place;
  }
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const int32_t *out = op->tensors[Y]->sizes;
  et_cpu_op copy = *op;
  et_cpu_for_each(run, (size_t)out[0] * (size_t)out[1], run_row, &copy);
}

static const et_cpu_op_type op_type = {"argmax_pool", check, run, 0, NULL};
const et_backend_part et_xnn_op_argmax_pool = {0, &op_type};
