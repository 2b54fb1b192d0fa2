/* Op grid_sample: samples images in NHWC layout at the positions of a grid. */
#include "backends/cpu/schema/grid_sample.h"

#include <string.h>

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "executorch/kernels/edge.h"

/* Number of dimensions of x and y. */
enum { BATCH, HEIGHT, WIDTH, CHANNELS, RANK };

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_grid_sample_args args = et_cpu_grid_sample_args_of(op);
  const int32_t *x = args.x->sizes;
  const int32_t *y = args.y->sizes;
  const int64_t sizes[RANK] = {x[BATCH], y[HEIGHT], y[WIDTH], x[CHANNELS]};
  const int64_t grid[RANK] = {x[BATCH], y[HEIGHT], y[WIDTH], 2};
  ET_RETURN_IF_ERROR(et_cpu_check_shape(op, args.y, RANK, sizes, error));
  ET_RETURN_IF_ERROR(et_cpu_check_shape(op, args.grid, RANK, grid, error));
  ET_CPU_CHECK(error, args.y->numel == 0 || args.x->numel > 0,
               "grid_sample: input images are empty");
  return ET_STATUS_OK;
}

/* Pixels along one axis and their weights. Index -1 is outside the image. */
typedef struct taps {
  size_t count;
  int64_t at[4];
  float weight[4];
} taps;

/* Padding and interpolation along one axis. */
typedef struct axis {
  et_edge edge;
  uint32_t mode; /* et_cpu_sample_mode */
} axis;

static axis axis_of(const et_cpu_grid_sample_attributes *attributes,
                    int32_t size) {
  const et_edge edge = {(double)size, (int)attributes->padding,
                        attributes->align_corners};
  return (axis){edge, attributes->mode};
}

/* Converts a position in [-1, 1] to a pixel position. */
static double position_on(const axis *a, float at) {
  const bool corners = a->edge.from_corners;
  const double size = a->edge.size;
  const float factor = (float)(corners ? size - 1.0 : size) / 2.0f;
  const float moved = (at + 1.0f) * factor;
  return (double)(corners ? moved : moved - 0.5f);
}

static void add_tap(const axis *a, double position, double weight, taps *to) {
  const bool is_inside = position >= 0.0 && position < a->edge.size;
  to->at[to->count] = is_inside ? (int64_t)position : -1;
  to->weight[to->count++] = (float)weight;
}

/* Weights of cubic convolution (a = -0.75) at distances from 0 to 1, and from 1 to 2. */
static double near_weight(double x) { return (1.25 * x - 2.25) * x * x + 1.0; }

static double far_weight(double x) {
  return ((-0.75 * x + 3.75) * x - 6.0) * x + 3.0;
}

/* Padding applies to each of the four pixels. */
static void add_cubic_taps(const axis *a, double position, taps *to) {
  const double low = floor(position);
  const double t = position - low;
  add_tap(a, et_edge_pad(&a->edge, low - 1.0), far_weight(t + 1.0), to);
  add_tap(a, et_edge_pad(&a->edge, low), near_weight(t), to);
  add_tap(a, et_edge_pad(&a->edge, low + 1.0), near_weight(1.0 - t), to);
  add_tap(a, et_edge_pad(&a->edge, low + 2.0), far_weight(2.0 - t), to);
}

static taps taps_at(const axis *a, float at) {
  taps found = {0};
  const double position = position_on(a, at);
  const double inside = et_edge_pad(&a->edge, position);
  const double low = floor(inside);
  if (a->mode == ET_CPU_SAMPLE_MODE_CUBIC) {
    add_cubic_taps(a, position, &found);
  } else if (a->mode == ET_CPU_SAMPLE_MODE_NEAREST) {
    add_tap(a, rint(inside), 1.0, &found);
  } else {
    add_tap(a, low, 1.0 - (inside - low), &found);
    add_tap(a, low + 1.0, inside - low, &found);
  }
  return found;
}

static void add_pixel(const float *x, float weight, size_t channels, float *y) {
  for (size_t c = 0; c < channels; c++) {
    y[c] += weight * x[c];
  }
}

static void write_pixel(const et_cpu_tensor *x, const float *image,
                        const taps *down, const taps *across, float *y) {
  const size_t channels = (size_t)x->sizes[CHANNELS];
  memset(y, 0, channels * sizeof(*y));
  for (size_t i = 0; i < down->count * across->count; i++) {
    const size_t row = i / across->count;
    const size_t column = i % across->count;
    if (down->at[row] >= 0 && across->at[column] >= 0) {
      const size_t pixel =
          (size_t)(down->at[row] * x->sizes[WIDTH] + across->at[column]);
      add_pixel(image + pixel * channels,
                down->weight[row] * across->weight[column], channels, y);
    }
  }
}

typedef struct work {
  et_cpu_grid_sample_args args;
  axis down;
  axis across;
} work;

static void run_row(void *data, size_t index) {
  const work *work = data;
  const et_cpu_tensor *x = work->args.x;
  const et_cpu_tensor *y = work->args.y;
  const size_t batch = index / (size_t)y->sizes[HEIGHT];
  const size_t width = (size_t)y->sizes[WIDTH];
  const float *image =
      (const float *)x->data + batch * (x->numel / (size_t)x->sizes[BATCH]);
  const float *at = (const float *)work->args.grid->data + index * width * 2;
  float *to = (float *)y->data + index * width * (size_t)y->sizes[CHANNELS];
  for (size_t w = 0; w < width; w++, at += 2, to += y->sizes[CHANNELS]) {
    const taps rows = taps_at(&work->down, at[1]);
    const taps columns = taps_at(&work->across, at[0]);
    write_pixel(x, image, &rows, &columns, to);
  }
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_grid_sample_args args = et_cpu_grid_sample_args_of(op);
  const int32_t *y = args.y->sizes;
  work w = {args, axis_of(&args.attributes, args.x->sizes[HEIGHT]),
            axis_of(&args.attributes, args.x->sizes[WIDTH])};
  if (args.y->numel > 0) {
    et_cpu_for_each(run, (size_t)y[BATCH] * (size_t)y[HEIGHT], run_row, &w);
  }
}

static const et_cpu_op_type op_type = {&et_cpu_grid_sample_schema, check, run};
const et_backend_part et_cpu_op_grid_sample = {ET_CPU_OP_GRID_SAMPLE, &op_type};
