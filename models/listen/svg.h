/* Draws a recording. */
#ifndef ET_MODELS_LISTEN_SVG_H_
#define ET_MODELS_LISTEN_SVG_H_

#include <stdbool.h>
#include <stddef.h>

#include "models/listen/wav.h"

/* Draws the signal over the intervals of speech, and the speech probability as a line. speaking[i]
 * and probabilities[i] belong to chunk i. On failure, returns false and prints the reason to
 * stderr. */
bool svg_write(const char *path, const wav *sound, const float *probabilities,
               const bool *speaking, size_t chunks);

#endif /* ET_MODELS_LISTEN_SVG_H_ */
