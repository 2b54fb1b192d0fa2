/* softmax(scale * q k^T + mask) v for heads that lie side by side in rows: no
 * head is ever moved, and no matrix of all queries and keys is built. */
#ifndef BACKENDS_CPU_MICROKERNELS_SDPA_H_
#define BACKENDS_CPU_MICROKERNELS_SDPA_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/cpu/microkernels/variants.h"

/* Keys that are worked on together, and most scores of a block of queries. */
#define ET_CPU_SDPA_KEYS 512
#define ET_CPU_SDPA_SCORES 6144

/* What keys and values are of: floats, or one of the numbers of two bytes. */
enum { ET_CPU_NO_HALF, ET_CPU_FLOAT_HALF, ET_CPU_BFLOAT_HALF };

/* One batch. Head h reads its query at q + h * depth, and its keys and values,
 * which it shares with the other heads of its group, at those of the group:
 * group * k_group and group * v_group on. */
typedef struct et_cpu_sdpa {
  const float *q;
  const void *k;
  const void *v;
  const float *mask; /* added to scores; NULL: none */
  float *out;        /* [queries][heads * width] */
  size_t queries;
  size_t keys;
  size_t heads;
  size_t groups;
  size_t depth; /* elements of a query, and of a key */
  size_t width; /* elements of a value */
  size_t q_stride;
  size_t k_stride;
  size_t v_stride;
  size_t k_group; /* elements from one group to the next */
  size_t v_group;
  size_t mask_head; /* strides of the mask, 0 where it is the same for all */
  size_t mask_row;
  size_t position; /* of query 0 among the keys */
  float scale;
  uint8_t half; /* ET_CPU_..._HALF */
  bool causal;  /* a query sees keys up to its own position */
} et_cpu_sdpa;

static inline size_t et_cpu_sdpa_floats(size_t rows, size_t depth,
                                        size_t width) {
  const size_t panels = (width + 15) / 16;
  return ET_CPU_SDPA_KEYS * (depth + panels * 16) + ET_CPU_SDPA_SCORES +
         2 * rows;
}

/* What keys and values of two bytes need behind that: a block of them as floats. */
static inline size_t et_cpu_sdpa_room(size_t depth, size_t width) {
  return ET_CPU_SDPA_KEYS * (depth + width);
}

/* All heads of one group. The workspace has et_cpu_sdpa_floats(queries *
 * heads / groups, depth, width) floats, and with halves et_cpu_sdpa_room(depth,
 * width) more. */
typedef void et_cpu_sdpa_f32_function(const et_cpu_sdpa *attention,
                                      size_t group, float *workspace);

ET_CPU_DECLARE(et_cpu_sdpa_f32_function, et_cpu_sdpa_f32);

/* The same for at most ET_CPU_SDPA_FEW_QUERIES queries of all heads of a group:
 * packing keys and values would take longer than what it saves. */
#define ET_CPU_SDPA_FEW_QUERIES 8

ET_CPU_DECLARE(et_cpu_sdpa_f32_function, et_cpu_sdpa_few_queries_f32);

#endif /* BACKENDS_CPU_MICROKERNELS_SDPA_H_ */
