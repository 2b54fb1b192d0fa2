#include <string.h>

#include "runtime/core/reason.h"
#include "runtime/method/branching.h"
#include "runtime/method/check.h"
#include "runtime/method/operands.h"
#include "runtime/method/signature.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"

/* An instruction being checked. */
typedef struct call_check {
  const et_builder *builder;
  const et_kernel *kernel;
  uint32_t index; /* of the instruction, for messages */
  et_fb_vector args;
  uint32_t first_out; /* argument */
  uint32_t out_count; /* arguments that return values repeat */
  bool has_outs;      /* `w` or `W` */
} call_check;

#define CALL_FAIL(c, format, ...)                               \
  et_fail((c)->builder->error, ET_STATUS_INVALID_PROGRAM,       \
          "instructions[%u] %s: " format, (unsigned)(c)->index, \
          (c)->kernel->name, __VA_ARGS__)

static uint8_t tag_at(const et_builder *builder, int32_t index) {
  et_fb_table held;
  return et_tables_value(&builder->values, (uint32_t)index, &held);
}

/* Items of the tensor list in argument `arg`. */
static et_fb_vector list_at(const call_check *c, uint32_t arg) {
  et_fb_table held;
  et_tables_value(&c->builder->values, (uint32_t)et_fb_i32_at(&c->args, arg),
                  &held);
  return et_tables_vector(&held, ET_SINGLE_FIELD);
}

/* Whether the list in argument `arg` has `count` items, those of `outs` from `first` on. */
static bool repeats(const call_check *c, uint32_t arg, const et_fb_vector *outs,
                    uint32_t first, uint32_t count) {
  const et_fb_vector list = list_at(c, arg);
  bool same = list.count == count;
  for (uint32_t i = 0; same && i < count; i++) {
    same = et_fb_i32_at(&list, i) == et_fb_i32_at(outs, first + i);
  }
  return same;
}

/* A list that repeats the out list, or lists the outs. */
static et_status check_returned_list(const call_check *c, uint32_t arg) {
  const int32_t out = et_fb_i32_at(&c->args, c->first_out);
  if (tag_at(c->builder, out) == ET_VALUE_TENSOR_LIST) {
    const et_fb_vector outs = list_at(c, c->first_out);
    return repeats(c, arg, &outs, 0, outs.count)
               ? ET_STATUS_OK
               : CALL_FAIL(c, "args[%u] does not repeat the out list",
                           (unsigned)arg);
  }
  return repeats(c, arg, &c->args, c->first_out, c->out_count)
             ? ET_STATUS_OK
             : CALL_FAIL(c, "args[%u] does not list the outs", (unsigned)arg);
}

/* A return value repeats what was written. */
static et_status check_return(const call_check *c, uint32_t arg, char code) {
  if (code == 'x' || c->out_count == 0) {
    return ET_STATUS_OK; /* it is itself what is written */
  }
  if (code == 'W') {
    return check_returned_list(c, arg);
  }
  if (et_fb_i32_at(&c->args, arg) != et_fb_i32_at(&c->args, c->first_out)) {
    return CALL_FAIL(c, "args[%u] does not repeat the out", (unsigned)arg);
  }
  return ET_STATUS_OK;
}

/* Whether return values repeat an argument of that code: outs or, where there is
 * none, what an in-place operator writes in part. */
static bool is_returned(const call_check *c, char code) {
  return code == 'w' || code == 'W' || (code == 'm' && !c->has_outs);
}

static bool has_outs(const char *signature) {
  const char first = signature[strcspn(signature, "wW>")];
  return first == 'w' || first == 'W';
}

static et_status check_arg(call_check *c, uint32_t arg,
                           const et_parameter *parameter) {
  const uint8_t tag = tag_at(c->builder, et_fb_i32_at(&c->args, arg));
  if (!et_parameter_accepts(parameter, tag)) {
    return CALL_FAIL(c, "args[%u] is %s, not %s", (unsigned)arg,
                     et_value_tag_name(tag), et_parameter_type(parameter));
  }
  if (parameter->is_return) {
    return check_return(c, arg, parameter->code);
  }
  if (is_returned(c, parameter->code)) {
    c->first_out = c->out_count == 0 ? arg : c->first_out;
    c->out_count++;
  }
  return ET_STATUS_OK;
}

static et_status check_kernel_call(call_check *c) {
  const size_t expected = et_signature_count(c->kernel->signature);
  if (c->args.count != expected) {
    return CALL_FAIL(c, "%u args, expected %zu", (unsigned)c->args.count,
                     expected);
  }
  if (c->builder->registry->views == NULL && et_kernel_is_view(c->kernel)) {
    return et_fail(c->builder->error, ET_STATUS_INVALID_ARGUMENT,
                   "instructions[%u] %s: registry.views must be &et_views",
                   (unsigned)c->index, c->kernel->name);
  }
  et_signature_cursor cursor = {c->kernel->signature, false};
  et_parameter parameter;
  c->has_outs = has_outs(c->kernel->signature);
  for (uint32_t i = 0; et_signature_next(&cursor, &parameter); i++) {
    ET_RETURN_IF_ERROR(check_arg(c, i, &parameter));
  }
  return ET_STATUS_OK;
}

static et_status check_free(const et_builder *builder, const et_walk *walk) {
  const int32_t index = et_fb_i32(&walk->args, ET_FREE_VALUE);
  return tag_at(builder, index) == ET_VALUE_TENSOR
             ? ET_STATUS_OK
             : et_fail_program(builder->error,
                               "instructions[%u]: frees what is no Tensor",
                               (unsigned)walk->index);
}

static et_status check_branch(const et_builder *builder, const et_walk *walk) {
  const struct et_branching *branching = builder->registry->branching;
  return branching != NULL
             ? branching->check(builder, walk)
             : et_fail(builder->error, ET_STATUS_INVALID_ARGUMENT,
                       "instructions[%u] moves or jumps: registry.branching "
                       "must be &et_branching",
                       (unsigned)walk->index);
}

et_status et_check_instruction(const et_builder *builder, const et_walk *walk,
                               const et_kernel *kernel) {
  call_check c = {builder, kernel, walk->index, et_walk_args(walk),
                  0,       0,      false};
  switch (walk->tag) {
    case ET_INSTRUCTION_KERNEL_CALL:
      return check_kernel_call(&c);
    case ET_INSTRUCTION_MOVE:
    case ET_INSTRUCTION_JUMP_FALSE:
      return check_branch(builder, walk);
    case ET_INSTRUCTION_FREE:
      return check_free(builder, walk);
    default:
      return ET_STATUS_OK; /* delegates check their arguments themselves */
  }
}
