/* A text file, line by line. */
#ifndef ET_MODELS_SEARCH_CORPUS_H_
#define ET_MODELS_SEARCH_CORPUS_H_

#include <stdbool.h>
#include <stddef.h>

typedef struct corpus_line {
  const char *text;
  size_t size;
} corpus_line;

/* Owned: release with corpus_free. */
typedef struct corpus {
  char *bytes;
  size_t size;
  corpus_line *lines;
  size_t count;
} corpus;

/* Reads all of the file. On failure returns false and prints why to stderr. */
bool corpus_read(const char *path, corpus *out);

void corpus_free(corpus *text);

#endif /* ET_MODELS_SEARCH_CORPUS_H_ */
