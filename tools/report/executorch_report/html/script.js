"use strict";

// Fill the list of sections.
const nav = document.querySelector("nav");
for (const section of document.querySelectorAll("section")) {
  const link = document.createElement("a");
  link.href = "#" + section.id;
  link.textContent = section.querySelector("h2").textContent;
  nav.append(link);
}

// A click on a column's head sorts the table by that column; a second click reverses the order.
function key(row, column) {
  const cell = row.cells[column];
  return cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);
}

function sort(table, column) {
  const rising = table.dataset.sorted === String(column);
  table.dataset.sorted = rising ? "" : String(column);
  const compare = (a, b) => {
    const [x, y] = [key(a, column), key(b, column)];
    const order = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
    return rising ? order : -order;
  };
  const body = table.tBodies[0];
  body.append(...[...body.rows].sort(compare));
}

for (const head of document.querySelectorAll("table.sortable th")) {
  head.addEventListener("click", () => sort(head.closest("table"), head.cellIndex));
}
