/* Loads the weights and the requantization parameters of a span from panels. */
#ifndef BACKENDS_CPU_MICROKERNELS_DWCONV_WEIGHTS_QS8_H_
#define BACKENDS_CPU_MICROKERNELS_DWCONV_WEIGHTS_QS8_H_

#include "backends/cpu/microkernels/dwconv_span_qs8.h"

/* Gathers 64 bytes from each of the panels, which are `stride` bytes apart, in the channel order of
 * et_word_i8. All bands receive the same values. Missing panels are filled with zeros. */
static void et_join_panels_i8(const et_span_i8 *s, const void *panels,
                              size_t stride, void *to) {
  static const uint8_t none[ET_ROUNDED * 16];
  const size_t count = (s->count + ET_CPU_PANEL - 1) / ET_CPU_PANEL;
  const size_t panels_per_band = ET_SPAN_PANELS / s->bands;
  const uint8_t *from[ET_SPAN_PANELS];
  for (size_t p = 0; p < ET_SPAN_PANELS; p++) {
    from[p] = p % panels_per_band < count
                  ? (const uint8_t *)panels + p % panels_per_band * stride
                  : none;
  }
  ET_UNROLL for (size_t v = 0; v < ET_ROUNDED; v++) {
    const et_u8 joined = et_u8_joined(from, ET_SPAN_PANELS);
    memcpy((uint8_t *)to + v * sizeof(joined), &joined, sizeof(joined));
    for (size_t p = 0; p < ET_SPAN_PANELS; p++) {
      from[p] += 16;
    }
  }
}

static void et_read_taps_i8(et_span_i8 *s) {
  const size_t quads = s->height * s->depthwise->window.kernel_x;
  const int8_t *from = s->depthwise->taps + s->first_channel * quads * 4;
  for (size_t q = 0; q < quads; q++, from += 4 * ET_CPU_PANEL) {
    et_word_i8 taps;
    et_join_panels_i8(s, from, quads * 4 * ET_CPU_PANEL, &taps);
#if ET_SUMS_OF_16
    if (s->form == ET_FORM_WIDE) {
      et_widen_quads_i8(taps.of, true, s->taps + 2 * q);
      continue;
    }
#endif
    s->taps[q] = taps;
  }
}

/* Loads float32 biases, or adds int32 biases to the initial accumulators. */
static void et_read_biases_i8(et_span_i8 *s, et_f32 inverse) {
  const et_cpu_columns_i8 *columns = &s->depthwise->of_columns;
  const size_t panel = ET_CPU_PANEL * sizeof(float);
  if (columns->start != NULL) {
    et_i32 starts[ET_ROUNDED];
    et_join_panels_i8(s, columns->start + s->first_channel, panel, starts);
    for (int v = 0; v < ET_ROUNDED; v++) {
      s->start[v] += et_start_bias(starts[v]);
      s->requantization.bias[v] = et_f32_all(0.0f);
    }
    return;
  }
  et_join_panels_i8(s, columns->bias + s->first_channel, panel,
                    s->requantization.bias);
  for (int v = 0; v < ET_ROUNDED; v++) {
    s->requantization.bias[v] *= inverse;
  }
}

static void et_read_columns_i8(et_span_i8 *s, int32_t shift) {
  const et_cpu_dwconv_qs8 *d = s->depthwise;
  const size_t panel = ET_CPU_PANEL * sizeof(float);
  const et_f32 inverse = et_f32_all(d->output_quantization.inverse);
  et_join_panels_i8(s, d->of_columns.sums + s->first_channel, panel, s->start);
  et_join_panels_i8(s, d->of_columns.scale + s->first_channel, panel,
                    s->requantization.scale);
  for (int v = 0; v < ET_ROUNDED; v++) {
    s->start[v] = et_start_of(s->start[v], d->x.zero_point + shift);
    s->requantization.scale[v] *= inverse;
  }
  et_read_biases_i8(s, inverse);
  et_i32 far = et_i32_all(0);
  for (int v = 0; v < ET_ROUNDED; v++) {
    far |= et_far_lanes(s->requantization.scale[v], s->requantization.bias[v]);
  }
  s->is_far = et_i32_any(far);
}

#endif /* BACKENDS_CPU_MICROKERNELS_DWCONV_WEIGHTS_QS8_H_ */
