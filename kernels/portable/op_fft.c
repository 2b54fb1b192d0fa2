#include <math.h>

#include "executorch/kernels/args.h"
#include "executorch/kernels/line.h"
#include "executorch/kernels/scratch.h"
#include "executorch/kernels/shape.h"
#include "kernels/engines/fft.h"
#include "kernels/portable/complex.h"

/* Axes of a call, and the scale of its results. */
typedef struct transform {
  const char *name;
  bool axes[ET_MAX_RANK];
  size_t last; /* last axis in the list, which is halved */
  bool forward;
  double scale;
} transform;

/* State of the transforms along one axis. */
typedef struct pass {
  et_fft fft;
  double scale;
} pass;

/* Fills the rest of a line from its first half. The transform of real values is
 * conjugate-symmetric. */
static void mirror(et_complex128 *line, size_t given, size_t length) {
  for (size_t k = given; k < length; k++) {
    line[k].real = line[length - k].real;
    line[k].imaginary = -line[length - k].imaginary;
  }
}

/* Operand 0 is out. It may also be operand 1. */
static void transform_line(const et_lines *lines, uint8_t *const *at,
                           const void *state) {
  const pass *p = state;
  et_fft fft = p->fft;
  const size_t given = lines->lengths[1];
  for (size_t i = 0; i < given; i++) {
    fft.line[i] = et_complex_load(lines->dtypes[1],
                                  at[1] + (ptrdiff_t)i * lines->strides[1]);
  }
  mirror(fft.line, given, fft.length);
  et_fft_run(&fft);
  for (size_t i = 0; i < lines->lengths[0]; i++) {
    const et_complex128 value = {fft.line[i].real * p->scale,
                                 fft.line[i].imaginary * p->scale};
    et_complex_store(lines->dtypes[0], at[0] + (ptrdiff_t)i * lines->strides[0],
                     value);
  }
}

static void transform_along(et_kernel_context *context, size_t axis,
                            size_t length, bool forward, double scale,
                            const et_tensor *in, const et_tensor *out) {
  const et_view views[2] = {et_view_of(out), et_view_of(in)};
  const pass p = {et_fft_plan(length, forward, context->scratch.data), scale};
  et_lines_run(views, 2, axis, transform_line, &p);
}

/* Transforms out in place along all axes except `last`. */
static void transform_others(et_kernel_context *context, const transform *t,
                             const et_tensor *out) {
  for (size_t axis = 0; axis < out->rank; axis++) {
    if (t->axes[axis] && axis != t->last) {
      transform_along(context, axis, (size_t)out->sizes[axis], t->forward, 1.0,
                      out, out);
    }
  }
}

static et_status read_axes(et_kernel_context *context, const et_tensor *self,
                           const et_value *dims, transform *t) {
  const size_t count = dims->u.as_list.size;
  ET_CHECK(context, count > 0, "%s: dim is empty; pass at least one dimension",
           t->name);
  ET_RETURN_IF_ERROR(
      et_shape_axes(context, t->name, dims, self->rank, t->axes));
  ET_RETURN_IF_ERROR(et_shape_some_axis(
      context, t->name, self->rank, et_int_list_at(dims, count - 1), &t->last));
  for (size_t axis = 0; axis < self->rank; axis++) {
    ET_CHECK(context, !t->axes[axis] || self->sizes[axis] > 0,
             "%s: dimension %zu has no elements", t->name, axis);
  }
  return ET_STATUS_OK;
}

/* Returns the number of elements that each result sums. `length` is the number
 * along `last`. */
static double count_of(const et_tensor *self, const transform *t,
                       size_t length) {
  double count = (double)length;
  for (size_t axis = 0; axis < self->rank; axis++) {
    count *= t->axes[axis] && axis != t->last ? (double)self->sizes[axis] : 1.0;
  }
  return count;
}

/* Sets the scale by `normalization`: 1 (0), 1 / sqrt(count) (1) or 1 / count
 * (2). */
