#include "runtime/testing/program_test_support.h"

#include <string.h>

et_status et_prim_et_copy_index(et_kernel_context *context, et_value **args);
et_status et_prim_et_view(et_kernel_context *context, et_value **args);

static float *floats_of(const et_value *value) {
  return value->u.as_tensor->data;
}

static et_status copy_tensor(et_kernel_context *context, const et_value *from,
                             const et_value *to) {
  const et_tensor *self = from->u.as_tensor;
  ET_RETURN_IF_ERROR(et_tensor_resize(to->u.as_tensor, self->sizes, self->rank,
                                      context->error));
  memcpy(to->u.as_tensor->data, self->data, et_tensor_nbytes(self));
  return ET_STATUS_OK;
}

static et_status test_copy(et_kernel_context *context, et_value **args) {
  return copy_tensor(context, args[0], args[1]);
}

static et_status test_assign(et_kernel_context *context, et_value **args) {
  return copy_tensor(context, args[1], args[0]);
}

static et_status test_pair(et_kernel_context *context, et_value **args) {
  ET_RETURN_IF_ERROR(copy_tensor(context, args[0], args[1]));
  return copy_tensor(context, args[0], args[2]);
}

static et_status add_tensors(et_kernel_context *context, const et_value *a,
                             const et_value *b, const et_value *out) {
  const et_tensor *self = a->u.as_tensor;
  if (!et_tensor_same_shape(self, b->u.as_tensor)) {
    return et_fail(context->error, ET_STATUS_INVALID_ARGUMENT,
                   "the operands have different shapes");
  }
  ET_RETURN_IF_ERROR(et_tensor_resize(out->u.as_tensor, self->sizes, self->rank,
                                      context->error));
  for (size_t i = 0; i < self->numel; i++) {
    floats_of(out)[i] = floats_of(a)[i] + floats_of(b)[i];
  }
  return ET_STATUS_OK;
}

static et_status test_add(et_kernel_context *context, et_value **args) {
  return add_tensors(context, args[0], args[1], args[2]);
}

static et_status aten_add(et_kernel_context *context, et_value **args) {
  return add_tensors(context, args[0], args[1], args[3]);
}

static et_status test_fill(et_kernel_context *context, et_value **args) {
  (void)context;
  for (size_t i = 0; i < args[1]->u.as_tensor->numel; i++) {
    floats_of(args[1])[i] = (float)et_scalar_to_double(args[0]);
  }
  return ET_STATUS_OK;
}

/* Copies the first element of a tensor. */
static et_status test_put(et_kernel_context *context, et_value **args) {
  (void)context;
  floats_of(args[0])[0] = floats_of(args[1])[0];
  return ET_STATUS_OK;
}

static et_status test_put_both(et_kernel_context *context, et_value **args) {
  ET_RETURN_IF_ERROR(test_put(context, args));
  return copy_tensor(context, args[1], args[2]);
}

/* Copies a tensor to each tensor of a list. */
static et_status test_spread(et_kernel_context *context, et_value **args) {
  for (size_t i = 0; i < args[1]->u.as_list.size; i++) {
    ET_RETURN_IF_ERROR(
        copy_tensor(context, args[0], args[1]->u.as_list.items[i]));
  }
  return ET_STATUS_OK;
}

static et_status test_sum(et_kernel_context *context, et_value **args) {
  (void)context;
  float sum = 0;
  for (size_t i = 0; i < args[0]->u.as_list.size; i++) {
    sum += floats_of(args[0]->u.as_list.items[i])[0];
  }
  floats_of(args[1])[0] = sum;
  return ET_STATUS_OK;
}

static et_status test_count(et_kernel_context *context, et_value **args) {
  (void)context;
  args[2]->u.as_int = et_scalar_to_int(args[0]) + args[1]->u.as_int;
  return ET_STATUS_OK;
}

static et_status test_less(et_kernel_context *context, et_value **args) {
  (void)context;
  args[2]->u.as_bool = et_scalar_to_int(args[0]) < args[1]->u.as_int;
  return ET_STATUS_OK;
}

static et_status test_fail(et_kernel_context *context, et_value **args) {
  (void)args;
  return et_fail(context->error, ET_STATUS_INVALID_ARGUMENT, "as it should");
}

static const et_kernel kernels[] = {
    {"aten::add.out", "ttnw>w", NULL, aten_add, NULL, 0},
    {"executorch_prim::et_copy_index.tensor", "mti", NULL,
     et_prim_et_copy_index, NULL, 0},
    {"executorch_prim::et_view.default", "tI>w", NULL, et_prim_et_view, NULL,
     0},
    {"test::add.out", "ttw>w", NULL, test_add, NULL, 0},
    {"test::assign.out", "wt>w", NULL, test_assign, NULL, 0},
    {"test::copy.out", "tw>w", NULL, test_copy, NULL, 128},
    {"test::count.out", "ni>x", NULL, test_count, NULL, 0},
    {"test::fail.out", "t", NULL, test_fail, NULL, 0},
    {"test::fill.out", "nw>w", NULL, test_fill, NULL, 0},
    {"test::less.out", "ni>x", NULL, test_less, NULL, 0},
    {"test::merge.out", "TW>W", NULL, test_fail, NULL, 0},
    {"test::pair.out", "tww>W", NULL, test_pair, NULL, 0},
    {"test::put.out", "mt>w", NULL, test_put, NULL, 0},
    {"test::put_both.out", "mtww>W", NULL, test_put_both, NULL, 0},
    {"test::spread.out", "tW>W", NULL, test_spread, NULL, 0},
    {"test::sum.out", "Tw>w", NULL, test_sum, NULL, 0},
};
static const et_kernel_table table = {kernels,
                                      sizeof kernels / sizeof *kernels};

static et_status backend_measure(const et_backend_context *context,
                                 et_backend_requirements *out) {
  if (context->payload.size == 0) {
    return et_fail(context->error, ET_STATUS_DELEGATE_INCOMPATIBLE,
                   "the payload is empty");
  }
  out->handle_bytes = context->payload.size;
  out->output_count = 1;
  return ET_STATUS_OK;
}

static et_status backend_init(const et_backend_context *context,
                              void **out_handle) {
  return et_arena_take(context->arena, 1, context->payload.size, 16, out_handle)
             ? ET_STATUS_OK
             : et_fail(context->error, ET_STATUS_DELEGATE_MEMORY,
                       "the memory is too small");
}

static et_status backend_execute(void *handle,
                                 const et_execute_context *context,
                                 et_value **args, size_t count) {
  et_kernel_context call = {.error = context->error};
  (void)handle;
  if (count != 3) {
    return et_fail(context->error, ET_STATUS_INVALID_PROGRAM,
                   "got %zu arguments, expected 3", count);
  }
  return test_add(&call, args);
}

static const et_backend backend = {"TestBackend", backend_measure, backend_init,
                                   backend_execute, NULL};
static const et_backend *const backends[] = {&backend};

const et_registry et_test_registry = {.kernels = &table,
                                      .backends = backends,
                                      .backend_count = 1,
                                      .delegation = &et_delegation,
                                      .views = &et_views,
                                      .branching = &et_branching,
                                      .ranges = &et_ranges_and_conditions};
