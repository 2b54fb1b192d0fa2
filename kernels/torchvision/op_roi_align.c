#include <math.h>

#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "executorch/kernels/shape.h"
#include "executorch/number_text.h"
#include "kernels/engines/resample.h"

/* Maximum number of samples of a bin along an axis. Regions are input data, so
 * their size is not bounded. */
#define MAX_SAMPLES 32768

/* A region along one axis: its start, the size of each bin, and the number of
 * samples per bin. */
typedef struct side {
  double start;
  double bin;
  int64_t samples;
} side;

/* input [N, C, H, W] and out [K, C, PH, PW], viewed with one more dimension.
 * rois [K, 5] holds image index, x1, y1, x2, y2. */
typedef struct pooling {
  et_view input;
  et_view rois;
  et_view out;
  double scale;
  int64_t sampling_ratio;
  bool aligned;
} pooling;

static double roi_number(const pooling *p, int64_t roi, int64_t i) {
  const ptrdiff_t size = (ptrdiff_t)et_scalar_type_size((int32_t)p->rois.dtype);
  const int64_t at = roi * p->rois.strides[0] + i * p->rois.strides[1];
  double number = 0.0;
  et_load_run(ET_COMPUTE_FLOAT64, p->rois.dtype,
              p->rois.data + (ptrdiff_t)at * size, 0, 1, &number);
  return number;
}

/* Returns the axis of a region whose limits are the region's elements `low` and
 * low + 2. */
static side side_of(const pooling *p, int64_t roi, int64_t low, int64_t bins) {
  const double shift = p->aligned ? 0.5 : 0.0;
  const double start = roi_number(p, roi, low) * p->scale - shift;
  const double end = roi_number(p, roi, low + 2) * p->scale - shift;
  const double length = p->aligned || end - start > 1.0 ? end - start : 1.0;
  side s = {start, length / (double)bins, p->sampling_ratio};
  if (s.samples <= 0) {
    const int64_t samples = et_float_to_int64(ceil(s.bin));
    s.samples = samples > 0 ? samples : 0;
  }
  return s;
}

static et_status check_roi(et_kernel_context *context, const pooling *p,
                           int64_t roi) {
  const double image = roi_number(p, roi, 0);
  const side x = side_of(p, roi, 1, p->out.sizes[4]);
  const side y = side_of(p, roi, 2, p->out.sizes[3]);
  ET_CHECK(context, image >= 0.0 && image < (double)p->input.sizes[0],
           "roi_align: region %lld refers to image %s of %d", (long long)roi,
           ET_NUMBER_TEXT(image), (int)p->input.sizes[0]);
  ET_CHECK(context, x.samples <= MAX_SAMPLES && y.samples <= MAX_SAMPLES,
           "roi_align: region %lld needs %lld x %lld samples per bin, more "
           "than %d per axis; set sampling_ratio",
           (long long)roi, (long long)y.samples, (long long)x.samples,
           MAX_SAMPLES);
  return ET_STATUS_OK;
}

/* Returns the taps of sample `i` of a bin. There are none if the sample is more
 * than one element outside the input. */
static et_taps sample(const side *s, int64_t bin, int64_t i, int64_t size) {
  const double last = (double)(size - 1);
  double position = s->start + (double)bin * s->bin +
                    ((double)i + 0.5) * s->bin / (double)s->samples;
  if (!(position >= -1.0 && position <= (double)size)) {
    return (et_taps){.count = 0};
  }
  position = position < 0.0 ? 0.0 : position > last ? last : position;
  et_taps taps = et_taps_linear(position);
  taps.count = taps.at[1] < size ? 2 : 1;
  return taps;
}

static double mean_at(const pooling *p, const et_position *o, int64_t image,
                      const side *y, const side *x) {
  const et_taps one = et_taps_nearest(0.0);
  const int64_t count = y->samples * x->samples;
  double sum = 0.0;
  for (int64_t i = 0; i < count; i++) {
    const et_taps ty = sample(y, o->y, i / x->samples, p->input.sizes[3]);
    const et_taps tx = sample(x, o->x, i % x->samples, p->input.sizes[4]);
    sum += et_taps_sum(&p->input, image, o->c, &one, &ty, &tx);
  }
  return sum / (double)(count > 1 ? count : 1);
}

static void pool_all(const pooling *p) {
  et_position o = {0};
  do {
    const int64_t image = (int64_t)roi_number(p, o.n, 0);
    const side x = side_of(p, o.n, 1, p->out.sizes[4]);
    const side y = side_of(p, o.n, 2, p->out.sizes[3]);
    const double mean = mean_at(p, &o, image, &y, &x);
    et_store_run(ET_COMPUTE_FLOAT64, &mean, p->out.dtype,
                 et_window_at(&p->out, &o), 0, 1);
  } while (et_window_next(&p->out, &o));
}

static et_status check_tensors(et_kernel_context *context,
                               const et_tensor *input, const et_tensor *rois,
                               const et_tensor *out) {
  ET_RETURN_IF_ERROR(et_shape_rank(context, "roi_align: input", input, 4, 4));
  ET_RETURN_IF_ERROR(et_shape_rank(context, "roi_align: rois", rois, 2, 2));
  ET_RETURN_IF_ERROR(et_shape_same_dtype(context, "roi_align", input, rois));
  ET_RETURN_IF_ERROR(et_shape_same_dtype(context, "roi_align", input, out));
  ET_CHECK(context,
           et_scalar_type_is_floating(input->dtype) && rois->sizes[1] == 5,
           "roi_align: regions have %d values of dtype %s; pass 5 floats each",
           (int)rois->sizes[1], et_scalar_type_name((int32_t)rois->dtype));
  ET_CHECK(context, input->sizes[2] > 0 && input->sizes[3] > 0,
           "roi_align: input is empty (%d x %d)", (int)input->sizes[2],
           (int)input->sizes[3]);
  return ET_STATUS_OK;
}

static et_status resize_out(et_kernel_context *context, et_value **args,
                            et_tensor *out) {
  const int64_t height = args[3]->u.as_int;
  const int64_t width = args[4]->u.as_int;
  ET_CHECK(
      context,
      height >= 1 && height <= INT32_MAX && width >= 1 && width <= INT32_MAX,
      "roi_align: %lld x %lld bins are out of range", (long long)height,
      (long long)width);
  const int32_t sizes[4] = {args[1]->u.as_tensor->sizes[0],
                            args[0]->u.as_tensor->sizes[1], (int32_t)height,
                            (int32_t)width};
  return et_tensor_resize(out, sizes, 4, context->error);
}

et_status et_op_roi_align_out(et_kernel_context *context, et_value **args) {
  const et_tensor *input = args[0]->u.as_tensor;
  const et_tensor *rois = args[1]->u.as_tensor;
  et_tensor *out = args[7]->u.as_tensor;
  ET_RETURN_IF_ERROR(check_tensors(context, input, rois, out));
  ET_RETURN_IF_ERROR(resize_out(context, args, out));
  const pooling p = {et_window_view(input, 2), et_view_of(rois),
                     et_window_view(out, 2),   args[2]->u.as_double,
                     args[5]->u.as_int,        args[6]->u.as_bool};
  for (int64_t roi = 0; roi < rois->sizes[0]; roi++) {
    ET_RETURN_IF_ERROR(check_roi(context, &p, roi));
  }
  if (out->numel > 0) {
    pool_all(&p);
  }
  return ET_STATUS_OK;
}
