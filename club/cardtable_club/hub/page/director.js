// The director's page: pairings, results and their corrections, who leaves and joins, tables that break down.

import { $, made, minus, t, trouble } from "./common.js";

const KINDS = {
  "round-robin": t("round robin"),
  swiss: t("Swiss"),
  "knock-out": t("knock-out"),
  ladder: t("ladder"),
  mitchell: t("bridge pairs: Mitchell"),
  howell: t("bridge pairs: Howell"),
};
const SCORINGS = {
  "": t("as usual"),
  wins: t("games won"),
  cribbage: t("cribbage points"),
  matchpoints: t("matchpoints"),
  imps: t("IMPs"),
};
let state = null;

async function send(path, what) {
  const options = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(what) };
  const answer = await fetch(path, options)
    .then((found) => found.json())
    .catch(() => ({ refused: t("No connection to the hub. Trying again…") }));
  trouble(answer.refused ?? "");
  return answer.refused ? null : answer;
}

async function direct(what) {
  const found = await send("director/do", what);
  if (found) show(found);
  return found;
}

const SILENT_MS = 3000; // after which a network forwards nothing any more
let away = false; // whether the last state could not be read

async function read() {
  const giving = new AbortController();
  const waiting = setTimeout(() => giving.abort(), SILENT_MS);
  const found = await fetch("director.json", { signal: giving.signal })
    .then((answer) => answer.json())
    .catch(() => ({ refused: t("No connection to the hub. Trying again…") }));
  clearTimeout(waiting);
  if (found.refused || away) trouble(found.refused ?? "");
  away = Boolean(found.refused);
  if (!away && JSON.stringify(found) !== JSON.stringify(state) && !document.activeElement?.closest("#games form"))
    show(found);
}

function button(text, act) {
  const made_ = made("button", text);
  made_.type = "button";
  made_.addEventListener("click", act);
  return made_;
}

function input(value, about, name) {
  const found = made("input");
  found.name = name;
  found.value = value;
  found.required = true;
  found.size = 6;
  found.ariaLabel = about;
  return found;
}

// A form for the result of a game, or of one of its boards.
function entry(game, label, fields, wanted) {
  const form = made("form", "", "", ...(label ? [made("span", label)] : []), ...fields, made("button", t("Enter")));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    document.activeElement.blur();
    await direct({ round: game.round, entrants: game.entrants, ...wanted() });
  });
  return form;
}

function gameOf(game) {
  const [first, second] = game.entrants;
  const title = made(
    "h3",
    `${t("Round {round}", { round: game.round })} · ${game.table ?? t("later, at any table")} · ${first} – ${second}`,
    game.done ? "done" : "",
  );
  if (game.walkover) title.append(` · ${t("walkover for {name}", { name: game.walkover })}`);
  if (game.boards.length) {
    return made(
      "article",
      "",
      "",
      title,
      ...game.boards.map((board) => {
        const score = input(
          board.score,
          t("Board {board}: North and South's score, or A+/A-", { board: board.board }),
          "score",
        );
        return entry(game, t("Board {board}", { board: board.board }), [score], () => ({
          do: "board",
          board: board.board,
          score: score.value.trim(),
        }));
      }),
    );
  }
  const fields = game.entrants.map((entrant, at) => {
    const field = input(game.scores?.[at] ?? "", t("Score of {name}", { name: entrant }), `score${at}`);
    field.type = "number";
    return made("label", "", "", made("span", entrant), field);
  });
  return made(
    "article",
    "",
    "",
    title,
    entry(game, "", fields, () => ({ do: "result", scores: fields.map((field) => Number(field.lastChild.value)) })),
  );
}

// A table of the club: whether it is there, its figures, and what is wrong with it.
function stateOf(table) {
  const about = [table.online ? t("connected") : t("away")];
  if (table.waiting) about.push(t("lines to send: {count}", { count: table.waiting }));
  if (table.temperature != null) about.push(`${minus(Math.round(table.temperature))}\u00a0°C`);
  if (table.free != null)
    about.push(
      t("{size} GB free", {
        size: (table.free / 1e9).toLocaleString(document.documentElement.lang, {
          minimumFractionDigits: 1,
          maximumFractionDigits: 1,
        }),
      }),
    );
  if (table.version) about.push(table.version);
  const head = made("p", "", "", made("b", table.name), made("span", ` ${about.join(" · ")}`));
  return made(
    "li",
    "",
    table.faults.length ? "bad" : table.online ? "good" : "away",
    head,
    ...table.faults.map((fault) => made("p", fault, "fault")),
  );
}

const WHY = {
  "": t("does not answer"),
  expired: t("its clock is wrong"),
  unknown: t("its program is older than that of the hub"),
};

