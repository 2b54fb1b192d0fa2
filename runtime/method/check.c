#include "runtime/method/check.h"

#include <string.h>

#include "runtime/core/error.h"
#include "runtime/method/operands.h"
#include "runtime/method/optional_parts.h"
#include "runtime/method/signature.h"
#include "runtime/program/external.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"
#include "runtime/program/tensor_record.h"

/* The call that is being checked. */
typedef struct call_check {
  const et_builder *builder;
  const et_kernel *kernel;
  uint32_t index; /* index of the instruction, for messages */
  et_fb_vector args;
  uint32_t first_out; /* argument index */
  uint32_t out_count; /* number of arguments that the return values repeat */
  bool has_outs;      /* a `w` or `W` has been seen */
  bool lists_outs;    /* the first out is a list */
} call_check;

#define CALL_FAIL(c, format, ...)                               \
  et_fail((c)->builder->error, ET_STATUS_INVALID_PROGRAM,       \
          "instructions[%u] %s: " format, (unsigned)(c)->index, \
          (c)->kernel->name, __VA_ARGS__)

static uint8_t tag_at(const et_builder *builder, int32_t index) {
  et_fb_table held;
  return et_tables_value(builder->values, (uint32_t)index, &held);
}

/* Returns the items of the tensor list in argument `arg`. */
static et_fb_vector list_at(const call_check *c, uint32_t arg) {
  et_fb_table held;
  et_tables_value(c->builder->values, (uint32_t)et_fb_i32_at(c->args, arg),
                  &held);
  return et_tables_vector(held, ET_SINGLE_FIELD);
}

/* Returns the address of item `index` of a vector of indices. */
static const uint8_t *item_at(et_fb_vector vector, uint32_t index) {
  return et_fb_first(vector) + index * sizeof(int32_t);
}

/* Returns true if argument `arg` is the same value as the first out operand,
 * or, if `is_list`, a list of the same values as the out operands. */
static bool repeats_outs(const call_check *c, uint32_t arg, bool is_list) {
  const uint8_t *returned = item_at(c->args, arg);
  const uint8_t *outs = item_at(c->args, c->first_out);
  uint32_t count = 1;
  if (is_list) {
    const et_fb_vector list = list_at(c, arg);
    returned = item_at(list, 0);
    count = c->out_count;
    if (c->lists_outs) {
      const et_fb_vector out_list = list_at(c, c->first_out);
      outs = item_at(out_list, 0);
      count = et_fb_count(out_list);
    }
    if (et_fb_count(list) != count) {
      return false;
    }
  }
  return memcmp(returned, outs, count * sizeof(int32_t)) == 0;
}

/* Checks that a return value repeats a value that the call writes. */
static et_status check_return(const call_check *c, uint32_t arg, char code) {
  if (code == 'x' || c->out_count == 0) {
    return ET_STATUS_OK; /* the call writes the return value itself */
  }
  const bool is_list = code == 'W';
  return repeats_outs(c, arg, is_list)
             ? ET_STATUS_OK
             : CALL_FAIL(c, "args[%u] does not %s", (unsigned)arg,
                         !is_list ? ET_MESSAGE_TEXT("repeat the out operand")
                         : c->lists_outs
                             ? ET_MESSAGE_TEXT("repeat the out list")
                             : ET_MESSAGE_TEXT("list the out operands"));
}

/* Records that return values repeat this argument: an out operand, or the
 * updated argument of an in-place operator without out operands. */
static void note_out(call_check *c, uint32_t arg, const et_parameter *parameter,
                     uint8_t tag) {
  const bool is_out = et_parameter_is_out(parameter);
  if (!is_out && (parameter->code != 'm' || c->has_outs)) {
    return;
  }
  if (is_out && !c->has_outs) {
    c->has_outs = true;
    c->out_count = 0;
  }
  if (c->out_count++ == 0) {
    c->first_out = arg;
    c->lists_outs = tag == ET_VALUE_TENSOR_LIST;
  }
}

static et_status check_arg(call_check *c, uint32_t arg,
                           const et_parameter *parameter) {
  const uint8_t tag = tag_at(c->builder, et_fb_i32_at(c->args, arg));
  if (!et_parameter_accepts(parameter, tag)) {
    return CALL_FAIL(c, "args[%u] is %s, expected %s", (unsigned)arg,
                     et_value_tag_name(tag), et_parameter_type(parameter));
  }
  if (parameter->is_return) {
    return check_return(c, arg, parameter->code);
  }
  note_out(c, arg, parameter, tag);
  return ET_STATUS_OK;
}

