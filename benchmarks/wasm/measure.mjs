// Measures MobileNetV2, or MiniLM with N tokens, in Node (default: CPU time) or Chromium (default: wall-clock time).
//
//   node measure.mjs [--chromium PROGRAM] [--wall-clock | --cpu-time] [--ort FOLDER] [--litert FOLDER] [--tokens N]
//       ROUNDS FILE[@THREADS]...
//
// FILE is a .wasm module of latency.c, an .mjs module of executorch_wasm_library, an .onnx model or a
// .tflite model. The folders of the npm packages: `dist` of onnxruntime-web, and `@litertjs`, whose
// engine needs a browser. README.md has examples.
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { measure } from "./latency.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    chromium: { type: "string" },
    "cpu-time": { type: "boolean" },
    litert: { type: "string" },
    ort: { type: "string" },
    tokens: { type: "string", default: "0" },
    "wall-clock": { type: "boolean" },
  },
});
const [rounds, ...names] = positionals;
const files = names.map((name) => resolve(name));
const ortFolder = values.ort && resolve(values.ort);
const litertFolder = values.litert && resolve(values.litert);
const ortFile = "ort.wasm.min.mjs";

function cpuTime() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
}

function measureInNode() {
  return measure(files, Number(rounds), Number(values.tokens), {
    read: (path) => readFileSync(path),
    urlOf: (path) => pathToFileURL(path),
    now: values["wall-clock"] ? () => performance.now() : cpuTime,
    ort: () => import(join(ortFolder, ortFile)),
  });
}

const PAGE = `<!doctype html>
<script type="importmap">{ "imports": { "@litertjs/wasm-utils": "/litert/wasm-utils/dist/index.js" } }</script>
<script type="module">
  import { measure } from "/latency.mjs";
  const lines = await measure(${JSON.stringify(files)}, ${Number(rounds)}, ${Number(values.tokens)}, {
    read: async (path) => new Uint8Array(await (await fetch("/file" + path)).arrayBuffer()),
    urlOf: (path) => "/file" + path,
    now: () => performance.now(),
    ort: async () => {
      const ort = await import("/ort/${ortFile}");
      ort.env.wasm.wasmPaths = "/ort/";
      return ort;
    },
    litert: async () => {
      const litert = await import("/litert/core/dist/index.js");
      globalThis.litertLoaded ??= litert.loadLiteRt("/litert/core/wasm/", { threads: true });
      await globalThis.litertLoaded;
      return litert;
    },
    cpuTime: ${Boolean(values["cpu-time"])} ? async () => Number(await (await fetch("/cpu")).text()) : undefined,
  }).catch((error) => [String(error.stack)]);
  await fetch("/lines", { method: "POST", body: lines.join("\\n") });
</script>`;

// Processes that descend from `root`, by the parents in /proc.
function descendants(root) {
  const children = (pid) =>
    readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean),
    );
  return children(root).flatMap((pid) => [pid, ...descendants(pid)]);
}

// CPU time of all threads of Chromium's pages, in milliseconds.
function cpuTimeOfPages(browser) {
  const pages = descendants(browser.pid).filter((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("--type=renderer"));
  const threads = pages.flatMap((pid) => readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`));
  return threads.reduce((sum, thread) => sum + Number(readFileSync(`${thread}/schedstat`, "utf8").split(" ")[0]) / 1e6, 0);
}

const TYPES = { ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm" };

// Content of a URL path, and its type.
function contentOf(url) {
  if (url === "/") return [PAGE, "text/html"];
  if (url === "/latency.mjs") return [readFileSync(new URL("latency.mjs", import.meta.url)), "text/javascript"];
  const type = TYPES[extname(url)] ?? "application/octet-stream";
  if (url.startsWith("/file/")) return [readFileSync(url.slice("/file".length)), type];
  if (url.startsWith("/litert/")) return [readFileSync(join(litertFolder, url.slice("/litert/".length))), type];
  return [readFileSync(join(ortFolder, url.slice("/ort/".length))), type];
}

function measureInChromium() {
  return new Promise((done) => {
    const profile = mkdtempSync(join(tmpdir(), "chromium-"));
    let browser;
    const server = createServer((request, response) => {
      if (request.method === "POST") {
        let body = "";
        request.on("data", (part) => (body += part));
        request.on("end", () => {
          response.end();
          browser.once("exit", () => {
            rmSync(profile, { recursive: true, force: true });
            done(body.split("\n"));
          });
          browser.kill();
          server.close();
        });
        return;
      }
      try {
        const [content, type] = request.url === "/cpu" ? [String(cpuTimeOfPages(browser)), "text/plain"] : contentOf(request.url);
        // With these headers, workers can share memory, and the clock has a resolution of 5 µs.
        response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
        response.setHeader("Cross-Origin-Embedder-Policy", "require-corp");
        response.setHeader("Content-Type", type);
        response.end(content);
      } catch {
        response.writeHead(404).end();
      }
    }).listen(0, () => {
      const url = `http://localhost:${server.address().port}/`;
      const options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-renderer-backgrounding", `--user-data-dir=${profile}`];
      browser = spawn(values.chromium, [...options, url], { stdio: "ignore" });
    });
  });
}

for (const line of await (values.chromium ? measureInChromium() : measureInNode())) {
  console.log(line);
}
process.exit();