async function message(text) {
  const chosen = $("message").table.value;
  const tables = chosen ? [chosen] : state.health.filter((table) => table.online).map((table) => table.name);
  $("shown").textContent = "";
  if (!tables.length) {
    trouble(t("No table is connected."));
    return null;
  }
  const found = await send("director/message", { tables, text });
  if (!found) return null;
  const failed = Object.entries(found.why)
    .filter(([, why]) => why != null)
    .map(([name, why]) => t("{name}: {what}", { name, what: WHY[why] ?? why }));
  const done = Object.keys(found.why)
    .filter((name) => found.why[name] == null)
    .join(", ");
  $("shown").textContent = [
    done && (text ? t("Shown at {tables}.", { tables: done }) : t("Taken back at {tables}.", { tables: done })),
    ...failed,
  ]
    .filter(Boolean)
    .join(" ");
  return found;
}

// Fills a list to choose from. `titles`: what is shown for a name, if that is something else.
function options(select, names, chosen, titles = {}) {
  select.replaceChildren(
    ...names.map((name) => {
      const option = made("option", titles[name] ?? name);
      option.value = name;
      option.selected = name === chosen;
      return option;
    }),
  );
}

function show(found) {
  state = found;
  const may = found.role !== "spectator";
  const event = found.tournament;
  $("name").textContent = event ? event.name : t("Director");
  $("enter").hidden = may || !found.pin;
  $("none").hidden = may || found.pin;
  $("new").hidden = !may;
  $("new").open ||= may && !event;
  $("pin").hidden = found.role !== "board";
  for (const id of ["rounds", "people", "places", "files"]) $(id).hidden = !may || !event;
  $("health").hidden = !may || !found.health.length;
  $("states").replaceChildren(...found.health.map(stateOf));
  options($("message").table, ["", ...found.tables], $("message").table.value, { "": t("all tables") });
  if (!$("begin").kind.options.length) {
    options($("begin").kind, found.kinds, "round-robin", KINDS);
    options($("begin").scoring, ["", ...found.scorings], "", SCORINGS);
    $("begin").elements.name.value = t("Tournament");
    $("begin").tables.value = found.tables.join("\n");
  }
  $("quarter").hidden = !event || event.pairs || event.kind === "knock-out";
  if ($("quarter").hidden && $("begin").best_quarter.checked) $("begin").best_quarter.click();
  if (!may || !event) return;
  const ladder = event.kind === "ladder";
  $("next").hidden = $("late").hidden = ladder;
  $("late").hidden ||= event.kind === "knock-out" || event.games.every((game) => game.done);
  $("challenge").hidden = !ladder;
  options($("challenge").challenger, event.playing, $("challenge").challenger.value);
  options($("challenge").challenged, event.playing, $("challenge").challenged.value);
  $("games").replaceChildren(
    ...event.byes.map((name) => made("p", t("bye: {name}", { name }))),
    ...event.games.map(gameOf),
  );
  $("entrants").replaceChildren(
    ...event.playing.map((entrant) =>
      made(
        "li",
        "",
        "",
        made("span", entrant),
        button(
          t("Leaves"),
          () => confirm(t("{name} leaves the tournament?", { name: entrant })) && direct({ do: "leave", entrant }),
        ),
      ),
    ),
    ...event.left.map((entrant) =>
      made(
        "li",
        "",
        "left",
        made("span", entrant),
        button(t("Joins again"), () => direct({ do: "join", entrant })),
      ),
    ),
  );
  $("tables").replaceChildren(
    ...event.tables.map((table) => {
      const broken = event.broken.includes(table);
      return made(
        "li",
        "",
        broken ? "left" : "",
        made("span", table),
        button(broken ? t("Can be used again") : t("Has broken down"), () =>
          direct({ do: broken ? "repaired" : "broken", table }),
        ),
      );
    }),
  );
}

const submitted = (id, act) =>
  $(id).addEventListener("submit", (event) => {
    event.preventDefault();
    act(Object.fromEntries(new FormData(event.target)), event.target);
  });
const lines = (written) =>
  written
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

const round = (late) => direct({ do: "round", late, round: state.tournament.round + 1 }); // pressed twice, it is paired once
$("next").addEventListener("click", () => round(false));
$("late").addEventListener("click", () => round(true));
submitted("challenge", (values) => direct({ do: "challenge", ...values }));
submitted("join", async (values, form) => (await direct({ do: "join", ...values })) && form.reset());
submitted("begin", async (values) => {
  if (state.tournament && !confirm(t("Begin another tournament? The present one ends."))) return;
  const begun = await direct({
    do: "begin",
    name: values.name,
    kind: values.kind,
    scoring: values.scoring || null,
    rounds: values.rounds ? Number(values.rounds) : null,
    boards: Number(values.boards),
    best_quarter: Boolean(values.best_quarter),
    entrants: values.best_quarter ? [] : lines(values.entrants),
    tables: lines(values.tables),
  });
  if (begun) $("new").open = false;
});
$("begin").best_quarter.addEventListener("change", ({ target }) => {
  $("names").hidden = target.checked;
  $("begin").entrants.disabled = target.checked;
});
submitted("message", (values) => message(values.text));
$("unsay").addEventListener("click", () => message(""));
submitted("enter", async (values, form) => {
  form.reset();
  if (await send("director", values)) await read();
});
submitted("set", async (values, form) => {
  if (await send("director/pin", values)) form.reset();
});
await read();
setInterval(read, 2000);
