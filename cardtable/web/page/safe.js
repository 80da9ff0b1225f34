// Safe mode: why the table cannot start, and what can be done about it. When it has started, its board is shown.

import { ask } from "./ask.js";
import { $, make, region } from "./dom.js";
import { typing } from "./start_keys.js";
import { themed } from "./start_signs.js";
import { t } from "./texts.js";

const EVERY = 1000; // ms

themed();
let opening = null; // the session of the safe mode that ends; null for none

async function post(path, body) {
  $("refused").hidden = true;
  const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) })
    .then((got) => got.json()).catch(() => ({ refused: t("No connection to the table. Try again.") }));
  if (!answer.refused) return answer;
  $("refused").textContent = answer.refused;
  $("refused").hidden = false;
  return null;
}

async function choose({ do: wanted, label, question }) {
  if (opening || (question && !await ask(question, [[true, make("button", { class: "main" }, label)]]))) return;
  document.body.classList.add("busy");
  const answer = await post("safe/do", { do: wanted });
  if (!answer) { document.body.classList.remove("busy"); return; }
  opening = answer.session;
  $("text").textContent = t("The table is opened again…");
}

async function look() {
  const answer = await fetch("safe/state.json", { cache: "no-store" }).catch(() => null);
  if (answer?.status === 404) { location.replace("./"); return; } // the table has started
  const state = await answer?.json().catch(() => null);
  $("offline").hidden = Boolean(state) || Boolean(opening);
  $("offline").textContent = t("No connection to the table. Trying again…");
  if (!state || state.session === opening) return;
  if (opening) document.body.classList.remove("busy");
  opening = null;
  document.body.dataset.version = "1"; // the page has something to show
  $("text").textContent = state.refused ?? state.text;
  $("care").hidden = state.care === false;
  region("choices", [state.session, state.choices], () => (state.choices ?? []).map((choice) => make("button", { onclick: () => choose(choice) }, choice.label)));
  region("entry", [state.pin], () => (state.pin ? [typing({ label: state.pin, kind: "digits" }, async (pin) => { if (await post("director", { pin })) location.reload(); })] : []));
}

setInterval(look, EVERY);
look();
