#include "kernels/portable/lines.h"

#include "executorch/kernels/args.h"
#include "executorch/kernels/line.h"
#include "executorch/kernels/shape.h"

/* Operand 0 is out. */
static void scan_line(const et_lines *lines, uint8_t *const *at,
                      const void *state) {
  const et_scan *scan = state;
  const et_compute compute = et_scalar_type_is_floating(lines->dtypes[0])
                                 ? ET_COMPUTE_FLOAT64
                                 : ET_COMPUTE_INT64;
  et_running result = scan->start;
  for (size_t start = 0; start < lines->lengths[0]; start += ET_CHUNK) {
    et_chunk chunk;
    const size_t rest = lines->lengths[0] - start;
    const size_t n = rest < ET_CHUNK ? rest : ET_CHUNK;
    et_load_run(compute, lines->dtypes[1],
                at[1] + (ptrdiff_t)start * lines->strides[1], lines->strides[1],
                n, &chunk);
    scan->step(compute, &result, &chunk, n);
    et_store_run(compute, &chunk, lines->dtypes[0],
                 at[0] + (ptrdiff_t)start * lines->strides[0],
                 lines->strides[0], n);
  }
}

static bool takes(const et_scan *scan, et_scalar_type dtype) {
  return et_dtype_is_computable(dtype) &&
         (!scan->floating || et_scalar_type_is_floating(dtype));
}

et_status et_scan_apply(et_kernel_context *context, const et_scan *scan,
                        const et_tensor *self, int64_t dim, et_tensor *out) {
  size_t axis = 0;
  ET_RETURN_IF_ERROR(et_shape_supports(context, scan->name,
                                       takes(scan, self->dtype) &&
                                           takes(scan, out->dtype) &&
                                           out->dtype != ET_SCALAR_TYPE_BOOL,
                                       self, out));
  ET_RETURN_IF_ERROR(
      et_shape_axis(context, scan->name, dim, self->rank, &axis));
  ET_RETURN_IF_ERROR(et_shape_resize_like(context, out, self));
  const et_view views[2] = {et_view_of(out), et_view_of(self)};
  et_lines_run(views, 2, axis, scan_line, scan);
  return ET_STATUS_OK;
}
