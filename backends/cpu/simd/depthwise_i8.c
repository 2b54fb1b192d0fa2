#include "backends/cpu/simd/depthwise_i8.h"

#include "backends/cpu/simd/requantize.h"
#include "backends/cpu/simd/taps_i8.h"

#define TAPS (ET_CPU_DEPTHWISE_TAPS_I8 + 1)

/* A panel of channels; the last one may have fewer than 16. */
typedef struct lane {
  const et_cpu_depthwise_i8 *depthwise;
  const int16_t *taps;
  et_requantizer requantizer;
  size_t pairs;
  size_t first;
  size_t count;
} lane;

ET_INLINE et_panel_bytes load(const uint8_t *from, size_t count, bool whole) {
  et_panel_bytes x = {0};
  memcpy(&x, from, whole ? ET_PANEL : count);
  return x;
}

ET_INLINE void run_pixel(const lane *l, const uint8_t *const *list,
                         uint8_t *out, bool whole, bool is_signed) {
  et_i32 sums[ET_PANEL_VECTORS];
  ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
    sums[v] = l->requantizer.start[v];
  }
  const int16_t *taps = l->taps;
  for (size_t i = 0; i < l->pairs; i++, taps += 2 * ET_PANEL) {
    et_i16 pairs[ET_PANEL_VECTORS];
    et_i16_pairs(load(list[2 * i] + l->first, l->count, whole),
                 load(list[2 * i + 1] + l->first, l->count, whole), is_signed,
                 pairs);
    ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
      et_i16 w;
      memcpy(&w, taps + v * 2 * ET_CPU_LANES, sizeof(w));
      sums[v] = et_i32_dot2(sums[v], pairs[v], w);
    }
  }
  et_store_panel(out, et_requantize(&l->requantizer, sums),
                 whole ? ET_PANEL : l->count);
}

/* `lists`: of each pixel its taps, TAPS apart. */
ET_INLINE void run_lane(const lane *l, const uint8_t *const *lists,
                        size_t first, size_t count, bool whole,
                        bool is_signed) {
  uint8_t *out = l->depthwise->out + first * l->depthwise->channels + l->first;
  for (size_t i = 0; i < count; i++, lists += TAPS) {
    run_pixel(l, lists, out + i * l->depthwise->channels, whole, is_signed);
  }
}

static void run_any_lane(const lane *l, const uint8_t *const *lists,
                         size_t first, size_t count) {
  const bool is_signed = l->depthwise->x.is_signed;
  if (l->count < ET_PANEL) {
    run_lane(l, lists, first, count, false, is_signed);
  } else if (is_signed) {
    run_lane(l, lists, first, count, true, true);
  } else {
    run_lane(l, lists, first, count, true, false);
  }
}

static lane lane_of(const et_cpu_depthwise_i8 *d, size_t pairs, size_t panel) {
  const size_t first = panel * ET_PANEL;
  const size_t left = d->channels - first;
  const lane l = {.depthwise = d,
                  .taps = d->taps + first * 2 * pairs,
                  .requantizer = et_requantizer_of(
                      &d->of_columns, &d->quantizing, d->x.zero_point, first),
                  .pairs = pairs,
                  .first = first,
                  .count = left < ET_PANEL ? left : ET_PANEL};
  return l;
}

void ET_CPU_NAME(et_cpu_depthwise_i8)(const et_cpu_depthwise_i8 *depthwise,
                                      size_t first, size_t count) {
  const uint8_t *lists[ET_CPU_DEPTHWISE_PIXELS_I8 * TAPS];
  uint8_t beyond[ET_CPU_DEPTHWISE_CHANNELS_I8];
  memset(beyond, (uint8_t)depthwise->x.zero_point, depthwise->channels);
  const et_cpu_window *w = &depthwise->window;
  const size_t taps = w->kernel_y * w->kernel_x;
  const et_taps_i8 from = {w, depthwise->x.data, beyond, depthwise->channels};
  for (size_t i = 0; i < count; i++) {
    et_list_taps_i8(&from, first + i, lists + i * TAPS);
    lists[i * TAPS + taps] = beyond;
  }
  const size_t pairs = (taps + 1) / 2;
  for (size_t p = 0; p * ET_PANEL < depthwise->channels; p++) {
    const lane l = lane_of(depthwise, pairs, p);
    run_any_lane(&l, lists, first, count);
  }
}
