/* Functions that steps of normalizers share. */
#ifndef ET_TEXT_STREAM_H_
#define ET_TEXT_STREAM_H_

#include "executorch/text/normalizer.h"

#define ET_TEXT_END UINT32_MAX

/* Returns the next character of the step before step `number`, or ET_TEXT_END. */
uint32_t et_text_pull(et_text_stream *stream, uint32_t number);

/* Returns the next character of the text, or ET_TEXT_END. */
uint32_t et_text_source_next(et_text_stream *stream);

/* Removes the first of the characters that a step has read ahead, and returns it. */
uint32_t et_text_pop(et_text_step_state *state);

/* Makes `count` characters those that step `number` returns next. */
void et_text_set_results(et_text_stream *stream, uint32_t number,
                         const uint32_t *points, uint32_t count);

/* The same for a string. */
void et_text_set_string(et_text_stream *stream, uint32_t number,
                        const et_text_strings *strings, uint32_t string);

/* Returns true and sets *out_character if a step has characters to return. */
bool et_text_take_result(et_text_step_state *state, uint32_t *out_character);

/* Returns the index of the range with a character, or `count` if there is none. */
uint32_t et_text_find_range(const et_text_ranges *ranges, uint32_t point);

/* Returns the child of a node with a label, or 0. */
uint32_t et_text_child(const et_text_trie *trie, uint32_t node, uint8_t label);

/* Returns the size of the longest (or the shortest) string of the trie that starts `bytes`, and
 * its value; 0 if there is none. */
size_t et_text_match(const et_text_trie *trie, const char *bytes, size_t size,
                     bool longest, uint32_t *out_value);

/* Returns true for characters with the property White_Space. */
bool et_text_is_space(uint32_t point);

#endif /* ET_TEXT_STREAM_H_ */
