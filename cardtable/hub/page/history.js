// The history of all tables: what each player has won, and the last games, each as a record.

import { $, made, t, trouble } from "./common.js";

const read = (what) => fetch(what).then((answer) => answer.json()).catch(() => trouble(t("No connection to the hub. Trying again…")));
const row = (cells, kind = "td") => made("tr", "", "", ...cells.map((cell) => (cell instanceof Node ? made(kind, "", "", cell) : made(kind, `${cell}`))));

const found = await read("statistics.json");
if (found) {
  const games = (player) => found.rows.filter((each) => each.player === player && each.name !== null)
    .map((each) => `${each.title} ${each.won}/${each.played}`).join(", ");
  $("players").replaceChildren(row(["", t("Player"), t("Won"), t("Played"), t("Games")], "th"),
    ...found.standings.map((each) => row([each.rank, each.player, each.won, each.played, games(each.player)])));
}
const list = await read("games.json");
if (list) {
  $("games").replaceChildren(row(["", t("Table"), t("Game"), t("Score"), t("Begun")], "th"), ...list.games.map((game) => {
    const link = made("a", `${game.id}`);
    link.href = `games/${game.id}.jsonl`;
    const sides = game.sides.map((side) => `${side.won ? "★ " : ""}${side.name} ${side.score}`).join(", ");
    return row([link, game.table, game.title, sides, new Date(game.started * 1000).toLocaleString(document.documentElement.lang)]);
  }));
}
