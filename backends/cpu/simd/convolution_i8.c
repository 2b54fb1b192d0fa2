#include "backends/cpu/simd/convolution_i8.h"

#include "backends/cpu/simd/requantize.h"
#include "backends/cpu/simd/taps_i8.h"
#include "backends/cpu/simd/tile_i8.h"

_Static_assert(ET_CPU_QUADS_I8 <= ET_I8_MOST_QUADS, "a row fits its buffer");

/* One call's state. */
typedef struct call {
  const et_cpu_convolution_i8 *conv;
  size_t group;
  size_t channels; /* of the group */
  size_t taps;
  const uint8_t *pieces[ET_I8_BLOCK_ROWS * ET_CPU_TAPS_I8];
  uint8_t beyond[ET_CPU_CHANNELS_I8]; /* zeros, as x says them */
  int32_t sums[ET_I8_BLOCK_ROWS * ET_PANEL] __attribute__((aligned(64)));
  et_packed_i8 packed;
} call;

static void pack(call *c, size_t pixel, size_t rows) {
  const et_cpu_convolution_i8 *conv = c->conv;
  const et_taps_i8 taps = {&conv->window, conv->x.data + c->group * c->channels,
                           c->beyond, conv->channels};
  for (size_t r = 0; r < rows; r++) {
    et_list_taps_i8(&taps, pixel + r, c->pieces + r * c->taps);
  }
  const et_rows_i8 from = {c->pieces, c->taps, c->channels, conv->x.is_signed};
  ET_CPU_NAME(et_cpu_pack_i8)(&c->packed, &from, rows, conv->narrow);
}

/* The sums of a panel as bytes; `columns` of it or less are there. */
static void put_rows(const call *c, size_t column, size_t rows, uint8_t *out,
                     size_t columns) {
  const et_cpu_convolution_i8 *conv = c->conv;
  const et_requantizer requantizer =
      et_requantizer_of(&conv->of_columns, &conv->quantizing,
                        conv->x.zero_point + c->packed.shift, column);
  for (size_t r = 0; r < rows; r++) {
    et_i32 sums[ET_PANEL_VECTORS];
    memcpy(sums, c->sums + r * ET_PANEL, sizeof(sums));
    et_requantize(&requantizer, sums, out + r * conv->columns, columns);
  }
}

static void run_rows(call *c, size_t pixel, size_t rows) {
  const et_cpu_convolution_i8 *conv = c->conv;
  const size_t columns = conv->columns / conv->groups;
  const size_t panels = (columns + ET_PANEL - 1) / ET_PANEL;
  pack(c, pixel, rows);
  uint8_t *out = conv->out + pixel * conv->columns + c->group * columns;
  for (size_t p = 0; p < panels; p++) {
    const size_t panel = c->group * panels + p;
    ET_CPU_NAME(et_cpu_sums_i8)(
        &c->packed, conv->panels + panel * c->packed.depth * 4 * ET_PANEL,
        c->sums);
    put_rows(c, panel * ET_PANEL, rows, out + p * ET_PANEL,
             columns - p * ET_PANEL);
  }
}

void ET_CPU_NAME(et_cpu_convolution_i8)(const et_cpu_convolution_i8 *conv,
                                        const et_cpu_pixels_i8 *pixels) {
  call c;
  c.conv = conv;
  c.group = pixels->group;
  c.channels = conv->channels / conv->groups;
  c.taps = conv->window.kernel_y * conv->window.kernel_x;
  memset(c.beyond, (uint8_t)conv->x.zero_point, c.channels);
  const size_t block = et_i8_block_rows(c.taps * ((c.channels + 3) / 4));
  for (size_t done = 0; done < pixels->pixels; done += block) {
    const size_t left = pixels->pixels - done;
    run_rows(&c, pixels->first_pixel + done, left < block ? left : block);
  }
}
