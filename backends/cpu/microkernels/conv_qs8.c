/* Implements conv_qs8.h: convolution of int8 or uint8 images as a GEMM of windows (tile_i8.h).
 *
 * Output pixels are processed in blocks of up to ET_I8_BLOCK_ROWS rows of the GEMM. A row is a
 * window of kernel_y * kernel_x * channels elements. pack_rows() packs the windows, or lists the
 * addresses of their runs if the image can be read in place (ET_DOT4_EXACT). run_panels()
 * multiplies a block by 1, 2 or 4 panels, [quad][16][4], and requantizes the accumulators. Buffers
 * for packed rows, addresses and pieces (MAX_PIECES) limit the size of a block. Dot products are
 * the bottleneck. */
#include "backends/cpu/microkernels/conv_qs8.h"

#include "backends/cpu/microkernels/windows_i8.h"
#include "runtime/core/arithmetic.h"

_Static_assert(ET_CPU_CONV_QS8_MAX_QUADS * 4 * 128 <= 1 << 21,
               "sums of weights fit in the range of et_sum_of_int8");

_Static_assert(ET_CPU_CONV_QS8_MAX_QUADS <= ET_I8_MAX_QUADS,
               "a row fits in a packed block");

/* Maximum number of pieces per block. */
#define MAX_PIECES 768

_Static_assert(MAX_PIECES >= ET_CPU_CONV_QS8_MAX_TAPS,
               "the pieces of a row fit in a block");

/* Source of a packed block: pieces of the image, or copied rows of windows. */
typedef union source {
  et_piece_i8 pieces[MAX_PIECES];
  uint8_t lines[ET_I8_BLOCK_ROWS * ET_LINES_BYTES + ET_LINE_STEP];
} source;

/* State of a call. */
typedef struct call {
  const et_cpu_conv_qs8 *conv;
  size_t group;
  size_t first_column; /* index within the group */
  size_t columns;
  size_t channels; /* channels per group */
  size_t taps;
  bool is_point; /* output pixel i depends only on input pixel i */
  et_rounder rounder;
  source source;
  uint8_t
      beyond[ET_CPU_CONV_QS8_MAX_CHANNELS + ET_I8_STEP]; /* zero points of x */
  et_packed_i8 packed;
  et_runs_i8 runs;
} call;

/* Returns the taps of the windows of a group. */
static et_taps_i8 taps_of(const call *c) {
  const et_cpu_conv_qs8 *conv = c->conv;
  return (et_taps_i8){&conv->window, conv->x.data + c->group * c->channels,
                      c->beyond, conv->channels, c->channels};
}

/* Lists the input of a pointwise convolution. If there is one group and the number of
 * channels is a multiple of 4, all pixels form a single piece. */
static size_t list_points(call *c, size_t pixel, size_t rows) {
  const et_cpu_conv_qs8 *conv = c->conv;
  const uint8_t *x =
      conv->x.data + c->group * c->channels + pixel * conv->channels;
  if (c->channels == conv->channels && c->channels % 4 == 0) {
    c->source.pieces[0] = (et_piece_i8){x, rows * c->channels, 1, 0};
    return 1;
  }
  for (size_t r = 0; r < rows; r++) {
    c->source.pieces[r] =
        (et_piece_i8){x + r * conv->channels, c->channels, 1, 0};
  }
  return rows;
}

static size_t list_windows(call *c, size_t pixel, size_t rows) {
  const et_taps_i8 taps = taps_of(c);
  return (size_t)(et_list_taps_i8(&taps, pixel, rows, c->source.pieces) -
                  c->source.pieces);
}

#if !ET_DOT4_EXACT
static et_piece_i8 copy_lines(call *c, size_t pixel, size_t rows) {
  const et_cpu_conv_qs8 *conv = c->conv;
  const et_taps_i8 taps = taps_of(c);
  const size_t quads = (c->taps * c->channels + 3) / 4;
  et_copy_windows_i8(&taps, pixel, rows, conv->x.data + conv->x.size, 0, quads,
                     c->source.lines);
  return (et_piece_i8){c->source.lines, rows * quads * 4, 1, 0};
}
#endif

static void pack_rows(call *c, size_t pixel, size_t rows) {
  const et_cpu_conv_qs8 *conv = c->conv;
#if ET_DOT4_EXACT
  if (c->runs != ET_RUNS_PACKED) {
    const et_taps_i8 taps = taps_of(c);
    et_address_windows_i8(&taps, c->runs, pixel, rows,
                          conv->x.data + conv->x.size, conv->x.is_signed,
                          &c->packed);
    return;
  }
#endif
  et_rows_i8 from = {.pieces = c->source.pieces,
                     .size = c->taps * c->channels,
                     .end = conv->x.data + conv->x.size,
                     .is_signed = conv->x.is_signed,
                     .max_exact_terms = conv->max_exact_terms,
                     .min_value = conv->min_value,
                     .may_have_minima = c->is_point};
#if !ET_DOT4_EXACT
  et_piece_i8 copied;
  if (c->runs == ET_RUNS_LINES) {
    copied = copy_lines(c, pixel, rows);
    from.pieces = &copied;
    from.count = 1;
    from.size = (from.size + 3) / 4 * 4;
    from.end = c->source.lines + sizeof(c->source.lines);
    ET_CPU_NAME(et_cpu_pack_i8)(&c->packed, &from, rows);
    return;
  }
#endif
  from.count =
      c->is_point ? list_points(c, pixel, rows) : list_windows(c, pixel, rows);
  ET_CPU_NAME(et_cpu_pack_i8)(&c->packed, &from, rows);
}

