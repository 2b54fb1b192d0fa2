/* Windows that slide over two or three spatial dimensions, as pooling does. */
#ifndef ET_KERNELS_ENGINES_WINDOW_H_
#define ET_KERNELS_ENGINES_WINDOW_H_

#include "kernels/engines/conv.h"

/* What pooling operators share: self [N, C, D, H, W], out the same with windows
 * for elements. Tensors of two spatial dimensions have D = 1, those without N are
 * one of them. */
typedef struct et_window {
  et_view in; /* five dimensions */
  et_view out;
  et_conv_axis z;
  et_conv_axis y;
  et_conv_axis x;
} et_window;

/* An element of a view of five dimensions. */
typedef struct et_place {
  int64_t n;
  int64_t c;
  int64_t z;
  int64_t y;
  int64_t x;
} et_place;

/* The elements begin, begin + step, ... before end. */
typedef struct et_stretch {
  int64_t begin;
  int64_t end;
  int64_t step;
} et_stretch;

/* What a window reads of a volume. */
typedef struct et_box {
  et_stretch z;
  et_stretch y;
  et_stretch x;
} et_box;

/* Which arguments hold the attributes; NULL: dilation 1. */
typedef struct et_window_arguments {
  const char *name; /* of the operator, for messages */
  size_t dims;      /* spatial: 2 or 3 */
  const et_value *kernel_size;
  const et_value *stride;
  const et_value *padding;
  const et_value *dilation;
  bool ceil_mode;
} et_window_arguments;

/* Reads and checks the attributes and resizes `out`. Padding may be at most
 * half the kernel, as in PyTorch. */
et_status et_window_plan(et_kernel_context *context,
                         const et_window_arguments *arguments,
                         const et_tensor *self, et_tensor *out,
                         et_window *window);

/* The same for windows that share an input out evenly, `output_size` (int[]) along
 * the last `dims` dimensions. */
et_status et_window_plan_shares(et_kernel_context *context, const char *name,
                                size_t dims, const et_tensor *self,
                                const et_value *output_size, et_tensor *out,
                                et_window *window);

/* What the window at `place` of out reads, padding left out. */
et_box et_window_box(const et_window *window, const et_place *place);

/* The same for windows of et_window_plan_shares: they overlap where their number does
 * not divide the size. */
et_box et_window_share(const et_window *window, const et_place *place);

/* The sum of a box of image n and channel c of `place`, and how many elements. */
double et_window_sum(const et_view *in, const et_place *place,
                     const et_box *box);
int64_t et_box_count(const et_box *box);

/* What the sum of the window at `place`, which reads `box`, is divided by to be its mean:
 * `divisor` unless that is 0. */
double et_window_divisor(const et_window *window, const et_place *place,
                         const et_box *box, bool include_pad, int64_t divisor);

/* A tensor of `dims` spatial dimensions and one or two before them as one of
 * five. */
et_view et_window_view(const et_tensor *tensor, size_t dims);

/* Byte address of an element. */
uint8_t *et_window_at(const et_view *view, const et_place *place);

/* Moves on to the next element in row-major order; false behind the last. */
bool et_window_next(const et_view *view, et_place *place);

#endif /* ET_KERNELS_ENGINES_WINDOW_H_ */
