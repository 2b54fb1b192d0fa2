#include "runtime/method/walk.h"

#include <string.h>

#include "executorch/value.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"

_Static_assert((int)ET_KERNEL_CALL_ARGS == (int)ET_DELEGATE_CALL_ARGS,
               "both kinds of calls have the same argument field");

/* Positions the walk before the first chain; the first step moves to
 * instruction 0. */
void et_walk_start(et_walk *out_walk, et_fb_table plan) {
  memset(out_walk, 0, sizeof *out_walk);
  out_walk->index = UINT32_MAX; /* the first step increments it to 0 */
  out_walk->chains = et_tables_vector(plan, ET_PLAN_CHAINS);
  out_walk->instructions = ET_FB_EMPTY_VECTOR;
}

bool et_walk_next(et_walk *walk) {
  while (walk->next == et_fb_count(walk->instructions)) {
    if (walk->chain == et_fb_count(walk->chains)) {
      return false;
    }
    const et_fb_table chain = et_fb_child_at(walk->chains, walk->chain++);
    walk->first += walk->next;
    walk->next = 0;
    walk->instructions = et_tables_vector(chain, ET_CHAIN_INSTRUCTIONS);
  }
  const et_fb_table instruction =
      et_fb_child_at(walk->instructions, walk->next++);
  walk->tag = et_fb_u8(instruction, ET_INSTRUCTION_TAG);
  walk->args = et_fb_child(instruction, ET_INSTRUCTION_ARGS);
  walk->operands = walk->tag <= ET_INSTRUCTION_DELEGATE_CALL
                       ? et_tables_vector(walk->args, ET_KERNEL_CALL_ARGS)
                       : ET_FB_EMPTY_VECTOR;
  walk->index++;
  return true;
}

static void count_tensor(et_counts *counts, et_fb_table tensor) {
  counts->tensors++;
  counts->dims += 2 * (size_t)et_tables_count(tensor, ET_TENSOR_SIZES);
  if (et_fb_has(tensor, ET_TENSOR_ALLOCATION)) {
    counts->planned_tensors++;
  }
}

static void count_value(et_counts *counts, et_fb_vector values,
                        uint32_t index) {
  et_fb_table held;
  switch (et_tables_value(values, index, &held)) {
    case ET_VALUE_TENSOR:
      count_tensor(counts, held);
      break;
    case ET_VALUE_INT_LIST:
      counts->list_items += et_tables_count(held, ET_SINGLE_FIELD);
      break;
    case ET_VALUE_TENSOR_LIST:
    case ET_VALUE_OPTIONAL_TENSOR_LIST:
      counts->list_items += et_tables_count(held, ET_SINGLE_FIELD);
      break;
    default:
      break;
  }
}

static void count_instructions(et_counts *counts, et_fb_table plan) {
  et_walk walk;
  et_walk_start(&walk, plan);
  while (et_walk_next(&walk)) {
    counts->instructions++;
    counts->args += et_fb_count(walk.operands);
    counts->args += walk.tag == ET_INSTRUCTION_MOVE ? 2 : 0;
    counts->args += walk.tag == ET_INSTRUCTION_JUMP_FALSE ? 1 : 0;
  }
}

static void count_delegates(et_counts *counts, et_fb_table plan) {
  const et_fb_vector delegates = et_tables_vector(plan, ET_PLAN_DELEGATES);
  counts->delegates = et_fb_count(delegates);
  for (uint32_t i = 0; i < et_fb_count(delegates); i++) {
    const et_fb_table delegate = et_fb_child_at(delegates, i);
    counts->specs += et_tables_count(delegate, ET_DELEGATE_SPECS);
  }
}

void et_count(et_fb_table plan, et_fb_vector values, et_counts *counts) {
  memset(counts, 0, sizeof *counts);
  counts->methods = 1;
  counts->values = et_fb_count(values);
  counts->inputs = et_tables_count(plan, ET_PLAN_INPUTS);
  counts->outputs = et_tables_count(plan, ET_PLAN_OUTPUTS);
  counts->io_slots = counts->inputs + counts->outputs;
  counts->planned_buffers = et_tables_planned_count(plan);
  for (uint32_t i = 0; i < et_fb_count(values); i++) {
    count_value(counts, values, i);
  }
  count_instructions(counts, plan);
  count_delegates(counts, plan);
}
