/** The error of all failed calls. Its message starts with the status. */
export class ExecutorchError extends Error {
  /**
   * @param {string} status a name of runtime/include/executorch/status.h, such as "INVALID_ARGUMENT"
   * @param {string} message
   * @param {unknown} [cause]
   */
  constructor(status, message, cause) {
    super(`${status}: ${message}`, cause === undefined ? undefined : { cause });
    this.name = "ExecutorchError";
    this.status = status;
  }
}

export function invalidArgument(message) {
  return new ExecutorchError("INVALID_ARGUMENT", message);
}

/** Formats a value for a message: its type, not its contents. */
export function kindOf(value) {
  if (value === null || value === undefined) {
    return String(value);
  }
  return typeof value === "object" ? (value.constructor?.name ?? "object") : typeof value;
}
