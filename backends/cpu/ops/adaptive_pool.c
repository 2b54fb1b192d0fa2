/* Op adaptive_pool: average, maximum or index of the maximum of windows that divide a
 * volume evenly. */
#include "backends/cpu/schema/adaptive_pool.h"

#include <math.h>

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"

/* Number of dimensions of x and y. */
enum { BATCH, DEPTH, HEIGHT, WIDTH, CHANNELS, RANK };

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_adaptive_pool_args args = et_cpu_adaptive_pool_args_of(op);
  const et_scalar_type dtype = args.attributes.mode == ET_CPU_POOL_MODE_ARGMAX
                                   ? ET_SCALAR_TYPE_INT64
                                   : ET_SCALAR_TYPE_FLOAT32;
  ET_CPU_CHECK(error, args.y->dtype == dtype,
               "adaptive_pool: tensor 1 is %s, expected %s",
               et_scalar_type_name(args.y->dtype), et_scalar_type_name(dtype));
  const int32_t *y = args.y->sizes;
  const int64_t sizes[RANK] = {args.x->sizes[BATCH], y[DEPTH], y[HEIGHT],
                               y[WIDTH], args.x->sizes[CHANNELS]};
  ET_RETURN_IF_ERROR(et_cpu_check_shape(op, args.y, RANK, sizes, error));
  ET_CPU_CHECK(error, args.y->numel == 0 || args.x->numel > 0,
               "adaptive_pool: input volume is empty");
  return ET_STATUS_OK;
}

/* Elements `first` to `end - 1` of one axis. */
typedef struct window {
  size_t first;
  size_t end;
} window;

/* Returns window `index` of axis `dim`. Windows may overlap. */
static window window_at(const et_cpu_adaptive_pool_args *args, size_t dim,
                        size_t index) {
  const uint64_t size = (uint64_t)args->x->sizes[dim];
  const uint64_t count = (uint64_t)args->y->sizes[dim];
  return (window){(size_t)(index * size / count),
                  (size_t)(((index + 1) * size + count - 1) / count)};
}

/* The part of the volume from which one pixel of y is computed. */
typedef struct pixel {
  const float *x; /* [D, H, W, C] */
  size_t channels;
  size_t first; /* index of the first pixel of the window */
} pixel;

/* Returns whether `value` replaces `maximum`. NaN is larger than any other value. */
static bool is_larger(float value, float maximum) {
  return value > maximum || isnan(value);
}

static void add_element(const pixel *p, size_t index, float *y) {
  const float *x = p->x + index * p->channels;
  for (size_t c = 0; c < p->channels; c++) {
    y[c] = index == p->first ? x[c] : y[c] + x[c];
  }
}

static void take_maximum(const pixel *p, size_t index, float *y) {
  const float *x = p->x + index * p->channels;
  for (size_t c = 0; c < p->channels; c++) {
    y[c] = index == p->first || is_larger(x[c], y[c]) ? x[c] : y[c];
  }
}

static void take_index(const pixel *p, size_t index, int64_t *y) {
  for (size_t c = 0; c < p->channels; c++) {
    if (index == p->first || is_larger(p->x[index * p->channels + c],
                                       p->x[(size_t)y[c] * p->channels + c])) {
      y[c] = (int64_t)index;
    }
  }
}

static void divide(float *y, size_t channels, size_t count) {
  for (size_t c = 0; c < channels; c++) {
    y[c] /= (float)count;
  }
}

static void take(const et_cpu_adaptive_pool_args *args, const pixel *p,
                 size_t index, size_t at) {
  if (args->attributes.mode == ET_CPU_POOL_MODE_AVG) {
    add_element(p, index, (float *)args->y->data + at);
  } else if (args->attributes.mode == ET_CPU_POOL_MODE_MAX) {
    take_maximum(p, index, (float *)args->y->data + at);
  } else {
    take_index(p, index, (int64_t *)args->y->data + at);
  }
}

/* Computes the pixel of windows z, h and w. Its channels start at element `at` of y. */
static void run_pixel(const et_cpu_adaptive_pool_args *args,
                      const float *volume, window z, window h, window w,
                      size_t at) {
  const int32_t *sizes = args->x->sizes;
  const size_t height = (size_t)sizes[HEIGHT];
  const size_t width = (size_t)sizes[WIDTH];
  const pixel p = {volume, (size_t)sizes[CHANNELS],
                   (z.first * height + h.first) * width + w.first};
  for (size_t i = z.first; i < z.end; i++) {
    for (size_t j = h.first; j < h.end; j++) {
      for (size_t k = w.first; k < w.end; k++) {
        take(args, &p, (i * height + j) * width + k, at);
      }
    }
  }
  if (args->attributes.mode == ET_CPU_POOL_MODE_AVG) {
    divide((float *)args->y->data + at, p.channels,
           (z.end - z.first) * (h.end - h.first) * (w.end - w.first));
  }
}

static void run_row(void *data, size_t index) {
  const et_cpu_adaptive_pool_args *args = data;
  const et_cpu_tensor *x = args->x;
  const int32_t *sizes = args->y->sizes;
  const size_t height = (size_t)sizes[HEIGHT];
  const size_t depth = (size_t)sizes[DEPTH];
  const size_t width = (size_t)sizes[WIDTH];
  const size_t batch = index / height / depth;
  const float *volume =
      (const float *)x->data + batch * (x->numel / (size_t)x->sizes[BATCH]);
  const window z = window_at(args, DEPTH, index / height % depth);
  const window h = window_at(args, HEIGHT, index % height);
  for (size_t w = 0; w < width; w++) {
    run_pixel(args, volume, z, h, window_at(args, WIDTH, w),
              (index * width + w) * (size_t)sizes[CHANNELS]);
  }
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  et_cpu_adaptive_pool_args args = et_cpu_adaptive_pool_args_of(op);
  const int32_t *sizes = args.y->sizes;
  if (args.y->numel > 0) {
    const size_t rows =
        (size_t)sizes[BATCH] * (size_t)sizes[DEPTH] * (size_t)sizes[HEIGHT];
    et_cpu_for_each(run, rows, run_row, &args);
  }
}

static const et_cpu_op_type op_type = {&et_cpu_adaptive_pool_schema, check,
                                       run};
const et_backend_part et_cpu_op_adaptive_pool = {ET_CPU_OP_ADAPTIVE_POOL,
                                                 &op_type};
