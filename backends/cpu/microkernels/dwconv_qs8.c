/* Implements dwconv_qs8.h: rows of a depthwise convolution of int8 or uint8 images.
 *
 * Channels are processed in spans of at most ET_SPAN_CHANNELS, whose taps and requantization
 * parameters are loaded once (dwconv_weights_qs8.h). If a span has few channels, a vector is
 * divided into bands, each of which computes a different row. Image columns are packed as quads
 * (dwconv_columns_qs8.h), then multiplied by the quads of the taps for several pixels at once
 * (dwconv_windows_qs8.h). With AVX-512, 3 x 3 windows slide along the row in registers instead
 * (dwconv_slide_qs8.h). Interleaving and requantization are the bottleneck. */
#include "backends/cpu/microkernels/dwconv_columns_qs8.h"
#include "backends/cpu/microkernels/dwconv_slide_qs8.h"
#include "backends/cpu/microkernels/dwconv_weights_qs8.h"
#include "backends/cpu/microkernels/dwconv_windows_qs8.h"
#include "runtime/core/arithmetic.h"

/* Computes one row of the output per band. */
static void run_row(const et_span_i8 *s) {
#if ET_HAS_SLIDE
  if (et_slide_any_row_i8(s)) {
    return;
  }
#endif
  const et_cpu_window *w = &s->depthwise->window;
  et_word_i8 columns[ET_MAX_QUADS * ET_MAX_WORDS];
  const size_t max = et_pixels_at_once_i8(s);
  const size_t parts = (w->out_width + max - 1) / max;
  for (size_t i = 0; i < parts; i++) {
    const size_t first = et_first_of_part(w->out_width, i, parts);
    const size_t count = et_first_of_part(w->out_width, i + 1, parts) - first;
    et_put_any_columns_i8(s, first * w->stride_x - w->left,
                          (count - 1) * w->stride_x + w->kernel_x, columns);
    et_sum_any_pixels_i8(s, columns, count, first * s->depthwise->channels);
  }
}

/* Assigns row `row` of the output to band `band`, and finds the image rows under its window. Rows
 * without taps contribute 0. */
static void find_row(et_span_i8 *s, size_t band, size_t row) {
  const et_cpu_dwconv_qs8 *d = s->depthwise;
  const et_cpu_window *w = &d->window;
  const size_t length = w->width * d->channels;
  const uint8_t *image = d->x.data + row / w->out_height * w->height * length;
  size_t y = row % w->out_height * w->stride_y - w->top;
  for (size_t i = 0; i < 4 * s->height; i++, y += w->dilation_y) {
    const bool inside = i < w->kernel_y && y < w->height;
    s->rows[band][i] =
        inside
            ? (et_line_i8){image + y * length + s->first_channel, d->channels}
            : (et_line_i8){(const uint8_t *)&s->zero, 0};
  }
  s->out[band] = d->out + row * w->out_width * d->channels + s->first_channel;
}

/* Returns whether a vector load from the rows of a band may reach beyond the image. */
static bool is_near_end(const et_span_i8 *s) {
  const et_cpu_dwconv_qs8 *d = s->depthwise;
  const size_t length = d->window.width * d->channels;
  const size_t part = ET_SPAN_CHANNELS / s->bands;
  bool near = false;
  if (s->count == part) {
    return false;
  }
  for (size_t b = 0; b < s->bands; b++) {
    for (size_t i = 0; i < 4 * s->height; i++) {
      const et_line_i8 *row = &s->rows[b][i];
      near |=
          row->step != 0 && (uintptr_t)row->from + length - d->channels + part >
                                (uintptr_t)s->end;
    }
  }
  return near;
}

/* Computes all rows. If fewer rows than bands remain, the last row is computed several times. */
static void run_rows(et_span_i8 *s, const et_cpu_rows_i8 *rows) {
  for (size_t i = 0; i < rows->rows; i += s->bands) {
    for (size_t b = 0; b < s->bands; b++) {
      const size_t row = i + b < rows->rows ? i + b : rows->rows - 1;
      find_row(s, b, rows->first_row + row);
    }
    s->is_near_end = is_near_end(s);
    run_row(s);
  }
}

/* Returns the offset that is added to elements. It is either the negated minimum, so that int16
 * sums do not saturate, or the offset that makes all elements unsigned (signed if et_dot4_shift() is 0). */
static int32_t shift_of(const et_cpu_dwconv_qs8 *d, et_form_i8 f) {
  return f == ET_FORM_NARROW ? -d->min_value
                             : et_dot4_shift() - (d->x.is_signed ? 0 : 128);
}

static et_form_i8 form_of(const et_cpu_dwconv_qs8 *d) {
#if ET_SUMS_OF_16
  return d->max_exact_terms >= 1 ? ET_FORM_NARROW : ET_FORM_WIDE;
#else
  (void)d;
  return ET_FORM_EXACT;
#endif
}

static void begin(et_span_i8 *s, const et_cpu_dwconv_qs8 *depthwise) {
  s->depthwise = depthwise;
  s->form = form_of(depthwise);
  s->height = (depthwise->window.kernel_y + 3) / 4;
  s->requantization.rounder = et_rounder_of(&depthwise->output_quantization);
  memset(&s->zero, (uint8_t)depthwise->x.zero_point, sizeof(s->zero));
  s->end = depthwise->x.data + depthwise->x.size;
}

static void to_channels(et_span_i8 *s, size_t first) {
  const size_t left = s->depthwise->channels - first;
  const int32_t shift = shift_of(s->depthwise, s->form);
  s->first_channel = first;
  s->count = left < ET_SPAN_CHANNELS ? left : ET_SPAN_CHANNELS;
  s->bands = 1;
  while (2 * s->bands <= ET_U8_MAX_PARTS &&
         2 * s->bands * s->count <= ET_SPAN_CHANNELS) {
    s->bands *= 2;
  }
  memset(&s->shift, (uint8_t)shift, sizeof(s->shift));
  et_read_taps_i8(s);
  et_read_columns_i8(s, shift);
}

void ET_CPU_NAME(et_cpu_dwconv_qs8)(const et_cpu_dwconv_qs8 *depthwise,
                                    const et_cpu_rows_i8 *rows) {
  const size_t end = rows->first_channel + ET_CPU_DWCONV_CHANNELS_I8;
  et_span_i8 s;
  begin(&s, depthwise);
  for (size_t channel = rows->first_channel;
       channel < end && channel < depthwise->channels;
       channel += ET_SPAN_CHANNELS) {
    to_channels(&s, channel);
    run_rows(&s, rows);
  }
}
