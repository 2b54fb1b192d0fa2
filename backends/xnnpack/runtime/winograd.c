/* Emits op winograd_f32 for 3 x 3 convolutions with stride 1. The thresholds are shared with the
 * CPU backend's compiler (backends/cpu/schema/cost_model.py). Here, weights are transformed at load
 * time, so their size is limited as well. */
#include "backends/cpu/microkernels/winograd_f32.h"

#include "backends/cpu/schema/cost_model.h"
#include "backends/cpu/schema/winograd_f32.h"
#include "backends/xnnpack/runtime/convolution.h"
#include "backends/xnnpack/runtime/panels.h"
#include "backends/xnnpack/runtime/weights.h"
#include "backends/xnnpack/runtime/winograd.h"

#define TAPS ET_XNN_WINOGRAD_TAPS
#define MAX_POSITIONS 6 /* number of positions of a tile along an axis */

#define MAX_WINOGRAD_CHANNELS 65536 /* workspaces fit in int32 */

typedef et_xnn_pixels sizes;

static bool is_within(int32_t channels) {
  return channels >= ET_CPU_WINOGRAD_MIN_CHANNELS &&
         channels <= MAX_WINOGRAD_CHANNELS;
}

static bool fits_memory_limit(const et_xnn_convolution_of *c, size_t side) {
  const uint64_t more = et_cpu_winograd_positions(side) - TAPS * TAPS;
  return more * (uint64_t)c->channels * (uint64_t)c->outputs * sizeof(float) <=
         ET_CPU_WINOGRAD_MAX_EXTRA_BYTES;
}

/* Returns the side of an output tile, or 0 if Winograd's algorithm is not faster. */
static size_t choose_side(const sizes *out, const et_xnn_convolution_of *c) {
  const int64_t pixels = out->height * out->width;
  if (pixels >= ET_CPU_WINOGRAD_F4_MIN_PIXELS && fits_memory_limit(c, 4)) {
    return 4;
  }
  return pixels >= ET_CPU_WINOGRAD_F2_MIN_PIXELS && fits_memory_limit(c, 2) ? 2
                                                                            : 0;
}

bool et_xnn_prefers_winograd(const et_xnn_builder *b,
                             const et_xnn_convolution_of *c) {
  const sizes out = et_xnn_declared_pixels(b, c);
  const et_xnn_value filter = et_xnn_input(b, ET_XNN_CONV_FILTER);
  return !b->options.is_without_winograd && filter.datatype == ET_XNN_FP32 &&
         c->matrix.groups == 1 && et_xnn_is_3x3(&c->window) &&
         is_within(c->channels) && is_within(c->outputs) &&
         choose_side(&out, c) != 0;
}

/* A vector with one element per column of a panel. */
typedef struct lanes {
  float at[ET_CPU_PANEL];
} lanes;

/* Transforms three taps for F(2, 3): G w. */
static void transform_2(const lanes *a, const lanes *b, const lanes *c,
                        lanes *out) {
  for (size_t i = 0; i < ET_CPU_PANEL; i++) {
    const float half = (a->at[i] + c->at[i]) * 0.5f;
    const float middle = b->at[i] * 0.5f;
    out[0].at[i] = a->at[i];
    out[1].at[i] = half + middle;
    out[2].at[i] = half - middle;
    out[3].at[i] = c->at[i];
  }
}

/* Transforms three taps for F(4, 3): G w. */
static void transform_4(const lanes *a, const lanes *b, const lanes *c,
                        lanes *out) {
  for (size_t i = 0; i < ET_CPU_PANEL; i++) {
    const float x = a->at[i], y = b->at[i], z = c->at[i];
    const float p = (x + z) * (-1.0f / 6), q = y * (1.0f / 6);
    const float r = x * (1.0f / 24) + z * (1.0f / 6), t = y * (1.0f / 12);
    out[0].at[i] = x * 0.25f;
    out[1].at[i] = p - q;
    out[2].at[i] = p + q;
    out[3].at[i] = r + t;
    out[4].at[i] = r - t;
    out[5].at[i] = z;
  }
}

/* Transforms three taps. Stores result i at out[i * stride]. `out` must not overlap `taps`. */
static void transform(size_t side, const lanes taps[TAPS], lanes *out,
                      size_t stride) {
  lanes made[MAX_POSITIONS];
  const lanes a = taps[0], b = taps[1], c = taps[2];
  if (side == 2) {
    transform_2(&a, &b, &c, made);
  } else {
    transform_4(&a, &b, &c, made);
  }
  for (size_t i = 0; i < side + TAPS - 1; i++) {
    out[i * stride] = made[i];
  }
}

/* Winograd weights for tiles of `side` outputs. */
typedef struct tiles {
  et_xnn_matrix matrix;
  size_t side;
} tiles;

/* One channel of the filters of a panel: taps[x][y]. */
typedef struct windows {
  lanes taps[TAPS][TAPS];
} windows;

/* Number of channels per read: the number of floats in a cache line. */
#define CHANNELS_AT_ONCE 16

