// The page that guides through setting up: shows the states that the program sends, and sends the pressed buttons.
// Texts are inserted with textContent, never as HTML.

import { live } from "./socket.js";

const $ = (id) => document.getElementById(id);
const catalogue = await fetch("texts.json")
  .then((answer) => answer.json())
  .catch(() => ({ language: "en", texts: {} }));
const t = (text) => catalogue.texts[text] ?? text;
document.documentElement.lang = catalogue.language;
for (const element of document.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
for (const element of document.querySelectorAll("[data-alt]")) element.alt = t(element.dataset.alt);
for (const element of document.querySelectorAll("[data-label]")) element.ariaLabel = t(element.dataset.label);

let picture = -1,
  loading = false,
  buttons = "";

function make(tag, text, kind) {
  const element = document.createElement(tag);
  element.textContent = text;
  if (kind) element.className = kind;
  return element;
}

function show(state) {
  document.title = state.title;
  $("title").textContent = state.title;
  $("text").textContent = state.text;
  $("text").classList.toggle("alert", state.alert);
  $("far").hidden = !state.progress;
  if (state.progress) {
    [$("progress").value, $("progress").max] = state.progress;
    $("count").textContent = `${state.progress[0]} / ${state.progress[1]}`;
  }
  $("findings").replaceChildren(
    ...state.findings.map((finding) => {
      const item = make("li", "", finding.state);
      item.append(make("b", finding.text));
      if (finding.advice) item.append(make("p", finding.advice));
      return item;
    }),
  );
  $("who").textContent = state.who ?? "";
  // Buttons are redrawn only if they have changed, so that none disappears while it is pressed.
  const wanted = JSON.stringify(state.buttons);
  if (wanted !== buttons) {
    buttons = wanted;
    $("buttons").replaceChildren(
      ...state.buttons.map(({ do: what, label }) => {
        const button = make("button", label);
        button.type = "button";
        button.addEventListener(
          "click",
          () => link.send({ do: what }) || refused(t("There is no connection to the table; nothing was entered.")),
        );
        return button;
      }),
    );
  }
  refresh(state.picture);
}

// One request at a time: the next picture is requested after the previous one has arrived.
function refresh(number) {
  if (number === picture || loading || number < 1) return;
  picture = number;
  loading = true;
  $("picture").src = `camera.jpg?${number}`;
}
for (const event of ["load", "error"])
  $("picture").addEventListener(event, () => {
    loading = false;
  });

function refused(text) {
  $("refused").textContent = text;
  $("refused").hidden = false;
  setTimeout(() => {
    $("refused").hidden = true;
  }, 4000);
}

const link = live(
  "live",
  (message) => {
    if (message.refused) refused(message.refused);
    if (!message.title) return;
    $("offline").hidden = true;
    show(message);
  },
  () => {
    $("offline").hidden = false;
  },
  (sure) =>
    refused(
      sure
        ? t("Your last press has not reached the table: press again.")
        : t("The table has started again: look whether your last press has counted."),
    ),
);
