// Shared parts of the history: requests, times, tables.

import { make } from "./dom.js";
import { t } from "./texts.js";

export const day = (seconds) =>
  new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" }).format(
    new Date(seconds * 1000),
  );

// A number with one decimal, with the decimal mark of the language.
export const tenths = (number) =>
  new Intl.NumberFormat(document.documentElement.lang, {
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
    useGrouping: false,
  }).format(number);

// The order of the sides in a result: the winner first.
export const byRank = (a, b) => a.rank - b.rank;

// Returns the answer of the table; throws an error with its sentence if it refuses.
export async function past(what, wanted = {}) {
  const query = new URLSearchParams(Object.entries(wanted).filter(([, value]) => value !== "" && value != null));
  const answer = await fetch(`history/${what}?${query}`).catch(() => null);
  if (!answer) throw new Error(t("No connection to the table. Trying again…"));
  const content = await answer.json().catch(() => ({ error: t("There is no history here.") }));
  if (!answer.ok) throw new Error(content.error ?? t("There is no history here."));
  return content;
}

// A table with these headings. A cell is a text, a number or an element; the first is the heading of its row.
export function table(heads, rows) {
  return make(
    "table",
    {},
    make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head)))),
    make(
      "tbody",
      {},
      ...rows.map((cells) =>
        make(
          "tr",
          {},
          ...cells.map((cell, column) =>
            make(
              column ? "td" : "th",
              column ? { "data-head": heads[column] } : { scope: "row" },
              cell instanceof Node ? cell : String(cell),
            ),
          ),
        ),
      ),
    ),
  );
}
