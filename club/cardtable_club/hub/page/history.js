// The history of all tables: what each player has won, and the last games, each as a record.

import { $, made, minus, t, trouble } from "./common.js";

const read = (what) =>
  fetch(what)
    .then((answer) => answer.json())
    .catch(() => trouble(t("No connection to the hub. Trying again…")));
// `wide`: the number of the cell that may have several lines.
const row = (cells, wide, kind = "td") =>
  made(
    "tr",
    "",
    "",
    ...cells.map((cell, at) =>
      cell instanceof Node
        ? made(kind, "", "", cell)
        : made(cell === "" ? "td" : kind, `${cell}`, at === wide ? "wide" : ""),
    ),
  );

const found = await read("statistics.json");
if (found) {
  const games = (player) =>
    found.rows
      .filter((each) => each.player === player && each.name !== null)
      .map((each) => `${each.title} ${each.won}/${each.played}`)
      .join(", ");
  $("players").replaceChildren(
    row(["", t("Player"), t("Won"), t("Played"), t("Games")], 4, "th"),
    ...found.standings.map((each) => row([each.rank, each.player, each.won, each.played, games(each.player)], 4)),
  );
}
const list = await read("games.json");
if (list) {
  $("games").replaceChildren(
    row(["", t("Table"), t("Game"), t("Score"), t("Begun")], 3, "th"),
    ...list.games.map((game) => {
      const link = made("a", `${game.id}`);
      link.href = `games/${game.id}.jsonl`;
      const sides = game.sides.map((side) => `${side.won ? "★ " : ""}${side.name} ${minus(side.score)}`).join(", ");
      return row(
        [
          link,
          game.table,
          game.title,
          sides,
          new Date(game.started * 1000).toLocaleString(document.documentElement.lang, {
            dateStyle: "medium",
            timeStyle: "short",
          }),
        ],
        3,
      );
    }),
  );
}
