// Your phone: the code with which phones come to the table, the connected phones, and the director's PIN.

import { $, make, qr, region, t } from "./base.js";
import { post } from "./connection.js";
import { newCode, tableCode } from "./sheets.js";

let state = null;
const VIEWS = { code: () => [...entrance(tableCode(draw)), ...connected()], app, screens, pin };
let before = []; // the phones that were connected when the sheet was opened
let view = "code";
let guide = null; // the address of the page about the app, and its QR code
let notice = "";

export function phones(next) {
  state = next;
  if (!$("phones-sheet").open) return;
  const found = state.phones.find((phone) => phone.connected && !before.includes(phone.id));
  if (found?.player) notice = t("{name}’s phone is connected.", { name: found.player });
  if (found) before.push(found.id);
  draw();
}

export function openSheet(next) {
  state = next;
  before = state.phones.filter((phone) => phone.connected).map((phone) => phone.id);
  show("code");
  $("phones-sheet").showModal();
}

function show(next, said = "") {
  view = next;
  notice = said;
  draw();
}

const names = () => state.players ?? state.seats?.map((seat) => seat.name) ?? [];
const refuse = (text) => {
  notice = text;
  draw();
};

function draw() {
  const code = tableCode(draw);
  region("phones", [view, notice, code, names(), state.phones, state.you.role], () => [
    notice ? make("p", { class: "notice", role: "status" }, notice) : null,
    ...VIEWS[view](),
  ]);
}

// How a phone comes to the table.
function entrance(code) {
  if (!code) return [];
  if (!code.url) return closed(newCode);
  return [
    make(
      "div",
      { class: "code" },
      qr(code.qr),
      make(
        "div",
        {},
        make("p", {}, t("Scan this with your phone, then tap your name.")),
        names().length ? null : make("p", {}, t("Choose the players first.")),
        make("p", {}, t("Or open this address, and type the code:")),
        make("p", { class: "url" }, code.url.replace("http://", "")),
        make(
          "p",
          { class: "letters", "aria-label": [...code.code].join(" ") },
          `${code.code.slice(0, 3)} ${code.code.slice(3)}`,
        ),
      ),
    ),
  ];
}

function connected() {
  const list = state.phones.map((phone) =>
    make(
      "li",
      {},
      make(
        "span",
        { class: phone.connected ? "on" : "off" },
        [phone.player, phone.director && t("director"), phone.device, !phone.connected && t("not connected")]
          .filter(Boolean)
          .join(" · "),
      ),
      make(
        "button",
        {
          "aria-label": t("Take away: {what}", { what: [phone.player ?? t("director"), phone.device].join(" ") }),
          onclick: () => post("phone/remove", { id: phone.id }, refuse),
        },
        "✕",
      ),
    ),
  );
  return [
    list.length ? make("ul", { class: "list", "aria-label": t("Connected phones") }, ...list) : null,
    make("button", { class: "quiet", onclick: offerApp }, t("The table as an app…")),
    make("button", { class: "quiet", onclick: offerScreens }, t("Stream, or a large screen…")),
    state.you.role === "board" ? make("button", { class: "quiet", onclick: () => show("pin") }, t("Director…")) : null,
  ];
}

async function offerApp() {
  notice = "";
  guide = await post("phone/app", {}, refuse);
  if (!guide) return;
  view = "app";
  draw();
}

async function offerScreens() {
  notice = "";
  guide = await post("phone/screens", {}, refuse);
  if (!guide) return;
  view = "screens";
  draw();
}

async function letIn(then) {
  if (await post("phone/network", {}, refuse)) then();
}

const closed = (then) => [
  make(
    "p",
    {},
    t(
      "The table lets no phone in yet. If you let phones in, every device in your network can watch, until the table is switched off.",
    ),
  ),
  make("button", { class: "main", onclick: () => letIn(then) }, t("Let phones in")),
];

const back = () => make("button", { class: "quiet", onclick: () => show("code") }, t("Back"));

function app() {
  if (!guide.url) return [...closed(offerApp), back()];
  return [
    make(
      "div",
      { class: "code" },
      qr(guide.qr),
      make(
        "div",
        {},
        make("p", {}, t("Scan this with a phone that is to have the table as an app.")),
        make("p", { class: "url" }, guide.url.replace("http://", "")),
        back(),
      ),
    ),
  ];
}

function screens() {
  if (!guide.wall) return [...closed(offerScreens), back()];
  return [
    make("p", {}, t("For a stream, open this on the computer with OBS:")),
    make("p", { class: "url" }, guide.streaming.replace("http://", "")),
    make("p", {}, t("On a large screen in the room, open this:")),
    make("p", { class: "url" }, guide.wall.replace("http://", "")),
    back(),
  ];
}

// The PIN is typed with keys on the screen, because a touch display has no keyboard.
function pin() {
  const line = make("input", {
    type: "text",
    inputmode: "numeric",
    pattern: "[0-9]*",
    maxlength: 12,
    autocomplete: "off",
    "aria-label": t("New PIN, 4 to 12 digits"),
    placeholder: t("New PIN, 4 to 12 digits"),
  });
  const key = (text, act, name = text) => make("button", { class: "key", "aria-label": name, onclick: act }, text);
  const set = async (value) => {
    if (!(await post("director/pin", { pin: value }, refuse))) return;
    show(
      "code",
      value
        ? t("The PIN is set. Enter it on the device, at the address for phones.")
        : t("There is no director any more."),
    );
  };
  line.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      set(line.value);
    }
  });
  return [
    make("p", {}, t("With this PIN a device may do everything that the board may.")),
    line,
    make(
      "div",
      { class: "digits" },
      ...[..."1234567890"].map((digit) =>
        key(digit, () => {
          line.value = (line.value + digit).slice(0, 12);
        }),
      ),
      key(
        "⌫",
        () => {
          line.value = line.value.slice(0, -1);
        },
        t("delete"),
      ),
      make("button", { class: "main", onclick: () => set(line.value) }, t("Done")),
    ),
    make("button", { class: "quiet", onclick: () => set(null) }, t("No director any more")),
  ];
}
