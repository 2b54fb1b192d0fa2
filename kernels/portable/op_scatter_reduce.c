#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "executorch/kernels/copy.h"
#include "executorch/kernels/shape.h"
#include "kernels/portable/indexing.h"

/* NaN propagates. */
#define LARGER(x, y) ((x) > (y) || (x) != (x) ? (x) : (y))
#define SMALLER(x, y) ((x) < (y) || (x) != (x) ? (x) : (y))

/* Defines an et_along_fn that updates the element y with x, the element of
 * other. */
#define COMBINE(fn, integer_formula, real_formula)                           \
  static void fn(et_scalar_type dtype, uint8_t *other, uint8_t *element) {   \
    const bool is_real = et_scalar_type_is_floating(dtype);                  \
    const et_compute type = is_real ? ET_COMPUTE_FLOAT64 : ET_COMPUTE_INT64; \
    et_chunk from;                                                           \
    et_chunk to;                                                             \
    et_load_run(type, dtype, other, 0, 1, &from);                            \
    et_load_run(type, dtype, element, 0, 1, &to);                            \
    if (is_real) {                                                           \
      const double x = from.float64[0];                                      \
      const double y = to.float64[0];                                        \
      to.float64[0] = (real_formula);                                        \
    } else {                                                                 \
      const int64_t x = from.int64[0];                                       \
      const int64_t y = to.int64[0];                                         \
      to.int64[0] = (integer_formula);                                       \
    }                                                                        \
    et_store_run(type, &to, dtype, element, 0, 1);                           \
  }

COMBINE(multiply, et_wrap_mul(x, y), x *y)
COMBINE(take_larger, LARGER(x, y), LARGER(x, y))
COMBINE(take_smaller, SMALLER(x, y), SMALLER(x, y))

/* Without include_self, indexed elements start at `start`. If it is -1, they
 * start at one of their source elements: max and min do not change if they
 * process it again. */
typedef struct reduction {
  const char *name;
  et_along_fn combine;
  int64_t start;
} reduction;

static const reduction reductions[] = {
    {"sum", et_accumulate_along, 0},
    {"prod", multiply, 1},
    {"amax", take_larger, -1},
    {"amin", take_smaller, -1},
};

static const reduction *find(const et_value *name) {
  for (size_t i = 0; i < sizeof(reductions) / sizeof(reductions[0]); i++) {
    if (et_arg_is_text(name, reductions[i].name)) {
      return &reductions[i];
    }
  }
  return NULL;
}

/* Initializes the indexed elements. */
static et_status leave_self_out(et_kernel_context *context, const reduction *r,
                                et_value **args, const et_view *src,
                                et_tensor *out) {
  const et_tensor *index = args[2]->u.as_tensor;
  const et_value number = {.tag = ET_VALUE_INT, .u = {.as_int = r->start}};
  et_chunk element;
  const et_view one = {(uint8_t *)&element, out->dtype, 0, {0}, {0}};
  et_view all = *src;
  if (r->start >= 0) {
    ET_RETURN_IF_ERROR(et_fill_view(context, "scatter_reduce", &number, &one));
    et_view_expand(&one, index->sizes, index->rank, &all);
  }
  return et_along_scatter(context, "scatter_reduce", args, &all, et_along_set,
                          out);
}

et_status et_op_scatter_reduce_two_out(et_kernel_context *context,
                                       et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  const et_tensor *index = args[2]->u.as_tensor;
  et_tensor *out = args[6]->u.as_tensor;
  const et_view src = et_view_of(args[3]->u.as_tensor);
  const reduction *r = find(args[4]);
  size_t axis = 0;
  ET_CHECK(context, r != NULL,
           "scatter_reduce: reduce is invalid; use sum, prod, amax or amin");
  ET_RETURN_IF_ERROR(et_shape_supports(context, "scatter_reduce",
                                       et_dtype_is_computable(self->dtype),
                                       self, out));
  if (args[5]->u.as_bool) {
    return et_along_scatter(context, "scatter_reduce", args, &src, r->combine,
                            out);
  }
  ET_RETURN_IF_ERROR(
      et_along_check_source(context, "scatter_reduce", self, index, &src));
  ET_RETURN_IF_ERROR(leave_self_out(context, r, args, &src, out));
  ET_RETURN_IF_ERROR(et_shape_axis(context, "scatter_reduce", args[1]->u.as_int,
                                   self->rank, &axis));
  const et_view target = et_view_of(out);
  et_along_run(index, &src, &target, axis, r->combine);
  return ET_STATUS_OK;
}
