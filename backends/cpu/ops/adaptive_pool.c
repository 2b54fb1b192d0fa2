/* Op adaptive_pool: means, the largest numbers or where these stand, of windows
 * that share a volume out evenly. */
#include <math.h>

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/op_codes.h"

enum { X, Y };
enum { POOLING, ATTRIBUTES };
enum { MEAN, LARGEST, PLACES };

/* Dimensions of both. */
enum { BATCH, DEPTH, HEIGHT, WIDTH, CHANNELS, RANK };

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_counts counts = {.inputs_least = 1,
                                .inputs_most = 1,
                                .outputs = 1,
                                .attributes = ATTRIBUTES};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(op, &counts, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, POOLING, 0, PLACES, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_tensor(op, X, ET_SCALAR_TYPE_FLOAT32, RANK, error));
  const et_scalar_type dtype = et_cpu_attribute(op, POOLING) == PLACES
                                   ? ET_SCALAR_TYPE_INT64
                                   : ET_SCALAR_TYPE_FLOAT32;
  ET_RETURN_IF_ERROR(et_cpu_check_tensor(op, Y, dtype, RANK, error));
  const int32_t *x = op->tensors[X]->sizes;
  const int32_t *y = op->tensors[Y]->sizes;
  const int64_t sizes[RANK] = {x[BATCH], y[DEPTH], y[HEIGHT], y[WIDTH],
                               x[CHANNELS]};
  ET_RETURN_IF_ERROR(et_cpu_check_sizes(op, Y, dtype, RANK, sizes, error));
  ET_CPU_CHECK(error, op->tensors[Y]->numel == 0 || op->tensors[X]->numel > 0,
               "adaptive_pool: windows of an empty volume");
  return ET_STATUS_OK;
}

/* From `first` to before `end`. */
typedef struct window {
  size_t first;
  size_t end;
} window;

/* Window `index` of those along a dimension; they cover it, and may overlap. */
static window window_at(const et_cpu_op *op, size_t dim, size_t index) {
  const size_t size = (size_t)op->tensors[X]->sizes[dim];
  const size_t count = (size_t)op->tensors[Y]->sizes[dim];
  return (window){index * size / count,
                  ((index + 1) * size + count - 1) / count};
}

/* One result of each channel: its volume, and where its window begins. */
typedef struct pixel {
  const float *x; /* the whole volume of its batch */
  size_t channels;
  size_t first; /* place in the volume */
} pixel;

/* The new number stands for the window: it is larger, or NaN. */
static bool is_larger(float number, float largest) {
  return number > largest || isnan(number);
}

static void take_sums(const pixel *p, size_t place, float *y) {
  const float *x = p->x + place * p->channels;
  for (size_t c = 0; c < p->channels; c++) {
    y[c] = place == p->first ? x[c] : y[c] + x[c];
  }
}

static void take_largest(const pixel *p, size_t place, float *y) {
  const float *x = p->x + place * p->channels;
  for (size_t c = 0; c < p->channels; c++) {
    y[c] = place == p->first || is_larger(x[c], y[c]) ? x[c] : y[c];
  }
}

static void take_places(const pixel *p, size_t place, int64_t *y) {
  for (size_t c = 0; c < p->channels; c++) {
    if (place == p->first || is_larger(p->x[place * p->channels + c],
                                       p->x[(size_t)y[c] * p->channels + c])) {
      y[c] = (int64_t)place;
    }
  }
}

static void divide(float *y, size_t channels, size_t count) {
  for (size_t c = 0; c < channels; c++) {
    y[c] /= (float)count;
  }
}

static void take(const et_cpu_op *op, const pixel *p, size_t place, size_t at) {
  const et_cpu_tensor *y = op->tensors[Y];
  if (op->attributes[POOLING] == MEAN) {
    take_sums(p, place, (float *)y->data + at);
  } else if (op->attributes[POOLING] == LARGEST) {
    take_largest(p, place, (float *)y->data + at);
  } else {
    take_places(p, place, (int64_t *)y->data + at);
  }
}

/* The result of windows z, h and w, which begins with element `at` of y. */
static void run_pixel(const et_cpu_op *op, const float *volume, window z,
                      window h, window w, size_t at) {
  const int32_t *sizes = op->tensors[X]->sizes;
  const size_t height = (size_t)sizes[HEIGHT];
  const size_t width = (size_t)sizes[WIDTH];
  const pixel p = {volume, (size_t)sizes[CHANNELS],
                   (z.first * height + h.first) * width + w.first};
  for (size_t i = z.first; i < z.end; i++) {
    for (size_t j = h.first; j < h.end; j++) {
      for (size_t k = w.first; k < w.end; k++) {
        take(op, &p, (i * height + j) * width + k, at);
      }
    }
  }
  if (op->attributes[POOLING] == MEAN) {
    divide((float *)op->tensors[Y]->data + at, p.channels,
           (z.end - z.first) * (h.end - h.first) * (w.end - w.first));
  }
}

/* One row of y. */
static void run_row(void *data, size_t index) {
  const et_cpu_op *op = data;
  const et_cpu_tensor *x = op->tensors[X];
  const int32_t *sizes = op->tensors[Y]->sizes;
  const size_t height = (size_t)sizes[HEIGHT];
  const size_t depth = (size_t)sizes[DEPTH];
  const size_t width = (size_t)sizes[WIDTH];
  const size_t batch = index / height / depth;
  const float *volume =
      (const float *)x->data + batch * (x->numel / (size_t)x->sizes[BATCH]);
  const window z = window_at(op, DEPTH, index / height % depth);
  const window h = window_at(op, HEIGHT, index % height);
  for (size_t w = 0; w < width; w++) {
    run_pixel(op, volume, z, h, window_at(op, WIDTH, w),
              (index * width + w) * (size_t)sizes[CHANNELS]);
  }
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const int32_t *sizes = op->tensors[Y]->sizes;
  et_cpu_op copy = *op;
  if (op->tensors[Y]->numel > 0) {
    const size_t rows =
        (size_t)sizes[BATCH] * (size_t)sizes[DEPTH] * (size_t)sizes[HEIGHT];
    et_cpu_for_each(run, rows, run_row, &copy);
  }
}

static const et_cpu_op_type op_type = {"adaptive_pool", check, run, 0, NULL};
const et_backend_part et_cpu_op_adaptive_pool = {ET_CPU_OP_ADAPTIVE_POOL,
                                                 &op_type};
