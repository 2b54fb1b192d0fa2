#include "models/search/corpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kFirstRead = 1 << 16 };

/* Reads the whole file. Returns an error message, or NULL. */
static const char *read_bytes(FILE *file, corpus *out) {
  size_t room = 0;
  while (!feof(file) && !ferror(file)) {
    if (out->size == room) {
      room = room == 0 ? kFirstRead : 2 * room;
      char *bytes = realloc(out->bytes, room);
      if (bytes == NULL) {
        return "out of memory";
      }
      out->bytes = bytes;
    }
    out->size += fread(out->bytes + out->size, 1, room - out->size, file);
  }
  return ferror(file) ? "cannot be read" : NULL;
}

/* Returns the size of the line at `text` without its end, and sets *out_whole to the size with
 * it. */
static size_t line_size(const char *text, size_t left, size_t *out_whole) {
  const char *end = memchr(text, '\n', left);
  const size_t size = end == NULL ? left : (size_t)(end - text);
  *out_whole = end == NULL ? left : size + 1;
  return size > 0 && text[size - 1] == '\r' ? size - 1 : size;
}

static size_t split(const corpus *text, corpus_line *lines) {
  size_t count = 0;
  size_t whole = 0;
  for (size_t at = 0; at < text->size; at += whole, ++count) {
    const size_t size = line_size(text->bytes + at, text->size - at, &whole);
    if (lines != NULL) {
      lines[count] = (corpus_line){text->bytes + at, size};
    }
  }
  return count;
}

static const char *read_lines(FILE *file, corpus *out) {
  const char *problem = read_bytes(file, out);
  if (problem != NULL) {
    return problem;
  }
  out->count = split(out, NULL);
  if (out->count == 0) {
    return "has no lines";
  }
  out->lines = malloc(out->count * sizeof *out->lines);
  if (out->lines == NULL) {
    return "out of memory";
  }
  split(out, out->lines);
  return NULL;
}

bool corpus_read(const char *path, corpus *out) {
  *out = (corpus){NULL, 0, NULL, 0};
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    perror(path);
    return false;
  }
  const char *problem = read_lines(file, out);
  fclose(file);
  if (problem != NULL) {
    fprintf(stderr, "%s: %s\n", path, problem);
    corpus_free(out);
  }
  return problem == NULL;
}

void corpus_free(corpus *text) {
  free(text->bytes);
  free(text->lines);
  *text = (corpus){NULL, 0, NULL, 0};
}
