/* Objects of generated Java classes: the methods of one program, and memory that
 * C and Java share. */
#ifndef BINDINGS_JAVA_JNI_MODEL_H_
#define BINDINGS_JAVA_JNI_MODEL_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/backend.h"
#include "executorch/file_loader.h"
#include "executorch/hosted_method.h"
#include "executorch/method.h"
#include "executorch/parallel.h"
#include "executorch/program.h"
#include "executorch/span.h"
#include "executorch/status.h"

/* A method of a model. `shared_memory_id` is that of the planned buffer that
 * methods share, or 0. */
typedef struct et_java_method {
  const char *name;
  uint32_t shared_memory_id;
} et_java_method;

/* A model of the library. Generated code defines it.
 *
 * Without `methods`, the spec is for any program that the caller provides. */
typedef struct et_java_spec {
  int64_t digest; /* of the interface; the Java class has the same */
  const et_registry *registry;
  et_span program; /* empty if the caller provides it */
  et_span weights; /* empty if there are none, or the caller provides them */
  bool has_weights;
  bool check_weights; /* compare the contents with the hashes in the program */
  const et_java_method *methods;
  size_t method_count;
} et_java_spec;

/* Writes the methods of a program to `out_bytes`, as Description.java reads
 * them. `*size` is the size of the memory, and becomes that of the description.
 * OUT_OF_RESOURCES: the memory is too small. */
typedef et_status et_java_describe(const et_program *program,
                                   uint8_t *out_bytes, size_t *size,
                                   et_error *error);

/* Generated, or those of program.c: the class with the native functions, the
 * models, and the function for libraries that run any program. */
extern const char *const et_java_natives_class;
extern const et_java_spec et_java_specs[];
extern const size_t et_java_spec_count;
extern et_java_describe *const et_java_describe_program;

/* Sources of an input. Inputs.java has the same values. */
typedef enum et_java_source {
  ET_JAVA_NOT_PASSED = 0, /* a constant of the program */
  ET_JAVA_INT = 1,
  ET_JAVA_ARRAY = 2,
  ET_JAVA_DIRECT = 3, /* a direct buffer */
} et_java_source;

/* An input that Java passes, or an output that C returns. */
typedef struct et_java_slot {
  int64_t kind;  /* et_java_source of an input, et_value_tag of an output */
  int64_t dtype; /* of a tensor */
  /* Input: the int, or the offset of the first element in the array or buffer,
   * in its elements. Output: the int, the bool, or the bits of the double. */
  int64_t value;
  int64_t count; /* elements of a tensor, bytes of a string */
  int64_t rank;
  int64_t sizes[ET_MAX_RANK];
} et_java_slot;

/* Memory that Java and C share: the status and message of the last failure, then
 * the slots of each method, inputs before outputs. Frame.java has the same
 * layout. */
typedef struct et_java_frame {
  int64_t status;
  char message[ET_ERROR_MESSAGE_BYTES];
  et_java_slot slots[];
} et_java_frame;

/* Memory of a tensor input. The method reads it during a run. */
typedef struct et_java_input {
  size_t capacity; /* bytes for the upper bound of the sizes */
  void *data;      /* NULL until a call needs it */
  bool is_planned; /* the runtime copies the elements */
} et_java_input;

/* A loaded method. */
typedef struct et_java_loaded {
  et_hosted_method hosted;
  et_java_slot *slots; /* inputs, then outputs */
  et_java_input *inputs;
  size_t input_count;
  size_t output_count;
} et_java_loaded;

/* A file of a program: bytes that Java keeps, or the path of a file. If both are
 * empty, the library's file is used. */
typedef struct et_java_file {
  et_span bytes;
  char *path; /* freed with the model */
} et_java_file;

/* Options of a model. Arrays and texts are freed with the model. */
typedef struct et_java_options {
  uint64_t max_steps;
  uint64_t max_memory; /* bytes of all methods; 0: no limit */
  bool has_seed;
  uint64_t seed;
  size_t thread_count; /* 0: no thread pool */
  et_backend_options *backends;
  size_t backend_count;
  et_backend_option *options;
  char **texts;
  size_t text_count;
} et_java_options;

/* An object of a generated class, or of Method.java. C code has pointers to
 * it. */
typedef struct et_java_model {
  et_java_spec spec;
  et_java_method selected; /* of a spec without methods */
  char *selected_name;
  et_java_frame *frame;
  et_java_file files[2]; /* program, weights */
  et_java_options options;
  et_program program;
  et_extent extents[2];
  et_data_source sources[2];
  et_file mapped[2];
  et_random random;
  struct et_cpu_pool *pool;
  et_java_loaded *methods;
} et_java_model;

/* Loads all methods of `spec`. Without methods, it loads method `selected` of the
 * program, or none if `selected` is negative.
 *
 * `frame` has `frame_bytes` bytes, and outlives the model, as do the bytes of
 * files. The model takes the contents of `files` and `options`, also on error.
 * INVALID_ARGUMENT: the program has other inputs or outputs than the frame. */
et_status et_java_model_create(const et_java_spec *spec, int64_t selected,
                               et_java_frame *frame, size_t frame_bytes,
                               const et_java_file files[2],
                               const et_java_options *options,
                               et_java_model **out_model, et_error *error);

/* Maps and verifies the files of the model. Errors name the file. */
et_status et_java_open_program(et_java_model *model, et_error *error);

/* Frees what model_create would have taken. */
void et_java_discard(et_java_file files[2], et_java_options *options);

/* Unloads the methods and frees the model. Accepts NULL. */
void et_java_model_free(et_java_model *model);

/* Returns memory for the elements of an input, or NULL if the heap is exhausted.
 * The memory exists as long as the model. */
void *et_java_input_memory(et_java_input *input);

/* Writes the values of all outputs to their slots. */
et_status et_java_describe_outputs(et_java_loaded *method, et_error *error);

#endif /* BINDINGS_JAVA_JNI_MODEL_H_ */
