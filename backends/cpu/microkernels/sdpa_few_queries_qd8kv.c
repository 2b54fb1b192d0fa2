/* Implements et_cpu_sdpa_few_queries_f32_qd8kv of sdpa.h: SDPA with few queries, int8 rows with a scale each. */
#define ET_SDPA_INT8 1
#include "backends/cpu/microkernels/sdpa_few_queries.h"

void ET_CPU_NAME(et_cpu_sdpa_few_queries_f32_qd8kv)(
    const et_cpu_sdpa *attention, size_t group, float *workspace) {
  et_sdpa_few_queries(attention, group, workspace);
}
