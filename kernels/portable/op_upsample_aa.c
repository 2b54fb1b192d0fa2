/* Resampling with antialiasing. When the size is reduced, each output is a
 * weighted mean of all input elements that it covers. */
#include <math.h>

#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "kernels/engines/resample.h"
#include "kernels/engines/window.h"

/* Weight as a function of the distance to the center, up to `reach`. */
typedef struct filter {
  double (*weight)(double distance);
  double reach;
} filter;

static double triangle(double x) { return x < 1.0 ? 1.0 - x : 0.0; }

/* Cubic convolution with A = -0.5. */
static double cubic(double x) {
  if (x < 1.0) {
    return (1.5 * x - 2.5) * x * x + 1.0;
  }
  return x < 2.0 ? ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0 : 0.0;
}

/* The input elements [begin, end) of an axis that one output element covers. */
typedef struct reach {
  const filter *filter;
  double center;
  double shrink; /* scales distances to the filter center when downsampling */
  int64_t begin;
  int64_t end;
  double total; /* sum of the weights */
} reach;

static double weight_of(const reach *r, int64_t i) {
  const double distance = fabs((double)i - r->center + 0.5) * r->shrink;
  return r->filter->weight(distance);
}

static reach reach_of(const filter *f, const et_resample_axis *axis,
                      int64_t o) {
  const double widen = axis->scale > 1.0 ? axis->scale : 1.0;
  const double support = f->reach * widen;
  reach r = {f, axis->scale * ((double)o + 0.5), 1.0 / widen, 0, 0, 0.0};
  const int64_t low = et_float_to_int64(r.center - support + 0.5);
  const int64_t high = et_float_to_int64(r.center + support + 0.5);
  r.begin = low > 0 ? low : 0;
  r.end = high < axis->in ? high : axis->in;
  for (int64_t i = r.begin; i < r.end; i++) {
    r.total += weight_of(&r, i);
  }
  return r;
}

static double sum_row(const et_view *in, et_position at, const reach *x) {
  double sum = 0.0;
  for (at.x = x->begin; at.x < x->end; at.x++) {
    double value = 0.0;
    et_load_run(ET_COMPUTE_FLOAT64, in->dtype, et_window_at(in, &at), 0, 1,
                &value);
    sum += value * weight_of(x, at.x);
  }
  return sum;
}

/* Returns 0 if the sum of the weights is 0. */
static double mean_at(const et_view *in, const et_position *o, const reach *y,
                      const reach *x) {
  const double total = y->total * x->total;
  et_position at = {o->n, o->c, 0, 0, 0};
  double sum = 0.0;
  for (at.y = y->begin; at.y < y->end; at.y++) {
    sum += sum_row(in, at, x) * weight_of(y, at.y);
  }
  return total == 0.0 ? 0.0 : sum / total;
}

static void resample(const et_resample *r, const filter *f) {
  et_position o = {0};
  do {
    const reach y = reach_of(f, &r->y, o.y);
    const reach x = reach_of(f, &r->x, o.x);
    const double value = mean_at(&r->in, &o, &y, &x);
    et_store_run(ET_COMPUTE_FLOAT64, &value, r->out.dtype,
                 et_window_at(&r->out, &o), 0, 1);
  } while (et_window_next(&r->out, &o));
}

/* uint8 is resampled as in PyTorch: first rows, then columns, with int16
 * weights and rounding to uint8 after each pass. */
static int64_t whole_weight(const reach *r, int64_t i, int bits) {
  const double w =
      r->total == 0.0 ? 0.0 : weight_of(r, i) / r->total * (double)(1 << bits);
  const int64_t whole = et_float_to_int64(w < 0.0 ? w - 0.5 : w + 0.5);
  return whole < INT16_MIN ? INT16_MIN : whole > INT16_MAX ? INT16_MAX : whole;
}

/* Returns the largest number of fractional bits, up to 22, with which all
 * weights of `axis` fit in int16. */
