#include "models/listen/recording.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  kChunkHead = 8, /* name and size */
  kFormatBytes = 16,
  kPcm = 1,
  kExtensible = 0xfffe, /* a subformat follows; for 16-bit samples, it is PCM */
  kMaxChannels = 64,
};

static const char kConvert[] =
    "not 16-bit samples at 16 kHz; convert it, for example: ffmpeg -i in -ar "
    "16000 -ac 1 out.wav";

static uint32_t little(const uint8_t *bytes, int size) {
  uint32_t value = 0;
  for (int i = size - 1; i >= 0; --i) {
    value = value << 8 | bytes[i];
  }
  return value;
}

/* Moves to the data of the next chunk with the name. Returns false if there is none. */
static bool find_chunk(FILE *file, const char *name, uint32_t *out_size) {
  uint8_t head[kChunkHead];
  while (fread(head, 1, sizeof head, file) == sizeof head) {
    *out_size = little(head + 4, 4);
    if (memcmp(head, name, 4) == 0) {
      return true;
    }
    /* Chunks start at even offsets. */
    if (fseek(file, (long)*out_size + (long)(*out_size & 1), SEEK_CUR) != 0) {
      return false;
    }
  }
  return false;
}

/* Sample format in the file's header. All zero if the file is not a WAV file. */
typedef struct format {
  uint32_t kind;
  uint32_t channels;
  uint32_t rate;
  uint32_t bits;
} format;

static format read_format(FILE *file) {
  uint8_t riff[12];
  uint8_t bytes[kFormatBytes];
  uint32_t size = 0;
  if (fread(riff, 1, sizeof riff, file) != sizeof riff ||
      memcmp(riff, "RIFF", 4) != 0 || memcmp(riff + 8, "WAVE", 4) != 0 ||
      !find_chunk(file, "fmt ", &size) || size < kFormatBytes ||
      fread(bytes, 1, sizeof bytes, file) != sizeof bytes ||
      fseek(file, (long)(size - kFormatBytes) + (long)(size & 1), SEEK_CUR) !=
          0) {
    return (format){0};
  }
  return (format){little(bytes, 2), little(bytes + 2, 2), little(bytes + 4, 4),
                  little(bytes + 14, 2)};
}

static bool has_integers(const format *found) {
  return found->kind == kPcm || found->kind == kExtensible;
}

static bool has_channels(const format *found) {
  return found->channels > 0 && found->channels <= kMaxChannels;
}

static bool fits(const format *found) {
  return has_integers(found) && has_channels(found) &&
         found->rate == WAV_RATE && found->bits == 16;
}

static void refuse(const char *path, const format *found) {
  fprintf(stderr, "%s: ", path);
  if (found->rate != 0) {
    fprintf(stderr, "%u-bit samples at %u Hz", (unsigned)found->bits,
            (unsigned)found->rate);
    if (!has_integers(found)) {
      fprintf(stderr, " that are not integers");
    }
    if (!has_channels(found)) {
      fprintf(stderr, " in %u channels", (unsigned)found->channels);
    }
    fprintf(stderr, "; ");
  }
  fprintf(stderr, "%s\n", kConvert);
}

static float mean_of(const uint8_t *frame, uint32_t channels) {
  int32_t sum = 0;
  for (uint32_t i = 0; i < channels; ++i) {
    sum += (int16_t)little(frame + 2 * i, 2);
  }
  return (float)sum / (32768.0f * (float)channels);
}

/* Reads samples up to the end of the chunk or the file. A truncated recording
 * is read to its end. */
static const char *read_samples(FILE *file, uint32_t channels, wav *out) {
  uint8_t frame[2 * kMaxChannels];
  uint32_t size = 0;
  if (!find_chunk(file, "data", &size)) {
    return "has no samples";
  }
  size_t capacity = 0;
  const size_t frame_bytes = 2 * (size_t)channels;
  for (size_t left = size / frame_bytes; left > 0; --left) {
    if (fread(frame, 1, frame_bytes, file) != frame_bytes) {
      break;
    }
    if (out->count == capacity) {
      capacity = capacity == 0 ? WAV_RATE : 2 * capacity;
      float *samples = realloc(out->samples, capacity * sizeof *samples);
      if (samples == NULL) {
        return "out of memory";
      }
      out->samples = samples;
    }
    out->samples[out->count++] = mean_of(frame, channels);
  }
  return out->count > 0 ? NULL : "has no samples";
}

static bool read_file(const char *path, FILE *file, wav *out) {
  const format found = read_format(file);
  if (!fits(&found)) {
    refuse(path, &found);
    return false;
  }
  const char *problem = read_samples(file, found.channels, out);
  if (problem != NULL) {
    fprintf(stderr, "%s: %s\n", path, problem);
    wav_free(out);
  }
  return problem == NULL;
}

bool wav_read(const char *path, wav *out) {
  *out = (wav){NULL, 0};
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    perror(path);
    return false;
  }
  const bool read = read_file(path, file, out);
  fclose(file);
  return read;
}

void wav_free(wav *sound) {
  free(sound->samples);
  *sound = (wav){NULL, 0};
}

enum { kWidth = 1000, kHeight = 200 };

static double place(size_t chunk, size_t chunks) {
  return (double)kWidth * (double)chunk / (double)chunks;
}

static void write_speech(FILE *file, const bool *speaking, size_t chunks) {
  for (size_t i = 0; i < chunks; ++i) {
    if (speaking[i]) {
      fprintf(file,
              "<rect x=\"%.2f\" width=\"%.2f\" height=\"%d\" "
              "fill=\"#bfe3c0\"/>\n",
              place(i, chunks), place(1, chunks), kHeight);
    }
  }
}

/* Draws the maximum amplitude of each column, above and below the axis. */
static void write_signal(FILE *file, const wav *sound) {
  fputs("<path stroke=\"#456\" d=\"", file);
  for (size_t x = 0; x < kWidth; ++x) {
    const size_t end = sound->count * (x + 1) / kWidth;
    float peak = 0;
    for (size_t i = sound->count * x / kWidth; i < end; ++i) {
      peak = fmaxf(peak, fabsf(sound->samples[i]));
    }
    const double half = (double)peak * kHeight / 2;
    fprintf(file, "M%zu %.1fV%.1f", x, kHeight / 2.0 - half,
            kHeight / 2.0 + half);
  }
  fputs("\"/>\n", file);
}

static void write_line(FILE *file, const float *probabilities, size_t chunks) {
  fputs("<polyline fill=\"none\" stroke=\"#c33\" points=\"", file);
  for (size_t i = 0; i < chunks; ++i) {
    fprintf(file, "%.2f,%.1f ", place(i, chunks),
            kHeight * (1 - (double)probabilities[i]));
  }
  fputs("\"/>\n", file);
}

bool svg_write(const char *path, const wav *sound, const float *probabilities,
               const bool *speaking, size_t chunks) {
  FILE *file = fopen(path, "w");
  if (file == NULL) {
    perror(path);
    return false;
  }
  fprintf(file,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
          "height=\"%d\">\n",
          kWidth, kHeight);
  write_speech(file, speaking, chunks);
  write_signal(file, sound);
  write_line(file, probabilities, chunks);
  fputs("</svg>\n", file);
  const bool written = !ferror(file);
  return fclose(file) == 0 && written;
}
