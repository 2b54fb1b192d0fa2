/* Sliding windows over two or three spatial dimensions, for pooling. */
#ifndef ET_KERNELS_ENGINES_WINDOW_H_
#define ET_KERNELS_ENGINES_WINDOW_H_

#include "kernels/engines/conv.h"

/* State that pooling operators share. Views are [N, C, D, H, W]. D is 1 for two
 * spatial dimensions, and N is 1 for unbatched tensors. */
typedef struct et_window {
  et_view in; /* five dimensions */
  et_view out;
  et_conv_axis z;
  et_conv_axis y;
  et_conv_axis x;
} et_window;

/* Index of an element in a five-dimensional view. */
typedef struct et_position {
  int64_t n;
  int64_t c;
  int64_t z;
  int64_t y;
  int64_t x;
} et_position;

/* The elements begin, begin + step, ... before end. */
typedef struct et_stretch {
  int64_t begin;
  int64_t end;
  int64_t step;
} et_stretch;

/* The elements that a window reads. */
typedef struct et_box {
  et_stretch z;
  et_stretch y;
  et_stretch x;
} et_box;

/* The arguments that hold the attributes. `dilation` may be NULL for 1. */
typedef struct et_window_arguments {
  const char *name; /* operator name, for messages */
  size_t dims;      /* spatial dimensions: 2 or 3 */
  const et_value *kernel_size;
  const et_value *stride;
  const et_value *padding;
  const et_value *dilation;
  bool ceil_mode;
} et_window_arguments;

/* Reads and checks the attributes, and resizes `out`. Padding must be at most
 * half the kernel, as in PyTorch. */
et_status et_window_plan(et_kernel_context *context,
                         const et_window_arguments *arguments,
                         const et_tensor *self, et_tensor *out,
                         et_window *window);

/* et_window_plan for adaptive pooling: `output_size` (int[]) windows along the
 * last `dims` dimensions. */
et_status et_window_plan_adaptive(et_kernel_context *context, const char *name,
                                  size_t dims, const et_tensor *self,
                                  const et_value *output_size, et_tensor *out,
                                  et_window *window);

/* Returns the elements that the window at `position` of the output reads, without
 * padding. */
et_box et_window_box(const et_window *window, const et_position *position);

/* et_window_box for adaptive pooling. Windows overlap if their number does not
 * divide the size. */
et_box et_window_adaptive_box(const et_window *window,
                              const et_position *position);

/* Return the sum and the number of elements of a box, in image n and channel c
 * of `position`. */
double et_window_sum(const et_view *in, const et_position *position,
                     const et_box *box);
int64_t et_box_count(const et_box *box);

/* Returns the divisor of the mean for the window at `position`, which reads
 * `box`. A nonzero `divisor` overrides it. */
double et_window_divisor(const et_window *window, const et_position *position,
                         const et_box *box, bool include_pad, int64_t divisor);

/* Views a tensor with `dims` spatial dimensions, preceded by one or two others,
 * as a five-dimensional tensor. */
et_view et_window_view(const et_tensor *tensor, size_t dims);

/* Returns the address of an element. */
uint8_t *et_window_at(const et_view *view, const et_position *position);

/* Advances to the next element in row-major order. Returns false after the
 * last. */
bool et_window_next(const et_view *view, et_position *position);

#endif /* ET_KERNELS_ENGINES_WINDOW_H_ */
