// What every page is made with: elements and cards, the texts in the table's language, the settings of this screen,
// what screen readers hear, questions, QR codes, and type that fits its box.

// Helpers for the document. Texts are inserted as text nodes, never as HTML, because names come from people.

export const $ = (id) => document.getElementById(id);

// Creates an element. Null and false attributes are left out; "on..." are event listeners. Buttons do not submit.
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  if (tag === "button") element.type = "button";
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") element.className = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style")
      for (const [key, setting] of Object.entries(value)) element.style.setProperty(key, setting);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// A sign for a button: lines in a square of 24 units.
export const sign = (d) => svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d }));

const drawn = new Map();

// Redraws a region only if `value` has changed, so that a button does not disappear while it is pressed. The keyboard's
// focus stays on the element with the same name.
export function region(id, value, draw) {
  const text = JSON.stringify(value);
  if (drawn.get(id) === text) return false;
  drawn.set(id, text);
  const box = $(id);
  const focused =
    box.contains(document.activeElement) && box !== document.activeElement ? named(document.activeElement) : null;
  const at = focused === null ? -1 : focusable(box).indexOf(document.activeElement);
  box.replaceChildren(...draw(value).filter((child) => child != null));
  if (focused !== null)
    (
      focusable(box).find((element) => named(element) === focused) ??
      focusable(box)[at] ??
      box.closest("main")
    )?.focus();
  return true;
}

const named = (element) => element.getAttribute("aria-label") ?? element.textContent;
const focusable = (box) => [...box.querySelectorAll("button:enabled, input:enabled, [tabindex]")];

// Texts in the language of the table. A text without a translation stays English.

const catalogue = await fetch("texts.json")
  .then((answer) => answer.json())
  .catch(() => ({ language: "en", texts: {} }));
export const t = (text, values = {}) =>
  (catalogue.texts[text] ?? text).replace(/\{(\w+)\}/g, (all, key) => values[key] ?? all);

document.documentElement.lang = catalogue.language;
for (const element of document.querySelectorAll("[data-t]")) element.textContent = t(element.textContent);
for (const element of document.querySelectorAll("[data-label]")) element.ariaLabel = t(element.ariaLabel);
for (const element of document.querySelectorAll("[data-alt]")) element.alt = t(element.alt);

export const PHASES = {
  cut: t("cutting for the deal"),
  deal: t("dealing"),
  discard: t("laying away"),
  turn: t("turning up"),
  say: t("declaring"),
  play: t("playing"),
  bid: t("bidding"),
  show: t("counting"),
  over: t("game over"),
};
export const SUITS = { S: t("spades"), H: t("hearts"), D: t("diamonds"), C: t("clubs") };
// A number with a minus sign, which is as wide as a digit.
export const minus = (number) => String(number).replace("-", "−");
// The parts of a text: the names, and what is between them.
export function byName(text, names) {
  const known = names
    .toSorted((a, b) => b.length - a.length)
    .map((name) => name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return text.split(new RegExp(`(?<![\\p{L}\\p{N}])(${known.join("|")})(?![\\p{L}\\p{N}])`, "u")).filter(Boolean);
}
// Words and reasons have spaces in the catalogue; bids have the suit's symbol after a narrow no-break space.
// A bid of points includes the word for its trumps: “100-heart”.
const BID = /^([1-9])(c|d|h|s|nt)$/,
  POINTS = /^(\d+|capot)-(.+)$/,
  BID_SYMBOLS = { c: "♣", d: "♦", h: "♥", s: "♠" };
export const word = (text) => {
  const [, level, strain] = BID.exec(text) ?? [];
  if (strain === "nt") return t("{level} NT", { level });
  const [, points, trumps] = POINTS.exec(text) ?? [];
  if (trumps)
    return `${t(points)}\u202f${BID_SYMBOLS[trumps[0]] && !trumps.includes("-") ? BID_SYMBOLS[trumps[0]] : t(trumps.replaceAll("-", " "))}`;
  return strain ? t("{level} {symbol}", { level, symbol: BID_SYMBOLS[strain] }) : t(text.replaceAll("-", " "));
};

export const label = (item) => (item.label ? t(item.label) : word(item.word)); // the text of its button

// A time in seconds as a day and an hour.
export const day = (seconds) =>
  new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" }).format(
    new Date(seconds * 1000),
  );

// The settings of this screen, stored in the browser and set as attributes of the document.

