/* Status codes and error messages.
 *
 * Every call that can fail returns an et_status. If the cause is in the input,
 * the call also fills the caller's et_error. Its message names the invalid
 * element: "values[17]: dim_order[2] = 5 ...". */
#ifndef EXECUTORCH_STATUS_H_
#define EXECUTORCH_STATUS_H_

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* X(NAME, code, description). The codes are those of ExecuTorch's runtime, so
 * that logs and tools agree. */
#define ET_STATUS_LIST(X)                                                      \
  /* Success. */                                                               \
  X(OK, 0x00, "success")                                                       \
  /* Errors of the caller, or of the runtime itself. */                        \
  X(INTERNAL, 0x01, "internal error of the runtime")                           \
  X(INVALID_STATE, 0x02, "call in the wrong order")                            \
  /* Missing or mismatched items. */                                           \
  X(NOT_SUPPORTED, 0x10, "valid, but not supported by this runtime")           \
  X(NOT_IMPLEMENTED, 0x11, "not implemented")                                  \
  X(INVALID_ARGUMENT, 0x12, "invalid argument")                                \
  X(INVALID_TYPE, 0x13, "a value has the wrong kind or dtype")                 \
  X(OPERATOR_MISSING, 0x14, "the program needs a kernel that is not linked")   \
  X(NOT_FOUND, 0x20, "no such element")                                        \
  X(MEMORY_TOO_SMALL, 0x21, "the caller's memory is too small")                \
  X(ACCESS_FAILED, 0x22, "reading the file failed")                            \
  /* Damaged or malicious files. */                                            \
  X(INVALID_PROGRAM, 0x23, "the program is malformed")                         \
  X(INVALID_EXTERNAL_DATA, 0x24, "the external data does not match")           \
  X(OUT_OF_RESOURCES, 0x25, "a limit of the runtime was exceeded")             \
  /* Delegates. */                                                             \
  X(DELEGATE_INCOMPATIBLE, 0x30, "the backend rejects the delegate's payload") \
  X(DELEGATE_MEMORY, 0x31, "the delegate needs more memory")                   \
  X(DELEGATE_INVALID_HANDLE, 0x32, "the delegate's handle is not valid")

typedef enum et_status {
#define ET_STATUS_ENUM(name, code, text) ET_STATUS_##name = code,
  ET_STATUS_LIST(ET_STATUS_ENUM)
#undef ET_STATUS_ENUM
} et_status;

/* Returns a name such as "INVALID_PROGRAM", or "UNKNOWN". */
const char *et_status_name(et_status status);

/* Returns the description in the list above; never NULL. */
const char *et_status_text(et_status status);

/* Size of the longest message with its NUL. Longer messages are truncated at a
 * UTF-8 boundary. */
#define ET_ERROR_MESSAGE_BYTES 240

/* The status and message of a failed call.
 *
 * The caller owns the struct. Every function that takes an et_error accepts
 * NULL.
 *
 * The functions of program.h, method.h, hosted_method.h, file_loader.h and of
 * generated headers clear the error first. An et_error can therefore be reused
 * for every call, and needs no initial value. After a successful call, its
 * status is OK and its message is empty.
 *
 * Functions that kernels and backends call (et_fail, tensor.h, shared_store.h)
 * do not clear it, so that the first failure is preserved while a call
 * unwinds. */
typedef struct et_error {
  et_status status;
  char message[ET_ERROR_MESSAGE_BYTES];
} et_error;

/* Initializer of an et_error, in C and C++. */
#define ET_ERROR_INIT {ET_STATUS_OK, {0}}

void et_error_clear(et_error *error);

/* Records `status` and a formatted message, unless an error is already
 * recorded. Returns `status`.
 *
 * Conversions: %s (NULL prints "(null)"), %d, %u, %x, each also for long (%ld),
 * long long (%lld) and size_t (%zu), and %%. Flags, width and precision are not
 * supported: from an unknown conversion on, the format is copied as it is. For
 * a double, see ET_NUMBER_TEXT in number_text.h. */
et_status et_fail(et_error *error, et_status status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* Lets compilers assume that a constant failure status is not OK, so that they
 * drop the unreachable success path. */
static inline et_status et_failed(et_status status, int is_known) {
#if defined(__GNUC__)
  if (is_known && status == ET_STATUS_OK) {
    __builtin_unreachable();
  }
#else
  (void)is_known;
#endif
  return status;
}
#if defined(__GNUC__)
#define ET_IS_FAILURE(status) \
  (__builtin_constant_p(status) && (status) != ET_STATUS_OK)
#else
#define ET_IS_FAILURE(status) 0
#endif

/* Replaces et_fail in builds with codes instead of messages
 * (--@rules_executorch//runtime:messages=codes, which defines
 * ET_MESSAGES_CODES).
 *
 * The message is "FILE:LINE:INDEX" in hexadecimal. FILE is ET_FILE_ID, which
 * tools/message_of_code.py maps to the source's path. INDEX is the message's
 * first argument if it is an integer, else 0. Message texts and the code that
 * formats them are not linked. */
et_status et_fail_code(et_error *error, et_status status, uint32_t place,
                       uint32_t index);

#if defined(ET_MESSAGES_CODES) && !defined(__cplusplus)
/* The number of a source file. The build passes it for each file; 0 is unknown.
 */
#ifndef ET_FILE_ID
#define ET_FILE_ID 0
#endif
#define ET_PLACE ((uint32_t)ET_FILE_ID << 16 | (uint32_t)__LINE__)
#define ET_INDEX_OF(first)          \
  ((uint32_t)_Generic((first),      \
       int: (first),                \
       unsigned: (first),           \
       long: (first),               \
       unsigned long: (first),      \
       long long: (first),          \
       unsigned long long: (first), \
       default: 0))
#define ET_FIRST_INDEX(format, first, ...) ET_INDEX_OF(first)
/* Does not evaluate the arguments, but counts them as used. */
#define et_fail(error, status, ...)                           \
  ((void)sizeof((et_fail)((error), (status), __VA_ARGS__)),   \
   et_failed(et_fail_code((error), (status), ET_PLACE,        \
                          ET_FIRST_INDEX(__VA_ARGS__, 0, 0)), \
             ET_IS_FAILURE(status)))
#elif !defined(__cplusplus)
#define et_fail(error, status, ...) \
  et_failed((et_fail)((error), (status), __VA_ARGS__), ET_IS_FAILURE(status))
#endif

/* Returns from the calling function if `expression` is not ET_STATUS_OK. */
#define ET_RETURN_IF_ERROR(expression)         \
  do {                                         \
    const et_status et_status_ = (expression); \
    if (et_status_ != ET_STATUS_OK) {          \
      return et_status_;                       \
    }                                          \
  } while (0)

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_STATUS_H_ */
