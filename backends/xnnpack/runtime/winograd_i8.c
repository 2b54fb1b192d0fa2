/* Decides when to use op winograd_qs8 for int8 3 x 3 convolutions with stride 1, and packs its
 * weights. */
#include "backends/cpu/microkernels/winograd_qs8.h"

#include "backends/cpu/schema/cost_model.h"
#include "backends/xnnpack/runtime/panels.h"
#include "backends/xnnpack/runtime/winograd.h"

#define TAPS ET_XNN_WINOGRAD_TAPS
#define SIDE ET_CPU_WINOGRAD_QS8_SIDE
#define ACROSS (SIDE + TAPS - 1)
#define POSITIONS (ACROSS * ACROSS)

#if defined(ET_CPU_LINKED_NEON)
/* With SDOT, which multiplies 16 int8 values per instruction, the direct convolution is faster. */
bool et_xnn_prefers_winograd_i8(const et_xnn_builder *b,
                                const et_xnn_convolution_of *c) {
  (void)b;
  (void)c;
  return false;
}
#else
#define MAX_COLUMNS 65536 /* bounds sizes so that they do not overflow below */

static bool fits_memory_limit(const et_xnn_convolution_of *c) {
  const uint64_t more = POSITIONS * sizeof(int16_t) - TAPS * TAPS;
  return more * (uint64_t)c->channels * (uint64_t)c->outputs <=
         ET_CPU_WINOGRAD_MAX_EXTRA_BYTES;
}

static bool fits(const et_xnn_convolution_of *c) {
  return c->matrix.groups == 1 && et_xnn_is_3x3(&c->window) &&
         c->channels % ET_CPU_WINOGRAD_QS8_CHANNEL_STEP == 0 &&
         c->channels <= ET_CPU_WINOGRAD_QS8_MAX_CHANNELS &&
         c->outputs % ET_CPU_PANEL == 0 &&
         c->outputs >= ET_CPU_WINOGRAD_QS8_MIN_COLUMNS &&
         c->outputs <= MAX_COLUMNS && fits_memory_limit(c);
}

bool et_xnn_prefers_winograd_i8(const et_xnn_builder *b,
                                const et_xnn_convolution_of *c) {
  const et_xnn_pixels out = et_xnn_declared_pixels(b, c);
  return !b->options.is_without_winograd && fits(c) &&
         out.height * out.width >= ET_CPU_WINOGRAD_QS8_MIN_PIXELS;
}
#endif

/* One pair of channels per column of a panel. */
typedef struct lanes {
  int16_t at[2 * ET_CPU_PANEL];
} lanes;

/* Multiplies three taps by the matrix with rows 6 0 0, 1 1 1, 1 -1 1, 1 2 4, 1 -2 4 and 0 0 6
 * (backends/cpu/microkernels/winograd_qs8.h). Stores result i at out[i * stride]. `out` must not
 * overlap `taps`. */
static void transform(const lanes taps[TAPS], lanes *out, size_t stride) {
  lanes made[ACROSS];
  const lanes a = taps[0], b = taps[1], c = taps[2];
  for (size_t i = 0; i < 2 * ET_CPU_PANEL; i++) {
    const int32_t x = a.at[i], y = b.at[i], z = c.at[i];
    made[0].at[i] = (int16_t)(6 * x);
    made[1].at[i] = (int16_t)(x + y + z);
    made[2].at[i] = (int16_t)(x - y + z);
    made[3].at[i] = (int16_t)(x + 2 * y + 4 * z);
    made[4].at[i] = (int16_t)(x - 2 * y + 4 * z);
    made[5].at[i] = (int16_t)(6 * z);
  }
  for (size_t i = 0; i < ACROSS; i++) {
    out[i * stride] = made[i];
  }
}

/* A pair of channels of the filters of a panel: taps[x][y]. */
typedef struct windows {
  lanes taps[TAPS][TAPS];
} windows;

static inline void read_by(et_xnn_read_weight *code, const et_xnn_weights *w,
                           size_t first, size_t channel, windows *out) {
  const size_t channels = (size_t)w->matrix.depth / (TAPS * TAPS);
  for (size_t i = 0; i < 2 * ET_CPU_PANEL; i++) {
    for (size_t tap = 0; tap < TAPS * TAPS; tap++) {
      out->taps[tap % TAPS][tap / TAPS].at[i] =
          (int16_t)code(w, first + i / 2, tap * channels + channel + i % 2);
    }
  }
}

static void read_windows(const et_xnn_weights *w, size_t first, size_t channel,
                         windows *out) {
  if (et_xnn_has_int8(w)) {
    read_by(et_xnn_int8, w, first, channel, out);
  } else {
    read_by(et_xnn_quantized_weight, w, first, channel, out);
  }
}

/* Transforms the filters. Stores position i at out[i * stride]. */
static void put_positions(const windows *given, size_t stride, lanes *out) {
  lanes down[ACROSS][TAPS];
  for (size_t x = 0; x < TAPS; x++) {
    transform(given->taps[x], &down[0][x], TAPS);
  }
  for (size_t y = 0; y < ACROSS; y++) {
    transform(down[y], out + y * ACROSS * stride, stride);
  }
}

static et_status fill(et_xnn_builder *b, const void *request, void *bytes) {
  const et_xnn_matrix *m = request;
  const size_t columns = (size_t)m->outputs;
  const size_t channels = (size_t)m->depth / (TAPS * TAPS);
  const size_t stride = columns / ET_CPU_PANEL * (channels / 2);
  lanes *out = bytes;
  et_xnn_weights w;
  ET_RETURN_IF_ERROR(et_xnn_weights_of(b, m, &w));
  for (size_t first = 0; first < columns; first += ET_CPU_PANEL) {
    for (size_t c = 0; c < channels; c += 2) {
      windows read;
      read_windows(&w, first, c, &read);
      put_positions(&read, stride, out++);
    }
  }
  return ET_STATUS_OK;
}

et_xnn_tensor et_xnn_pack_winograd_i8(et_xnn_builder *b,
                                      const et_xnn_convolution_of *c) {
  const et_xnn_packing packing = {
      .dtype = ET_SCALAR_TYPE_INT16,
      .dims = {.rank = 4,
               .sizes = {POSITIONS, c->outputs / ET_CPU_PANEL, c->channels / 2,
                         2 * ET_CPU_PANEL}},
      .fill = fill,
      .request = &c->matrix,
      .id = c->matrix.id,
      .share = "winograd_qs8"};
  return et_xnn_pack(b, &packing);
}

size_t et_xnn_winograd_tiles_i8(const et_xnn_builder *b,
                                const et_xnn_convolution_of *c) {
  const et_xnn_pixels out = et_xnn_declared_pixels(b, c);
  const size_t all = et_xnn_tiles_of(&out, SIDE);
  const size_t chosen =
      ET_CPU_WINOGRAD_QS8_GROUP_WORDS /
      (size_t)et_cpu_winograd_words_i8(1, (size_t)c->channels);
  return et_xnn_clamp_tiles(all, chosen);
}
