// Replaces threads.mjs in libraries without threads.

/** Creates an instance of the module. */
export async function instantiate(library, module) {
  const { exports } = await WebAssembly.instantiate(module, {});
  exports._initialize?.();
  return { exports };
}
