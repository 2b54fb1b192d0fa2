/* Prints the intervals of speech in recordings, in seconds, as they are found.
 *
 *   listen FILE.wav ... [--chunks] [--svg FILE.svg]
 *
 * --chunks also prints the speech probability of each chunk of 32 ms. --svg draws the last
 * recording. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/listen/listen_cc.h"
#include "models/listen/recording.h"

enum { kChunk = 512 };

/* ---- Intervals of speech, from the speech probability of each chunk ---- */

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

enum { kQuietChunks = 3, kShortest = 8 };

/* Hysteresis: the threshold that ends speech is lower than the one that starts
 * it. */
static const float kBegins = 0.5f;
static const float kQuiet = 0.35f;

static bool finish(speech_tracker *state, speech_interval *out) {
  *out = (speech_interval){state->begin, state->chunk - state->paused};
  state->speaking = false;
  return out->end - out->begin >= kShortest;
}

/* Processes the probability of the next chunk. Returns true if an interval
 * ended. Speech starts at probability 0.5 and ends after three silent chunks
 * (96 ms). Intervals of fewer than eight chunks (256 ms) are ignored. */
static bool speech_next(speech_tracker *state, float probability,
                        speech_interval *out) {
  if (!state->speaking && probability >= kBegins) {
    state->speaking = true;
    state->begin = state->chunk;
  }
  state->paused = probability < kQuiet ? state->paused + 1 : 0;
  ++state->chunk;
  return state->speaking && state->paused >= kQuietChunks && finish(state, out);
}

/* Ends the recording. Returns true if it ends within speech. */
static bool speech_end(speech_tracker *state, speech_interval *out) {
  return state->speaking && finish(state, out);
}

/* ---- The program ---- */

static listen_forward_memory memory;

typedef struct options {
  char **sounds; /* `count` of them */
  size_t count;
  const char *svg; /* NULL: none */
  bool chunks;
} options;

/* Parses the options, and moves the names of recordings to the front of `argv`. */
static bool parse_options(char **argv, options *out) {
  *out = (options){argv, 0, NULL, false};
  for (char **argument = argv + 1; *argument != NULL; ++argument) {
    if (strcmp(*argument, "--chunks") == 0) {
      out->chunks = true;
    } else if (strcmp(*argument, "--svg") == 0 && argument[1] != NULL) {
      out->svg = *++argument;
    } else if (**argument != '-') {
      out->sounds[out->count++] = *argument;
    } else {
      return false;
    }
  }
  return out->count > 0;
}

/* Results for each chunk of a recording. */
typedef struct findings {
  size_t chunks;
  float *probabilities;
  bool *speaking;
} findings;

static double seconds(size_t chunk) {
  return (double)(chunk * kChunk) / WAV_RATE;
}

static void note(findings *found, const speech_interval *interval) {
  printf("%8.2f s to %8.2f s\n", seconds(interval->begin),
         seconds(interval->end));
  fflush(stdout);
  for (size_t i = interval->begin; i < interval->end; ++i) {
    found->speaking[i] = true;
  }
}

/* Runs the network on each chunk. The last chunk is padded with silence. */
static et_status hear(listen_forward_method method, const wav *sound,
                      size_t chunk, float *out, et_error *error) {
  float samples[kChunk] = {0};
  const size_t left = sound->count - chunk * kChunk;
  memcpy(samples, sound->samples + chunk * kChunk,
         (left < kChunk ? left : kChunk) * sizeof *samples);
  const float *probability = NULL;
  ET_RETURN_IF_ERROR(listen_forward_set_samples(method, samples, error));
  ET_RETURN_IF_ERROR(listen_forward_execute(method, error));
  ET_RETURN_IF_ERROR(listen_forward_get_output_0(method, &probability, error));
  *out = *probability;
  return ET_STATUS_OK;
}

static et_status listen(const wav *sound, bool print_chunks, findings *found,
                        et_error *error) {
  listen_forward_method method = {NULL};
  speech_tracker state = {0};
  speech_interval interval;
  ET_RETURN_IF_ERROR(listen_forward_load(&memory, NULL, &method, error));
  for (size_t i = 0; i < found->chunks; ++i) {
    float *probability = &found->probabilities[i];
    ET_RETURN_IF_ERROR(hear(method, sound, i, probability, error));
    if (print_chunks) {
      printf("%8.3f s  %.6f\n", seconds(i), (double)*probability);
    }
    if (speech_next(&state, *probability, &interval)) {
      note(found, &interval);
    }
  }
  if (speech_end(&state, &interval)) {
    note(found, &interval);
  }
  return ET_STATUS_OK;
}

static et_status listen_and_draw(const wav *sound, bool print_chunks,
                                 const char *svg, et_error *error) {
  const size_t chunks = (sound->count + kChunk - 1) / kChunk;
  findings found = {chunks, calloc(chunks, sizeof(float)),
                    calloc(chunks, sizeof(bool))};
  et_status status = found.probabilities != NULL && found.speaking != NULL
                         ? listen(sound, print_chunks, &found, error)
                         : et_fail(error, ET_STATUS_OUT_OF_RESOURCES,
                                   "out of memory for %zu chunks", chunks);
  if (status == ET_STATUS_OK && svg != NULL &&
      !svg_write(svg, sound, found.probabilities, found.speaking, chunks)) {
    status =
        et_fail(error, ET_STATUS_ACCESS_FAILED, "the drawing was not written");
  }
  free(found.probabilities);
  free(found.speaking);
  return status;
}

/* Processes one recording. Prints an error and returns false on failure. */
static bool hear_file(const options *chosen, size_t index) {
  const bool is_last = index + 1 == chosen->count;
  wav sound;
  if (!wav_read(chosen->sounds[index], &sound)) {
    return false;
  }
  if (chosen->count > 1) {
    printf("%s\n", chosen->sounds[index]);
  }
  et_error error = ET_ERROR_INIT;
  const et_status status = listen_and_draw(
      &sound, chosen->chunks, is_last ? chosen->svg : NULL, &error);
  if (status != ET_STATUS_OK) {
    fprintf(stderr, "listen: %s: %s\n", et_status_text(status), error.message);
  }
  wav_free(&sound);
  return status == ET_STATUS_OK;
}

int main(int argc, char **argv) {
  options chosen;
  if (argc < 2 || !parse_options(argv, &chosen)) {
    fprintf(stderr, "usage: listen FILE.wav ... [--chunks] [--svg FILE.svg]\n");
    return EXIT_FAILURE;
  }
  for (size_t i = 0; i < chosen.count; ++i) {
    if (!hear_file(&chosen, i)) {
      return EXIT_FAILURE;
    }
  }
  return EXIT_SUCCESS;
}
