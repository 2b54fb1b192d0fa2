/* Answers one prompt, or each line of a session.
 *
 *   chat [--temperature T] [--top-k K] [--top-p P] [--min-p P] [--repetition R] [--seed N]
 *        [--max-tokens N] [--system TEXT] [--threads N] [PROMPT]
 *
 * With temperature 0, the default, the most probable token is always selected. Ctrl-C stops an
 * answer. With --max-tokens 0, prompts are read but not answered. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cpu/threads/pool.h"
#include "executorch/text/chat_template.h"
#include "executorch/text/sampler.h"
#include "executorch/text/utf8_stream.h"
#include "models/chat/chat_vocabulary.h"
#include "models/chat/decoder.h"
#include "models/stopwatch.h"

enum { kLine = 16384, kText = kLine + 1024, kPiece = 256 };

typedef struct options {
  et_sampler_options sampling;
  uint64_t seed;
  size_t max_tokens;
  size_t threads;
  const char *system; /* NULL: the template's default */
  const char *prompt; /* NULL: a session */
} options;

/* A number of processed tokens, and the elapsed time. */
typedef struct speed {
  size_t tokens;
  double seconds;
} speed;

typedef struct session {
  options options;
  decoder decoder;
  int64_t tokens[kDecoderContext];
  float scores[kDecoderTokens];
  et_sampler_choice choices[kDecoderTokens];
  char text[kText];
  et_bpe_symbol symbols[kText];
  speed prompt;
  speed answer;
  et_error error;
} session;

static session talk;
static et_cpu_pool pool;
static volatile sig_atomic_t is_interrupted;

static void interrupt(int number) {
  (void)number;
  is_interrupted = 1;
}

static const et_chat_work *chat_work(void) {
  static const et_chat_work kWork = {talk.text, kText, talk.symbols, kText};
  return &kWork;
}

/* Parses an option's value, a number from 0 to UINT32_MAX. */
static bool read_number(const char *text, double *out) {
  char *end = NULL;
  *out = strtod(text, &end);
  return end != text && *end == '\0' && *out >= 0.0 && *out <= UINT32_MAX;
}

static bool set_number(const char *name, double value, options *out) {
  if (strcmp(name, "--temperature") == 0) {
    out->sampling.temperature = (float)value;
  } else if (strcmp(name, "--top-k") == 0) {
    out->sampling.top_k = (uint32_t)value;
  } else if (strcmp(name, "--top-p") == 0) {
    out->sampling.top_p = (float)value;
  } else if (strcmp(name, "--min-p") == 0) {
    out->sampling.min_p = (float)value;
  } else if (strcmp(name, "--repetition") == 0) {
    out->sampling.repetition = (float)value;
  } else if (strcmp(name, "--seed") == 0) {
    out->seed = (uint64_t)value;
  } else if (strcmp(name, "--max-tokens") == 0) {
    out->max_tokens = (size_t)value;
  } else if (strcmp(name, "--threads") == 0) {
    out->threads = (size_t)value;
  } else {
    return false;
  }
  return true;
}

static bool parse_options(int argc, char **argv, options *out) {
  for (int i = 1; i < argc; ++i) {
    double value = 0.0;
    if (argv[i][0] != '-' && out->prompt == NULL) {
      out->prompt = argv[i];
    } else if (strcmp(argv[i], "--system") == 0 && i + 1 < argc) {
      out->system = argv[++i];
    } else if (i + 1 < argc && read_number(argv[i + 1], &value) &&
               set_number(argv[i], value, out)) {
      ++i;
    } else {
      return false;
    }
  }
  return out->threads >= 1 && out->threads <= ET_CPU_POOL_MAX_THREADS;
}

/* Appends the tokens of a message to talk.tokens[*count ...]. */
static et_status add_message(et_chat_role role, const char *text,
                             size_t *count) {
  const size_t added = et_chat_message(
      &chat_vocabulary_chat, &chat_vocabulary, role, text, strlen(text),
      talk.tokens + *count, kDecoderContext - *count, chat_work());
  if (added == ET_CHAT_TOO_LONG) {
    return et_fail(&talk.error, ET_STATUS_OUT_OF_RESOURCES,
                   "a message of %zu bytes is too long; shorten it",
                   strlen(text));
  }
  *count += added;
  return ET_STATUS_OK;
}

static et_status add_parts(const et_chat_parts *parts, size_t *count) {
  const size_t added =
      et_chat_parts_tokens(parts, &chat_vocabulary, talk.tokens + *count,
                           kDecoderContext - *count, chat_work());
  if (added == ET_CHAT_TOO_LONG) {
    return et_fail(&talk.error, ET_STATUS_OUT_OF_RESOURCES,
                   "the message leaves no space for an answer; shorten it");
  }
  *count += added;
  return ET_STATUS_OK;
}

/* Writes the tokens of a prompt, up to the start of the answer. */
static et_status make_tokens(const char *prompt, size_t *count) {
  const et_chat_template *chat = &chat_vocabulary_chat;
  *count = 0;
  if (talk.decoder.length > 0) {
    ET_RETURN_IF_ERROR(add_parts(&chat->after[ET_CHAT_ASSISTANT], count));
  } else if (talk.options.system != NULL) {
    ET_RETURN_IF_ERROR(add_message(ET_CHAT_SYSTEM, talk.options.system, count));
  } else {
    ET_RETURN_IF_ERROR(add_parts(&chat->opening, count));
  }
  ET_RETURN_IF_ERROR(add_message(ET_CHAT_USER, prompt, count));
  return add_parts(&chat->answer, count);
}

