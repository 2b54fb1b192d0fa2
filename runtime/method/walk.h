/* Iterates over the instructions of a plan, and counts its elements. */
#ifndef ET_RUNTIME_METHOD_WALK_H_
#define ET_RUNTIME_METHOD_WALK_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/program/flatbuffer.h"
#include "runtime/program/schema.h"

/* The current instruction of a plan. Chains are concatenated. */
typedef struct et_walk {
  et_fb_vector chains;
  et_fb_vector instructions; /* instructions of the current chain */
  uint32_t chain;            /* next chain */
  uint32_t next;             /* next instruction in the current chain */
  /* Index of the current chain's first instruction in the method. */
  uint32_t first;
  uint32_t index;   /* index of the instruction in the method */
  et_fb_table args; /* table of the instruction */
  /* Arguments of a kernel or delegate call, else empty. */
  et_fb_vector operands;
  uint8_t tag; /* ET_INSTRUCTION_* */
} et_walk;

void et_walk_start(et_walk *out_walk, et_fb_table plan);

/* Advances to the next instruction. Returns false after the last. */
bool et_walk_next(et_walk *walk);

/* Returns true for moves and jumps. */
static inline bool et_walk_branches(const et_walk *walk) {
  return walk->tag == ET_INSTRUCTION_MOVE ||
         walk->tag == ET_INSTRUCTION_JUMP_FALSE;
}

/* The counts of method_layout.h. `args` includes moves and jumps; `dims` counts
 * sizes and strides. */
typedef struct et_counts {
  size_t methods; /* always 1 */
  size_t values;
  size_t tensors;
  size_t planned_tensors;
  size_t planned_buffers;
  size_t list_items;
  size_t dims;
  size_t instructions;
  size_t args;
  size_t delegates;
  size_t specs;
  size_t inputs;
  size_t outputs;
  size_t io_slots; /* inputs and outputs */
} et_counts;

void et_count(et_fb_table plan, et_fb_vector values, et_counts *counts);

#endif /* ET_RUNTIME_METHOD_WALK_H_ */
