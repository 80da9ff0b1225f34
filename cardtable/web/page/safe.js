// Safe mode: why the table cannot start, and what can be done about it. When it has started, its board is shown.

import { $, ask, make, region, t } from "./base.js";
import { typing } from "./keyboard.js";
import { get, pressed, watch } from "./start_signs.js";

const EVERY = 1000; // ms

let opening = null; // the session of the safe mode that ends; null for none
let busy = false; // whether a choice is being sent
watch(() => Boolean(opening));

async function post(path, body) {
  $("refused").hidden = true;
  const answer = await pressed(
    fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) })
      .then((got) => got.json())
      .catch(() => ({ refused: t("No connection to the table. Try again.") })),
  );
  if (!answer.refused) return answer;
  refuse(answer.refused);
  return null;
}

function refuse(text) {
  $("refused").textContent = text;
  $("refused").hidden = false;
}

async function choose({ do: wanted, label, question }) {
  if (opening || busy) {
    refuse(t("Wait: your last press is not answered yet."));
    return;
  }
  if (question && !(await ask(question, [[true, make("button", { class: "main" }, label)]]))) return;
  document.body.classList.add("busy");
  busy = true;
  const answer = await post("safe/do", { do: wanted });
  busy = false;
  if (!answer) {
    document.body.classList.remove("busy");
    return;
  }
  opening = answer.session;
  $("text").textContent = t("The table is opened again…");
}

async function look() {
  const answer = await get("safe/state.json").catch(() => null);
  if (answer?.status === 404) {
    location.replace("./");
    return;
  } // the table has started
  const state = await answer?.json().catch(() => null);
  if (!state || state.session === opening) return;
  if (opening) document.body.classList.remove("busy");
  opening = null;
  document.body.dataset.version = "1"; // the page has something to show
  $("text").textContent = state.refused ?? state.text;
  $("care").hidden = state.care === false;
  region("choices", [state.session, state.choices], () =>
    (state.choices ?? []).map((choice) =>
      make("button", { class: "choice", onclick: () => choose(choice) }, choice.label),
    ),
  );
  region("entry", [state.pin], () =>
    state.pin
      ? [
          typing({ label: state.pin, kind: "digits" }, async (pin) => {
            if (await post("director", { pin })) location.reload();
          }),
        ]
      : [],
  );
}

setInterval(look, EVERY);
look();