// The title and the choices of each setting; the first choice is the default.
const CHOICES = {
  theme: [t("Light or dark"), { device: t("as the device"), light: t("light"), dark: t("dark") }],
  suits: [t("Colours of the suits"), { two: t("two"), four: t("four") }],
  type: [
    t("Size of the letters"),
    { normal: t("normal"), "150%": t("{number}%", { number: 150 }), "200%": t("{number}%", { number: 200 }) },
  ],
  hand: [t("The thumb"), { right: t("right"), left: t("left") }],
  contrast: [t("Contrast"), { normal: t("normal"), high: t("high") }],
  voids: [t("Who has no card of a suit"), { off: t("not shown"), on: t("shown") }],
  awake: [t("The screen"), { on: t("stays on"), off: t("may go off") }],
  motion: [t("Movement"), { normal: t("normal"), none: t("none") }],
  sounds: [t("Sounds"), { off: t("off"), on: t("on") }],
  keys: [t("Keys for the buttons"), { on: t("on"), off: t("off") }],
  speech: [
    t("Speech"),
    { off: t("off"), brief: t("whose turn it is"), points: t("points too"), full: t("everything") },
  ],
};

const OF_THE_BOARD = ["sounds", "keys", "speech"]; // settings that a phone does not have
const OF_A_PHONE = ["hand"]; // and those that only a phone has

export const settings = {};
export const enlarged = () => settings.type !== "normal"; // then pages scroll instead of shrinking to what fits

const dark = matchMedia("(prefers-color-scheme: dark)");
const themed = () => {
  document.documentElement.dataset.theme =
    settings.theme === "device" ? (dark.matches ? "dark" : "light") : settings.theme;
};
dark.addEventListener("change", themed);

function choose(name, choice) {
  settings[name] = choice;
  document.documentElement.dataset[name] = choice;
  themed();
}

function group([name, [title, choices]]) {
  return make(
    "fieldset",
    {},
    make("legend", {}, title),
    ...Object.entries(choices).map(([choice, text]) =>
      make(
        "label",
        {},
        make("input", {
          type: "radio",
          name,
          value: choice,
          checked: settings[name] === choice,
          onchange: () => {
            localStorage.setItem(name, choice);
            choose(name, choice);
            dispatchEvent(new Event("resize"));
          },
        }),
        make("span", {}, text),
      ),
    ),
  );
}

for (const [name, [, choices]] of Object.entries(CHOICES)) {
  const stored = localStorage.getItem(name);
  choose(name, stored in choices ? stored : Object.keys(choices)[0]);
}

export function openSettings() {
  const full = document.fullscreenEnabled
    ? make(
        "button",
        {
          onclick: () =>
            document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen(),
        },
        t("Full screen"),
      )
    : "";
  $("settings").replaceChildren(
    ...Object.entries(CHOICES)
      .filter(([name]) => !($("keys-sheet") ? OF_A_PHONE : OF_THE_BOARD).includes(name))
      .map(group),
    full,
  );
  $("settings-sheet").showModal();
}
$("settings-button")?.addEventListener("click", openSettings);

// The two live regions, which screen readers read out: politely, or at once.

const lines = (texts) => texts.map((text) => make("p", {}, text));

export function politely(texts) {
  if (texts.length) $("polite").replaceChildren(...lines([texts.join(" ")]));
}

export const atOnce = (texts) => $("assertive").append(...lines(texts));

// Removes the alerts that no longer stand, so that nobody comes upon an old one.
export function calm(standing) {
  for (const line of [...$("assertive").children]) if (!standing.includes(line.textContent)) line.remove();
}

let over = null; // ends the question that is shown

// The event comes after the dialog has closed, when the next question may be open.
$("ask")?.addEventListener("close", (event) => {
  if (!event.target.open) over?.();
});

const KEYS = 9;

// Gives the buttons the keys 1 to 9.
export function numbered(buttons) {
  buttons.slice(0, KEYS).forEach((button, number) => button.setAttribute("aria-keyshortcuts", String(number + 1)));
  return buttons;
}

// Shows the dialog; returns the value chosen, or null. `options`: pairs of a value and its button. `grid`: in rows of five.
export function ask(question, options, explanation = "", card = null, grid = false) {
  $("ask-choices").classList.toggle("grid", grid);
  $("ask-choices").classList.toggle(
    "faces",
    options.some(([, button]) => button.classList.contains("cell")),
  );
  over?.();
  $("ask-title").replaceChildren(...withSuits(question));
  $("ask-text").replaceChildren(...withSuits(explanation));
  $("ask-text").hidden = !explanation;
  return new Promise((resolve) => {
    let answer = null;
    over = () => {
      over = null;
      resolve(answer);
    };
    $("ask-choices").replaceChildren(
      ...(card ? [card] : []),
      ...options.map(([value, button]) => {
        button.addEventListener("click", () => {
          answer = value;
          $("ask").close();
        });
        return button;
      }),
    );
    numbered(options.map(([, button]) => button));
    $("ask").dataset.asked = Number($("ask").dataset.asked ?? 0) + 1;
    $("ask").showModal();
  });
}

