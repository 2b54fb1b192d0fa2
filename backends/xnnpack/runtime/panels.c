#include "backends/xnnpack/runtime/panels.h"

#include <string.h>

static et_xnn_panel panel_at(const et_xnn_matrix *m, int32_t group,
                             int32_t index) {
  const int32_t before = index * ET_CPU_PANEL;
  const int32_t left = m->outputs - before;
  return (et_xnn_panel){(size_t)group * (size_t)m->outputs + (size_t)before,
                        (size_t)(left < ET_CPU_PANEL ? left : ET_CPU_PANEL)};
}

et_status et_xnn_put_panels(et_xnn_builder *b, const et_xnn_matrix *m,
                            et_xnn_put_panel *put, const void *request,
                            size_t size, void *bytes) {
  et_xnn_weights w;
  uint8_t *to = bytes;
  ET_RETURN_IF_ERROR(et_xnn_weights_of(b, m, &w));
  for (int32_t g = 0; g < m->groups; g++) {
    for (int32_t i = 0; i < et_xnn_panels_of(m->outputs); i++) {
      memset(to, 0, size);
      put(&w, panel_at(m, g, i), request, to);
      to += size;
    }
  }
  return ET_STATUS_OK;
}

bool et_xnn_is_dense_int8(const et_xnn_weights *w) {
  return et_xnn_has_int8(w) && !w->matrix.is_transposed &&
         w->value.quantization.zero_point == 0;
}