static int weight_bits(const filter *f, const et_resample_axis *axis) {
  double largest = 0.0;
  for (int64_t o = 0; o < axis->out; o++) {
    const reach r = reach_of(f, axis, o);
    for (int64_t i = r.begin; i < r.end; i++) {
      const double w = r.total == 0.0 ? 0.0 : weight_of(&r, i) / r.total;
      largest = w > largest ? w : largest;
    }
  }
  int bits = 0;
  while (bits < 22 && largest * (double)(1 << (bits + 1)) + 0.5 < 32768.0) {
    bits++;
  }
  return bits;
}

static int64_t rounded(int64_t sum, int bits) {
  const int64_t value = (sum + (((int64_t)1 << bits) >> 1)) >> bits;
  return value < 0 ? 0 : value > UINT8_MAX ? UINT8_MAX : value;
}

static int64_t uint8_row(const et_view *in, et_position at, const reach *x,
                         int bits) {
  int64_t sum = 0;
  for (at.x = x->begin; at.x < x->end; at.x++) {
    const uint8_t *value = et_window_at(in, &at);
    sum += *value * whole_weight(x, at.x, bits);
  }
  return rounded(sum, bits);
}

static void resample_uint8(const et_resample *r, const filter *f) {
  const int x_bits = weight_bits(f, &r->x);
  const int y_bits = weight_bits(f, &r->y);
  et_position o = {0};
  do {
    const reach y = reach_of(f, &r->y, o.y);
    const reach x = reach_of(f, &r->x, o.x);
    et_position at = {o.n, o.c, 0, 0, 0};
    int64_t sum = 0;
    for (at.y = y.begin; at.y < y.end; at.y++) {
      sum += uint8_row(&r->in, at, &x, x_bits) * whole_weight(&y, at.y, y_bits);
    }
    uint8_t *value = et_window_at(&r->out, &o);
    *value = (uint8_t)rounded(sum, y_bits);
  } while (et_window_next(&r->out, &o));
}

/* PyTorch computes the scale of uint8 images in double; et_resample_plan rounds
 * it to float32, as for the other dtypes. */
static void use_double_scale(et_resample_axis *axis) {
  if (!axis->align_corners) {
    axis->scale = (double)axis->in / (double)axis->out;
  } else if (axis->out > 1) {
    axis->scale = (double)(axis->in - 1) / (double)(axis->out - 1);
  }
}

/* A given scale factor takes precedence over the ratio of the sizes. */
static void take_factor(const et_value *factor, et_resample_axis *axis) {
  const bool given = !et_arg_is_none(factor) && factor->u.as_double > 0.0;
  if (given && !axis->align_corners) {
    axis->scale = 1.0 / factor->u.as_double;
  }
}

static et_status upsample(et_kernel_context *context, const char *what,
                          const filter *f, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  et_tensor *out = args[5]->u.as_tensor;
  const et_value none = {.tag = ET_VALUE_NONE};
  const bool is_uint8 = self->dtype == ET_SCALAR_TYPE_UINT8;
  et_resample r;
  ET_CHECK_DTYPE(context, is_uint8 || et_scalar_type_is_floating(self->dtype),
                 what, self->dtype);
  ET_RETURN_IF_ERROR(et_resample_plan(context, what, self, args[1], &none,
                                      args[2]->u.as_bool, out, &r));
  if (is_uint8) {
    use_double_scale(&r.y);
    use_double_scale(&r.x);
  }
  take_factor(args[3], &r.y);
  take_factor(args[4], &r.x);
  if (out->numel > 0 && is_uint8) {
    resample_uint8(&r, f);
  } else if (out->numel > 0) {
    resample(&r, f);
  }
  return ET_STATUS_OK;
}

et_status et_op_upsample_bilinear2d_aa_out(et_kernel_context *context,
                                           et_value **args) {
  static const filter bilinear = {triangle, 1.0};
  return upsample(context, "_upsample_bilinear2d_aa", &bilinear, args);
}

et_status et_op_upsample_bicubic2d_aa_out(et_kernel_context *context,
                                          et_value **args) {
  static const filter bicubic = {cubic, 2.0};
  return upsample(context, "_upsample_bicubic2d_aa", &bicubic, args);
}
