#include "executorch/kernels/map.h"

#include "executorch/kernels/args.h"
#include "executorch/kernels/loop.h"
#include "executorch/kernels/promote.h"
#include "executorch/kernels/shape.h"

/* The operands as tensors. A scalar becomes a 0-d tensor whose data is the
 * scalar's value. */
typedef struct operands_as_tensors {
  size_t count;
  et_tensor *tensors[ET_MAP_OPERANDS];
  et_tensor number_tensors[ET_MAP_OPERANDS];
  const et_value *numbers[ET_MAP_OPERANDS]; /* NULL for a tensor */
} operands_as_tensors;

static et_scalar_type dtype_of_number(et_value_tag tag) {
  if (tag == ET_VALUE_DOUBLE) {
    return ET_SCALAR_TYPE_FLOAT64;
  }
  return tag == ET_VALUE_BOOL ? ET_SCALAR_TYPE_BOOL : ET_SCALAR_TYPE_INT64;
}

static et_tensor tensor_of_number(const et_value *number) {
  return (et_tensor){.data = (void *)&number->u,
                     .numel = 1,
                     .dtype = dtype_of_number(number->tag),
                     .is_constant = true};
}

/* `count` is at most ET_MAP_OPERANDS. `out` borrows the values. */
static void list_operands(const et_value *const *values, size_t count,
                          operands_as_tensors *out) {
  out->count = count;
  for (size_t i = 0; i < count; i++) {
    if (values[i]->tag == ET_VALUE_TENSOR) {
      out->numbers[i] = NULL;
      out->tensors[i] = values[i]->u.as_tensor;
    } else {
      out->numbers[i] = values[i];
      out->number_tensors[i] = tensor_of_number(values[i]);
      out->tensors[i] = &out->number_tensors[i];
    }
  }
}

/* Writes a scalar `count` times. Does not use the converter of the scalar's
 * dtype, because the program might not link it. */
static void repeat_number(et_compute compute, const et_value *number,
                          size_t count, et_chunk *out) {
  const bool is_real = number->tag == ET_VALUE_DOUBLE;
  const double real = et_scalar_to_double(number);
  const int64_t integer = is_real ? 0 : et_scalar_to_int(number);
  for (size_t i = 0; i < count; i++) {
    if (compute == ET_COMPUTE_INT64) {
      out->int64[i] = integer;
    } else if (compute == ET_COMPUTE_FLOAT32) {
      out->float32[i] = is_real ? (float)real : (float)integer;
    } else {
      out->float64[i] = real;
    }
  }
}

/* State of one call that does not change between runs. Operand 0 is `out`. */
typedef struct application {
  et_map_fn run;
  const et_map_scalars *scalars;
  et_scalar_type common; /* dtype to which all operands are converted */
  et_compute compute;
  size_t operands;
  et_scalar_type dtypes[ET_MAP_OPERANDS + 1];
  const et_value *numbers[ET_MAP_OPERANDS + 1]; /* NULL for a tensor */
  size_t exact; /* operand that is not rounded to `common`; 0: none */
  et_chunk chunks[ET_MAP_OPERANDS + 1];
} application;

static bool is_direct(const application *app, const et_loop *loop, size_t k) {
  const size_t size = et_scalar_type_size((int32_t)app->dtypes[k]);
  return et_compute_is_stored(app->compute, app->dtypes[k]) &&
         loop->strides[k] == (ptrdiff_t)size;
}

/* Rounds or wraps values of another dtype to the common dtype, which can be
 * narrower than the compute type. */
static void narrow(const application *app, et_scalar_type dtype, size_t count,
                   et_chunk *numbers) {
  et_chunk narrowed;
  uint8_t *bytes = (uint8_t *)&narrowed;
  const ptrdiff_t size = (ptrdiff_t)et_scalar_type_size((int32_t)app->common);
  if (dtype != app->common &&
      !et_compute_is_stored(app->compute, app->common)) {
    et_store_run(app->compute, numbers, app->common, bytes, size, count);
    et_load_run(app->compute, app->common, bytes, size, count, numbers);
  }
}

static void load_elements(application *app, size_t k, const uint8_t *in,
                          ptrdiff_t stride, size_t count) {
  if (app->numbers[k] != NULL) {
    repeat_number(app->compute, app->numbers[k], count, &app->chunks[k]);
  } else {
    et_load_run(app->compute, app->dtypes[k], in, stride, count,
                &app->chunks[k]);
  }
}

