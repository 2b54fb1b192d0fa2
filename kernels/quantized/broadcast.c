#include "kernels/quantized/broadcast.h"

#include "executorch/kernels/args.h"
#include "executorch/kernels/loop.h"
#include "executorch/kernels/shape.h"
#include "kernels/quantized/quantize.h"

/* Operands of the loops. ZERO_POINTS is last because it is optional. */
enum { OUT, IN, SCALES, ZERO_POINTS, OPERANDS };

/* Buffers for a run of elements. */
typedef struct run {
  et_chunk values;
  et_chunk scales;
  et_chunk zero_points;
} run;

static void load_parameters(const et_view *views, const et_loop *loop,
                            size_t start, size_t count, run *to) {
  const ptrdiff_t at = (ptrdiff_t)start;
  et_load_run(ET_COMPUTE_FLOAT32, views[SCALES].dtype,
              loop->at[SCALES] + at * loop->strides[SCALES],
              loop->strides[SCALES], count, &to->scales);
  if (loop->operands == OPERANDS) {
    et_load_run(ET_COMPUTE_INT64, views[ZERO_POINTS].dtype,
                loop->at[ZERO_POINTS] + at * loop->strides[ZERO_POINTS],
                loop->strides[ZERO_POINTS], count, &to->zero_points);
  } else {
    to->zero_points = (et_chunk){.int64 = {0}};
  }
}

/* A conversion of values, and the compute types before and after it. */
typedef struct conversion {
  et_compute from;
  et_compute to;
  void (*convert)(const struct conversion *conversion, run *at, size_t count);
  int64_t low; /* limits of the quantized values */
  int64_t high;
} conversion;

static void dequantize_chunk(const conversion *to, run *at, size_t count) {
  (void)to;
  for (size_t i = 0; i < count; i++) {
    const int64_t steps =
        et_wrap_sub(at->values.int64[i], at->zero_points.int64[i]);
    at->scales.float32[i] *= (float)steps;
  }
  at->values = at->scales;
}

static void quantize_chunk(const conversion *to, run *at, size_t count) {
  et_chunk quantized;
  for (size_t i = 0; i < count; i++) {
    const et_quantization q = {.inverse = 1.0f / at->scales.float32[i],
                               .low = INT64_MIN,
                               .high = INT64_MAX};
    const int64_t code = et_wrap_add(et_quantize(&q, at->values.float32[i]),
                                     at->zero_points.int64[i]);
    quantized.int64[i] = code < to->low    ? to->low
                         : code > to->high ? to->high
                                           : code;
  }
  at->values = quantized;
}

static void convert_run(const et_view *views, const et_loop *loop,
                        const conversion *by) {
  for (size_t start = 0; start < loop->count; start += ET_CHUNK) {
    run at;
    const size_t rest = loop->count - start;
    const size_t n = rest < ET_CHUNK ? rest : ET_CHUNK;
    const ptrdiff_t first = (ptrdiff_t)start;
    et_load_run(by->from, views[IN].dtype,
                loop->at[IN] + first * loop->strides[IN], loop->strides[IN], n,
                &at.values);
    load_parameters(views, loop, start, n, &at);
    by->convert(by, &at, n);
    et_store_run(by->to, &at.values, views[OUT].dtype,
                 loop->at[OUT] + first * loop->strides[OUT], loop->strides[OUT],
                 n);
  }
}

/* Views `parameters` with the shape of `over`. Strides are 0 except along the
 * leading dimensions of rows, or along `axis`. */
static et_view broadcast_over(const et_broadcast_scales *broadcast,
                              const et_tensor *parameters,
                              const et_view *over) {
  et_view view = *over;
  int64_t stride = 1;
  view.data = parameters->data;
  view.dtype = parameters->dtype;
  for (size_t d = view.rank; d-- > 0;) {
    const bool is_leading = d + 1 < view.rank;
    const bool is_own = broadcast->by == ET_SCALE_BY_CHANNEL
                            ? (int64_t)d == broadcast->axis
                            : is_leading;
    view.strides[d] = is_own ? stride : 0;
    stride *= is_own ? view.sizes[d] : 1;
  }
  return view;
}

/* Views a row-major matrix [N, K] as [N, K / group, group]. */
static et_view in_groups(const et_tensor *matrix, int64_t group) {
  et_view view = et_view_of(matrix);
  view.rank = 3;
  view.sizes[1] = (int32_t)(matrix->sizes[1] / group);
  view.sizes[2] = (int32_t)group;
  view.strides[1] = group;
  view.strides[2] = 1;
  return view;
}

