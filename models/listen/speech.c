#include "models/listen/speech.h"

enum { kQuietChunks = 3, kShortest = 8 };

/* Hysteresis: the threshold for the end of speech is lower than the one for its start. */
static const float kBegins = 0.5f;
static const float kQuiet = 0.35f;

static bool finish(speech_tracker *state, speech_interval *out) {
  *out = (speech_interval){state->begin, state->chunk - state->paused};
  state->speaking = false;
  return out->end - out->begin >= kShortest;
}

bool speech_next(speech_tracker *state, float probability,
                 speech_interval *out) {
  if (!state->speaking && probability >= kBegins) {
    state->speaking = true;
    state->begin = state->chunk;
  }
  state->paused = probability < kQuiet ? state->paused + 1 : 0;
  ++state->chunk;
  return state->speaking && state->paused >= kQuietChunks && finish(state, out);
}

bool speech_end(speech_tracker *state, speech_interval *out) {
  return state->speaking && finish(state, out);
}