static et_status check_kernel_call(call_check *c) {
  const size_t expected = et_signature_count(c->kernel->signature);
  if (et_fb_count(c->args) != expected) {
    return CALL_FAIL(c, "%u args, expected %zu", (unsigned)et_fb_count(c->args),
                     expected);
  }
  if (c->builder->registry->views == NULL && et_kernel_is_view(c->kernel)) {
    return et_fail(c->builder->error, ET_STATUS_INVALID_ARGUMENT,
                   "instructions[%u] %s: the kernel returns a view; set "
                   "registry.views to &et_views",
                   (unsigned)c->index, c->kernel->name);
  }
  et_parameter parameter = {.next = c->kernel->signature};
  for (uint32_t i = 0; et_signature_next(&parameter); i++) {
    ET_RETURN_IF_ERROR(check_arg(c, i, &parameter));
  }
  return ET_STATUS_OK;
}

static et_status check_free(const et_builder *builder, const et_walk *walk) {
  const int32_t index = et_fb_i32(walk->args, ET_FREE_VALUE);
  return tag_at(builder, index) == ET_VALUE_TENSOR
             ? ET_STATUS_OK
             : et_fail_program(
                   builder->error,
                   "instructions[%u]: the freed value is not a Tensor",
                   (unsigned)walk->index);
}

static et_status check_branch(const et_builder *builder, const et_walk *walk) {
  const struct et_branching *branching = builder->registry->branching;
  return branching != NULL
             ? branching->check(builder, walk)
             : et_fail(builder->error, ET_STATUS_INVALID_ARGUMENT,
                       "instructions[%u]: the program has a move or a jump; "
                       "set registry.branching to &et_branching",
                       (unsigned)walk->index);
}

et_status et_check_instruction(const et_builder *builder, const et_walk *walk,
                               const et_kernel *kernel) {
  call_check c = {.builder = builder,
                  .kernel = kernel,
                  .index = walk->index,
                  .args = walk->operands};
  if (et_walk_branches(walk)) {
    return check_branch(builder, walk);
  }
  switch (walk->tag) {
    case ET_INSTRUCTION_KERNEL_CALL:
      return check_kernel_call(&c);
    case ET_INSTRUCTION_FREE:
      return check_free(builder, walk);
    default:
      return ET_STATUS_OK; /* delegates check their own arguments */
  }
}

static et_status check_supported(const et_builder *builder, uint32_t index,
                                 const et_tensor_record *record) {
  const et_fb_table extra = et_fb_child(record->table, ET_TENSOR_EXTRA);
  if (et_scalar_type_size(record->dtype) == 0) {
    return et_fail(builder->error, ET_STATUS_NOT_SUPPORTED,
                   "values[%u]: the runtime does not support the dtype; cast "
                   "the tensor in the model",
                   (unsigned)index);
  }
  if (record->dynamism == ET_SHAPE_DYNAMIC_UNBOUND) {
    return et_fail(builder->error, ET_STATUS_NOT_SUPPORTED,
                   "values[%u]: the shape does not have an upper bound; "
                   "export it with a Dim that has max",
                   (unsigned)index);
  }
  if (et_fb_i8(extra, ET_EXTRA_DEVICE_TYPE) != 0) {
    return et_fail(builder->error, ET_STATUS_NOT_SUPPORTED,
                   "values[%u]: the tensor is not on the CPU; move the model "
                   "to the CPU before the export",
                   (unsigned)index);
  }
  return ET_STATUS_OK;
}

static et_status check_tensor(const et_builder *builder, uint32_t index,
                              et_fb_table table) {
  et_tensor_record record;
  ET_RETURN_IF_ERROR(et_tensor_record_read(table, &record, builder->error));
  if (record.is_external) {
    ET_RETURN_IF_ERROR(
        et_external_check(builder->program, index, &record, builder->error));
  }
  return check_supported(builder, index, &record);
}

static et_status check_devices(const et_builder *builder) {
  const et_fb_vector devices =
      et_tables_vector(builder->plan, ET_PLAN_BUFFER_DEVICES);
  for (uint32_t i = 0; i < et_fb_count(devices); i++) {
    const et_fb_table device = et_fb_child_at(devices, i);
    if (et_fb_i8(device, ET_BUFFER_DEVICE_TYPE) != 0) {
      return et_fail(builder->error, ET_STATUS_NOT_SUPPORTED,
                     "non_const_buffer_device[%u] is not the CPU; move the "
                     "model to the CPU before the export",
                     (unsigned)i);
    }
  }
  return ET_STATUS_OK;
}

et_status et_check_values(const et_builder *builder) {
  for (uint32_t i = 0; i < et_fb_count(builder->values); i++) {
    et_fb_table held;
    if (et_tables_value(builder->values, i, &held) == ET_VALUE_TENSOR) {
      ET_RETURN_IF_ERROR(check_tensor(builder, i, held));
    }
  }
  return check_devices(builder);
}
