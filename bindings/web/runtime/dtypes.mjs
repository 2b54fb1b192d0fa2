// Element types by their codes in programs (runtime/include/executorch/scalar_type.h). A complex
// number is two elements of the array.

const named = (name, ArrayType, parts = 1) => ({ name, ArrayType, parts });

const DTYPES = new Map([
  [0, named("uint8", Uint8Array)],
  [1, named("int8", Int8Array)],
  [2, named("int16", Int16Array)],
  [3, named("int32", Int32Array)],
  [4, named("int64", BigInt64Array)],
  [5, named("float16", Uint16Array)],
  [6, named("float32", Float32Array)],
  [7, named("float64", Float64Array)],
  [9, named("complex64", Float32Array, 2)],
  [10, named("complex128", Float64Array, 2)],
  [11, named("bool", Uint8Array)],
  [15, named("bfloat16", Uint16Array)],
  [27, named("uint16", Uint16Array)],
  [28, named("uint32", Uint32Array)],
  [29, named("uint64", BigUint64Array)],
]);

/** Returns the dtype of a verified program. */
export function dtypeOf(code) {
  return DTYPES.get(code);
}

// Other arrays with the elements of a dtype.
const ALTERNATIVES = new Map([
  ["uint8", "Uint8ClampedArray"],
  ["float16", "Float16Array"],
]);

/** Returns whether the elements of `value` have the layout of the dtype's array. */
export function isArrayOf({ ArrayType, name }, value) {
  // Not instanceof: frames and test runners have their own constructors.
  const tag = ArrayBuffer.isView(value) ? value[Symbol.toStringTag] : undefined;
  return tag === ArrayType.name || (tag !== undefined && tag === ALTERNATIVES.get(name));
}
