#include "models/listen/svg.h"

#include <math.h>
#include <stdio.h>

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

/* Draws the maximum amplitude of each column, in both directions. */
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