static et_status read_scale(et_kernel_context *context, int64_t normalization,
                            double count, transform *t) {
  ET_CHECK(context, normalization >= 0 && normalization <= 2,
           "%s: normalization = %lld is invalid; use 0, 1 or 2", t->name,
           (long long)normalization);
  const double scales[] = {1.0, 1.0 / sqrt(count), 1.0 / count};
  t->scale = scales[normalization];
  return ET_STATUS_OK;
}

static et_status resize(et_kernel_context *context, const et_tensor *self,
                        const transform *t, size_t length, et_tensor *out) {
  int32_t sizes[ET_MAX_RANK];
  for (size_t axis = 0; axis < self->rank; axis++) {
    sizes[axis] = axis == t->last ? (int32_t)length : self->sizes[axis];
  }
  return et_tensor_resize(out, sizes, self->rank, context->error);
}

et_status et_op_fft_c2c_out(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  et_tensor *out = args[4]->u.as_tensor;
  transform t = {.name = "_fft_c2c", .forward = args[3]->u.as_bool};
  ET_RETURN_IF_ERROR(read_axes(context, self, args[1], &t));
  const size_t length = (size_t)self->sizes[t.last];
  ET_RETURN_IF_ERROR(
      read_scale(context, args[2]->u.as_int, count_of(self, &t, length), &t));
  ET_RETURN_IF_ERROR(et_shape_resize_like(context, out, self));
  transform_along(context, t.last, length, t.forward, t.scale, self, out);
  transform_others(context, &t, out);
  return ET_STATUS_OK;
}

et_status et_op_fft_r2c_out(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  et_tensor *out = args[4]->u.as_tensor;
  transform t = {.name = "_fft_r2c", .forward = true};
  ET_RETURN_IF_ERROR(read_axes(context, self, args[1], &t));
  const size_t length = (size_t)self->sizes[t.last];
  const size_t kept = args[3]->u.as_bool ? length / 2 + 1 : length;
  ET_RETURN_IF_ERROR(
      read_scale(context, args[2]->u.as_int, count_of(self, &t, length), &t));
  ET_RETURN_IF_ERROR(resize(context, self, &t, kept, out));
  transform_along(context, t.last, length, true, t.scale, self, out);
  transform_others(context, &t, out);
  return ET_STATUS_OK;
}

et_status et_op_fft_c2r_out(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  const int64_t length = args[3]->u.as_int;
  et_tensor *out = args[4]->u.as_tensor;
  transform t = {.name = "_fft_c2r"};
  ET_RETURN_IF_ERROR(read_axes(context, self, args[1], &t));
  ET_CHECK(context, args[1]->u.as_list.size == 1,
           "_fft_c2r: %zu dimensions; transform all but the last with _fft_c2c",
           args[1]->u.as_list.size);
  ET_CHECK(context,
           length >= 1 && length / 2 + 1 == (int64_t)self->sizes[t.last],
           "_fft_c2r: last_dim_size = %lld does not match %d elements",
           (long long)length, (int)self->sizes[t.last]);
  ET_RETURN_IF_ERROR(
      read_scale(context, args[2]->u.as_int, (double)length, &t));
  ET_RETURN_IF_ERROR(resize(context, self, &t, (size_t)length, out));
  transform_along(context, t.last, (size_t)length, false, t.scale, self, out);
  return ET_STATUS_OK;
}

/* Requests scratch for the longest dimension, because the axes are arguments
 * that can differ between calls. */
static et_status prepare(et_prepare_context *context, const et_tensor *tensor) {
  size_t largest = 0;
  for (size_t axis = 0; axis < tensor->rank; axis++) {
    const size_t size = (size_t)tensor->sizes[axis];
    largest = size > largest ? size : largest;
  }
  context->scratch_bytes = ET_FFT_SCRATCH(largest);
  return ET_STATUS_OK;
}

et_status et_op_fft_from_self_prepare(et_prepare_context *context,
                                      et_value *const *args, void **out_state) {
  (void)out_state;
  return prepare(context, args[0]->u.as_tensor);
}

et_status et_op_fft_c2r_prepare(et_prepare_context *context,
                                et_value *const *args, void **out_state) {
  (void)out_state;
  return prepare(context, args[4]->u.as_tensor);
}
