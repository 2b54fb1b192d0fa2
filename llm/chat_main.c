/* Answers one prompt, or each line of a session.
 *
 *   chat [--temperature T] [--top-k K] [--top-p P] [--min-p P] [--repetition R] [--presence P]
 *        [--frequency F] [--seed N] [--max-tokens N] [--stop TEXT] [--system TEXT] [--threads N]
 *        [--adapter NAME] [--slide] [PROMPT]
 *
 * With temperature 0, the default, the most probable token is always selected. Ctrl-C stops an
 * answer. With --max-tokens 0, prompts are read but not answered. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executorch/llm/hosted.h"

/* The build defines the model, MODEL, and its header, MODEL_HEADER. */
#include MODEL_HEADER

enum { kLine = 16384 };

typedef struct options {
  et_llm_generation generation;
  const char *stop;
  size_t threads;
  const char *system;  /* NULL: the template's default */
  const char *adapter; /* NULL: none */
  const char *prompt;  /* NULL: a session */
  bool answers;
} options;

/* Sums over all answers. */
typedef struct costs {
  size_t prompt_tokens;
  size_t answer_tokens;
  double prompt_seconds;
  double answer_seconds;
} costs;

static et_llm_session *session;

static void interrupt(int number) {
  (void)number;
  et_llm_cancel(session);
}

/* Parses an option's value, a number from 0 to UINT32_MAX. */
static bool read_number(const char *text, double *out) {
  char *end = NULL;
  *out = strtod(text, &end);
  return end != text && *end == '\0' && *out >= 0.0 && *out <= UINT32_MAX;
}

static bool set_number(const char *name, double value, options *out) {
  et_sampler_options *sampling = &out->generation.sampling;
  const struct {
    const char *name;
    float *value;
  } numbers[] = {
      {"--temperature", &sampling->temperature},
      {"--top-p", &sampling->top_p},
      {"--min-p", &sampling->min_p},
      {"--repetition", &sampling->repetition},
      {"--presence", &sampling->presence},
      {"--frequency", &sampling->frequency},
  };
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
    if (strcmp(name, numbers[i].name) == 0) {
      *numbers[i].value = (float)value;
      return true;
    }
  }
  if (strcmp(name, "--top-k") == 0) {
    sampling->top_k = (uint32_t)value;
  } else if (strcmp(name, "--seed") == 0) {
    out->generation.seed = (uint64_t)value;
  } else if (strcmp(name, "--max-tokens") == 0) {
    out->generation.max_tokens = (size_t)value;
    out->answers = out->generation.max_tokens != 0;
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
    } else if (strcmp(argv[i], "--slide") == 0) {
      out->generation.overflow = ET_LLM_OVERFLOW_SLIDE;
    } else if (strcmp(argv[i], "--system") == 0 && i + 1 < argc) {
      out->system = argv[++i];
    } else if (strcmp(argv[i], "--adapter") == 0 && i + 1 < argc) {
      out->adapter = argv[++i];
    } else if (strcmp(argv[i], "--stop") == 0 && i + 1 < argc) {
      out->stop = argv[++i];
      out->generation.stops = &out->stop;
      out->generation.stop_count = 1;
    } else if (i + 1 < argc && read_number(argv[i + 1], &value) &&
               set_number(argv[i], value, out)) {
      ++i;
    } else {
      return false;
    }
  }
  return out->threads >= 1;
}

/* Prints an answer, after et_llm_begin. */
static et_status print_answer(et_error *error) {
  et_llm_piece piece = {.finish = ET_LLM_FINISH_NONE};
  while (piece.finish == ET_LLM_FINISH_NONE) {
    ET_RETURN_IF_ERROR(et_llm_next(session, &piece, error));
    fwrite(piece.text, 1, piece.size, stdout);
    fflush(stdout);
  }
  return piece.finish != ET_LLM_FINISH_CONTEXT
             ? ET_STATUS_OK
             : et_fail(error, ET_STATUS_OUT_OF_RESOURCES,
                       "the context is full; start a new conversation, or pass "
                       "--slide");
}

