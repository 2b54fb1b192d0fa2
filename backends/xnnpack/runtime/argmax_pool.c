/* Op argmax_pool: maximum over non-overlapping windows, and its index in the window. */
#include "backends/cpu/schema/argmax_pool.h"

#include <math.h>

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "runtime/core/arithmetic.h"

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_argmax_pool_args args = et_cpu_argmax_pool_args_of(op);
  const int32_t *out = args.y->sizes;
  const int64_t sizes[4] = {out[0], out[1], out[2], out[3]};
  ET_RETURN_IF_ERROR(et_cpu_check_same_channels(op, args.x, args.y, error));
  return et_cpu_check_shape(op, args.indices, 4, sizes, error);
}

/* Running maximum of one channel of a window. */
typedef struct maximum {
  float value;
  int32_t index;
} maximum;

static maximum maximum_in(const et_cpu_argmax_pool_args *args,
                          const float *image, int64_t row, int64_t column) {
  const int32_t *in = args->x->sizes;
  const int32_t *padding = args->attributes.padding;
  maximum found = {-INFINITY, 0};
  const int64_t height = args->attributes.kernel[0];
  const int64_t width = args->attributes.kernel[1];
  const int64_t top = row * height - padding[0];
  const int64_t left = column * width - padding[1];
  const int64_t bottom = et_min_i64(top + height, in[1]);
  const int64_t right = et_min_i64(left + width, in[2]);
  /* Padding is skipped, because it may have 2^40 pixels. */
  for (int64_t y = et_max_i64(top, 0); y < bottom; y++) {
    for (int64_t x = et_max_i64(left, 0); x < right; x++) {
      const float value = image[(y * in[2] + x) * in[3]];
      const int64_t index = (y - top) * width + x - left;
      found = value > found.value ? (maximum){value, (int32_t)index} : found;
    }
  }
  return found;
}

static void run_row(void *data, size_t index) {
  const et_cpu_argmax_pool_args *args = data;
  const int32_t *in = args->x->sizes;
  const int32_t *out = args->y->sizes;
  const size_t channels = (size_t)out[3];
  const size_t image = index / (size_t)out[1];
  const float *x = (const float *)args->x->data +
                   image * (size_t)in[1] * (size_t)in[2] * channels;
  const size_t before = index * (size_t)out[2] * channels;
  for (size_t i = 0; i < (size_t)out[2] * channels; i++) {
    const maximum found =
        maximum_in(args, x + i % channels, (int64_t)(index % (size_t)out[1]),
                   (int64_t)(i / channels));
    ((float *)args->y->data)[before + i] = found.value;
    ((int32_t *)args->indices->data)[before + i] = found.index;
  }
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  et_cpu_argmax_pool_args args = et_cpu_argmax_pool_args_of(op);
  const int32_t *out = args.y->sizes;
  et_cpu_for_each(run, (size_t)out[0] * (size_t)out[1], run_row, &args);
}

static const et_cpu_op_type op_type = {&et_cpu_argmax_pool_schema, check, run};
const et_backend_part et_xnn_op_argmax_pool = {0, &op_type};
