#include "executorch/kernels/copy.h"

#include <string.h>

#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "executorch/kernels/loop.h"
#include "executorch/kernels/shape.h"

#define DEFINE_MOVE(name, type)                                          \
  static void name(const uint8_t *in, ptrdiff_t in_stride, uint8_t *out, \
                   ptrdiff_t out_stride, size_t count) {                 \
    for (size_t i = 0; i < count; i++) {                                 \
      *(type *)(void *)out = *(const type *)(const void *)in;            \
      in += in_stride;                                                   \
      out += out_stride;                                                 \
    }                                                                    \
  }

DEFINE_MOVE(move_1, uint8_t)
DEFINE_MOVE(move_2, uint16_t)
DEFINE_MOVE(move_4, uint32_t)
DEFINE_MOVE(move_8, uint64_t)

static void move_run(size_t size, const uint8_t *in, ptrdiff_t in_stride,
                     uint8_t *out, ptrdiff_t out_stride, size_t count) {
  if (in_stride == (ptrdiff_t)size && out_stride == (ptrdiff_t)size) {
    memmove(out, in, count * size); /* copy_ may receive the same tensor
                                     * twice */
  } else if (size == 1) {
    move_1(in, in_stride, out, out_stride, count);
  } else if (size == 2) {
    move_2(in, in_stride, out, out_stride, count);
  } else if (size == 4) {
    move_4(in, in_stride, out, out_stride, count);
  } else {
    for (size_t part = 0; part < size; part += 8) { /* 16 bytes: complex128 */
      move_8(in + part, in_stride, out + part, out_stride, count);
    }
  }
}

static void convert_run(et_scalar_type from, const uint8_t *in,
                        ptrdiff_t in_stride, et_scalar_type to, uint8_t *out,
                        ptrdiff_t out_stride, size_t count) {
  const et_compute compute = et_compute_of(from);
  et_chunk chunk;
  while (count > 0) {
    const size_t n = count < ET_CHUNK ? count : ET_CHUNK;
    et_load_run(compute, from, in, in_stride, n, &chunk);
    et_store_run(compute, &chunk, to, out, out_stride, n);
    in += in_stride * (ptrdiff_t)n;
    out += out_stride * (ptrdiff_t)n;
    count -= n;
  }
}

et_status et_copy_view(et_kernel_context *context, const char *what,
                       const et_view *in, const et_view *out) {
  const bool same = in->dtype == out->dtype;
  ET_CHECK(context,
           same || (et_dtype_is_computable(in->dtype) &&
                    et_dtype_is_computable(out->dtype)),
           "%s: cannot convert %s to %s; cast to a real dtype", what,
           et_scalar_type_name((int32_t)in->dtype),
           et_scalar_type_name((int32_t)out->dtype));
  const et_view views[2] = {*out, *in};
  const size_t size = et_scalar_type_size((int32_t)in->dtype);
  for (et_loop loop = et_loop_over(views, 2); loop.count > 0;
       et_loop_next(&loop)) {
    if (same) {
      move_run(size, loop.at[1], loop.strides[1], loop.at[0], loop.strides[0],
               loop.count);
    } else {
      convert_run(in->dtype, loop.at[1], loop.strides[1], out->dtype,
                  loop.at[0], loop.strides[0], loop.count);
    }
  }
  return ET_STATUS_OK;
}

et_status et_copy_view_to(et_kernel_context *context, const char *what,
                          const et_view *in, et_tensor *out) {
  ET_RETURN_IF_ERROR(
      et_tensor_resize(out, in->sizes, in->rank, context->error));
  const et_view to = et_view_of(out);
  return et_copy_view(context, what, in, &to);
}

static void reshape_elements(const et_view *in, const et_view *out,
                             size_t count) {
  const size_t size = et_scalar_type_size((int32_t)in->dtype);
  for (size_t i = 0; i < count; i++) {
    memcpy(out->data + et_view_offset(out, i) * (int64_t)size,
           in->data + et_view_offset(in, i) * (int64_t)size, size);
  }
}

et_status et_copy_reshaped(et_kernel_context *context, const char *what,
                           const et_tensor *in, et_tensor *out) {
  ET_CHECK(context, in->numel == out->numel && in->dtype == out->dtype,
           "%s: cannot copy %zu elements of %s to %zu of %s", what, in->numel,
           et_scalar_type_name((int32_t)in->dtype), out->numel,
           et_scalar_type_name((int32_t)out->dtype));
  if (in->numel == 0) {
    return ET_STATUS_OK;
  }
  if (et_tensor_is_contiguous(in) && et_tensor_is_contiguous(out)) {
    memmove(out->data, in->data, et_tensor_nbytes(in));
    return ET_STATUS_OK;
  }
  const et_view from = et_view_of(in);
  const et_view to = et_view_of(out);
  reshape_elements(&from, &to, in->numel);
  return ET_STATUS_OK;
}

et_status et_fill_view(et_kernel_context *context, const char *what,
                       const et_value *number, const et_view *out) {
  ET_CHECK(context, et_dtype_is_computable(out->dtype),
           "%s: cannot fill a tensor of %s", what,
           et_scalar_type_name((int32_t)out->dtype));
  const bool real = number->tag == ET_VALUE_DOUBLE;
  const double real_value = et_scalar_to_double(number);
  const int64_t int_value = et_scalar_to_int(number);
  et_chunk element;
  et_store_run(real ? ET_COMPUTE_FLOAT64 : ET_COMPUTE_INT64,
               real ? (const void *)&real_value : (const void *)&int_value,
               out->dtype, (uint8_t *)&element, 0, 1);
  et_view one = {(uint8_t *)&element, out->dtype, 0, {0}, {0}};
  et_view expanded;
  et_view_expand(&one, out->sizes, out->rank, &expanded);
  return et_copy_view(context, what, &expanded, out);
}

et_status et_fill_like(et_kernel_context *context, const char *what,
                       const et_value *number, const et_tensor *like,
                       et_tensor *out) {
  ET_RETURN_IF_ERROR(et_shape_resize_like(context, out, like));
  const et_view view = et_view_of(out);
  return et_fill_view(context, what, number, &view);
}
