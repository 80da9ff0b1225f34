// A table's next seats, and "we are ready": for a phone or screen at that table. The address names it: table.html#table-1

import { $, made, t, trouble, watch } from "./common.js";

const name = decodeURIComponent(location.hash.slice(1));
addEventListener("hashchange", () => location.reload());
$("name").textContent = name;
$("board").href = `tables/${encodeURIComponent(name)}/`;
let round = null;

watch((state) => {
  const place = state.places.find((each) => each.table === name);
  round = state.round;
  $("board").hidden = !state.tables.some((table) => table.name === name && table.board);
  const known = place || state.tables.some((table) => table.name === name);
  $("title").textContent = place
    ? t("Round {round}", { round })
    : known
      ? t("This table has no seats in the next round.")
      : t("There is no table {table} in this club.", { table: name });
  $("players").replaceChildren(...(place?.players ?? []).map((player) => made("li", player)));
  $("ready").hidden = !place || place.ready;
  $("said").textContent = place?.ready ? t("Ready. The game begins at the table.") : "";
});

$("ready").addEventListener("click", async () => {
  const body = JSON.stringify({ table: name, round });
  const answer = await fetch("ready", { method: "POST", headers: { "Content-Type": "application/json" }, body })
    .then((found) => found.json())
    .catch(() => ({ refused: t("No connection to the hub. Trying again…") }));
  trouble(answer.refused ?? "");
});
