// Measures WASI modules of latency.c and ONNX models in Node (CPU time) or Chromium (wall-clock time).
//
//   node measure.mjs [--chromium PROGRAM] [--ort FOLDER] ROUNDS FILE...
//
// FILE is a .wasm module or an .onnx model. FOLDER is `dist` of the npm package onnxruntime-web, which
// runs the models. README.md has an example.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { measure } from "./latency.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { chromium: { type: "string" }, ort: { type: "string" } },
});
const [rounds, ...files] = positionals;
const ortFolder = values.ort && resolve(values.ort);
const ortFile = "ort.wasm.min.mjs";

function cpuTime() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
}

function measureInNode() {
  return measure(files, Number(rounds), {
    read: (path) => readFileSync(path),
    now: cpuTime,
    ort: () => import(join(ortFolder, ortFile)),
  });
}

const PAGE = `<!doctype html><script type="module">
  import { measure } from "/latency.mjs";
  const lines = await measure(${JSON.stringify(files)}, ${Number(rounds)}, {
    read: async (path) => new Uint8Array(await (await fetch("/file?" + path)).arrayBuffer()),
    now: () => performance.now(),
    ort: async () => {
      const ort = await import("/ort/${ortFile}");
      ort.env.wasm.wasmPaths = "/ort/";
      return ort;
    },
  }).catch((error) => [String(error.stack)]);
  await fetch("/lines", { method: "POST", body: lines.join("\\n") });
</script>`;

// Content of a URL path, and its type.
function contentOf(url) {
  if (url === "/") return [PAGE, "text/html"];
  if (url === "/latency.mjs") return [readFileSync(new URL("latency.mjs", import.meta.url)), "text/javascript"];
  if (url.startsWith("/file?")) return [readFileSync(url.slice("/file?".length)), "application/octet-stream"];
  const type = url.endsWith(".wasm") ? "application/wasm" : "text/javascript";
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
        const [content, type] = contentOf(request.url);
        // With these headers, the clock has a resolution of 5 µs instead of 100 µs.
        response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
        response.setHeader("Cross-Origin-Embedder-Policy", "require-corp");
        response.setHeader("Content-Type", type);
        response.end(content);
      } catch {
        response.writeHead(404).end();
      }
    }).listen(0, () => {
      const url = `http://localhost:${server.address().port}/`;
      const options = ["--headless=new", "--no-sandbox", "--disable-gpu", `--user-data-dir=${profile}`];
      browser = spawn(values.chromium, [...options, url], { stdio: "ignore" });
    });
  });
}

for (const line of await (values.chromium ? measureInChromium() : measureInNode())) {
  console.log(line);
}
process.exit();
