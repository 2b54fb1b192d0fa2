/* Intervals of speech, from the speech probability of each chunk. */
#ifndef ET_MODELS_LISTEN_SPEECH_H_
#define ET_MODELS_LISTEN_SPEECH_H_

#include <stdbool.h>
#include <stddef.h>

/* Chunks begin to end - 1. */
typedef struct speech_interval {
  size_t begin;
  size_t end;
} speech_interval;

/* State between two chunks. All zero initially. */
typedef struct speech_tracker {
  bool speaking;
  size_t chunk;  /* number of chunks so far */
  size_t begin;  /* first chunk of the current speech */
  size_t paused; /* number of silent chunks at the end */
} speech_tracker;

/* Processes the probability of the next chunk. Returns true if an interval has ended. Speech starts
 * at probability 0.5 and ends after three silent chunks (96 ms). Intervals of fewer than eight
 * chunks (256 ms) are ignored. */
bool speech_next(speech_tracker *state, float probability,
                 speech_interval *out);

/* Ends the recording. Returns true if it ends within speech. */
bool speech_end(speech_tracker *state, speech_interval *out);

#endif /* ET_MODELS_LISTEN_SPEECH_H_ */
