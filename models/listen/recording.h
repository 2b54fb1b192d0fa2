/* Recordings as inputs of Silero VAD, and drawings of them. */
#ifndef ET_MODELS_LISTEN_RECORDING_H_
#define ET_MODELS_LISTEN_RECORDING_H_

#include <stdbool.h>
#include <stddef.h>

/* ---- Recordings as inputs of Silero VAD ---- */

#define WAV_RATE 16000

/* One channel of samples from -1 to 1. `samples` is owned. Release it with wav_free. */
typedef struct wav {
  float *samples;
  size_t count;
} wav;

/* Reads a WAV file with 16-bit samples at 16 kHz, and averages its channels. On failure, returns
 * false and prints path and reason to stderr. */
bool wav_read(const char *path, wav *out);

void wav_free(wav *sound);

/* ---- Drawings of recordings ---- */

/* Draws the signal over the intervals of speech, and the speech probability as
 * a line. speaking[i] and probabilities[i] are for chunk i. On failure, returns
 * false and prints the reason to stderr. */
bool svg_write(const char *path, const wav *sound, const float *probabilities,
               const bool *speaking, size_t chunks);

#endif /* ET_MODELS_LISTEN_RECORDING_H_ */
