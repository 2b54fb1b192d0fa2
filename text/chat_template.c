#include "executorch/text/chat_template.h"

#include <string.h>

#include "text/utf8.h"

/* ---- Text of messages ---- */

typedef struct span {
  const char *text;
  size_t size;
} span;

/* The whitespace of Python's str.strip, which templates call. */
static bool is_space(uint32_t point) {
  return (point >= 0x09 && point <= 0x0d) || (point >= 0x1c && point <= 0x20) ||
         point == 0x85 || point == 0xa0 || point == 0x1680 ||
         (point >= 0x2000 && point <= 0x200a) || point == 0x2028 ||
         point == 0x2029 || point == 0x202f || point == 0x205f ||
         point == 0x3000;
}

static bool is_trimmed(uint32_t point, et_chat_trim trim) {
  return trim == ET_CHAT_TRIM_SPACES ? is_space(point) : point == '\n';
}

static span trim_start(span content, et_chat_trim trim) {
  while (trim != ET_CHAT_KEEP && content.size > 0) {
    size_t end = 0;
    if (!is_trimmed(et_text_decode(content.text, content.size, &end), trim)) {
      break;
    }
    content.text += end;
    content.size -= end;
  }
  return content;
}

static span trim_end(span content, et_chat_trim trim) {
  while (trim != ET_CHAT_KEEP && content.size > 0) {
    size_t start = content.size - 1;
    size_t size = 0;
    while (start > 0 && ((uint8_t)content.text[start] & 0xc0) == 0x80 &&
           content.size - start < ET_TEXT_UTF8_MAX) {
      --start;
    }
    const uint32_t last =
        et_text_decode(content.text + start, content.size - start, &size);
    if (size != content.size - start || !is_trimmed(last, trim)) {
      break;
    }
    content.size = start;
  }
  return content;
}

/* Removes the text up to the last "</think>". */
static span drop_thoughts(span content, et_chat_trim trim) {
  static const char kEnd[] = "</think>";
  const size_t size = sizeof kEnd - 1;
  for (size_t end = content.size; end >= size; --end) {
    if (memcmp(content.text + end - size, kEnd, size) == 0) {
      const span rest = {content.text + end, content.size - end};
      return trim_start(rest, trim);
    }
  }
  return content;
}

static const et_chat_format *format_of(const et_chat_template *chat,
                                       const et_chat_request *request,
                                       size_t index) {
  const et_chat_message *message = &request->messages[index];
  const bool is_first = message->role == ET_CHAT_USER && index > 0 &&
                        message[-1].role == ET_CHAT_SYSTEM;
  return &chat->formats[is_first ? ET_CHAT_FIRST_USER : (int)message->role];
}

/* ---- Checks ---- */

static const char *check_order(const et_chat_template *chat,
                               const et_chat_request *request, size_t index) {
  const et_chat_role role = request->messages[index].role;
  const bool is_first =
      index == 0 || request->messages[index - 1].role == ET_CHAT_SYSTEM;
  if (role == ET_CHAT_SYSTEM) {
    if (index > 0 || request->start != ET_CHAT_BEGIN) {
      return "is a system message, but not the first message of the "
             "conversation; move it to the start";
    }
    if (!chat->has_system) {
      return "is a system message, which the model's chat template does not "
             "support; put its text into the first message of the user";
    }
  } else if (chat->alternates && is_first && role == ET_CHAT_ASSISTANT &&
             request->start != ET_CHAT_APPEND) {
    return "is of the assistant, but in the model's chat template the user "
           "starts; put a message of the user before it";
  } else if (chat->alternates && !is_first &&
             role == request->messages[index - 1].role) {
    return "has the role of the message before it, but in the model's chat "
           "template user and assistant alternate; join the two messages";
  }
  return chat->ends_with_user && request->answers &&
                 index + 1 == request->count && role != ET_CHAT_USER
             ? "is the last, but in the model's chat template an answer "
               "follows a message of the user; append one"
             : NULL;
}

const char *et_chat_check(const et_chat_template *chat,
                          const et_chat_request *request, size_t *out_index) {
  for (size_t i = 0; i < request->count; ++i) {
    const et_chat_message *message = &request->messages[i];
    *out_index = i;
    if (message->role > ET_CHAT_ASSISTANT ||
        (message->text == NULL && message->size != 0)) {
      return "has no valid role or text; set both";
    }
    const char *reason = check_order(chat, request, i);
    if (reason != NULL) {
      return reason;
    }
    const span content = {message->text, message->size};
    if (format_of(chat, request, i)->needs_text &&
        trim_start(content, ET_CHAT_TRIM_SPACES).size == 0) {
      return "is blank, which the model's chat template does not support; "
             "write a text, or omit the message";
    }
  }
  return NULL;
}

/* ---- Tokens ---- */

/* The tokens so far, and pending text that is not yet encoded. */
typedef struct writer {
  const et_bpe_vocabulary *vocabulary;
  const et_chat_work *work;
  int64_t *tokens;
  size_t capacity;
  size_t count;
  size_t pending; /* bytes of work->text */
  bool is_inside; /* the pending text continues text that is already encoded */
  bool is_start;  /* nothing precedes the pending text */
  bool is_full;
} writer;