$("ask")?.addEventListener("keydown", (event) => {
  const button = $("ask-choices").querySelector(`[aria-keyshortcuts="${CSS.escape(event.key)}"]:enabled`);
  if (!button || settings.keys === "off" || event.repeat) return;
  event.stopPropagation(); // the dialog closes, and the key is not for the board
  button.click();
});

// The arrow keys go from one choice to the next.
const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
$("ask-choices")?.addEventListener("keydown", (event) => {
  const buttons = [...event.currentTarget.querySelectorAll("button:enabled")];
  const at = buttons.indexOf(document.activeElement);
  if (!(event.key in STEPS) || at < 0) return;
  event.preventDefault();
  buttons[(at + STEPS[event.key] + buttons.length) % buttons.length].focus();
});

// Pictures of cards: rank and suit, or number and colour for a special deck.

const COURTS = ["J", "Q", "K"];

const SIGNS = {
  H: "M0-300c0-100 100-200 200-200s200 100 200 250C400 0 0 400 0 500 0 400-400 0-400-250c0-150 100-250 200-250S0-400 0-300Z",
  D: "M-400 0C-350 0 0-450 0-500 0-450 350 0 400 0 350 0 0 450 0 500 0 450-350 0-400 0Z",
  S: "M0-500c100 250 355 400 355 685a150 150 0 0 1-300 0 10 10 0 0 0-20 0c0 200 50 215 95 315h-260c45-100 95-115 95-315a10 10 0 0 0-20 0 150 150 0 0 1-300 0c0-285 255-435 355-685Z",
  C: "M30 150c5 235 55 250 100 350h-260c45-100 95-115 100-350a10 10 0 0 0-20 0 210 210 0 1 1-74-201 10 10 0 0 0 14-14 230 230 0 1 1 220 0 10 10 0 0 0 14 14 210 210 0 1 1-74 201 10 10 0 0 0-20 0Z",
};

export function suit(letter, look = `suit suit-${letter}`) {
  return svg(
    "svg",
    { class: look, viewBox: "-520 -520 1040 1040", "aria-hidden": "true" },
    svg("path", { d: SIGNS[letter] }),
  );
}

// The parts of a card's name: "10H", or "green-4" in a special deck.
export function split(card) {
  const special = /^([a-z]+)-(\d+)$/.exec(card);
  if (special)
    return {
      rank: special[2],
      colour: special[1],
      spoken: t("{colour} {number}", { colour: t(special[1]), number: special[2] }),
    };
  const letter = card.slice(-1);
  return {
    rank: card.slice(0, -1),
    suit: letter,
    spoken: faceName(card.slice(0, -1), SUITS[letter] ?? letter),
  };
}

function faceName(rank, suit) {
  if (rank === "A") return t("ace of {suit}", { suit });
  if (rank === "K") return t("king of {suit}", { suit });
  if (rank === "Q") return t("queen of {suit}", { suit });
  if (rank === "J") return t("jack of {suit}", { suit });
  return t("{number} of {suit}", { number: rank, suit });
}

// A card as a picture or a button. `copies`: how many equal cards it stands for.
export function picture(card, tag = "div", attributes = {}, copies = 1) {
  const { rank, suit: letter, colour, spoken } = split(card);
  const court = !colour && COURTS.includes(rank);
  const look = colour ? `deck ${colour}` : `${letter}${court ? " court" : rank === "10" ? " ten" : ""}`;
  return make(
    tag,
    {
      role: tag === "div" ? "img" : null,
      ...attributes,
      class: `card ${look} ${attributes.class ?? ""}`,
      "aria-label": copies > 1 ? `${copies} × ${spoken}` : spoken,
    },
    court
      ? svg(
          "svg",
          { class: "half", viewBox: "0 0 1300 1000", preserveAspectRatio: "xMidYMin slice", "aria-hidden": "true" },
          svg("use", { href: `look/courts.svg#${rank.toLowerCase()}${letter.toLowerCase()}` }),
        )
      : null,
    colour ? make("small", {}, t(colour)) : suit(letter, "pip"),
    make("i", { "aria-hidden": "true" }, rank),
    copies > 1 ? make("em", {}, `×${copies}`) : null,
  );
}

