/** The status of a failed call. */
export type Status =
  | "INTERNAL"
  | "INVALID_STATE"
  | "NOT_SUPPORTED"
  | "NOT_IMPLEMENTED"
  | "INVALID_ARGUMENT"
  | "INVALID_TYPE"
  | "OPERATOR_MISSING"
  | "NOT_FOUND"
  | "MEMORY_TOO_SMALL"
  | "ACCESS_FAILED"
  | "INVALID_PROGRAM"
  | "INVALID_EXTERNAL_DATA"
  | "OUT_OF_RESOURCES"
  | "DELEGATE_INCOMPATIBLE"
  | "DELEGATE_MEMORY"
  | "DELEGATE_INVALID_HANDLE";

/** The error of all failed calls. Its message starts with the status. */
export declare class ExecutorchError extends Error {
  private constructor();
  readonly status: Status;
  readonly cause?: unknown;
}

/** The name of an element type. */
export type Dtype =
  | "uint8"
  | "int8"
  | "int16"
  | "int32"
  | "int64"
  | "float16"
  | "float32"
  | "float64"
  | "complex64"
  | "complex128"
  | "bool"
  | "bfloat16"
  | "uint16"
  | "uint32"
  | "uint64";

/**
 * The elements of a tensor output: a copy, which stays valid.
 *
 * Element [i0, i1, …] is at index i0 * strides[0] + i1 * strides[1] + …. A complex number is two
 * elements. The properties are lost when the array is copied or sent to a worker.
 */
export type Tensor<A, D extends Dtype = Dtype> = A & {
  readonly dtype: D;
  readonly sizes: readonly number[];
  readonly strides: readonly number[];
};

/** Elements with their sizes, such as an output of another method. */
export type Shaped<A> = { readonly data: A; readonly sizes: readonly number[] } | (A & { readonly sizes: readonly number[] });

/** A file: its bytes, or its URL. Texts are relative to the page or worker. */
export type Source = Uint8Array | ArrayBuffer | URL | string;

/** Bytes of the program and weights that have arrived. */
export interface Progress {
  readonly loaded: number;
  readonly total: number;
}

/** Options of Program.open. */
export interface OpenOptions<V extends string = string> {
  /** The weights. Default: those next to the module. */
  weights?: Source;
  /** The variant of the .wasm file. Default: the fastest that the engine supports. */
  variant?: V;
  /** The .wasm file: its URL, or a WebAssembly.Module. Default: next to the module. */
  wasm?: URL | string | object;
  /** Seed of operators that return random numbers. */
  randomSeed?: number | bigint;
  /** Instructions that one call may run. */
  maxSteps?: number | bigint;
  /**
   * Threads of one call, at most 32, in a library with threads. Default: the number of processors, at
   * most 4. Without cross-origin isolation: 1.
   */
  threads?: number;
  /** Options of backends: `{ CpuBackend: { isa: "plain" } }`. */
  backendOptions?: Record<string, Record<string, number | bigint | boolean | string>>;
  /** Cancels the download. */
  signal?: AbortSignal;
}

/** Options of the function load of models. */
export interface LoadOptions<V extends string = string> extends OpenOptions<V> {
  /** The program. Default: the one next to the module. */
  program?: Source;
  /** Is called while the program and weights arrive. */
  onProgress?: (progress: Progress) => void;
}

/** The sizes min, min + step and so on, at most max. */
export interface SizeRange {
  readonly min: number;
  readonly max: number;
  readonly step: number;
}

/** The integers min, min + step and so on, at most max. */
export interface IntRange {
  readonly min: bigint;
  readonly max: bigint;
  readonly step: bigint;
}

/** An input or output of a program. */
export interface SlotDescription {
  readonly kind: "tensor" | "int" | "double" | "bool" | "string" | "null" | "list";
  /** Data type; only tensors have it. */
  readonly dtype?: Dtype;
  readonly sizes?: readonly (number | SizeRange)[];
  readonly dimOrder?: readonly number[];
  /** Accepted values; only ints that each call passes have it. */
  readonly range?: IntRange;
}

/** A method of a program. */
export interface MethodDescription {
  readonly name: string;
  readonly inputs: readonly SlotDescription[];
  readonly outputs: readonly SlotDescription[];
}

/** Elements of a tensor of any dtype. */
export type AnyArray =
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array
  | Float32Array
  | Float64Array;

/** An input of Program.run. */
export type RunInput = AnyArray | Shaped<AnyArray> | number | bigint | undefined;

/** An output of Program.run. */
export type RunOutput = Tensor<AnyArray> | number | bigint | boolean | string | undefined;

/** Any program whose kernels this library contains. */
export declare class Program {
  private constructor();
  /** Verifies a program, and loads all its methods. */
  static open(source: Source, options?: OpenOptions): Promise<Program>;
  readonly methods: readonly MethodDescription[];
  /** Runs a method. Inputs that are the same in every call are omitted or undefined. */
  run(method: string, inputs?: readonly RunInput[]): RunOutput[];
  /** The size of the object's WebAssembly memory. */
  readonly memoryBytes: number;
  /** The number of threads of a call. */
  readonly threads: number;
  /** Resets the mutable buffers of all methods to their initial values. */
  reset(): void;
  /** Frees the memory. Later calls throw ExecutorchError. */
  dispose(): void;
  [Symbol.dispose](): void;
}

declare global {
  interface SymbolConstructor {
    readonly dispose: unique symbol;
  }
}
