// The wall: all tables with their scores, the seats of the next round, the standings, and who waits.

import { $, made, minus, t, watch } from "./common.js";
import { fit, forget } from "./fitting.js";

const LONG = 11; // letters of a name that may need two lines
const ROOMY = 20; // tables up to which a card has room for a second line of its head
const written = {}; // by section, what its list shows

function card(table) {
  const link = made("a", "", `card${table.online ? "" : " away"}${table.over ? " over" : ""}`);
  link.href = `table.html#${encodeURIComponent(table.name)}`;
  const away = table.online ? "" : ` · ${t("away")}`;
  const wrong = table.double ? t("two tables have this name") : table.conflict ? t("check its journal") : "";
  link.append(
    made("h2", `${table.name}${away}${wrong || table.title ? ` · ${wrong || table.title}` : ""}`, wrong ? "wrong" : ""),
  );
  for (const side of table.sides)
    link.append(made("p", "", side.won ? "won" : "", made("span", side.name), made("b", minus(side.score))));
  return link;
}

function show(state) {
  document.title = state.club;
  $("club").textContent = state.club;
  const count = Math.max(state.tables.length, 1);
  const box = $("tables").getBoundingClientRect();
  // The columns with which the cards are the most like rectangles of three to two.
  const upright = innerHeight > innerWidth; // a phone scrolls through many tables
  const shape = (columns) => Math.abs(Math.log(box.width / columns / (box.height / Math.ceil(count / columns)) / 1.8));
  const columns = [...Array(Math.min(count, upright ? 2 : 12)).keys()]
    .map((at) => at + 1)
    .sort((a, b) => shape(a) - shape(b))[0];
  const lines = (table) => table.sides.reduce((sum, side) => sum + (side.name.length > LONG ? 2 : 1), 0);
  const most = Math.max(...state.tables.map(lines), 2) + 1.2;
  const words = state.tables.flatMap((table) => table.sides.flatMap((side) => side.name.split(/[\s-]/)));
  const wide = Math.max(10.5, 4.6 + 0.64 * Math.min(Math.max(0, ...words.map((word) => word.length)), 16)); // of a card, in letters
  const unit = parseFloat(getComputedStyle(document.body).fontSize);
  const height = box.height / Math.ceil(count / columns);
  $("tables").style.setProperty("--columns", columns);
  $("tables").classList.toggle("dense", count > ROOMY);
  const least = upright ? 0.5 : 0.35;
  $("tables").style.setProperty(
    "--scale",
    Math.min(2, Math.max(least, Math.min(height / (most * 1.3), box.width / columns / wide) / unit)),
  );
  $("tables").replaceChildren(...state.tables.map(card));
  $("round").hidden = state.round === null;
  list("round", t("Round {round}", { round: state.round }), state.places, (place) =>
    made(
      "li",
      "",
      place.ready ? "ready" : "",
      made("span", place.table),
      made("span", place.players.join("\u00a0– "), "who"),
      made("span", place.ready ? "✓" : ""),
    ),
  );
  const event = state.tournament;
  const rows = event
    ? event.rows.map((row) => [row.field, row.rank, row.entrant, row.score, row.more])
    : state.standings.map((row) => ["", row.rank, row.player, `${row.won}/${row.played}`, ""]);
  $("standings").hidden = !rows.length && state.round !== null;
  list("standings", event ? event.name : t("Standings"), rows, ([field, rank, name, score, more]) =>
    made(
      "li",
      "",
      "",
      made("span", `${field} ${rank}.`.trim()),
      made("span", name, "who"),
      made("b", score),
      made("small", more),
    ),
  );
  $("waiting").hidden = !state.waiting.length;
  list("waiting", t("Waiting"), state.waiting, (name) => made("li", name));
  for (const ol of document.querySelectorAll(".wall ol")) fit(ol); // when all have their place
}

// Writes the list of a section again if it has changed.
function list(section, title, rows, item) {
  const key = JSON.stringify([title, rows]);
  if (written[section] === key) return;
  written[section] = key;
  $(section).querySelector("h2 span").textContent = title;
  const ol = $(section).querySelector("ol");
  ol.replaceChildren(...rows.map(item));
  forget(ol);
}

let last = null;
watch((state) => {
  last = state;
  show(state);
});
addEventListener("resize", () => last && show(last));
