import { ExecutorchError, invalidArgument, kindOf } from "./errors.mjs";

/** Reads a file of a file: URL in Node, whose fetch does not support it. */
async function readLocalFile(url) {
  const { readFile } = await import(/* webpackIgnore: true */ /* @vite-ignore */ "node:fs/promises");
  return readFile(url);
}

function isLocalFile(url) {
  return url.protocol === "file:" && globalThis.process?.versions?.node !== undefined;
}

function accessFailed(url, reason, cause) {
  return new ExecutorchError("ACCESS_FAILED", `${url}: ${reason}`, cause);
}

/** Fetches a file. Returns a Response with status 200. */
export async function fetchFile(url, signal) {
  let response;
  try {
    response = isLocalFile(url)
      ? new Response(await readLocalFile(url), { headers: { "content-type": "" } })
      : await fetch(url, { signal });
  } catch (cause) {
    if (signal?.aborted) {
      throw signal.reason;
    }
    throw accessFailed(url, `cannot be read: ${cause.message}`, cause);
  }
  if (!response.ok) {
    throw accessFailed(url, `the server returned status ${response.status}; deploy the file`);
  }
  return response;
}

/** Returns the URL that a caller passed. Texts are relative to the page or worker. */
export function urlOf(source, role) {
  const base = globalThis.location?.href;
  try {
    return new URL(source, base);
  } catch {
    const hint = base === undefined ? "; pass a URL object, or an absolute URL" : "";
    throw invalidArgument(`${role}: '${source}' is not a URL${hint}`);
  }
}

function bytesOf(source) {
  if (ArrayBuffer.isView(source)) {
    return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  }
  // Not instanceof: frames have their own constructors.
  return Object.prototype.toString.call(source) === "[object ArrayBuffer]" ? new Uint8Array(source) : undefined;
}

function isUrl(source) {
  return typeof source === "string" || Object.prototype.toString.call(source) === "[object URL]";
}

async function* chunksOf(response, url, signal) {
  if (response.body === null) {
    yield new Uint8Array(await response.arrayBuffer());
    return;
  }
  const reader = response.body.getReader();
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { done, value } = await reader.read();
      if (done) {
        return;
      }
      yield value;
    }
  } catch (cause) {
    if (signal?.aborted) {
      throw signal.reason;
    }
    throw accessFailed(url, `the download ended early: ${cause.message}`, cause);
  } finally {
    // After an error, ends the download; otherwise, does nothing.
    reader.cancel().catch(() => undefined);
  }
}

/**
 * Opens a file of a model: bytes, a URL, or the text of a URL.
 *
 * @returns {Promise<{name: string, chunks: AsyncIterable<Uint8Array>}>}
 */
export async function openFile(source, role, signal) {
  const bytes = bytesOf(source);
  if (bytes !== undefined) {
    return { name: role, chunks: [bytes] };
  }
  if (!isUrl(source)) {
    throw invalidArgument(`${role}: pass bytes or a URL, not ${kindOf(source)}`);
  }
  const url = urlOf(source, role);
  return { name: String(url), chunks: chunksOf(await fetchFile(url, signal), url, signal) };
}