/* Returns operand k as an array, from element `start` of the run. A repeated
 * element is expanded once per run. */
static const void *load_operand(application *app, const et_loop *loop, size_t k,
                                size_t start, size_t count, bool direct) {
  const uint8_t *in = loop->at[k] + loop->strides[k] * (ptrdiff_t)start;
  if (direct) {
    return in;
  }
  if (start == 0 || loop->strides[k] != 0) {
    load_elements(app, k, in, loop->strides[k], count);
    if (k != app->exact) {
      narrow(app, app->dtypes[k], count, &app->chunks[k]);
    }
  }
  return &app->chunks[k];
}

static void map_part(application *app, const et_loop *loop, const bool *direct,
                     size_t start, size_t count) {
  const void *in[ET_MAP_OPERANDS] = {NULL};
  for (size_t k = 1; k <= app->operands; k++) {
    in[k - 1] = load_operand(app, loop, k, start, count, direct[k]);
  }
  uint8_t *out = loop->at[0] + loop->strides[0] * (ptrdiff_t)start;
  app->run(in, direct[0] ? (void *)out : (void *)&app->chunks[0], count,
           app->scalars);
  if (!direct[0]) {
    et_store_run(app->compute, &app->chunks[0], app->dtypes[0], out,
                 loop->strides[0], count);
  }
}

/* Processes the run at once if no operand needs conversion or gathering;
 * otherwise, in chunks. */
static void map_run(application *app, const et_loop *loop) {
  bool direct[ET_MAP_OPERANDS + 1];
  size_t step = loop->count;
  for (size_t k = 0; k <= app->operands; k++) {
    direct[k] = is_direct(app, loop, k);
    step = direct[k] || step < ET_CHUNK ? step : ET_CHUNK;
  }
  for (size_t start = 0; start < loop->count; start += step) {
    const size_t rest = loop->count - start;
    map_part(app, loop, direct, start, rest < step ? rest : step);
  }
}

static et_map_scalars scalars_of(const et_value *const *values, size_t count) {
  et_map_scalars scalars = {{0}, {0}, {0}};
  for (size_t i = 0; i < count; i++) {
    if (!et_arg_is_none(values[i])) {
      scalars.int64[i] = et_scalar_to_int(values[i]);
      scalars.float64[i] = et_scalar_to_double(values[i]);
      scalars.float32[i] = (float)scalars.float64[i];
    }
  }
  return scalars;
}

static et_scalar_type common_dtype(const et_map *map,
                                   const et_value *const *operands,
                                   size_t operand_count,
                                   const et_value *const *scalars,
                                   size_t scalar_count) {
  const et_value *all[ET_MAP_OPERANDS + ET_MAP_SCALARS];
  size_t count = 0;
  for (size_t i = 0; i < operand_count; i++) {
    all[count++] = operands[i];
  }
  for (size_t i = 0; i < scalar_count && map->parameters == ET_MAP_JOIN; i++) {
    all[count++] = scalars[i];
  }
  const et_scalar_type promoted = et_result_type(all, count);
  return map->rule == ET_MAP_FLOATING && !et_scalar_type_is_floating(promoted)
             ? ET_SCALAR_TYPE_FLOAT32
             : promoted;
}

static et_status check_dtypes(et_kernel_context *context, const et_map *map,
                              const operands_as_tensors *operands,
                              et_scalar_type common, const et_tensor *out) {
  for (size_t i = 0; i < operands->count; i++) {
    const et_scalar_type dtype = operands->tensors[i]->dtype;
    ET_CHECK(context,
             operands->numbers[i] != NULL || et_dtype_is_computable(dtype),
             "%s: operand %zu: dtype %s is not supported; cast it", map->name,
             i, et_scalar_type_name((int32_t)dtype));
  }
  const et_scalar_type result =
      map->rule == ET_MAP_COMPARE ? ET_SCALAR_TYPE_BOOL : common;
  ET_CHECK(context,
           out->dtype == result || (et_scalar_type_is_floating(result) &&
                                    et_scalar_type_is_floating(out->dtype)),
           "%s: the result is %s, but out is %s; cast the operands", map->name,
           et_scalar_type_name((int32_t)result),
           et_scalar_type_name((int32_t)out->dtype));
  ET_CHECK_DTYPE(context,
                 map->run[et_compute_of(common)] != NULL &&
                     (et_compute_is_stored(et_compute_of(common), common) ||
                      et_dtype_is_computable(common)),
                 map->name, common);
  return ET_STATUS_OK;
}

