// The page for streamers: each style of the overlay with its address, and how to use it in OBS.

import { $, make, t } from "./base.js";
import { draw, STYLES } from "./overlay.js";

const COPIED_MS = 2000;
const ABOUT = {
  planks: t("Planks along the lower edge; the cards stand behind them"),
  column: t("A column at the right"),
  strip: t("A strip with names and scores only"),
};
const LOCAL = ["127.0.0.1", "localhost", "[::1]"];

// A trick of Hearts, for the pictures.
const player = (name, score, gained, cards = []) => ({ name, score, note: { gained, cards } });
const SHOWN = {
  title: "Hearts",
  hand: 7,
  target: 100,
  sides: 4,
  phase: "play",
  turn: 0,
  actor: 0,
  led: "D",
  seats: [player("Ann", 31, null), player("Bo", 58, 3), player("Cy", 44, 1), player("Di", 23, 15, ["QS"])],
  lying: ["JD", "KD", "4H"].map((card, number) => ({ card, zone: "play", seat: number + 1 })),
  ...{ winners: [], tallies: [], facts: [], prompts: [], counts: [], auction: [], pegs: null, points: {} },
};

// A line with an address, and a button that copies it.
function address(label, url) {
  const line = make("input", { type: "text", readonly: true, value: url, "aria-label": label });
  const button = make(
    "button",
    {
      "aria-label": t("Copy: {what}", { what: label }),
      onclick: () => {
        line.select();
        document.execCommand("copy"); // the newer way needs HTTPS
        button.textContent = t("Copied");
        setTimeout(() => {
          button.textContent = t("Copy");
        }, COPIED_MS);
      },
    },
    t("Copy"),
  );
  return make("div", { class: "address" }, line, button);
}

// Where other computers find the table; the page itself may have been opened on the table's own machine.
async function found() {
  if (!LOCAL.includes(location.hostname)) return location.origin;
  const answer = await fetch("phone/screens", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: "{}",
  })
    .then((response) => response.json())
    .catch(() => ({}));
  if (answer.wall) return new URL(answer.wall).origin;
  $("where").textContent = t(
    "This address is for OBS on the table’s own machine. For another computer, let phones in: “Your phone” on the board.",
  );
  return location.origin;
}

document.body.dataset.version = "1"; // the page has something to show
const origin = await found();
$("styles").replaceChildren(
  ...STYLES.map((style, number) => {
    const preview = make("div", { class: `overlay ${style}`, inert: true, "aria-hidden": "true" });
    const url = `${origin}/overlay${number ? `?style=${style}` : ""}`;
    return make("figure", {}, preview, make("figcaption", {}, ABOUT[style]), address(ABOUT[style], url));
  }),
);
for (const preview of document.querySelectorAll(".overlay")) draw(preview, SHOWN);
$("wall").append(address(t("A large screen in the room"), `${origin}/wall`));
const { after_s: seconds } = await fetch("overlay/hands.json")
  .then((answer) => answer.json())
  .catch(() => ({ after_s: null }));
$("hands").hidden = seconds === null;
$("hands").textContent = t(
  "The hands that the table knows are shown {seconds} s later. If table.toml sets a key, add key= and the key to the address.",
  { seconds },
);
