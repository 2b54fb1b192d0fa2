/* Padding modes of grid sampling along one axis, for kernels and backends. */
#ifndef EXECUTORCH_KERNELS_EDGE_H_
#define EXECUTORCH_KERNELS_EDGE_H_

#include <math.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Padding modes. The values are those of aten::grid_sampler. */
enum { ET_EDGE_ZEROS, ET_EDGE_BORDER, ET_EDGE_REFLECTION };

/* One axis of the sampled image. */
typedef struct et_edge {
  double size; /* number of elements */
  int padding; /* ET_EDGE_... */
  /* reflect at the centers of the outermost elements; otherwise half an element
   * further out */
  bool from_corners;
} et_edge;

/* Reflects a coordinate into [low, low + span]. */
static inline double et_edge_reflect(double at, double low, double span) {
  if (span == 0.0) {
    return 0.0;
  }
  const double distance = fabs(at - low);
  const double rest = fmod(distance, span);
  const bool even = fmod(floor(distance / span), 2.0) == 0.0;
  return even ? low + rest : low + span - rest;
}

/* Maps a coordinate into [0, size - 1]. ET_EDGE_ZEROS leaves it unchanged. */
static inline double et_edge_pad(const et_edge *edge, double position) {
  const double last = edge->size - 1.0;
  if (edge->padding == ET_EDGE_ZEROS) {
    return position;
  }
  if (edge->padding == ET_EDGE_REFLECTION) {
    position = edge->from_corners ? et_edge_reflect(position, 0.0, last)
                                  : et_edge_reflect(position, -0.5, last + 1.0);
  }
  position = position > 0.0 ? position : 0.0;
  return position < last ? position : last;
}

#ifdef __cplusplus
}
#endif

#endif /* EXECUTORCH_KERNELS_EDGE_H_ */
