/* Op grid_sample: pictures looked at where a grid says. */
#include <string.h>

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/op_codes.h"
#include "executorch/kernels/edge.h"

enum { X, GRID, Y };
enum { MODE, PADDING, CORNERS, ATTRIBUTES };
enum { LINEAR, NEAREST, CUBIC };

/* Dimensions of x and y. */
enum { BATCH, HEIGHT, WIDTH, CHANNELS, RANK };

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_counts counts = {.inputs_least = Y,
                                .inputs_most = Y,
                                .outputs = 1,
                                .attributes = ATTRIBUTES};
  const et_scalar_type f32 = ET_SCALAR_TYPE_FLOAT32;
  ET_RETURN_IF_ERROR(et_cpu_check_counts(op, &counts, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, MODE, 0, CUBIC, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_attribute(op, PADDING, 0, ET_EDGE_REFLECTION, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, CORNERS, 0, 1, error));
  ET_RETURN_IF_ERROR(et_cpu_check_tensor(op, X, f32, RANK, error));
  ET_RETURN_IF_ERROR(et_cpu_check_tensor(op, Y, f32, RANK, error));
  const int32_t *x = op->tensors[X]->sizes;
  const int32_t *y = op->tensors[Y]->sizes;
  const int64_t sizes[RANK] = {x[BATCH], y[HEIGHT], y[WIDTH], x[CHANNELS]};
  const int64_t grid[RANK] = {x[BATCH], y[HEIGHT], y[WIDTH], 2};
  ET_RETURN_IF_ERROR(et_cpu_check_sizes(op, Y, f32, RANK, sizes, error));
  ET_RETURN_IF_ERROR(et_cpu_check_sizes(op, GRID, f32, RANK, grid, error));
  ET_CPU_CHECK(error, op->tensors[Y]->numel == 0 || op->tensors[X]->numel > 0,
               "grid_sample: a picture without pixels");
  return ET_STATUS_OK;
}

/* Pixels along one axis, and what each counts; there is none where it is -1. */
typedef struct taps {
  size_t count;
  int64_t at[4];
  float weight[4];
} taps;

/* How places along an axis of so many pixels are understood. */
typedef struct axis {
  et_edge edge;
  uint32_t mode;
} axis;

static axis axis_of(const et_cpu_op *op, int32_t size) {
  const uint32_t *how = op->attributes;
  const et_edge edge = {(double)size, (int)how[PADDING], how[CORNERS] != 0};
  return (axis){edge, how[MODE]};
}

/* Of -1 to 1, in pixels. */
static double place_on(const axis *a, float at) {
  const bool corners = a->edge.from_corners;
  const double size = a->edge.size;
  const float factor = (float)(corners ? size - 1.0 : size) / 2.0f;
  const float moved = (at + 1.0f) * factor;
  return (double)(corners ? moved : moved - 0.5f);
}

static void put_tap(const axis *a, double place, double weight, taps *to) {
  const bool is_there = place >= 0.0 && place < a->edge.size;
  to->at[to->count] = is_there ? (int64_t)place : -1;
  to->weight[to->count++] = (float)weight;
}

/* The cubic's two pieces, for distances up to 1 and from there to 2. */
static double near_weight(double x) { return (1.25 * x - 2.25) * x * x + 1.0; }

static double far_weight(double x) {
  return ((-0.75 * x + 3.75) * x - 6.0) * x + 3.0;
}

/* Its pixels are padded one by one. */
static void put_cubic(const axis *a, double place, taps *to) {
  const double low = floor(place);
  const double t = place - low;
  put_tap(a, et_edge_pad(&a->edge, low - 1.0), far_weight(t + 1.0), to);
  put_tap(a, et_edge_pad(&a->edge, low), near_weight(t), to);
  put_tap(a, et_edge_pad(&a->edge, low + 1.0), near_weight(1.0 - t), to);
  put_tap(a, et_edge_pad(&a->edge, low + 2.0), far_weight(2.0 - t), to);
}

static taps taps_at(const axis *a, float at) {
  taps found = {0};
  const double place = place_on(a, at);
  const double inside = et_edge_pad(&a->edge, place);
  const double low = floor(inside);
  if (a->mode == CUBIC) {
    put_cubic(a, place, &found);
  } else if (a->mode == NEAREST) {
    put_tap(a, rint(inside), 1.0, &found);
  } else {
    put_tap(a, low, 1.0 - (inside - low), &found);
    put_tap(a, low + 1.0, inside - low, &found);
  }
  return found;
}

static void add_pixel(const float *x, float weight, size_t channels, float *y) {
  for (size_t c = 0; c < channels; c++) {
    y[c] += weight * x[c];
  }
}

static void put_pixel(const et_cpu_tensor *x, const float *picture,
                      const taps *down, const taps *across, float *y) {
  const size_t channels = (size_t)x->sizes[CHANNELS];
  memset(y, 0, channels * sizeof(*y));
  for (size_t i = 0; i < down->count * across->count; i++) {
    const size_t row = i / across->count;
    const size_t column = i % across->count;
    if (down->at[row] >= 0 && across->at[column] >= 0) {
      const size_t place =
          (size_t)(down->at[row] * x->sizes[WIDTH] + across->at[column]);
      add_pixel(picture + place * channels,
                down->weight[row] * across->weight[column], channels, y);
    }
  }
}

/* A row of y. */
static void run_row(void *data, size_t index) {
  const et_cpu_op *op = data;
  const et_cpu_tensor *x = op->tensors[X];
  const et_cpu_tensor *y = op->tensors[Y];
  const axis down = axis_of(op, x->sizes[HEIGHT]);
  const axis across = axis_of(op, x->sizes[WIDTH]);
  const size_t batch = index / (size_t)y->sizes[HEIGHT];
  const size_t width = (size_t)y->sizes[WIDTH];
  const float *picture =
      (const float *)x->data + batch * (x->numel / (size_t)x->sizes[BATCH]);
  const float *at = (const float *)op->tensors[GRID]->data + index * width * 2;
  float *to = (float *)y->data + index * width * (size_t)y->sizes[CHANNELS];
  for (size_t w = 0; w < width; w++, at += 2, to += y->sizes[CHANNELS]) {
    const taps rows = taps_at(&down, at[1]);
    const taps columns = taps_at(&across, at[0]);
    put_pixel(x, picture, &rows, &columns, to);
  }
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  et_cpu_for_each_row(run, op, Y, run_row);
}

static const et_cpu_op_type op_type = {"grid_sample", check, run, 0, NULL};
const et_backend_part et_cpu_op_grid_sample = {ET_CPU_OP_GRID_SAMPLE, &op_type};
