/* Ranks the lines of a text by their similarity to a query.
 *
 *   search CORPUS.txt QUERY [COUNT]
 *
 * Prints the COUNT (default: 10) best lines with their cosine similarity; 1
 * means equal. The embeddings of all lines are cached in CORPUS.txt.vectors,
 * and recomputed if the text or the network has changed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/search/corpus.h"
#include "models/search/encoder.h"

enum { kDefaultCount = 10, kBarWidth = 40, kPathBytes = 4096 };

static const char kSuffix[] = ".vectors";

/* A text, and the embedding of each line. */
typedef struct searchable {
  corpus text;
  float *vectors; /* [text.count, ENCODER_WIDTH] */
} searchable;

static void show_progress(size_t done, size_t count) {
  /* Updates the output only when the bar changes. */
  const size_t filled = done * kBarWidth / count;
  if (done > 0 && filled == (done - 1) * kBarWidth / count) {
    return;
  }
  fprintf(stderr, "\rreading %zu lines [", count);
  for (size_t i = 0; i < kBarWidth; ++i) {
    fputc(i < filled ? '#' : ' ', stderr);
  }
  fputs(done < count ? "]" : "]\n", stderr);
}

static et_status embed_lines(searchable *all, et_error *error) {
  for (size_t i = 0; i < all->text.count; ++i) {
    const corpus_line *line = &all->text.lines[i];
    show_progress(i, all->text.count);
    ET_RETURN_IF_ERROR(encoder_embed(line->text, line->size,
                                     all->vectors + i * ENCODER_WIDTH, error));
  }
  show_progress(all->text.count, all->text.count);
  return ET_STATUS_OK;
}

/* Reads the embeddings from the cache file, or computes and writes them. */
static et_status find_vectors(const char *path, searchable *all,
                              et_error *error) {
  char cache_path[kPathBytes];
  snprintf(cache_path, sizeof cache_path, "%s%s", path, kSuffix);
  const size_t elements = all->text.count * ENCODER_WIDTH;
  const uint64_t key =
      hash_bytes(encoder_identity(), all->text.bytes, all->text.size);
  if (vectors_read(cache_path, key, all->vectors, elements)) {
    return ET_STATUS_OK;
  }
  ET_RETURN_IF_ERROR(embed_lines(all, error));
  vectors_write(cache_path, key, all->vectors, elements);
  return ET_STATUS_OK;
}

typedef struct hit {
  float score;
  size_t line;
} hit;

static int by_score(const void *a, const void *b) {
  const hit *x = a;
  const hit *y = b;
  if (x->score != y->score) {
    return x->score < y->score ? 1 : -1;
  }
  return (x->line > y->line) - (x->line < y->line);
}

static bool is_blank(const corpus_line *line) {
  for (size_t i = 0; i < line->size; ++i) {
    if (strchr(" \t", line->text[i]) == NULL) {
      return false;
    }
  }
  return true;
}

/* Sorts lines by descending similarity, without blank lines. Returns their number. */
static size_t rank(const searchable *all, const float *query, hit *out) {
  size_t count = 0;
  for (size_t line = 0; line < all->text.count; ++line) {
    const float *vector = all->vectors + line * ENCODER_WIDTH;
    float score = 0;
    for (int i = 0; i < ENCODER_WIDTH; ++i) {
      score += vector[i] * query[i];
    }
    if (!is_blank(&all->text.lines[line])) {
      out[count++] = (hit){score, line};
    }
  }
  qsort(out, count, sizeof *out, by_score);
  return count;
}

static void print_hits(const searchable *all, const hit *hits, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const corpus_line *line = &all->text.lines[hits[i].line];
    printf("%6.3f  ", (double)hits[i].score);
    fwrite(line->text, 1, line->size, stdout); /* arbitrary bytes */
    putchar('\n');
  }
}

static et_status search(const char *path, const char *query, size_t count,
                        searchable *all, hit *hits, et_error *error) {
  float wanted[ENCODER_WIDTH];
  ET_RETURN_IF_ERROR(encoder_load(error));
  ET_RETURN_IF_ERROR(find_vectors(path, all, error));
  ET_RETURN_IF_ERROR(encoder_embed(query, strlen(query), wanted, error));
  const size_t found = rank(all, wanted, hits);
  print_hits(all, hits, count < found ? count : found);
  return ET_STATUS_OK;
}

static et_status search_file(const char *path, const char *query, size_t count,
                             searchable *all, et_error *error) {
  hit *hits = malloc(all->text.count * sizeof *hits);
  all->vectors = malloc(all->text.count * ENCODER_WIDTH * sizeof(float));
  const et_status status =
      hits != NULL && all->vectors != NULL
          ? search(path, query, count, all, hits, error)
          : et_fail(error, ET_STATUS_OUT_OF_RESOURCES,
                    "out of memory for %zu lines", all->text.count);
  free(all->vectors);
  free(hits);
  return status;
}

int main(int argc, char **argv) {
  const long count = argc > 3 ? strtol(argv[3], NULL, 10) : kDefaultCount;
  if (argc < 3 || argc > 4 || count < 1) {
    fprintf(stderr, "usage: search CORPUS.txt QUERY [COUNT]\n");
    return EXIT_FAILURE;
  }
  searchable all = {0};
  if (!corpus_read(argv[1], &all.text)) {
    return EXIT_FAILURE;
  }
  et_error error = ET_ERROR_INIT;
  const et_status status =
      search_file(argv[1], argv[2], (size_t)count, &all, &error);
  if (status != ET_STATUS_OK) {
    fprintf(stderr, "search: %s: %s\n", et_status_text(status), error.message);
  }
  corpus_free(&all.text);
  return status == ET_STATUS_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