static et_status check_scalars(et_kernel_context *context, const et_map *map,
                               const et_value *const *scalars, size_t count,
                               et_scalar_type common) {
  for (size_t i = 0; i < count && map->parameters == ET_MAP_SCALE; i++) {
    ET_CHECK(context,
             scalars[i]->tag != ET_VALUE_DOUBLE ||
                 et_scalar_type_is_floating(common),
             "%s: a float cannot scale %s; cast self to float32", map->name,
             et_scalar_type_name((int32_t)common));
  }
  return ET_STATUS_OK;
}

static et_status resize_out(et_kernel_context *context, const et_map *map,
                            const operands_as_tensors *operands,
                            et_tensor *out) {
  int32_t sizes[ET_MAX_RANK];
  size_t rank = 0;
  ET_RETURN_IF_ERROR(et_shape_broadcast(context, map->name, operands->tensors,
                                        operands->count, sizes, &rank));
  return et_tensor_resize(out, sizes, rank, context->error);
}

static void run_all(application *app, const operands_as_tensors *operands,
                    et_tensor *out) {
  et_view views[ET_MAP_OPERANDS + 1];
  views[0] = et_view_of(out);
  app->dtypes[0] = out->dtype;
  app->operands = operands->count;
  app->numbers[0] = NULL;
  for (size_t i = 0; i < app->operands; i++) {
    const et_view view = et_view_of(operands->tensors[i]);
    et_view_expand(&view, views[0].sizes, views[0].rank, &views[i + 1]);
    app->dtypes[i + 1] = view.dtype;
    app->numbers[i + 1] = operands->numbers[i];
  }
  for (et_loop loop = et_loop_over(views, app->operands + 1); loop.count > 0;
       et_loop_next(&loop)) {
    map_run(app, &loop);
  }
}

/* Returns the index, from 1, of a 0-d operand that is not rounded; 0: none. */
static size_t exact_operand(const et_map *map,
                            const operands_as_tensors *operands,
                            et_scalar_type common) {
  const bool exact =
      map->parameters == ET_MAP_FACTOR && et_scalar_type_is_floating(common);
  return exact && operands->tensors[1]->rank == 0 ? 2 : 0;
}

et_status et_map_apply(et_kernel_context *context, const et_map *map,
                       const et_value *const *operands, size_t operand_count,
                       const et_value *const *scalars, size_t scalar_count,
                       et_tensor *out) {
  operands_as_tensors list;
  list_operands(operands, operand_count, &list);
  const et_scalar_type common =
      common_dtype(map, operands, operand_count, scalars, scalar_count);
  ET_RETURN_IF_ERROR(check_dtypes(context, map, &list, common, out));
  ET_RETURN_IF_ERROR(
      check_scalars(context, map, scalars, scalar_count, common));
  ET_RETURN_IF_ERROR(resize_out(context, map, &list, out));
  const et_map_scalars numbers = scalars_of(scalars, scalar_count);
  application app;
  app.common = common;
  app.compute = et_compute_of(common);
  app.run = map->run[app.compute];
  app.scalars = &numbers;
  app.exact = exact_operand(map, &list, common);
  run_all(&app, &list, out);
  return ET_STATUS_OK;
}

et_status et_map_unary(et_kernel_context *context, const et_map *map,
                       const et_value *self, const et_value *out) {
  return et_map_apply(context, map, &self, 1, NULL, 0, out->u.as_tensor);
}

et_status et_map_binary(et_kernel_context *context, const et_map *map,
                        const et_value *self, const et_value *other,
                        const et_value *out) {
  const et_value *operands[2] = {self, other};
  return et_map_apply(context, map, operands, 2, NULL, 0, out->u.as_tensor);
}

et_status et_map_scaled(et_kernel_context *context, const et_map *map,
                        const et_value *self, const et_value *other,
                        const et_value *scalar, const et_value *out) {
  const et_value *operands[2] = {self, other};
  return et_map_apply(context, map, operands, 2, &scalar, 1, out->u.as_tensor);
}

et_status et_map_with_scalar(et_kernel_context *context, const et_map *map,
                             const et_value *self, const et_value *scalar,
                             const et_value *out) {
  return et_map_apply(context, map, &self, 1, &scalar, 1, out->u.as_tensor);
}
