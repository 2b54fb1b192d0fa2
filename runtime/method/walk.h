/* Walking a method's instructions and counting what it holds. */
#ifndef ET_RUNTIME_METHOD_WALK_H_
#define ET_RUNTIME_METHOD_WALK_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/program/flatbuffer.h"
#include "runtime/program/schema.h"

/* Stands on an instruction of a plan; chains follow each other. */
typedef struct et_walk {
  et_fb_vector chains;
  et_fb_vector instructions; /* of the current chain */
  uint32_t chain;            /* that comes next */
  uint32_t next;             /* in the current chain */
  uint32_t first;        /* number of the current chain's first instruction */
  uint32_t index;        /* of the instruction in the whole method */
  et_fb_table args;      /* its own table */
  et_fb_vector operands; /* arguments of a kernel or delegate call, else none */
  uint8_t tag;           /* ET_INSTRUCTION_* */
} et_walk;

void et_walk_start(et_walk *out_walk, et_fb_table plan);

/* Steps to the next instruction. False after the last. */
bool et_walk_next(et_walk *walk);

/* Whether it moves or jumps. */
static inline bool et_walk_branches(const et_walk *walk) {
  return walk->tag == ET_INSTRUCTION_MOVE ||
         walk->tag == ET_INSTRUCTION_JUMP_FALSE;
}

/* The counts of method_layout.h: `args` with moves and jumps, `dims` of sizes and of
 * strides. */
typedef struct et_counts {
  size_t methods; /* 1 */
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
  size_t ends; /* both */
} et_counts;

void et_count(et_fb_table plan, et_fb_vector values, et_counts *counts);

#endif /* ET_RUNTIME_METHOD_WALK_H_ */
