/* Recordings as inputs of Silero VAD. */
#ifndef ET_MODELS_LISTEN_WAV_H_
#define ET_MODELS_LISTEN_WAV_H_

#include <stdbool.h>
#include <stddef.h>

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

#endif /* ET_MODELS_LISTEN_WAV_H_ */
