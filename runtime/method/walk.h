/* Walking a method's instructions and counting what it holds. */
#ifndef ET_RUNTIME_METHOD_WALK_H_
#define ET_RUNTIME_METHOD_WALK_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/program/flatbuffer.h"

/* Stands on an instruction of a plan; chains follow each other. */
typedef struct et_walk {
  et_fb_vector chains;
  et_fb_vector instructions; /* of the current chain */
  uint32_t chain;
  uint32_t next;  /* in the current chain */
  uint32_t first; /* number of the current chain's first instruction */
  uint32_t index; /* of the instruction in the whole method */
  et_fb_table args;
  uint8_t tag; /* ET_INSTRUCTION_* */
} et_walk;

et_walk et_walk_start(et_fb_table plan);

/* Steps to the next instruction. False after the last. */
bool et_walk_next(et_walk *walk);

/* Arguments of a kernel or delegate call; empty for other instructions. */
et_fb_vector et_walk_args(const et_walk *walk);

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
