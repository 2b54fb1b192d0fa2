#include "backends/cpu/simd/convolution_i8.h"

#include "backends/cpu/simd/taps_i8.h"
#include "backends/cpu/simd/tile_i8.h"

_Static_assert(ET_CPU_QUADS_I8 * 4 * 128 <= 1 << 21,
               "sums of weights are et_sum_of_bytes");

_Static_assert(ET_CPU_QUADS_I8 <= ET_I8_MOST_QUADS, "a row fits its buffer");

/* One call's state. */
typedef struct call {
  const et_cpu_convolution_i8 *conv;
  size_t group;
  size_t channels; /* of the group */
  size_t taps;
  bool is_point; /* each output pixel reads the one at its place */
  const uint8_t *pieces[ET_I8_BLOCK_ROWS * ET_CPU_TAPS_I8];
  uint8_t beyond[ET_CPU_CHANNELS_I8 + ET_I8_STEP]; /* zeros, as x says them */
  et_packed_i8 packed;
} call;

static void list_pieces(call *c, size_t pixel, size_t rows) {
  const et_cpu_convolution_i8 *conv = c->conv;
  const uint8_t *x = conv->x.data + c->group * c->channels;
  const et_taps_i8 taps = {&conv->window, x, c->beyond, conv->channels};
  for (size_t r = 0; r < rows; r++) {
    if (c->is_point) {
      c->pieces[r] = x + (pixel + r) * conv->channels;
    } else {
      et_list_taps_i8(&taps, pixel + r, c->pieces + r * c->taps);
    }
  }
}

static void run_rows(call *c, size_t pixel, size_t rows) {
  const et_cpu_convolution_i8 *conv = c->conv;
  const size_t columns = conv->columns / conv->groups;
  const size_t panels = (columns + ET_PANEL - 1) / ET_PANEL;
  list_pieces(c, pixel, rows);
  const et_rows_i8 from = {c->pieces,         c->taps,
                           c->channels,       conv->x.data + conv->x.size,
                           conv->x.is_signed, conv->together,
                           conv->lowest};
  ET_CPU_NAME(et_cpu_pack_i8)(&c->packed, &from, rows);
  uint8_t *out = conv->out + pixel * conv->columns + c->group * columns;
  for (size_t p = 0; p < panels; p++) {
    const size_t panel = c->group * panels + p;
    const et_target_i8 target = {out + p * ET_PANEL, conv->columns,
                                 columns - p * ET_PANEL};
    const et_requantizer requantizer = et_requantizer_of(
        &conv->of_columns, &conv->quantizing,
        conv->x.zero_point + c->packed.shift, panel * ET_PANEL);
    ET_CPU_NAME(et_cpu_tiles_i8)(
        &c->packed, conv->panels + panel * c->packed.depth * 4 * ET_PANEL,
        &requantizer, &target);
  }
}

static bool is_point(const et_cpu_window *w) {
  return w->kernel_y * w->kernel_x == 1 && w->height == w->out_height &&
         w->width == w->out_width && w->stride_y * w->stride_x == 1 &&
         w->top + w->left == 0;
}

void ET_CPU_NAME(et_cpu_convolution_i8)(const et_cpu_convolution_i8 *conv,
                                        const et_cpu_pixels_i8 *pixels) {
  call c;
  c.conv = conv;
  c.group = pixels->group;
  c.channels = conv->channels / conv->groups;
  c.taps = conv->window.kernel_y * conv->window.kernel_x;
  c.is_point = is_point(&conv->window);
  memset(c.beyond, (uint8_t)conv->x.zero_point, c.channels + ET_I8_STEP);
  const size_t most = et_i8_block_rows(c.taps * ((c.channels + 3) / 4));
  const size_t blocks = (pixels->pixels + most - 1) / most;
  for (size_t i = 0; i < blocks; i++) {
    const size_t first = pixels->pixels * i / blocks;
    const size_t end = pixels->pixels * (i + 1) / blocks;
    run_rows(&c, pixels->first_pixel + first, end - first);
  }
}