/* Computes `count` panels of the group, starting at panel `first`. */
static void run_panels(call *c, size_t first, size_t count,
                       et_target_i8 *target) {
  const et_cpu_conv_qs8 *conv = c->conv;
  const size_t columns = conv->columns / conv->groups;
  const size_t panels = (columns + ET_CPU_PANEL - 1) / ET_CPU_PANEL;
  const size_t panel = c->group * panels + first;
  const size_t quads = (c->taps * c->channels + 3) / 4;
  et_requantizer requantizers[ET_I8_PANELS];
  target->is_far = false;
  for (size_t i = 0; i < count; i++) {
    requantizers[i] = et_requantizer_of(
        &conv->of_columns, &conv->output_quantization,
        conv->x.zero_point + c->packed.shift, (panel + i) * ET_CPU_PANEL);
    target->is_far |= requantizers[i].is_far;
  }
  target->requantizers = requantizers;
  const int8_t *weights = conv->panels + panel * quads * 4 * ET_CPU_PANEL;
#if ET_SUMS_OF_16
  ET_CPU_NAME(et_cpu_fit_i8)(&c->packed, weights);
#endif
  ET_CPU_NAME(et_cpu_tiles_i8)(&c->packed, weights, target);
}

static void run_rows(call *c, size_t pixel, size_t rows) {
  const et_cpu_conv_qs8 *conv = c->conv;
  const size_t first =
      c->group * (conv->columns / conv->groups) + c->first_column;
  pack_rows(c, pixel, rows);
  et_target_i8 target = {.out = conv->out + pixel * conv->columns + first,
                         .stride = conv->columns,
                         .rounder = &c->rounder};
  for (size_t n = 0, done; n < c->columns; n += done, target.out += done) {
    const size_t panels = et_i8_panels(c->columns - n);
    target.columns = c->columns - n;
    run_panels(c, (c->first_column + n) / ET_CPU_PANEL, panels, &target);
    done = panels * ET_CPU_PANEL;
  }
}

/* Compares each attribute, because products of two strides can wrap. */
static bool is_point(const et_cpu_window *w) {
  return w->kernel_y == 1 && w->kernel_x == 1 && w->height == w->out_height &&
         w->width == w->out_width && w->stride_y == 1 && w->stride_x == 1 &&
         w->top == 0 && w->left == 0;
}

static et_runs_i8 runs_of(const call *c) {
  const et_taps_i8 taps = taps_of(c);
  return c->is_point ? ET_RUNS_PACKED : et_runs_of_i8(&taps);
}

#if ET_DOT4_EXACT

/* Returns the maximum number of rows whose addresses or copies fit in a block. */
static size_t max_addressed(const call *c) {
  const et_taps_i8 taps = taps_of(c);
  et_packed_i8 counts;
  et_count_runs_i8(&taps, c->runs, &counts);
  const size_t max = c->runs == ET_RUNS_LINES ? ET_I8_MAX_QUADS / counts.quads
                                              : ET_I8_ADDRESSES / counts.runs;
  return max < ET_I8_BLOCK_ROWS ? max : ET_I8_BLOCK_ROWS;
}
#endif

static size_t max_rows(const call *c) {
#if ET_DOT4_EXACT
  if (c->runs != ET_RUNS_PACKED) {
    return max_addressed(c);
  }
#endif
  const size_t fit = et_i8_block_rows((c->taps * c->channels + 3) / 4);
  if (c->runs == ET_RUNS_LINES) {
    return fit;
  }
  const size_t listed = MAX_PIECES / c->taps;
  return fit < listed ? fit : listed;
}

/* Returns the size in bytes of `beyond`, the zero points that tiles read for rows and taps in the
 * padding. */
static size_t beyond_size(const call *c) {
  if (c->runs == ET_RUNS_LINES) {
    return ET_LINES_BYTES + ET_LINE_STEP;
  }
  return c->channels + ET_I8_STEP;
}

void ET_CPU_NAME(et_cpu_conv_qs8)(const et_cpu_conv_qs8 *conv,
                                  const et_cpu_pixels_i8 *pixels) {
  call c;
  c.conv = conv;
  c.group = pixels->group;
  c.first_column = pixels->first_column;
  c.columns = pixels->columns;
  c.channels = conv->channels / conv->groups;
  c.taps = conv->window.kernel_y * conv->window.kernel_x;
  c.is_point = is_point(&conv->window);
  c.runs = runs_of(&c);
  c.rounder = et_rounder_of(&conv->output_quantization);
  memset(c.beyond, (uint8_t)conv->x.zero_point, beyond_size(&c));
  const size_t max = max_rows(&c);
  const size_t blocks = (pixels->pixels + max - 1) / max;
  for (size_t i = 0; i < blocks; i++) {
    const size_t first = et_first_of_part(pixels->pixels, i, blocks);
    const size_t end = et_first_of_part(pixels->pixels, i + 1, blocks);
    run_rows(&c, pixels->first_pixel + first, end - first);
  }
}
