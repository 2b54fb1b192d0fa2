import { element, formatTime, resultItem, showProgress, showReady, showStatus, startWorker } from "./page.mjs";

const PAUSE_MILLISECONDS = 250;

const sentencesOf = (text) => [...new Set(text.split(/\r?\n/).map((line) => line.trim()))].filter((line) => line !== "");

/** The number of the last request. Results of earlier ones are not shown. */
let last = 0;
let isReady = false;

function showCount() {
  const { length } = sentencesOf(element("sentences").value);
  element("count").textContent = `${length.toLocaleString("en")} ${length === 1 ? "sentence" : "sentences"}.`;
}

function search() {
  if (!isReady) {
    return;
  }
  const query = element("query").value.trim();
  const sentences = sentencesOf(element("sentences").value);
  last++;
  if (query === "" || sentences.length === 0) {
    worker.postMessage({ kind: "cancel" });
    element("results").replaceChildren();
    element("progress").hidden = true;
    showStatus(query === "" ? "Type a query." : "Add at least one sentence.");
    return;
  }
  worker.postMessage({ kind: "search", number: last, query, sentences });
}

/** Searches after a pause, so that not every letter starts a search. */
let timer;
function searchSoon() {
  clearTimeout(timer);
  timer = setTimeout(search, PAUSE_MILLISECONDS);
}

const worker = startWorker("search_worker.mjs", {
  progress: showProgress,
  ready(data) {
    isReady = true;
    element("search").disabled = false;
    showReady(data, "Type a query.");
    search();
  },
  reading({ number, done, total }) {
    if (number === last) {
      element("progress").hidden = false;
      element("progress").value = done / total;
      showStatus("Reading the sentences …");
    }
  },
  result({ number, ranked, total, milliseconds }) {
    if (number !== last) {
      return;
    }
    element("progress").hidden = true;
    element("latency").textContent = formatTime(milliseconds);
    element("results").replaceChildren(
      ...ranked.map(({ sentence, score }) => resultItem(sentence, score.toFixed(2), Math.max(0, score))),
    );
    showStatus(`The most similar of ${total.toLocaleString("en")}: ${ranked[0].sentence}`);
  },
  error({ message }) {
    element("progress").hidden = true;
    showStatus(message, true);
  },
});

async function loadFile(file) {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    if (text.includes("\0")) {
      throw new TypeError("binary");
    }
    element("sentences").value = text;
    showCount();
    search();
  } catch {
    showStatus(`${file.name || "The file"} is not a text in UTF-8.`, true);
  }
}

element("form").addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(timer);
  search();
});
element("query").addEventListener("input", searchSoon);
element("sentences").addEventListener("input", () => {
  showCount();
  searchSoon();
});
element("file").addEventListener("change", ({ target }) => {
  if (target.files.length > 0) {
    loadFile(target.files[0]);
  }
  // The same file can be selected again.
  target.value = "";
});

element("sentences").value = await (await fetch("sentences.txt")).text();
showCount();
search();
