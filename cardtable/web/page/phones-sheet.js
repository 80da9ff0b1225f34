// Your phone: the code that pairs a phone with a seat, the connected phones, and the director's PIN.

import { $, make, qr, region, t } from "./base.js";
import { post } from "./connection.js";

const BEFORE_S = 30; // how long before the old code expires a new one is shown
let state = null;
let shown = null; // the code shown: the server's answer, its seat, and the phones paired at that time
let timer = 0;
const VIEWS = { seats, code, app, screens, pin };
let view = "seats";
let guide = null; // the address of the page about the app, and its QR code
let notice = "";

export function phones(next) {
  state = next;
  if (!$("phones-sheet").open) return;
  if (shown && newPhone()) {
    notice = t("{name}’s phone is connected.", { name: shown.player });
    hide();
    view = "seats";
  }
  draw();
}

// Opens the sheet, at the code for `seat` if one is given.
export function openSheet(next, seat) {
  state = next;
  view = "seats";
  notice = "";
  draw();
  $("phones-sheet").showModal();
  if (seat != null) offer(seat);
}

const names = () => state.players ?? state.seats?.map((seat) => seat.name) ?? [];
const newPhone = () =>
  state.phones.find((phone) => phone.player === shown.player && phone.connected && !shown.before.includes(phone.id));
const refuse = (text) => {
  notice = text;
  draw();
};

function draw() {
  region("phones", [view, notice, shown?.code, names(), state.phones, state.you.role], () => [
    notice ? make("p", { class: "notice", role: "status" }, notice) : null,
    ...VIEWS[view === "code" && !shown ? "seats" : view](),
  ]);
}

function seats() {
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
    names().length ? make("p", {}, t("Whose phone?")) : make("p", {}, t("Choose the players first.")),
    make(
      "div",
      { class: "choices" },
      ...names().map((name, seat) => make("button", { onclick: () => offer(seat) }, name)),
    ),
    list.length ? make("ul", { class: "list", "aria-label": t("Connected phones") }, ...list) : null,
    make("button", { class: "quiet", onclick: offerApp }, t("The table as an app…")),
    make("button", { class: "quiet", onclick: offerScreens }, t("Stream, or a large screen…")),
    state.you.role === "board"
      ? make(
          "button",
          {
            class: "quiet",
            onclick: () => {
              view = "pin";
              notice = "";
              draw();
            },
          },
          t("Director…"),
        )
      : null,
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

async function offer(seat) {
  clearTimeout(timer);
  notice = "";
  const answer = await post("phone/code", { seat }, refuse);
  if (!answer || !$("phones-sheet").open) return;
  shown = { ...answer, seat, before: state.phones.filter((phone) => phone.connected).map((phone) => phone.id) };
  view = "code";
  timer = setTimeout(() => offer(seat), (answer.seconds - BEFORE_S) * 1000);
  draw();
}

async function letIn(then) {
  if (await post("phone/network", {}, refuse)) then();
}

function hide() {
  clearTimeout(timer);
  if (shown) post("phone/hide", { seat: shown.seat }, () => null);
  shown = null;
}

function code() {
  const back = make(
    "button",
    {
      class: "quiet",
      onclick: () => {
        hide();
        view = "seats";
        draw();
      },
    },
    t("Another player"),
  );
  if (!shown.url) return closed(() => offer(shown.seat), back);
  return [
    make(
      "div",
      { class: "code" },
      qr(shown.qr),
      make(
        "div",
        {},
        make("p", {}, t("{name}: scan this with your phone.", { name: shown.player })),
        make("p", {}, t("Or open this address, and type the code:")),
        make("p", { class: "url" }, shown.url.replace("http://", "")),
        make(
          "p",
          { class: "letters", "aria-label": [...shown.code].join(" ") },
          `${shown.code.slice(0, 3)} ${shown.code.slice(3)}`,
        ),
        back,
      ),
    ),
  ];
}

const closed = (then, back) => [
  make(
    "p",
    {},
    t(
      "The table lets no phone in yet. If you let phones in, every device in your network can watch, until the table is switched off.",
    ),
  ),
  make("button", { class: "main", onclick: () => letIn(then) }, t("Let phones in")),
  back,
];

const back = () =>
  make(
    "button",
    {
      class: "quiet",
      onclick: () => {
        view = "seats";
        draw();
      },
    },
    t("Back"),
  );

function app() {
  if (!guide.url) return closed(offerApp, back());
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
  if (!guide.wall) return closed(offerScreens, back());
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
    notice = value
      ? t("The PIN is set. Enter it on the device, at the address for phones.")
      : t("There is no director any more.");
    view = "seats";
    draw();
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

$("phones-sheet").addEventListener("close", () => {
  hide();
  view = "seats";
});
