/* A text file, split into lines. */
#ifndef ET_MODELS_SEARCH_CORPUS_H_
#define ET_MODELS_SEARCH_CORPUS_H_

#include <stdbool.h>
#include <stddef.h>

typedef struct corpus_line {
  const char *text;
  size_t size;
} corpus_line;

/* The text is owned. Release it with corpus_free. */
typedef struct corpus {
  char *bytes;
  size_t size;
  corpus_line *lines;
  size_t count;
} corpus;

/* Reads a whole file. On failure, returns false and prints the reason to stderr. */
bool corpus_read(const char *path, corpus *out);

void corpus_free(corpus *text);

#endif /* ET_MODELS_SEARCH_CORPUS_H_ */
