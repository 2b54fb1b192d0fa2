#include "models/search/corpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kFirstRead = 1 << 16, kPathBytes = 4096 };

/* Reads the whole file. Returns an error message, or NULL. */
static const char *read_bytes(FILE *file, corpus *out) {
  size_t capacity = 0;
  while (!feof(file) && !ferror(file)) {
    if (out->size == capacity) {
      capacity = capacity == 0 ? kFirstRead : 2 * capacity;
      char *bytes = realloc(out->bytes, capacity);
      if (bytes == NULL) {
        return "out of memory";
      }
      out->bytes = bytes;
    }
    out->size += fread(out->bytes + out->size, 1, capacity - out->size, file);
  }
  return ferror(file) ? "cannot be read" : NULL;
}

/* Returns the size of the line at `text` without its line ending, and sets
 * *out_whole to the size including it. */
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

uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size) {
  const uint8_t *byte = bytes;
  for (size_t i = 0; i < size; ++i) {
    hash = (hash ^ byte[i]) * 1099511628211u;
  }
  return hash;
}

/* Header of the file. The vectors follow. */
typedef struct head {
  char magic[8];
  uint64_t key;
  uint64_t elements;
  uint64_t checksum; /* checksum of the vectors */
} head;

static head head_of(uint64_t key, const float *vectors, size_t elements) {
  return (head){
      {'v', 'e', 'c', 't', 'o', 'r', 's', '1'},
      key,
      elements,
      hash_bytes(HASH_START, vectors, elements * sizeof *vectors),
  };
}

bool vectors_read(const char *path, uint64_t key, float *out, size_t elements) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    return false;
  }
  head found;
  const bool whole = fread(&found, sizeof found, 1, file) == 1 &&
                     fread(out, sizeof *out, elements, file) == elements &&
                     fgetc(file) == EOF;
  fclose(file);
  if (!whole) {
    return false;
  }
  const head expected = head_of(key, out, elements);
  return memcmp(&found, &expected, sizeof found) == 0;
}

static bool write_all(FILE *file, const head *start, const float *vectors) {
  const bool written = fwrite(start, sizeof *start, 1, file) == 1 &&
                       fwrite(vectors, sizeof *vectors, start->elements,
                              file) == start->elements;
  return fclose(file) == 0 && written;
}

bool vectors_write(const char *path, uint64_t key, const float *vectors,
                   size_t elements) {
  char part[kPathBytes];
  const int length = snprintf(part, sizeof part, "%s.part", path);
  FILE *file = length < kPathBytes ? fopen(part, "wb") : NULL;
  const head start = head_of(key, vectors, elements);
  if (file == NULL || !write_all(file, &start, vectors) ||
      rename(part, path) != 0) {
    fprintf(stderr, "search: cannot cache the vectors: ");
    perror(path);
    remove(part);
    return false;
  }
  return true;
}