/* Encodes the pending text. Full output counts as truncated, because the
 * encoder does not report whether it stopped early. */
static void end_text(writer *to) {
  if (to->pending == 0 || to->is_full) {
    return;
  }
  const bool is_rest =
      to->is_inside ||
      (to->vocabulary->prefix == ET_BPE_PREFIX_TEXT && !to->is_start);
  to->count += (is_rest ? et_bpe_encode_rest : et_bpe_encode)(
      to->vocabulary, to->work->text, to->pending, to->tokens + to->count,
      to->capacity - to->count, to->work->symbols, to->work->count);
  to->is_full = to->count == to->capacity;
  to->pending = 0;
  to->is_inside = true;
  to->is_start = false;
}

static void add_text(writer *to, const char *text, size_t size) {
  if (size > to->work->size - to->pending) {
    to->is_full = true;
  } else if (size > 0) {
    memcpy(to->work->text + to->pending, text, size);
    to->pending += size;
  }
}

static void add_token(writer *to, int64_t token) {
  end_text(to);
  to->is_full = to->is_full || to->count == to->capacity;
  to->is_inside = false;
  to->is_start = false;
  if (!to->is_full) {
    to->tokens[to->count++] = token;
  }
}

static void add_parts(writer *to, const et_chat_parts *parts) {
  for (size_t i = 0; i < parts->count; ++i) {
    const et_chat_part *part = &parts->items[i];
    if (part->token < 0) {
      add_text(to, part->text, part->size);
    } else {
      add_token(to, part->token);
    }
  }
}

static size_t parts_bytes(const et_chat_parts *parts) {
  size_t sum = 0;
  for (size_t i = 0; i < parts->count; ++i) {
    sum += parts->items[i].size;
  }
  return sum;
}

static void add_message(writer *to, const et_chat_template *chat,
                        const et_chat_request *request, size_t index) {
  const et_chat_message *message = &request->messages[index];
  const et_chat_format *format = format_of(chat, request, index);
  span content = {message->text, message->size};
  if (chat->drops_thoughts && message->role == ET_CHAT_ASSISTANT) {
    content = drop_thoughts(content, chat->thought);
  }
  content = trim_end(trim_start(content, format->start), format->end);
  const size_t left = to->work->size - to->pending;
  const size_t around =
      parts_bytes(&format->before) + parts_bytes(&format->after);
  if (around > left || content.size > left - around) {
    end_text(to);
  }
  add_parts(to, &format->before);
  add_text(to, content.text, content.size);
  add_parts(to, &format->after);
}

size_t et_chat_tokens(const et_chat_template *chat,
                      const et_bpe_vocabulary *vocabulary,
                      const et_chat_request *request, int64_t *tokens,
                      size_t capacity, const et_chat_work *work) {
  const bool is_after = request->start == ET_CHAT_AFTER_ANSWER;
  const bool is_start = request->start == ET_CHAT_BEGIN;
  writer to = {vocabulary, work,     tokens,   capacity, 0,
               0,          is_after, is_start, false};
  if (is_after) {
    add_parts(&to, &chat->formats[ET_CHAT_ASSISTANT].after);
  } else if (is_start && (request->count == 0 ||
                          request->messages[0].role != ET_CHAT_SYSTEM)) {
    add_parts(&to, &chat->opening);
  }
  for (size_t i = 0; i < request->count; ++i) {
    add_message(&to, chat, request, i);
  }
  if (request->answers) {
    add_parts(&to, &chat->answer);
  }
  end_text(&to);
  return to.is_full ? ET_CHAT_TOO_LONG : to.count;
}

/* ---- Sizes and stops ---- */

static bool has_token(const et_chat_parts *parts) {
  for (size_t i = 0; i < parts->count; ++i) {
    if (parts->items[i].token >= 0) {
      return true;
    }
  }
  return false;
}

/* Returns true if no control token separates messages of two formats. */
static bool joins(const et_chat_template *chat, int format, int next) {
  return !has_token(&chat->formats[format].after) &&
         !has_token(&chat->formats[next].before);
}

size_t et_chat_text_bytes(const et_chat_template *chat, size_t message_bytes) {
  const size_t messages =
      1u +
      (chat->has_system && joins(chat, ET_CHAT_SYSTEM, ET_CHAT_FIRST_USER)) +
      joins(chat, ET_CHAT_USER, ET_CHAT_ASSISTANT) +
      joins(chat, ET_CHAT_ASSISTANT, ET_CHAT_USER);
  size_t bytes = parts_bytes(&chat->opening) + parts_bytes(&chat->answer);
  for (size_t i = 0; i < 4; ++i) {
    bytes += parts_bytes(&chat->formats[i].before) +
             parts_bytes(&chat->formats[i].after);
  }
  return message_bytes > SIZE_MAX / messages - bytes
             ? SIZE_MAX
             : messages * (message_bytes + bytes);
}

bool et_chat_is_stop(const et_chat_template *chat, int64_t token) {
  for (size_t i = 0; i < chat->stop_count; ++i) {
    if (chat->stops[i] == token) {
      return true;
    }
  }
  return false;
}
