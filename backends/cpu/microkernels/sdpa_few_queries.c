/* Implements et_cpu_sdpa_few_queries_f32 of sdpa.h: SDPA with few queries, float32 rows; 16-bit rows are widened block by block. */
#define ET_SDPA_INT8 0
#include "backends/cpu/microkernels/sdpa_few_queries.h"

void ET_CPU_NAME(et_cpu_sdpa_few_queries_f32)(const et_cpu_sdpa *attention,
                                              size_t group, float *workspace) {
  et_sdpa_few_queries(attention, group, workspace);
}
