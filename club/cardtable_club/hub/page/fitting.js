// Lists on a wall that may hold more than their space: smaller letters first, then one page after the other.

const PAGE_MS = 8000;
const LEAST = 0.6; // of the size of the letters

const pages = new Map(); // by list, its pages of rows, the one that is shown, and the space for which they were made

// Fits the rows of `list` into its height, if that or the rows have changed.
export function fit(list) {
  const space = `${list.clientWidth} ${list.clientHeight}`;
  if (pages.get(list)?.space === space) return;
  const rows = [...list.children];
  for (const row of rows) row.hidden = false;
  list.style.fontSize = "";
  for (let size = 1; size > LEAST && overflows(list); size -= 0.1) list.style.fontSize = `${size - 0.1}em`;
  const found = [[]];
  let top = rows[0]?.offsetTop;
  for (const row of rows) {
    if (found.at(-1).length && row.offsetTop + row.offsetHeight > top + list.clientHeight + 1) {
      found.push([]);
      top = row.offsetTop;
    }
    found.at(-1).push(row);
  }
  pages.set(list, { found, space, at: Math.min(pages.get(list)?.at ?? 0, found.length - 1) });
  turn(list, 0);
}

// To be called when the rows have changed; the page that is shown stays.
export function forget(list) {
  if (pages.has(list)) pages.get(list).space = "";
}

const overflows = (list) => list.scrollHeight > list.clientHeight + 1;

function turn(list, by) {
  const paged = pages.get(list);
  paged.at = (paged.at + by) % paged.found.length;
  paged.found.forEach((page, number) => {
    for (const row of page) row.hidden = number !== paged.at;
  });
  const mark = list.parentElement.querySelector(".page");
  if (mark) mark.textContent = paged.found.length > 1 ? `${paged.at + 1}/${paged.found.length}` : "";
}

setInterval(() => {
  for (const list of pages.keys()) turn(list, 1);
}, PAGE_MS);
