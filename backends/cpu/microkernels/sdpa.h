/* y = softmax(scale * q @ k^T + mask) @ v for the heads of one group (SDPA).
 *
 * q is [queries, heads, depth], k is [keys, groups, depth], v is [keys, groups, width] and y is
 * [queries, heads, width]. Heads are read in place. The groups of k and v are adjacent in a row, or
 * have strides of their own. Keys are processed in blocks of ET_CPU_SDPA_KEYS with online softmax
 * (Milakov & Gimelshein 2018), so memory does not grow with queries * keys. There are two variants:
 * - et_cpu_sdpa_f32 packs a block of keys and values in panels of 16 columns and uses the tiles of
 *   gemm_f32. Packed keys are [panel of 16 keys][depth][16], packed values are [panel][keys][16].
 *   It is bound by arithmetic. Packing pays off with many queries per group.
 * - et_cpu_sdpa_few_queries_f32, for decoding, reads keys and values in place, once for every 3
 *   queries. It is bound by the bandwidth of the KV cache. */
#ifndef BACKENDS_CPU_MICROKERNELS_SDPA_H_
#define BACKENDS_CPU_MICROKERNELS_SDPA_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/cpu/microkernels/variants.h"
#include "backends/cpu/schema/kernel_sizes.h"

/* Dtype of keys and values. */
enum {
  ET_CPU_KV_FLOAT32,
  ET_CPU_KV_FLOAT16,
  ET_CPU_KV_BFLOAT16,
  ET_CPU_KV_INT8
};

/* One batch. The queries of head h start at q + h * depth. The heads of group g share the keys at k
 * + g * k_group and the values at v + g * v_group. Row n of int8 keys is multiplied by k_scales[g *
 * keys + n], and row n of int8 values by v_scales[g * keys + n]. */
typedef struct et_cpu_sdpa {
  const float *q;
  const void *k;
  const void *v;
  const float *k_scales; /* NULL unless keys and values are int8 */
  const float *v_scales;
  const float *mask; /* added to scores, or NULL */
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
  size_t k_group; /* distance between groups, in elements */
  size_t v_group;
  size_t mask_head; /* strides of the mask, or 0 for broadcast dimensions */
  size_t mask_row;
  size_t position; /* index of query 0 among the keys */
  float scale;
  uint8_t kv_dtype; /* ET_CPU_KV_... */
  bool causal;      /* query i attends to keys up to its own position */
} et_cpu_sdpa;

/* Returns the size of the workspace in floats. The workspace holds packed keys and values, scores,
 * and the maximum and the sum of each of `rows` queries. */
static inline uint64_t et_cpu_sdpa_floats(uint64_t rows, size_t depth,
                                          size_t width) {
  const uint64_t panels = (width + 15) / 16;
  return ET_CPU_SDPA_KEYS * (depth + panels * 16) + ET_CPU_SDPA_SCORES +
         2 * rows;
}

/* Returns the number of additional floats for a block of keys and values that are not float32. */
static inline uint64_t et_cpu_sdpa_widened_floats(uint64_t depth,
                                                  size_t width) {
  return ET_CPU_SDPA_KEYS * (depth + width);
}

/* Computes all heads of one group. The size of the workspace is et_cpu_sdpa_floats(queries * heads
 * / groups, depth, width) floats. Keys that are not float32 need et_cpu_sdpa_widened_floats(depth,
 * width) additional floats. */
typedef void et_cpu_sdpa_f32_function(const et_cpu_sdpa *attention,
                                      size_t group, float *workspace);

ET_CPU_DECLARE(et_cpu_sdpa_f32_function, et_cpu_sdpa_f32);

/* Maximum number of queries, over all heads of a group, for et_cpu_sdpa_few_queries_f32. With so
 * few queries, packing keys and values would take longer than it saves. */
#define ET_CPU_SDPA_FEW_QUERIES 8

ET_CPU_DECLARE(et_cpu_sdpa_f32_function, et_cpu_sdpa_few_queries_f32);

/* The same for int8 keys and values. */
ET_CPU_DECLARE(et_cpu_sdpa_f32_function, et_cpu_sdpa_few_queries_f32_qd8kv);

#endif /* BACKENDS_CPU_MICROKERNELS_SDPA_H_ */