static et_view seen_as(const et_broadcast_scales *broadcast,
                       const et_tensor *tensor) {
  return broadcast->by == ET_SCALE_BY_GROUP
             ? in_groups(tensor, broadcast->group)
             : et_view_of(tensor);
}

static et_status check_group(et_kernel_context *context,
                             const et_broadcast_scales *broadcast,
                             const et_tensor *input) {
  ET_RETURN_IF_ERROR(et_shape_rank(context, broadcast->what, input, 2, 2));
  ET_CHECK(context,
           broadcast->group > 0 && broadcast->group <= INT32_MAX &&
               input->sizes[1] % broadcast->group == 0,
           "%s: group_size %lld does not divide rows of %d", broadcast->what,
           (long long)broadcast->group, (int)input->sizes[1]);
  return ET_STATUS_OK;
}

/* Computes the required number of parameters. */
static et_status count_parameters(et_kernel_context *context,
                                  et_broadcast_scales *broadcast,
                                  const et_tensor *input, size_t *count) {
  if (broadcast->by == ET_SCALE_BY_GROUP) {
    ET_RETURN_IF_ERROR(check_group(context, broadcast, input));
    *count = input->numel / (size_t)broadcast->group;
    return ET_STATUS_OK;
  }
  size_t axis = 0;
  ET_RETURN_IF_ERROR(et_shape_some_axis(context, broadcast->what, input->rank,
                                        broadcast->axis, &axis));
  broadcast->axis = (int64_t)axis;
  *count = (size_t)input->sizes[axis];
  if (broadcast->by == ET_SCALE_BY_TOKEN) {
    *count = 1;
    for (size_t d = 0; d + 1 < input->rank; d++) {
      *count *= (size_t)input->sizes[d];
    }
  }
  return ET_STATUS_OK;
}

static et_status check_parameters(et_kernel_context *context,
                                  et_broadcast_scales *broadcast,
                                  const et_tensor *input) {
  size_t count = 0;
  ET_RETURN_IF_ERROR(count_parameters(context, broadcast, input, &count));
  ET_CHECK(context, broadcast->scales->numel == count,
           "%s: scales must have %zu elements, not %zu", broadcast->what, count,
           broadcast->scales->numel);
  ET_CHECK(
      context,
      broadcast->zero_points == NULL || broadcast->zero_points->numel == count,
      "%s: zero_points must have %zu elements, not %zu", broadcast->what, count,
      broadcast->zero_points->numel);
  return ET_STATUS_OK;
}

static et_status convert_all(et_kernel_context *context,
                             et_broadcast_scales broadcast,
                             const et_tensor *input, const conversion *by,
                             et_tensor *out) {
  et_view views[OPERANDS];
  const bool is_shifted = broadcast.zero_points != NULL;
  ET_RETURN_IF_ERROR(check_parameters(context, &broadcast, input));
  ET_RETURN_IF_ERROR(et_shape_resize_like(context, out, input));
  views[OUT] = seen_as(&broadcast, out);
  views[IN] = seen_as(&broadcast, input);
  views[SCALES] = broadcast_over(&broadcast, broadcast.scales, &views[IN]);
  if (is_shifted) {
    views[ZERO_POINTS] =
        broadcast_over(&broadcast, broadcast.zero_points, &views[IN]);
  }
  for (et_loop loop = et_loop_over(views, is_shifted ? OPERANDS : ZERO_POINTS);
       loop.count > 0; et_loop_next(&loop)) {
    convert_run(views, &loop, by);
  }
  return ET_STATUS_OK;
}

et_status et_broadcast_dequantize(et_kernel_context *context,
                                  const et_broadcast_scales *broadcast,
                                  const et_tensor *input, et_tensor *out) {
  const conversion by = {ET_COMPUTE_INT64, ET_COMPUTE_FLOAT32, dequantize_chunk,
                         0, 0};
  return convert_all(context, *broadcast, input, &by, out);
}

et_status et_broadcast_quantize(et_kernel_context *context,
                                const et_broadcast_scales *broadcast,
                                const et_tensor *input, int64_t low,
                                int64_t high, et_tensor *out) {
  const conversion by = {ET_COMPUTE_FLOAT32, ET_COMPUTE_INT64, quantize_chunk,
                         low, high};
  return convert_all(context, *broadcast, input, &by, out);
}
