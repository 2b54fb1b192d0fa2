// Runs a model with two threads, and ends: `threads_program.mjs [dispose]`.
import { OneRow } from "./threaded.mjs";
import { ROW } from "./helpers.mjs";

const net = await OneRow.load({ threads: 2 });
net.forward({ x: ROW });
console.log(net.threads);
if (process.argv[2] === "dispose") {
  net.dispose();
}
