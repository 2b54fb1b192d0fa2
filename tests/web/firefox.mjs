// Drives headless Firefox with WebDriver BiDi. Before Node 22, it needs `node --experimental-websocket`.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** Returns the address of the debugger, which Firefox prints. */
async function debuggerAddress(firefox) {
  const lines = [];
  for await (const line of createInterface({ input: firefox.stderr })) {
    lines.push(line);
    const match = line.match(/listening on (ws:\S+)/);
    if (match !== null) {
      return match[1];
    }
  }
  throw new Error(`Firefox ended: ${lines.join("\n")}`);
}

async function connect(address) {
  const socket = new WebSocket(`${address}/session`);
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", () => reject(new Error("Firefox refuses the connection")));
  });
  return socket;
}

/** A Firefox process with one page, and a profile of its own. `onEvent` receives the events that are subscribed to. */
export class Firefox {
  #process;
  #profile;
  #socket;
  #waiting = new Map();
  #lastId = 0;

  static async start(onEvent = () => undefined) {
    const browser = new Firefox();
    browser.#profile = mkdtempSync(join(tmpdir(), "firefox-"));
    browser.#process = spawn(
      process.env.FIREFOX ?? "/usr/bin/firefox-esr",
      ["--headless", "--no-remote", "--profile", browser.#profile, "--remote-debugging-port", "0"],
      {
        stdio: ["ignore", "ignore", "pipe"],
        env: { ...process.env, HOME: browser.#profile, MOZ_DISABLE_CONTENT_SANDBOX: "1" },
      },
    );
    browser.#socket = await connect(await debuggerAddress(browser.#process));
    browser.#socket.addEventListener("message", ({ data }) => {
      const message = JSON.parse(data);
      browser.#waiting.get(message.id)?.(message);
      onEvent(message);
    });
    await browser.send("session.new", { capabilities: {} });
    const { contexts } = await browser.send("browsingContext.getTree", {});
    browser.context = contexts[0].context;
    return browser;
  }

  /** Sends a command. Returns its result. */
  async send(method, params) {
    const id = ++this.#lastId;
    const answer = new Promise((resolve) => this.#waiting.set(id, resolve));
    this.#socket.send(JSON.stringify({ id, method, params }));
    const { type, result, error, message } = await answer;
    if (type === "error") {
      throw new Error(`${method}: ${error}: ${message}`);
    }
    return result;
  }

  async goto(url) {
    await this.send("browsingContext.navigate", { context: this.context, url, wait: "complete" });
  }

  /** Evaluates an expression in the page. Returns a primitive result, or that of a promise. */
  async evaluate(expression) {
    const target = { context: this.context };
    const found = await this.send("script.evaluate", { expression, target, awaitPromise: true });
    if (found.type === "exception") {
      throw new Error(found.exceptionDetails.text);
    }
    return found.result.value;
  }

  async close() {
    this.#socket.close();
    this.#process.kill();
    await new Promise((resolve) => this.#process.once("exit", resolve));
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5 });
  }
}
