// Functions of both pages.

export const element = (id) => document.getElementById(id);

export function showStatus(text, isError = false) {
  element("status").textContent = text;
  element("status").classList.toggle("error", isError);
}

export const formatBytes = (bytes) =>
  `${(bytes / 1000).toLocaleString("en", { maximumFractionDigits: 0 })} KB`;

export const formatTime = (milliseconds) => `${milliseconds.toFixed(milliseconds < 100 ? 1 : 0)} ms`;

/** Returns an item of the results: a name, a number and a bar of length 0 to 1. */
export function resultItem(name, number, length) {
  const item = document.createElement("li");
  const [title, text, bar, fill] = ["b", "span", "div", "i"].map((tag) => document.createElement(tag));
  title.textContent = name;
  text.textContent = number;
  bar.className = "bar";
  bar.setAttribute("aria-hidden", "true");
  fill.style.width = `${(100 * length).toFixed(1)}%`;
  bar.append(fill);
  item.append(title, text, bar);
  return item;
}

/** Shows the download of the model. */
export function showProgress({ loaded, total }) {
  element("progress").value = loaded / total;
  element("model").textContent = formatBytes(total);
}

/** Shows that the model is loaded. */
export function showReady({ milliseconds, codeBytes }, text) {
  element("progress").hidden = true;
  element("loading").textContent = formatTime(milliseconds);
  element("code").textContent = formatBytes(codeBytes);
  showStatus(text);
}

/** Starts a worker. `handlers` has a function for each kind of its messages. */
export function startWorker(name, handlers) {
  const worker = new Worker(name, { type: "module" });
  worker.addEventListener("message", ({ data }) => handlers[data.kind](data));
  worker.addEventListener("error", (event) => showStatus(event.message || "The model cannot be loaded.", true));
  return worker;
}
