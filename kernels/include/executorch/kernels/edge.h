/* Places beyond the edges of a picture, along one axis: for what is looked at where a grid
 * says, by kernels and by backends. */
#ifndef EXECUTORCH_KERNELS_EDGE_H_
#define EXECUTORCH_KERNELS_EDGE_H_

#include <math.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is there; the numbers are grid_sampler's. */
enum { ET_EDGE_ZEROS, ET_EDGE_BORDER, ET_EDGE_REFLECTION };

/* How an axis goes on beyond its elements. */
typedef struct et_edge {
  double size;       /* elements */
  int padding;       /* ET_EDGE_... */
  bool from_corners; /* mirrors stand at the middles of the outermost elements,
                      * or else half an element further out */
} et_edge;

/* Between `low` and `low + span`, as between mirrors. */
static inline double et_edge_reflect(double at, double low, double span) {
  if (span == 0.0) {
    return 0.0;
  }
  const double distance = fabs(at - low);
  const double rest = fmod(distance, span);
  const bool even = fmod(floor(distance / span), 2.0) == 0.0;
  return even ? low + rest : low + span - rest;
}

/* The place that stands for `place`: inside, but where zeros are beyond the edges. */
static inline double et_edge_pad(const et_edge *edge, double place) {
  const double last = edge->size - 1.0;
  if (edge->padding == ET_EDGE_ZEROS) {
    return place;
  }
  if (edge->padding == ET_EDGE_REFLECTION) {
    place = edge->from_corners ? et_edge_reflect(place, 0.0, last)
                               : et_edge_reflect(place, -0.5, last + 1.0);
  }
  place = place > 0.0 ? place : 0.0;
  return place < last ? place : last;
}

#ifdef __cplusplus
}
#endif

#endif /* EXECUTORCH_KERNELS_EDGE_H_ */
