// Calls a tokenizer of texts.mjs: `tokenizer_driver.mjs CLASS`. Each line of standard input is a JSON array of the
// function's name and its arguments; each line of output is its result.
import { createInterface } from "node:readline";

import * as texts from "./texts.mjs";

const tokenizer = await texts[process.argv[2]].load();
const lines = [];
for await (const line of createInterface({ input: process.stdin })) {
  const [name, ...given] = JSON.parse(line);
  const result = tokenizer[name](...given);
  lines.push(JSON.stringify(typeof result === "string" ? result : Array.from(result, Number)));
}
process.stdout.write(lines.map((line) => `${line}\n`).join(""));
