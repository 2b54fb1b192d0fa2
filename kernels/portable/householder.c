#include "kernels/portable/factors.h"

#include "executorch/kernels/args.h"

et_status et_householder_plan(et_kernel_context *context, const char *what,
                              const et_tensor *vectors, const et_tensor *scales,
                              et_householder *householder) {
  ET_RETURN_IF_ERROR(et_matrices_check(context, what, vectors, false));
  bool fits = scales->rank + 1 == vectors->rank;
  for (size_t d = 0; fits && d + 1 < scales->rank; d++) {
    fits = scales->sizes[d] == vectors->sizes[d];
  }
  ET_CHECK(context, fits, "%s: the batches of tau and the matrices differ",
           what);
  const size_t count = et_size_from_end(scales, 1);
  ET_CHECK(
      context,
      count <= et_size_from_end(vectors, 1) &&
          count <= et_size_from_end(vectors, 2),
      "%s: tau has %zu elements, but the matrices have fewer columns or rows",
      what, count);
  householder->vectors = et_view_of(vectors);
  householder->scales = et_view_of(scales);
  return ET_STATUS_OK;
}

double *et_householder_panel(const et_reflectors *reflectors) {
  const et_matrix *m = &reflectors->vectors;
  return m->at + m->rows * m->columns;
}

et_reflectors et_householder_load(const et_householder *householder,
                                  size_t index, void *scratch) {
  const et_view vectors = et_batch_at(&householder->vectors, 2, index);
  const et_view scales = et_batch_at(&householder->scales, 1, index);
  et_reflectors r = {.vectors = et_matrix_load(&vectors, scratch),
                     .count = (size_t)scales.sizes[0]};
  double *const tau =
      et_householder_panel(&r) + r.vectors.rows * ET_PANEL_COLUMNS;
  et_vector_load(&scales, tau);
  r.tau = tau;
  return r;
}
