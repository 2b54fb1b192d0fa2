/* A picture of a recording. */
#ifndef ET_MODELS_LISTEN_SVG_H_
#define ET_MODELS_LISTEN_SVG_H_

#include <stdbool.h>
#include <stddef.h>

#include "models/listen/wav.h"

/* Writes the signal, with where somebody speaks behind it and how likely that is as a line:
 * speaking[i] and probabilities[i] are those of chunk i. On failure returns false and prints why
 * to stderr. */
bool svg_write(const char *path, const wav *sound, const float *probabilities,
               const bool *speaking, size_t chunks);

#endif /* ET_MODELS_LISTEN_SVG_H_ */
