// The first start: polls the table for the current question, and draws it.

import { $, make, qr, region, t } from "./base.js";
import { typing } from "./keyboard.js";
import { finding, get, pressed, watch } from "./start_signs.js";

const EVERY = 700,
  PICTURE_EVERY = 400,
  REFUSED = 8000; // ms
const PICTURES = { camera: "camera.jpg", mat: "start/mat.jpg" };

watch();

let step = null; // the name of the step that is shown
let shown = ""; // its name, its title and what must be typed: if they change, it is another question
let busy = false; // whether an answer is being sent, or the table is being reopened
let leaving = null; // the session of the table that is about to be closed; null for none
let sent = 0; // number of answers sent: a response to an earlier request is about an earlier question
let hiding = 0;

function refuse(text) {
  $("refused").textContent = text;
  $("refused").hidden = false;
  clearTimeout(hiding);
  hiding = setTimeout(() => {
    $("refused").hidden = true;
  }, REFUSED);
}

const asked = (path) =>
  get(path)
    .then((answer) => answer.json())
    .catch(() => null); // null while the table is reopened

const post = (path, body) =>
  pressed(
    fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) })
      .then((answer) => answer.json())
      .catch(() => ({ refused: t("No connection to the table. Try again.") })),
  );

async function send(event, value = "") {
  if (busy) {
    refuse(t("Wait: your last press is not answered yet."));
    return;
  }
  busy = true;
  sent += 1;
  document.body.classList.add("busy");
  $("refused").hidden = true;
  const answer = await post(`start/do${location.search}`, { do: event, step, value });
  if (answer.opening) {
    leaving = answer.session;
    return;
  }
  free();
  show(answer);
}

function free() {
  busy = false;
  leaving = null;
  document.body.classList.remove("busy");
}

// A phone that is not known yet: the code of the first start makes it the director's.
function askCode({ code, language }) {
  if (language !== document.documentElement.lang) {
    translate(language);
    return;
  }
  document.body.dataset.version = "1";
  $("title").textContent = t("The first start");
  $("text").textContent = code;
  for (const id of ["back", "skip", "forward"]) $(id).hidden = true;
  region("entry", code, () => [typing({ label: t("Code"), kind: "digits" }, enter)]);
}

async function enter(pin) {
  const answer = await post("director", { pin });
  if (answer.refused) refuse(answer.refused);
  else location.reload();
}

function show(state) {
  if (state.code) {
    askCode(state);
    return;
  }
  if (state.over) {
    location.href = "./";
    return;
  }
  if (state.refused) {
    refuse(state.refused);
    return;
  }
  if (state.language !== document.documentElement.lang) {
    translate(state.language);
    return;
  }
  const { question } = state;
  const now = JSON.stringify([state.step, question.title, question.entry?.label]);
  const other = shown !== now;
  shown = now;
  step = state.step;
  document.body.dataset.version = "1"; // from now on, a lost connection hides nothing
  document.title = question.title;
  $("title").textContent = question.title.replaceAll(" ·", "\u00a0·");
  region("place", [state.number, state.steps.length], ([number, of]) =>
    of > 1 ? [make("b", {}, number), ` / ${of}`] : [],
  );
  $("text").textContent = question.text;
  $("back").hidden = state.first;
  $("forward").hidden = question.forward === null;
  $("forward").textContent = question.forward ?? "";
  region("findings", question.findings, () => question.findings.map(finding));
  region("sheets", question.sheets, () =>
    question.sheets.map((sheet) =>
      make("a", { class: "button", href: `start/${sheet.name}`, target: "_blank" }, sheet.label),
    ),
  );
  region("entry", [step, question.entry], () =>
    question.entry ? [typing(question.entry, typed(question.entry))] : [],
  );
  region("choices", [step, question.choices], () => question.choices.map(choice));
  region("see", [question.picture, question.qr, question.code_label], () => seen(question));
  $("see").hidden = !question.picture && !question.qr;
  $("by-phone").textContent = state.by_phone ?? "";
  if (!other) return;
  $("asked").scrollTop = 0;
  $("title").focus({ preventScroll: true });
  $("polite").textContent = `${question.title}. ${question.text}`;
  look();
}

// The table is reopened in another language; then the page is reloaded.
async function translate(language) {
  const texts = await asked("texts.json");
  if (texts?.language === language) location.reload();
}

// Text typed while another answer is being sent stays in its field.
const typed = (entry) => (text) => {
  const was = busy;
  send("answer", entry.prefix + text);
  if (!was) clear();
};

// The typed text is not shown for the next name.
function clear() {
  for (const line of $("entry").querySelectorAll("input")) {
    line.value = "";
    line.dispatchEvent(new Event("input"));
  }
}

const choice = (item) =>
  make(
    "button",
    {
      class: `choice${item.chosen ? " chosen" : ""}`,
      "aria-pressed": String(item.chosen),
      onclick: () => send("answer", item.value),
    },
    item.label,
    item.about ? make("small", {}, item.about) : null,
  );

function seen(question) {
  if (question.qr) return [qr(question.qr), make("p", {}, question.code_label)];
  return question.picture
    ? [make("img", { id: "picture", "data-src": PICTURES[question.picture], alt: t("What the camera sees now") })]
    : [];
}

// The next picture is requested when the last one has arrived.
async function look() {
  const image = document.getElementById("picture");
  if (!image || image.dataset.loading) return;
  image.dataset.loading = "1";
  const next = new Image();
  next.src = `${image.dataset.src}?${Date.now()}`;
  await next
    .decode()
    .then(() => {
      image.src = next.src;
    })
    .catch(() => {});
  delete image.dataset.loading;
}

$("back").textContent = t("Back");
$("skip").textContent = t("Skip");
$("back").addEventListener("click", () => send("back"));
$("skip").addEventListener("click", () => send("skip"));
$("forward").addEventListener("click", () => send("next"));

async function ask() {
  if (!busy || leaving) {
    const before = sent;
    const state = await asked(`start/state.json${location.search}`);
    if (leaving && state && state.session !== leaving) free();
    if (state && !busy && before === sent) show(state);
  }
  setTimeout(ask, EVERY);
}
setInterval(look, PICTURE_EVERY);
ask();
