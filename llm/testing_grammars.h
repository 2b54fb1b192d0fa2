/* The grammars of llm/testdata/, for tests. */
#ifndef ET_LLM_TESTING_GRAMMARS_H_
#define ET_LLM_TESTING_GRAMMARS_H_

#include "executorch/llm/grammar.h"
#include "llm/testing_choices.h"
#include "llm/testing_dictionary.h"
#include "llm/testing_linked_list.h"
#include "llm/testing_measurements.h"
#include "llm/testing_mixed.h"
#include "llm/testing_options.h"
#include "llm/testing_order.h"
#include "llm/testing_person.h"
#include "llm/testing_shapes.h"
#include "llm/testing_tuple.h"

static const struct {
  const char *name;
  const et_grammar *grammar;
} kGrammars[] = {
    {"choices", &testing_choices},
    {"dictionary", &testing_dictionary},
    {"linked_list", &testing_linked_list},
    {"measurements", &testing_measurements},
    {"mixed", &testing_mixed},
    {"options", &testing_options},
    {"order", &testing_order},
    {"person", &testing_person},
    {"shapes", &testing_shapes},
    {"tuple", &testing_tuple},
};

#endif /* ET_LLM_TESTING_GRAMMARS_H_ */
