/* Span of an int8 depthwise convolution: a range of channels in some output rows, and the image
 * rows under their windows. */
#ifndef BACKENDS_CPU_MICROKERNELS_DWCONV_SPAN_QS8_H_
#define BACKENDS_CPU_MICROKERNELS_DWCONV_SPAN_QS8_H_

#include "backends/cpu/microkernels/dwconv_qs8.h"
#include "backends/cpu/microkernels/requantize.h"

/* Number of channels that are computed and requantized at once. */
#define ET_SPAN_CHANNELS (ET_ROUNDED * ET_CPU_LANES)
#define ET_SPAN_PANELS (ET_SPAN_CHANNELS / ET_CPU_PANEL)

/* Whether the accumulators of three pixels and all taps of a 3 x 3 window fit in registers. */
#if defined(ET_CPU_ISA_AVX512)
#define ET_HAS_SLIDE 1
#else
#define ET_HAS_SLIDE 0
#endif

_Static_assert(ET_SPAN_PANELS == ET_U8_MAX_PARTS, "each part is one panel");
_Static_assert(ET_CPU_DWCONV_CHANNELS_I8 % ET_SPAN_CHANNELS == 0,
               "blocks consist of whole spans");

/* How products are accumulated. */
typedef enum et_form_i8 {
  ET_FORM_EXACT,  /* int8 products, added four at a time in int32 */
  ET_FORM_NARROW, /* int8 products, int16 sums of up to max_exact_terms quads */
  ET_FORM_WIDE,   /* int16 products, added in int32 */
} et_form_i8;

#if ET_SUMS_OF_16
#define ET_MAX_WORDS 2
#else
#define ET_MAX_WORDS 1
#endif

/* Four int8 values per channel, or two int16 values. Vector v has channels 4v to 4v + 3 of each
 * group of 16. */
typedef struct et_word_i8 {
  et_i8 of[ET_ROUNDED];
} et_word_i8;

/* Widens bytes 0 and 2 of each quad to int16, then bytes 1 and 3. */
ET_INLINE void et_widen_quads_i8(const et_i8 *quads, bool is_signed,
                                 et_word_i8 *to) {
  ET_UNROLL for (int v = 0; v < ET_ROUNDED; v++) {
    const et_i16 both = (et_i16)quads[v];
    to[0].of[v] = (et_i8)(is_signed ? both << 8 >> 8 : both & 255);
    to[1].of[v] = (et_i8)(is_signed ? both >> 8 : (both >> 8) & 255);
  }
}

/* Requantization parameters of the channels of a span. */
typedef struct et_requantization_i8 {
  et_f32 scale[ET_ROUNDED];
  et_f32 bias[ET_ROUNDED];
  et_rounder rounder;
} et_requantization_i8;

/* A row of the image or of padding. */
typedef struct et_line_i8 {
  const uint8_t *from;
  size_t step; /* distance to the next pixel; 0 for padding */
} et_line_i8;

/* A range of channels along rows of the output. If the range is narrow, a vector is divided into
 * bands, each of which computes a different row. */
typedef struct et_span_i8 {
  const et_cpu_dwconv_qs8 *depthwise;
  et_form_i8 form;
  size_t first_channel;
  size_t bands;
  size_t count;  /* channels per band, at most ET_SPAN_CHANNELS / bands */
  size_t height; /* quads per column */
  et_line_i8 rows[ET_U8_MAX_PARTS][ET_CPU_DWCONV_QS8_MAX_TAPS];
  const uint8_t *end; /* end of readable memory */
  bool is_near_end;   /* vector loads from these rows may reach beyond `end` */
  uint8_t *out[ET_U8_MAX_PARTS];
  et_word_i8 taps[ET_CPU_DWCONV_QS8_MAX_TAPS *
                  ET_MAX_WORDS]; /* [kernel_x][height][words] */
  et_i32 start[ET_ROUNDED];
  et_requantization_i8 requantization;
  bool is_far; /* see et_requantizer */
  et_u8 zero;
  et_u8 shift; /* added to each element */
} et_span_i8;

/* A column of four image rows per band, and the distances to the next column. */
typedef struct et_column_i8 {
  const uint8_t *from[4][ET_U8_MAX_PARTS];
  size_t step[4][ET_U8_MAX_PARTS];
} et_column_i8;

/* Requantizes ET_ROUNDED vectors of accumulators. */
ET_INLINE et_u8 et_requantized_i8(const et_requantization_i8 *m,
                                  const et_i32 *sums, bool is_far) {
  et_f32 steps[ET_ROUNDED];
  ET_UNROLL for (int v = 0; v < ET_ROUNDED; v++) {
    steps[v] = et_steps_of(sums[v], m->scale[v], m->bias[v]);
  }
  return et_rounded(&m->rounder, steps, is_far);
}

/* Returns column `x`, inside the image, of the four rows that start at `first`. */
ET_INLINE et_column_i8 et_column_at_i8(const et_span_i8 *s, size_t first,
                                       size_t x) {
  et_column_i8 at = {0};
  for (size_t i = 0; i < 4; i++) {
    for (size_t b = 0; b < s->bands; b++) {
      const et_line_i8 *row = &s->rows[b][first + i];
      at.from[i][b] = row->from + x * row->step;
      at.step[i][b] = s->depthwise->window.dilation_x * row->step;
    }
  }
  return at;
}

#endif /* BACKENDS_CPU_MICROKERNELS_DWCONV_SPAN_QS8_H_ */
