/* Recordings as Silero VAD takes them. */
#ifndef ET_MODELS_LISTEN_WAV_H_
#define ET_MODELS_LISTEN_WAV_H_

#include <stdbool.h>
#include <stddef.h>

#define WAV_RATE 16000

/* One channel of samples from -1 to 1. `samples` is owned: release with wav_free. */
typedef struct wav {
  float *samples;
  size_t count;
} wav;

/* Reads a WAV of 16-bit samples at 16 kHz; several channels become their mean. On failure
 * returns false and prints why, with the path, to stderr. */
bool wav_read(const char *path, wav *out);

void wav_free(wav *sound);

#endif /* ET_MODELS_LISTEN_WAV_H_ */
