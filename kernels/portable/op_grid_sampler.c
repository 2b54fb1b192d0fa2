#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "executorch/kernels/edge.h"
#include "executorch/kernels/shape.h"
#include "kernels/engines/resample.h"

enum { LINEAR, NEAREST, CUBIC };

/* input [N, C, D, H, W], grid [N, OD, OH, OW, dims] and out [N, C, OD, OH, OW].
 * Grid coordinates are in [-1, 1] and start with that of the last axis. For two
 * dimensions, D is 1. */
typedef struct sampling {
  et_view input;
  et_view grid;
  et_view out;
  size_t dims;
  int64_t mode;
  int64_t padding;
  bool align_corners;
} sampling;

/* Computes in PyTorch's precision, because rounding decides which element is
 * nearest. */
static double place_on(const sampling *s, double at, int64_t size) {
  const double factor = (double)(s->align_corners ? size - 1 : size) / 2.0;
  const double shift = s->align_corners ? 0.0 : 0.5;
  if (s->input.dtype == ET_SCALAR_TYPE_FLOAT64) {
    return (at + 1.0) * factor - shift;
  }
  const float moved = (float)at + 1.0f;
  const float scaled = moved * (float)factor;
  return (double)(scaled - (float)shift);
}

/* Cubic interpolation pads each of its elements separately. */
static et_taps find_taps(const sampling *s, double at, int64_t size) {
  const et_edge edge = {(double)size, (int)s->padding, s->align_corners};
  const double position = place_on(s, at, size);
  if (s->mode != CUBIC) {
    const double padded = et_edge_pad(&edge, position);
    return s->mode == NEAREST ? et_taps_nearest(padded)
                              : et_taps_linear(padded);
  }
  et_taps taps = et_taps_cubic(position);
  for (size_t i = 0; i < taps.count; i++) {
    taps.at[i] = et_float_to_int64(et_edge_pad(&edge, (double)taps.at[i]));
  }
  return taps;
}

static et_taps taps_at(const sampling *s, double at, int64_t size) {
  et_taps taps = find_taps(s, at, size);
  for (size_t i = 0; i < taps.count; i++) {
    taps.at[i] = taps.at[i] >= 0 && taps.at[i] < size ? taps.at[i] : -1;
  }
  return taps;
}

/* Returns coordinate `k` of the grid point of output position `o`. */
static double coordinate(const sampling *s, const et_position *o, int64_t k) {
  const et_position at = {o->n, o->z, o->y, o->x, k};
  double value = 0.0;
  et_load_run(ET_COMPUTE_FLOAT64, s->grid.dtype, et_window_at(&s->grid, &at), 0,
              1, &value);
  return value;
}

/* Computes all channels of one point. */
static void sample_point(const sampling *s, et_position o) {
  const int32_t *sizes = s->input.sizes;
  const et_taps one = et_taps_nearest(0.0);
  const et_taps x = taps_at(s, coordinate(s, &o, 0), sizes[4]);
  const et_taps y = taps_at(s, coordinate(s, &o, 1), sizes[3]);
  const et_taps z =
      s->dims == 2 ? one : taps_at(s, coordinate(s, &o, 2), sizes[2]);
  for (o.c = 0; o.c < sizes[1]; o.c++) {
    const double value = et_taps_sum(&s->input, o.n, o.c, &z, &y, &x);
    et_store_run(ET_COMPUTE_FLOAT64, &value, s->out.dtype,
                 et_window_at(&s->out, &o), 0, 1);
  }
}

static et_status check_shapes(et_kernel_context *context, const char *what,
                              size_t dims, const et_tensor *input,
                              const et_tensor *grid) {
  ET_RETURN_IF_ERROR(et_shape_rank(context, what, input, dims + 2, dims + 2));
  ET_RETURN_IF_ERROR(et_shape_rank(context, what, grid, dims + 2, dims + 2));
  ET_CHECK(
      context,
      input->sizes[0] == grid->sizes[0] &&
          grid->sizes[dims + 1] == (int32_t)dims,
      "%s: grid has %d images and %d coordinates per point, input %d images "
      "and %zu dimensions",
      what, (int)grid->sizes[0], (int)grid->sizes[dims + 1],
      (int)input->sizes[0], dims);
  for (size_t d = 2; d < dims + 2; d++) {
    ET_CHECK(context, input->sizes[d] > 0,
             "%s: dimension %zu of the input is empty", what, d);
  }
  return ET_STATUS_OK;
}

static et_status check_modes(et_kernel_context *context, const char *what,
                             size_t dims, int64_t mode, int64_t padding) {
  ET_CHECK(context, mode >= LINEAR && mode <= (dims == 2 ? CUBIC : NEAREST),
           "%s: unknown interpolation mode %lld", what, (long long)mode);
  ET_CHECK(context, padding >= ET_EDGE_ZEROS && padding <= ET_EDGE_REFLECTION,
           "%s: unknown padding mode %lld", what, (long long)padding);
  return ET_STATUS_OK;
}

/* Returns a 5-D view of the grid. For two spatial dimensions, OD is 1. */
static et_view grid_view(const et_tensor *grid, size_t dims) {
  et_view view = et_view_of(grid);
  if (dims == 2) {
    for (size_t d = 4; d > 1; d--) {
      view.sizes[d] = view.sizes[d - 1];
      view.strides[d] = view.strides[d - 1];
    }
    view.sizes[1] = 1;
    view.rank = 5;
  }
  return view;
}

static et_status resize_out(et_kernel_context *context, size_t dims,
                            const et_tensor *input, const et_tensor *grid,
                            et_tensor *out) {
  int32_t sizes[5] = {input->sizes[0], input->sizes[1]};
  for (size_t d = 0; d < dims; d++) {
    sizes[d + 2] = grid->sizes[d + 1];
  }
  return et_tensor_resize(out, sizes, dims + 2, context->error);
}

static et_status sample(et_kernel_context *context, const char *what,
                        size_t dims, et_value **args) {
  const et_tensor *input = args[0]->u.as_tensor;
  const et_tensor *grid = args[1]->u.as_tensor;
  et_tensor *out = args[5]->u.as_tensor;
  et_position o = {0};
  ET_RETURN_IF_ERROR(et_shape_supports(
      context, what, et_scalar_type_is_floating(input->dtype), input, out));
  ET_RETURN_IF_ERROR(et_shape_same_dtype(context, what, input, grid));
  ET_RETURN_IF_ERROR(et_shape_same_dtype(context, what, input, out));
  ET_RETURN_IF_ERROR(check_shapes(context, what, dims, input, grid));
  ET_RETURN_IF_ERROR(
      check_modes(context, what, dims, args[2]->u.as_int, args[3]->u.as_int));
  ET_RETURN_IF_ERROR(resize_out(context, dims, input, grid, out));
  const sampling s = {et_window_view(input, dims), grid_view(grid, dims),
                      et_window_view(out, dims),   dims,
                      args[2]->u.as_int,           args[3]->u.as_int,
                      args[4]->u.as_bool};
  et_view points = s.out; /* all channels of a point are computed together */
  points.sizes[1] = 1;
  for (bool more = out->numel > 0; more; more = et_window_next(&points, &o)) {
    sample_point(&s, o);
  }
  return ET_STATUS_OK;
}

et_status et_op_grid_sampler_2d_out(et_kernel_context *context,
                                    et_value **args) {
  return sample(context, "grid_sampler_2d", 2, args);
}

et_status et_op_grid_sampler_3d_out(et_kernel_context *context,
                                    et_value **args) {
  return sample(context, "grid_sampler_3d", 3, args);
}
