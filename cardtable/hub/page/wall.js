// The wall: all tables with their scores, the seats of the next round, the standings, and who waits.

import { $, made, t, watch } from "./common.js";

function card(table) {
  const link = made("a", "", `card${table.online ? "" : " away"}${table.over ? " over" : ""}`);
  link.href = `table.html#${encodeURIComponent(table.name)}`;
  const away = table.online ? "" : ` · ${t("away")}`;
  link.append(made("h2", `${table.name}${away}${table.title ? ` · ${table.title}` : ""}${table.conflict ? ` · ${t("check its journal")}` : ""}`));
  for (const side of table.sides) link.append(made("p", "", side.won ? "won" : "", made("span", side.name), made("b", `${side.score}`)));
  return link;
}

function show(state) {
  document.title = state.club;
  $("club").textContent = state.club;
  const count = Math.max(state.tables.length, 1);
  const box = $("tables").getBoundingClientRect();
  // The columns with which the cards are the most like rectangles of three to two.
  const shape = (columns) => Math.abs(Math.log((box.width / columns) / (box.height / Math.ceil(count / columns)) / 1.8));
  const columns = [...Array(Math.min(count, 12)).keys()].map((at) => at + 1).sort((a, b) => shape(a) - shape(b))[0];
  const most = Math.max(...state.tables.map((table) => table.sides.length), 2) + 1.2;
  const unit = parseFloat(getComputedStyle(document.body).fontSize);
  const height = box.height / Math.ceil(count / columns);
  $("tables").style.setProperty("--columns", columns);
  const least = innerHeight > innerWidth ? .5 : .35; // a phone scrolls through many tables
  $("tables").style.setProperty("--scale", Math.min(2, Math.max(least, Math.min(height / (most * 1.3), box.width / columns / 10.5) / unit)));
  $("tables").replaceChildren(...state.tables.map(card));
  $("round").hidden = state.round === null;
  $("round").querySelector("h2").textContent = t("Round {round}", { round: state.round });
  $("round").querySelector("ol").replaceChildren(...state.places.map((place) => made("li", "", place.ready ? "ready" : "",
    made("span", place.table), made("span", place.players.join(" – "), "who"), made("span", place.ready ? "✓" : ""))));
  const event = state.tournament;
  $("standings").querySelector("h2").textContent = event ? event.name : t("Standings");
  const rows = event
    ? event.rows.map((row) => [row.field, row.rank, row.entrant, row.score, row.more])
    : state.standings.map((row) => ["", row.rank, row.player, `${row.won}/${row.played}`, ""]);
  $("standings").querySelector("ol").replaceChildren(...rows.map(([field, rank, name, score, more]) => made("li", "", "",
    made("span", `${field} ${rank}.`.trim()), made("span", name, "who"), made("b", score), made("small", more))));
  $("waiting").hidden = !state.waiting.length;
  $("waiting").textContent = t("Waiting: {names}", { names: state.waiting.join(", ") });
  for (const list of document.querySelectorAll("#round ol, #standings ol")) { // no row is shown in half
    for (const row of list.children) row.hidden = row.offsetTop + row.offsetHeight > list.offsetTop + list.clientHeight + 1;
  }
}

let last = null;
watch((state) => { last = state; show(state); });
addEventListener("resize", () => last && show(last));