static et_status reply(const options *options, const char *line, costs *sum,
                       et_error *error) {
  size_t length = 0;
  (void)et_llm_get_tokens(session, &length);
  const bool has_system = length == 0 && options->system != NULL;
  const et_llm_message messages[2] = {
      {ET_CHAT_SYSTEM, options->system,
       has_system ? strlen(options->system) : 0},
      {ET_CHAT_USER, line, strlen(line)}};
  const et_llm_prompt prompt = {.messages =
                                    has_system ? messages : messages + 1,
                                .message_count = has_system ? 2 : 1,
                                .continues = true};
  ET_RETURN_IF_ERROR(
      et_llm_begin(session, &prompt, &options->generation, error));
  const et_status status =
      options->answers ? print_answer(error) : ET_STATUS_OK;
  const et_llm_stats *stats = et_llm_get_stats(session);
  sum->prompt_tokens += stats->prompt_tokens - stats->reused_tokens;
  sum->answer_tokens += stats->generated_tokens;
  sum->prompt_seconds += stats->prompt_seconds;
  sum->answer_seconds += stats->generation_seconds;
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

static et_status converse(const options *options, costs *sum, et_error *error) {
  static char line[kLine];
  if (options->prompt != NULL) {
    return reply(options, options->prompt, sum, error);
  }
  while (read_line(line)) {
    if (line[0] != '\0') {
      ET_RETURN_IF_ERROR(reply(options, line, sum, error));
    }
  }
  return ET_STATUS_OK;
}

static double rate(size_t tokens, double seconds) {
  return seconds > 0.0 ? (double)tokens / seconds : 0.0;
}

static void print_costs(const et_llm *llm, const costs *sum) {
  const et_llm_info *info = et_llm_get_info(llm);
  const size_t scratch =
      info->llm_bytes + info->session_bytes - info->cache_bytes;
  fprintf(stderr,
          "prompt: %zu tokens, %.1f a second; answer: %zu tokens, %.1f a "
          "second; memory: %.1f MB program, %.1f MB cache, %.1f MB scratch\n",
          sum->prompt_tokens, rate(sum->prompt_tokens, sum->prompt_seconds),
          sum->answer_tokens, rate(sum->answer_tokens, sum->answer_seconds),
          (double)MODEL.program.size / 1e6, (double)info->cache_bytes / 1e6,
          (double)scratch / 1e6);
}

static et_status run_chat(const options *options, et_error *error) {
  et_llm *llm = NULL;
  costs sum = {0, 0, 0.0, 0.0};
  ET_RETURN_IF_ERROR(et_llm_create(&MODEL, options->threads, &llm, error));
  et_status status = et_llm_session_create(llm, &session, error);
  if (status == ET_STATUS_OK) {
    status = et_llm_set_adapter(session, options->adapter, error);
  }
  if (status == ET_STATUS_OK) {
    signal(SIGINT, interrupt);
    status = converse(options, &sum, error);
    print_costs(llm, &sum);
    signal(SIGINT, SIG_DFL);
  }
  et_llm_session_destroy(session);
  et_llm_destroy(llm);
  return status;
}

int main(int argc, char **argv) {
  options options = {
      .generation = {.max_tokens = 512}, .threads = 1, .answers = true};
  et_error error = ET_ERROR_INIT;
  if (!parse_options(argc, argv, &options)) {
    fprintf(stderr,
            "usage: %s [--temperature T] [--top-k K] [--top-p P] [--min-p P] "
            "[--repetition R] [--presence P] [--frequency F] [--seed N] "
            "[--max-tokens N] [--stop TEXT] [--system TEXT] [--threads N] "
            "[--adapter NAME] [--slide] [PROMPT]\n",
            argv[0]);
    return 2;
  }
  if (run_chat(&options, &error) != ET_STATUS_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  return 0;
}
