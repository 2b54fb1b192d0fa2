/* Where somebody speaks, from how likely it is chunk by chunk. */
#ifndef ET_MODELS_LISTEN_SPEECH_H_
#define ET_MODELS_LISTEN_SPEECH_H_

#include <stdbool.h>
#include <stddef.h>

/* From the first chunk up to the one before `end`. */
typedef struct speech_interval {
  size_t begin;
  size_t end;
} speech_interval;

/* What is known between two chunks; begins as zeros. */
typedef struct speech_tracker {
  bool speaking;
  size_t chunk;  /* how many there were */
  size_t begin;  /* of the speech */
  size_t paused; /* how many chunks of silence are at its end */
} speech_tracker;

/* Takes the next chunk's probability; true when an interval has ended. Speech begins where
 * it is likelier than not and ends with three chunks (96 ms) that are quiet; what is shorter
 * than eight (256 ms) is none. */
bool speech_next(speech_tracker *state, float probability,
                 speech_interval *out);

/* Ends the recording: true when it ended in speech. */
bool speech_end(speech_tracker *state, speech_interval *out);

#endif /* ET_MODELS_LISTEN_SPEECH_H_ */