static et_status take(const int64_t *tokens, size_t count, speed *speed) {
  const float *scores = NULL;
  const double start = stopwatch_seconds();
  ET_RETURN_IF_ERROR(
      decoder_take(&talk.decoder, tokens, count, &scores, &talk.error));
  speed->seconds += stopwatch_seconds() - start;
  speed->tokens += count;
  memcpy(talk.scores, scores, sizeof talk.scores);
  return ET_STATUS_OK;
}

static int64_t choose(const int64_t *answer, size_t count) {
  et_sampler_penalize(talk.options.sampling.repetition, talk.scores,
                      kDecoderTokens, answer, count);
  return et_sampler_choose(&talk.options.sampling, talk.scores, kDecoderTokens,
                           &talk.options.seed, talk.choices);
}

static void print_token(et_utf8_stream *characters, int64_t token) {
  char out[ET_UTF8_STREAM_BYTES(kPiece)];
  size_t size = 0;
  const char *piece = et_bpe_piece(&chat_vocabulary, token, &size);
  for (size_t at = 0; at < size; at += kPiece) {
    const size_t part = size - at < kPiece ? size - at : kPiece;
    fwrite(out, 1, et_utf8_stream_push(characters, piece + at, part, out),
           stdout);
  }
  fflush(stdout);
}

/* Prints the answer token by token, and adds its tokens to the cache. */
static et_status answer(void) {
  et_utf8_stream characters = {0};
  size_t count = 0;
  for (int64_t token = choose(NULL, 0);
       !et_chat_is_stop(&chat_vocabulary_chat, token) && !is_interrupted &&
       count < talk.options.max_tokens;
       token = choose(talk.tokens, count)) {
    talk.tokens[count++] = token;
    print_token(&characters, token);
    ET_RETURN_IF_ERROR(take(&token, 1, &talk.answer));
  }
  return ET_STATUS_OK;
}

static et_status reply(const char *prompt) {
  size_t count = 0;
  is_interrupted = 0;
  ET_RETURN_IF_ERROR(make_tokens(prompt, &count));
  ET_RETURN_IF_ERROR(take(talk.tokens, count, &talk.prompt));
  const et_status status = answer();
  putchar('\n');
  fflush(stdout); /* before the timings on stderr */
  return status;
}

/* Skips the rest of a line. Returns the number of bytes. */
static size_t skip_line(void) {
  size_t skipped = 0;
  for (int c = getchar(); c != EOF && c != '\n'; c = getchar()) {
    ++skipped;
  }
  return skipped;
}

/* Reads a line without its end; returns false at the end of the input. A line that is too long is
 * reported and read as empty. */
static bool read_line(char *line) {
  fputs("> ", stderr);
  if (fgets(line, kLine, stdin) == NULL) {
    return false;
  }
  if (strchr(line, '\n') == NULL && skip_line() > 0) {
    fprintf(stderr, "the line is longer than %d bytes; shorten it\n",
            kLine - 2);
    line[0] = '\0';
  }
  line[strcspn(line, "\r\n")] = '\0';
  return true;
}

static et_status converse(void) {
  static char line[kLine];
  if (talk.options.prompt != NULL) {
    return reply(talk.options.prompt);
  }
  while (read_line(line)) {
    if (line[0] != '\0') {
      ET_RETURN_IF_ERROR(reply(line));
    }
  }
  return ET_STATUS_OK;
}

static double rate(speed speed) {
  return speed.seconds > 0.0 ? (double)speed.tokens / speed.seconds : 0.0;
}

static void print_costs(void) {
  fprintf(stderr,
          "prompt: %zu tokens, %.1f a second; answer: %zu tokens, %.1f a "
          "second; memory: "
          "%.1f MB program, %.1f MB cache, %.1f MB scratch\n",
          talk.prompt.tokens, rate(talk.prompt), talk.answer.tokens,
          rate(talk.answer), CHAT_PROGRAM_BYTES / 1e6, CHAT_STATE_BYTES / 1e6,
          (sizeof(decoder) - CHAT_STATE_BYTES) / 1e6);
}

static et_status run_chat(void) {
  const et_method_options options = {.parallel = &pool.parallel};
  ET_RETURN_IF_ERROR(decoder_load(&talk.decoder, &options, &talk.error));
  const et_status status = converse();
  print_costs();
  return status;
}

int main(int argc, char **argv) {
  talk.options = (options){.max_tokens = 512, .threads = 1};
  if (!parse_options(argc, argv, &talk.options)) {
    fprintf(
        stderr,
        "usage: %s [--temperature T] [--top-k K] [--top-p P] [--min-p P] "
        "[--repetition R] "
        "[--seed N] [--max-tokens N] [--system TEXT] [--threads N] [PROMPT]\n",
        argv[0]);
    return 2;
  }
  signal(SIGINT, interrupt);
  et_status status =
      et_cpu_pool_create(&pool, talk.options.threads, &talk.error);
  if (status == ET_STATUS_OK) {
    status = run_chat();
    et_cpu_pool_destroy(&pool);
  }
  if (status != ET_STATUS_OK) {
    fprintf(stderr, "%s\n", talk.error.message);
  }
  return status == ET_STATUS_OK ? 0 : 1;
}
