import { ExecutorchError, invalidArgument } from "./errors.mjs";
import { fetchFile, urlOf } from "./files.mjs";

// Each probe is a module with one instruction of the feature.
const PROBES = {
  // i32.const 0, i8x16.splat, i8x16.popcnt
  simd: [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11],
  // i32.const 1, i8x16.splat, i32.const 2, i8x16.splat, i8x16.relaxed_swizzle
  relaxed_simd: [
    0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 15, 1, 13, 0, 65, 1, 253, 15, 65, 2, 253, 15,
    253, 128, 2, 11,
  ],
};

/** Returns whether this engine can run a variant of the library. */
export function isSupported(variant) {
  return variant === "plain" || WebAssembly.validate(new Uint8Array(PROBES[variant]));
}

/** Returns the name of the fastest variant that this engine can run. */
function chooseVariant(library, wanted) {
  const names = Object.keys(library.modules);
  if (wanted !== undefined && !names.includes(wanted)) {
    throw invalidArgument(`variant: unknown variant '${wanted}'; the library has: ${names.join(", ")}`);
  }
  const found = wanted ?? names.find(isSupported);
  if (found === undefined || !isSupported(found)) {
    throw new ExecutorchError(
      "NOT_SUPPORTED",
      `this engine supports none of: ${wanted ?? names.join(", ")}; build the library with the variant 'plain'`,
    );
  }
  return found;
}

async function compile(response) {
  // Servers with another MIME type are common.
  const isStream = response.headers.get("content-type")?.startsWith("application/wasm");
  return isStream ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

async function fetchModule(url, signal) {
  const response = await fetchFile(url, signal);
  try {
    return await compile(response);
  } catch (cause) {
    if (signal?.aborted) {
      throw signal.reason;
    }
    throw new ExecutorchError(
      "ACCESS_FAILED",
      `${url}: cannot be compiled; a Content-Security-Policy needs 'wasm-unsafe-eval': ${cause.message}`,
      cause,
    );
  }
}

/** Returns the compiled module of the library. All objects share it. */
export async function compiledModule(library, options) {
  if (options.wasm instanceof WebAssembly.Module) {
    return options.wasm;
  }
  if (options.wasm !== undefined) {
    return fetchModule(urlOf(options.wasm, "wasm"), options.signal);
  }
  const variant = chooseVariant(library, options.variant);
  // Not aborted: other objects may wait for the same module.
  library.compiled[variant] ??= fetchModule(library.modules[variant]()).catch((error) => {
    delete library.compiled[variant];
    throw error;
  });
  return library.compiled[variant];
}
