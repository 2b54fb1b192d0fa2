#include <string.h>

#include "runtime/method/branching.h"
#include "runtime/method/builder.h"
#include "runtime/method/delegation.h"
#include "runtime/method/operands.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"

/* Fills the fields that are not specific to moves, jumps or delegate calls. */
static void fill_instruction(const et_builder *builder, const et_walk *walk,
                             et_instruction *out) {
  const uint32_t count = et_fb_count(walk->operands);
  out->tag = walk->tag;
  out->arg_count = (uint16_t)count;
  for (uint32_t i = 0; i < count; i++) {
    out->args[i] = &builder->regions.values[et_fb_u32_at(walk->operands, i)];
  }
  if (walk->tag == ET_INSTRUCTION_KERNEL_CALL) {
    out->u.kernel = et_build_called_kernel(builder, walk);
    out->is_view = et_kernel_is_view(out->u.kernel);
  }
}

et_status et_build_instructions(et_builder *builder) {
  const et_registry *registry = builder->registry;
  et_value **args = builder->regions.args;
  et_walk walk;
  et_walk_start(&walk, builder->plan);
  while (et_walk_next(&walk)) {
    et_instruction *instruction = &builder->regions.instructions[walk.index];
    memset(instruction, 0, sizeof *instruction);
    instruction->args = args;
    fill_instruction(builder, &walk, instruction);
    if (walk.tag == ET_INSTRUCTION_DELEGATE_CALL) {
      ET_RETURN_IF_ERROR(registry->delegation->fill(builder, &walk));
    } else if (et_walk_branches(&walk)) {
      registry->branching->fill(builder, &walk);
    }
    args += instruction->arg_count;
  }
  if (registry->branching != NULL) {
    registry->branching->mark(builder);
  }
  return ET_STATUS_OK;
}
