/* Implements matmul.h: out = a @ b for two activations, up to ET_CPU_MATMUL_COLUMNS columns per
 * call.
 *
 * b is packed in the workspace, one block of ET_CPU_MATMUL_DEPTH elements of K at a time, in panels
 * [K][16] that are padded with zeros. The register tile (tile.h) then multiplies all rows of a by
 * the block. Between two blocks, out holds the accumulators. With many rows, multiply-adds are the
 * bottleneck; with few, reading b is. */
#include "backends/cpu/microkernels/matmul.h"

#include "backends/cpu/microkernels/tile.h"
#include "runtime/core/arithmetic.h"

/* A block of b. */
typedef struct part {
  size_t first; /* first column */
  size_t columns;
  size_t k; /* first row */
  size_t depth;
} part;

static void pack_rows(const et_cpu_matmul *m, const part *p, float *to) {
  const float *from = m->b + p->k * m->columns + p->first;
  for (size_t c = 0; c < p->columns; c += ET_CPU_PANEL) {
    const size_t some = et_min_size(ET_CPU_PANEL, p->columns - c);
    for (size_t k = 0; k < p->depth; k++, to += ET_CPU_PANEL) {
      memset(to + some, 0, (ET_CPU_PANEL - some) * sizeof(float));
      memcpy(to, from + k * m->columns + c, some * sizeof(float));
    }
  }
}

static void pack_columns(const et_cpu_matmul *m, const part *p, float *to) {
  const size_t whole =
      (p->columns + ET_CPU_PANEL - 1) / ET_CPU_PANEL * ET_CPU_PANEL;
  for (size_t c = 0; c < whole; c++) {
    const float *from = m->b + (p->first + c) * m->depth + p->k;
    float *lane =
        to + c / ET_CPU_PANEL * ET_CPU_PANEL * p->depth + c % ET_CPU_PANEL;
    for (size_t k = 0; k < p->depth; k++) {
      lane[k * ET_CPU_PANEL] = c < p->columns ? from[k] : 0.0f;
    }
  }
}

static void multiply(const et_cpu_matmul *m, const part *p,
                     const float *panels) {
  static const float zeros[ET_CPU_MATMUL_COLUMNS];
  static const et_cpu_activation none = {ET_CPU_ACTIVATION_FUNCTION_NONE, 0.0f,
                                         0.0f};
  const et_tiles tiles = {
      .x = m->a + p->k,
      .x_stride = m->depth,
      .segments = 1,
      .depth = p->depth,
      .panels = panels,
      .panel_stride = p->depth * ET_CPU_PANEL,
      .start = p->k == 0 ? zeros : NULL,
      .out = m->out + p->first,
      .out_stride = m->columns,
      .activation = &none,
  };
  ET_CPU_NAME(et_cpu_tiles)(&tiles, m->rows, p->columns);
}

void ET_CPU_NAME(et_cpu_matmul_f32)(const et_cpu_matmul *matmul, size_t first,
                                    float *workspace) {
  const et_cpu_matmul *m = matmul;
  part p = {.first = first,
            .columns = et_min_size(ET_CPU_MATMUL_COLUMNS, m->columns - first)};
  do {
    p.depth = et_min_size(ET_CPU_MATMUL_DEPTH, m->depth - p.k);
    (m->transposed ? pack_columns : pack_rows)(m, &p, workspace);
    multiply(m, &p, workspace);
    p.k += p.depth;
  } while (p.k < m->depth);
}
