/* 3 x 3 windows that slide along a row (AVX-512). Each column is interleaved once and is not
 * stored. The accumulators of three pixels and all taps are in registers. */
#ifndef BACKENDS_CPU_MICROKERNELS_DWCONV_SLIDE_QS8_H_
#define BACKENDS_CPU_MICROKERNELS_DWCONV_SLIDE_QS8_H_

#include "backends/cpu/microkernels/dwconv_span_qs8.h"

#if ET_HAS_SLIDE

/* State of a row that is computed from left to right. */
typedef struct et_slide_i8 {
  const et_span_i8 *span;
  et_column_i8 at;           /* the next column inside the image */
  size_t x;                  /* the next column; wraps if negative */
  et_i8 outside[ET_ROUNDED]; /* quads of a column of padding */
  et_requantization_i8 requantization;
  uint64_t mask; /* channels of a band */
} et_slide_i8;

/* Loads the next column as quads. */
ET_INLINE void et_next_column_i8(et_slide_i8 *slide, size_t bands,
                                 et_i8 *quads) {
  const et_span_i8 *s = slide->span;
  const size_t x = slide->x++;
  if (x >= s->depthwise->window.width) {
    ET_UNROLL for (int v = 0; v < ET_ROUNDED; v++) {
      quads[v] = slide->outside[v];
    }
    return;
  }
  et_u8 bytes[4] = {{0}};
  ET_UNROLL for (int i = 0; i < 3; i++) {
    bytes[i] = et_u8_joined(slide->at.from[i], (int)bands) + s->shift;
    ET_UNROLL for (size_t b = 0; b < bands; b++) {
      slide->at.from[i][b] += slide->at.step[i][b];
    }
  }
  et_i8_quads(bytes, quads);
}

ET_INLINE void et_add_column_i8(et_i32 *sums, const et_i8 *quads,
                                const et_i8 *taps) {
  ET_UNROLL for (int v = 0; v < ET_ROUNDED; v++) {
    sums[v] = et_i32_dot4(sums[v], quads[v], taps[v]);
  }
}

/* Stores a pixel of all bands. `bands` is a compile-time constant. Masked stores are as fast as
 * full stores. */
ET_INLINE void et_put_bands_i8(const et_slide_i8 *slide, const et_i32 *sums,
                               size_t bands, size_t at) {
  const et_span_i8 *s = slide->span;
  const et_u8 bytes = et_requantized_i8(&slide->requantization, sums, false);
  ET_UNROLL for (size_t b = 0; b < bands; b++) {
    et_u8_store_mask(s->out[b] + at, bytes, (int)b, (int)bands, slide->mask);
  }
}

ET_INLINE void et_outside_i8(const et_span_i8 *s, et_i8 *quads) {
  const et_u8 byte = s->zero + s->shift;
  const et_u8 all[4] = {byte, byte, byte, byte};
  et_i8_quads(all, quads);
}

/* Computes a row. Each column is added to the accumulators of the pixels whose windows contain it:
 * the next pixel and the two after it. Their dot products are interleaved with the requantization
 * of the previous pixel, because the work of a pixel exceeds the reorder window. The first stores
 * write garbage, which the first pixel overwrites. `bands` and `stride` (1 or 2) are compile-time
 * constants. */
ET_INLINE void et_slide_row_i8(const et_span_i8 *s, size_t bands,
                               size_t stride) {
  const et_cpu_dwconv_qs8 *d = s->depthwise;
  et_slide_i8 slide = {
      .span = s, .x = -d->window.left, .requantization = s->requantization};
  et_i32 sums[3][ET_ROUNDED];
  et_i32 before[ET_ROUNDED] = {{0}};
  size_t at = 0;
  et_i8 quads[ET_ROUNDED];
  et_i8 taps[3][ET_ROUNDED];
  slide.at = et_column_at_i8(s, 0, 0);
  slide.mask = et_mask_of(s->count);
  et_outside_i8(s, slide.outside);
  ET_UNROLL for (int i = 0; i < 3; i++) {
    ET_UNROLL for (int v = 0; v < ET_ROUNDED; v++) {
      taps[i][v] = s->taps[i].of[v];
      ET_PIN(taps[i][v]);
    }
  }
  memcpy(sums[0], s->start, sizeof(sums[0]));
  et_next_column_i8(&slide, bands, quads);
  et_add_column_i8(sums[0], quads, taps[0]);
  if (stride == 1) {
    et_next_column_i8(&slide, bands, quads);
    et_add_column_i8(sums[0], quads, taps[1]);
    memcpy(sums[1], s->start, sizeof(sums[1]));
    et_add_column_i8(sums[1], quads, taps[0]);
  }
  for (size_t p = 0; p < d->window.out_width; p++) {
    if (stride == 2) {
      et_next_column_i8(&slide, bands, quads);
      et_add_column_i8(sums[0], quads, taps[1]);
    }
    et_next_column_i8(&slide, bands, quads);
    et_put_bands_i8(&slide, before, bands, at);
    at = p * d->channels;
    et_add_column_i8(sums[0], quads, taps[2]);
    ET_UNROLL for (int v = 0; v < ET_ROUNDED; v++) { before[v] = sums[0][v]; }
    ET_UNROLL for (int v = 0; v < ET_ROUNDED; v++) { sums[2][v] = s->start[v]; }
    et_add_column_i8(sums[2], quads, taps[0]);
    if (stride == 1) {
      et_add_column_i8(sums[1], quads, taps[1]);
      ET_UNROLL for (int v = 0; v < ET_ROUNDED; v++) {
        sums[0][v] = sums[1][v];
      }
    }
    ET_UNROLL for (int v = 0; v < ET_ROUNDED; v++) {
      sums[stride == 1 ? 1 : 0][v] = sums[2][v];
    }
  }
  et_put_bands_i8(&slide, before, bands, at);
}

ET_INLINE void et_slide_bands_i8(const et_span_i8 *s, size_t bands) {
  if (s->depthwise->window.stride_x == 1) {
    et_slide_row_i8(s, bands, 1);
  } else {
    et_slide_row_i8(s, bands, 2);
  }
}

/* Computes one row per band. Returns false and computes nothing in any of these cases:
 * - Windows are not 3 x 3, are dilated, or have a stride other than 1 or 2.
 * - Vector loads may reach beyond the image.
 * - Results may not fit in int32. */
static bool et_slide_any_row_i8(const et_span_i8 *s) {
  const et_cpu_window *w = &s->depthwise->window;
  if (w->kernel_x != 3 || w->kernel_y != 3 || w->dilation_x != 1 ||
      w->out_width == 0 || w->stride_x < 1 || w->stride_x > 2 ||
      s->is_near_end || s->is_far) {
    return false;
  }
  if (s->bands == 4) {
    et_slide_bands_i8(s, 4);
  } else if (s->bands == 2) {
    et_slide_bands_i8(s, 2);
  } else {
    et_slide_bands_i8(s, 1);
  }
  return true;
}

#endif

#endif /* BACKENDS_CPU_MICROKERNELS_DWCONV_SLIDE_QS8_H_ */