export const back = () => make("div", { class: "card back", "aria-hidden": "true" });

// A card in a line of text.
export function mini(card) {
  const { rank, suit: letter, colour, spoken } = split(card);
  return make(
    "span",
    { class: `mini ${colour ? `deck ${colour}` : letter}`, role: "img", "aria-label": spoken },
    rank,
    colour ? null : suit(letter),
  );
}

// The parts of a text: each suit symbol in it as a picture in the suit's colour, which is read and copied as the symbol.
export function withSuits(text) {
  return text
    .split(/([♠♥♦♣])/)
    .filter(Boolean)
    .map((part) =>
      part in SYMBOLS
        ? make("span", { class: "glyph" }, make("span", { class: "unseen" }, part), suit(SYMBOLS[part]))
        : part,
    );
}
const SYMBOLS = { "♠": "S", "♥": "H", "♦": "D", "♣": "C" };

// A QR code, drawn from its rows of modules.

const QUIET = 4; // modules of the light margin

// Rows of modules as one path: a square for each dark one.
export function qr(rows) {
  const size = rows.length + 2 * QUIET;
  const path = rows
    .flatMap((row, y) => row.map((dark, x) => (dark ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : "")))
    .join("");
  return svg(
    "svg",
    {
      viewBox: `0 0 ${size} ${size}`,
      class: "qr",
      role: "img",
      "aria-label": t("QR code"),
      "shape-rendering": "crispEdges",
    },
    svg("path", { d: `M0 0h${size}v${size}H0z`, fill: "#fff" }),
    svg("path", { d: path, fill: "#000" }),
  );
}

// Sizes that depend on the content: the largest at which everything is inside its box.

const STEP = 0.94;

// Sets the custom property `name` of `box` to the largest size from 1 down to `least` at which nothing overflows; by
// bisection, because each try lays the page out. Returns whether there is one.
function fit(box, name, least, inside) {
  const steps = Math.ceil(Math.log(least) / Math.log(STEP));
  const fits = (step) => {
    box.style.setProperty(name, Math.max(STEP ** step, least));
    return inside();
  };
  if (fits(0)) return true;
  if (!fits(steps)) return false;
  let large = 0,
    small = steps;
  while (small - large > 1) {
    const middle = Math.floor((large + small) / 2);
    if (fits(middle)) small = middle;
    else large = middle;
  }
  return fits(small);
}

export const overflows = (box) => box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1;

// Measures each `.fit` in `box`. Returns what makes those narrower that are too wide for their places.
export function measured(box) {
  const parts = [...box.querySelectorAll(".fit")];
  for (const part of parts) part.style.removeProperty("--fit");
  const shares = parts.map((part) => room(part) / part.scrollWidth);
  return () =>
    parts.forEach((part, number) => {
      if (shares[number] < 1) part.style.setProperty("--fit", Math.max(SPARE * shares[number], LEAST_NAME));
    });
}

export const narrow = (box) => measured(box)();

const SPARE = 0.98; // against rounding
const LEAST_NAME = 0.36; // of the usual size; then a name ends with an ellipsis
const room = (part) => Math.min(part.clientWidth || Infinity, part.parentElement.clientWidth || Infinity);

// Makes the type in `box`, which is `height` px high, smaller for `most` px. Half the type needs a quarter of the height.
export const lower = (box, height, most) =>
  box.style.setProperty("--fit", Math.max(Math.sqrt(most / height) * SPARE, LEAST_NAME));

export function shrink(box, least = 0.45, inside = () => !overflows(box)) {
  if (enlarged()) box.style.removeProperty("--shrink");
  else if (box.clientHeight) fit(box, "--shrink", least, inside);
}

// Hides the pointer on the table's own display while no mouse moves: a touch screen has none.

const SHOWN = 3000; // ms

if (["127.0.0.1", "localhost", "[::1]"].includes(location.hostname)) {
  const rule = new CSSStyleSheet();
  rule.replaceSync(".still, .still * { cursor: none !important; }");
  document.adoptedStyleSheets.push(rule);
  let hiding = 0;
  const hide = () => document.documentElement.classList.add("still");
  const show = (event) => {
    if (event.pointerType !== "mouse") return;
    document.documentElement.classList.remove("still");
    clearTimeout(hiding);
    hiding = setTimeout(hide, SHOWN);
  };
  addEventListener("pointermove", show);
  hiding = setTimeout(hide, SHOWN);
}
