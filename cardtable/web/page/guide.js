// What `cardtable calibrate` and `cardtable deck` show: the next step, what the camera sees, and what was found.

import { $, make, region, t, withSuits } from "./base.js";
import { live } from "./socket.js";
import { finding } from "./start_signs.js";

const REFUSED = 4000; // ms
let picture = 0,
  loading = false;

function show(state) {
  document.body.dataset.version = "1"; // from now on, a lost connection hides nothing
  document.title = $("title").textContent = state.title;
  region("place", state.progress, () =>
    state.progress ? [make("b", {}, state.progress[0]), ` / ${state.progress[1]}`] : [],
  );
  region("text", state.text, () => withSuits(state.text));
  $("text").classList.toggle("alert", state.alert);
  region("findings", state.findings, () => state.findings.map(finding));
  $("who").textContent = state.who ?? "";
  region("buttons", state.buttons, () =>
    state.buttons.map(({ do: what, label }) =>
      make(
        "button",
        {
          onclick: () =>
            link.send({ do: what }) || refuse(t("There is no connection to the table; nothing was entered.")),
        },
        ...withSuits(label),
      ),
    ),
  );
  refresh(state.picture);
}

// One request at a time: the next picture is requested after the previous one has arrived.
function refresh(number) {
  if (number === picture || loading) return;
  picture = number;
  loading = true;
  $("see").hidden = false;
  $("picture").src = `camera.jpg?${number}`;
}
for (const event of ["load", "error"])
  $("picture").addEventListener(event, () => {
    loading = false;
  });

function refuse(text) {
  $("refused").textContent = text;
  $("refused").hidden = false;
  setTimeout(() => {
    $("refused").hidden = true;
  }, REFUSED);
}

const link = live(
  "live",
  (message) => {
    if (message.refused) refuse(message.refused);
    if (!message.title) return;
    $("offline").hidden = true;
    show(message);
  },
  () => {
    $("offline").hidden = false;
  },
  (sure) =>
    refuse(
      sure
        ? t("Your last press has not reached the table: press again.")
        : t("The table has started again: look whether your last press has counted."),
    ),
);