/* Reads `count` channels of the filters for `columns` output channels. */
static void read_windows(const et_xnn_weights *w, size_t first, size_t columns,
                         size_t channel, size_t count, windows *out) {
  const size_t channels = (size_t)w->matrix.depth / (TAPS * TAPS);
  for (size_t column = 0; column < columns; column++) {
    const float *row = (const float *)(const void *)w->data +
                       (first + column) * (size_t)w->matrix.depth + channel;
    for (size_t tap = 0; tap < TAPS * TAPS; tap++) {
      for (size_t c = 0; c < count; c++) {
        out[c].taps[tap % TAPS][tap / TAPS].at[column] =
            row[tap * channels + c];
      }
    }
  }
}

/* Transforms the filters. Stores position i at out[i * stride]. */
static void put_positions(size_t side, const windows *given, size_t stride,
                          lanes *out) {
  lanes down[MAX_POSITIONS][TAPS];
  const size_t across = side + TAPS - 1;
  for (size_t x = 0; x < TAPS; x++) {
    transform(side, given->taps[x], &down[0][x], TAPS);
  }
  for (size_t y = 0; y < across; y++) {
    transform(side, down[y], out + y * across * stride, stride);
  }
}

/* Packs all channels of a panel. */
static lanes *put_panel(const tiles *t, const et_xnn_weights *w, size_t first,
                        size_t stride, lanes *out) {
  const size_t channels = (size_t)t->matrix.depth / (TAPS * TAPS);
  const size_t left = (size_t)t->matrix.outputs - first;
  windows read[CHANNELS_AT_ONCE] = {{{{{{0}}}}}};
  for (size_t c = 0; c < channels; c += CHANNELS_AT_ONCE) {
    const size_t rest = channels - c;
    const size_t count = rest < CHANNELS_AT_ONCE ? rest : CHANNELS_AT_ONCE;
    read_windows(w, first, left < ET_CPU_PANEL ? left : ET_CPU_PANEL, c, count,
                 read);
    for (size_t i = 0; i < count; i++) {
      put_positions(t->side, &read[i], stride, out++);
    }
  }
  return out;
}

static et_status fill(et_xnn_builder *b, const void *request, void *bytes) {
  const tiles *t = request;
  const size_t columns = (size_t)t->matrix.outputs;
  const size_t panels = (columns + ET_CPU_PANEL - 1) / ET_CPU_PANEL;
  const size_t stride = panels * ((size_t)t->matrix.depth / (TAPS * TAPS));
  lanes *out = bytes;
  et_xnn_weights w;
  ET_RETURN_IF_ERROR(et_xnn_weights_of(b, &t->matrix, &w));
  ET_XNN_CHECK(b->error, (uintptr_t)w.data % sizeof(float) == 0,
               "constant %u is not aligned to its element size",
               (unsigned)w.value.constant);
  for (size_t first = 0; first < columns; first += ET_CPU_PANEL) {
    out = put_panel(t, &w, first, stride, out);
  }
  return ET_STATUS_OK;
}

static et_xnn_tensor pack(et_xnn_builder *b, const et_xnn_convolution_of *c,
                          size_t side) {
  const tiles t = {c->matrix, side};
  const et_xnn_packing packing = {
      .dtype = ET_SCALAR_TYPE_FLOAT32,
      .dims = {.rank = 4,
               .sizes = {(int32_t)et_cpu_winograd_positions(side),
                         et_xnn_panels_of(c->outputs), c->channels,
                         ET_CPU_PANEL}},
      .fill = fill,
      .request = &t,
      .id = c->matrix.id,
      .share = "winograd"};
  return et_xnn_pack(b, &packing);
}

/* Returns the number of tiles per iteration. */
static size_t tiles_at_once(const sizes *out, size_t side, size_t channels) {
  const size_t all = et_xnn_tiles_of(out, side);
  const size_t chosen =
      ET_CPU_WINOGRAD_F32_GROUP_FLOATS /
      (et_cpu_winograd_positions(side) * (channels + ET_CPU_WINOGRAD_COLUMNS));
  return et_xnn_clamp_tiles(all, chosen);
}

void et_xnn_emit_winograd(et_xnn_builder *b, const et_xnn_convolution_of *c) {
  const sizes out = et_xnn_declared_pixels(b, c);
  const size_t side = choose_side(&out, c);
  const size_t channels = (size_t)c->channels;
  const size_t at_once = tiles_at_once(&out, side, channels);
  const et_xnn_window *window = &c->window;
  const et_cpu_winograd_f32_attributes attributes = {
      .padding = {window->before[0], window->before[1], window->after[0],
                  window->after[1]},
      .side = (int32_t)side,
      .tiles = (int32_t)at_once,
      .activation = et_xnn_activation_of(b->node)};
  uint32_t words[ET_CPU_WINOGRAD_F32_ATTRIBUTES_WORDS];
  et_cpu_winograd_f32_attributes_write(&attributes, words);
  const et_xnn_image_op op = {
      .part = &et_cpu_op_winograd_f32,
      .weights = pack(b, c, side),
      .words = words,
      .word_count = ET_CPU_WINOGRAD_F32_ATTRIBUTES_WORDS,
      .workspace = et_xnn_workspaces(
          b, (size_t)et_cpu_winograd_workspace(side, at_once, channels)),
      .workspace_count = 1};
  et_xnn_emit_floats(b, c, &op);
}
