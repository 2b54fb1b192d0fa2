#include "models/listen/wav.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  kChunkHead = 8, /* a name and a size */
  kFormatBytes = 16,
  kPcm = 1,
  kExtensible = 0xfffe, /* says below what it is, of 16 bits: the same */
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

/* Moves to the data of the next chunk with the name; false where there is none. */
static bool find_chunk(FILE *file, const char *name, uint32_t *out_size) {
  uint8_t head[kChunkHead];
  while (fread(head, 1, sizeof head, file) == sizeof head) {
    *out_size = little(head + 4, 4);
    if (memcmp(head, name, 4) == 0) {
      return true;
    }
    /* Chunks begin at even places. */
    if (fseek(file, (long)*out_size + (long)(*out_size & 1), SEEK_CUR) != 0) {
      return false;
    }
  }
  return false;
}

/* Returns how many channels there are, or 0 where the samples are of another kind. */
static uint32_t read_format(FILE *file) {
  uint8_t riff[12];
  uint8_t format[kFormatBytes];
  uint32_t size = 0;
  if (fread(riff, 1, sizeof riff, file) != sizeof riff ||
      memcmp(riff, "RIFF", 4) != 0 || memcmp(riff + 8, "WAVE", 4) != 0 ||
      !find_chunk(file, "fmt ", &size) || size < kFormatBytes ||
      fread(format, 1, sizeof format, file) != sizeof format ||
      fseek(file, (long)(size - kFormatBytes), SEEK_CUR) != 0) {
    return 0;
  }
  const uint32_t kind = little(format, 2);
  const uint32_t channels = little(format + 2, 2);
  const bool fits =
      (kind == kPcm || kind == kExtensible) && channels <= kMaxChannels &&
      little(format + 4, 4) == WAV_RATE && little(format + 14, 2) == 16;
  return fits ? channels : 0;
}

static float mean_of(const uint8_t *frame, uint32_t channels) {
  int32_t sum = 0;
  for (uint32_t i = 0; i < channels; ++i) {
    sum += (int16_t)little(frame + 2 * i, 2);
  }
  return (float)sum / (32768.0f * (float)channels);
}

/* Samples up to the end of the chunk or of the file: a recording that was cut off, or goes
 * on for longer than its head says, is read as far as it is there. */
static const char *read_samples(FILE *file, uint32_t channels, wav *out) {
  uint8_t frame[2 * kMaxChannels];
  uint32_t size = 0;
  if (!find_chunk(file, "data", &size)) {
    return "has no samples";
  }
  size_t room = 0;
  const size_t frame_bytes = 2 * (size_t)channels;
  for (size_t left = size / frame_bytes; left > 0; --left) {
    if (fread(frame, 1, frame_bytes, file) != frame_bytes) {
      break;
    }
    if (out->count == room) {
      room = room == 0 ? WAV_RATE : 2 * room;
      float *samples = realloc(out->samples, room * sizeof *samples);
      if (samples == NULL) {
        return "out of memory";
      }
      out->samples = samples;
    }
    out->samples[out->count++] = mean_of(frame, channels);
  }
  return out->count > 0 ? NULL : "has no samples";
}

bool wav_read(const char *path, wav *out) {
  *out = (wav){NULL, 0};
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    perror(path);
    return false;
  }
  const uint32_t channels = read_format(file);
  const char *problem =
      channels == 0 ? kConvert : read_samples(file, channels, out);
  fclose(file);
  if (problem != NULL) {
    fprintf(stderr, "%s: %s\n", path, problem);
    wav_free(out);
  }
  return problem == NULL;
}

void wav_free(wav *sound) {
  free(sound->samples);
  *sound = (wav){NULL, 0};
}
