#include <string.h>

#include "runtime/method/branching.h"
#include "runtime/method/builder.h"
#include "runtime/method/delegation.h"
#include "runtime/method/operands.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"

static et_value *value_at(const et_builder *builder, int32_t index) {
  return &builder->regions.values[index];
}

static et_value **fill_args(const et_builder *builder, et_fb_vector args,
                            et_value **next) {
  for (uint32_t i = 0; i < et_fb_count(args); i++) {
    *next++ = value_at(builder, et_fb_i32_at(args, i));
  }
  return next;
}

/* Fills one instruction and returns where the next one's arguments go. */
static et_value **fill_instruction(const et_builder *builder,
                                   const et_walk *walk, et_value **next,
                                   et_instruction *out) {
  const et_fb_vector args = et_walk_args(walk);
  memset(out, 0, sizeof *out);
  out->tag = walk->tag;
  out->arg_count = (uint16_t)et_fb_count(args);
  out->args = next;
  switch (walk->tag) {
    case ET_INSTRUCTION_KERNEL_CALL:
      out->u.kernel = et_build_called_kernel(builder, walk);
      out->is_view = et_kernel_is_view(out->u.kernel);
      break;
    case ET_INSTRUCTION_DELEGATE_CALL:
      out->u.delegate =
          (uint32_t)et_fb_i32(walk->args, ET_DELEGATE_CALL_DELEGATE);
      break;
    case ET_INSTRUCTION_MOVE:
      *next++ = value_at(builder, et_fb_i32(walk->args, ET_MOVE_FROM));
      *next++ = value_at(builder, et_fb_i32(walk->args, ET_MOVE_TO));
      out->arg_count = 2;
      out->output_count = 1;
      break;
    case ET_INSTRUCTION_JUMP_FALSE:
      *next++ = value_at(builder, et_fb_i32(walk->args, ET_JUMP_CONDITION));
      out->arg_count = 1;
      out->u.target =
          walk->first + (uint32_t)et_fb_i32(walk->args, ET_JUMP_DESTINATION);
      break;
    default:
      break;
  }
  return fill_args(builder, args, next);
}

et_status et_build_instructions(et_builder *builder) {
  et_walk walk = et_walk_start(builder->plan);
  et_value **next = builder->regions.args;
  while (et_walk_next(&walk)) {
    et_instruction *instruction = &builder->regions.instructions[walk.index];
    next = fill_instruction(builder, &walk, next, instruction);
    if (walk.tag == ET_INSTRUCTION_DELEGATE_CALL) {
      ET_RETURN_IF_ERROR(
          builder->registry->delegation->set_outputs(builder, walk.index));
    }
  }
  if (builder->registry->branching != NULL) {
    builder->registry->branching->mark(builder);
  }
  return ET_STATUS_OK;
}
