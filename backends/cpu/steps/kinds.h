/* The kinds of steps and their codes in payloads: see PAYLOAD.md. */
#ifndef BACKENDS_CPU_STEPS_KINDS_H_
#define BACKENDS_CPU_STEPS_KINDS_H_

/* X(NAME, code, name). Codes are never used again. The kind `name` is the
 * et_backend_part `et_cpu_step_<name>`. */
#define ET_CPU_KIND_LIST(X)             \
  X(PRODUCT, 1, product)                \
  X(CONVOLUTION, 2, convolution)        \
  X(DEPTHWISE, 3, depthwise)            \
  X(WINOGRAD, 4, winograd)              \
  X(BLOCK, 5, block)                    \
  X(POOL, 6, pool)                      \
  X(PERMUTE, 7, permute)                \
  X(COPY, 8, copy)                      \
  X(MAP, 9, map)                        \
  X(REDUCE, 10, reduce)                 \
  X(SOFTMAX, 11, softmax)               \
  X(NORM, 12, norm)                     \
  X(MATMUL, 13, matmul)                 \
  X(ATTENTION, 14, attention)           \
  X(EMBEDDING, 15, embedding)           \
  X(RESIZE, 16, resize)                 \
  X(QUANTIZE, 17, quantize)             \
  X(DEQUANTIZE, 18, dequantize)         \
  X(PRODUCT_I8, 19, product_i8)         \
  X(CONVOLUTION_I8, 20, convolution_i8) \
  X(DEPTHWISE_I8, 21, depthwise_i8)     \
  X(MAP_I8, 22, map_i8)                 \
  X(PRODUCT_Q, 23, product_q)           \
  X(UPDATE, 24, update)                 \
  X(MAP_I64, 27, map_i64)               \
  X(EMBEDDING_Q, 28, embedding_q)       \
  X(TABLE_I8, 30, table_i8)             \
  X(POOL_I8, 31, pool_i8)               \
  X(CONVERT, 32, convert)               \
  X(PRODUCT_H, 33, product_h)           \
  X(CONVOLUTION_H, 34, convolution_h)   \
  X(RANGE, 40, range)                   \
  X(CUMSUM, 41, cumsum)                 \
  X(TOPK, 42, topk)                     \
  X(ADAPTIVE_POOL, 43, adaptive_pool)   \
  X(GRID_SAMPLE, 44, grid_sample)       \
  X(FOLD, 45, fold)                     \
  X(WINOGRAD_I8, 46, winograd_i8)       \
  X(STRASSEN, 47, strassen)             \
  X(GROUPED_GEMM, 48, grouped_gemm)     \
  X(GROUPED_GEMM_H, 49, grouped_gemm_h) \
  X(MASKED_SCATTER, 50, masked_scatter)

typedef enum et_cpu_kind_code {
#define ET_CPU_KIND_CODE(NAME, code, name) ET_CPU_KIND_##NAME = code,
  ET_CPU_KIND_LIST(ET_CPU_KIND_CODE)
#undef ET_CPU_KIND_CODE
} et_cpu_kind_code;

#endif /* BACKENDS_CPU_STEPS_KINDS_H_ */
