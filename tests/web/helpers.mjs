import assert from "node:assert/strict";

export const ROW = Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8);

/** Asserts that a call, or a promise, fails with this status and message. */
export async function fails(status, message, action) {
  let error;
  try {
    await action();
  } catch (caught) {
    error = caught;
  }
  assert.ok(error, "no error");
  assert.equal(error.name, "ExecutorchError", error.stack);
  assert.equal(error.status, status);
  const start = `${status}: `;
  if (message instanceof RegExp) {
    assert.match(error.message, message);
  } else {
    assert.equal(error.message, start + message);
  }
}

/** Returns the elements without the properties of a tensor. */
export const elements = (tensor) => Array.from(tensor);
