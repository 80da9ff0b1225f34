// The players around the table: moved to another seat by dragging or with the arrow keys, added, renamed, removed.

import { ask } from "./ask.js";
import { send } from "./connection.js";
import { $, make } from "./dom.js";
import { openPhones } from "./phones.js";
import { places } from "./seats.js";
import { t } from "./texts.js";

const DRAG_PX = 12;

// The seats, placed as at the table, and in the middle a button that adds a player.
export function seatsAround(state) {
  const where = places(Math.max(state.players.length, 2));
  const chips = state.players.map((name, seat) => chip(state, name, seat, where[seat]));
  const full = state.players.length >= state.most_players;
  if (!state.you.may.includes("host")) return chips;
  return [
    ...chips,
    make(
      "button",
      {
        class: "add",
        "aria-keyshortcuts": "N",
        disabled: full,
        "aria-label": t("Add a player"),
        title: t("Add a player"),
        onclick: async () =>
          (await import("./keyboard.js")).whoJoins("", state.remembered, (name) => send({ do: "add-player", name })),
      },
      "+",
    ),
  ];
}

function chip(state, name, seat, place) {
  const first =
    state.dealer === seat ? make("span", { class: "dealer", role: "img", "aria-label": state.first_does }, "①") : null;
  if (!state.you.may.includes("host")) return make("div", { class: `chip button ${place}` }, name, first);
  const button = make(
    "button",
    { class: `chip ${place}`, "data-seat": seat, title: t("Drag to another seat; tap to change") },
    name,
    first,
  );
  button.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    const to = (seat + step + state.players.length) % state.players.length;
    if (step) send({ do: "move-player", name, seat: to });
  });
  drag(
    button,
    (to) => send({ do: "move-player", name, seat: to }),
    () => change(state, name),
  );
  return button;
}

// A press that moves drags the chip to the nearest seat; a press that does not is a tap.
function drag(button, drop, tap) {
  let from = null;
  button.addEventListener("pointerdown", (event) => {
    from = { x: event.clientX, y: event.clientY, moved: false };
    button.setPointerCapture(event.pointerId);
  });
  button.addEventListener("pointermove", (event) => {
    if (!from) return;
    const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
    from.moved ||= Math.hypot(dx, dy) > DRAG_PX;
    if (from.moved) button.style.translate = `${dx}px ${dy}px`;
    button.classList.toggle("dragged", from.moved);
  });
  button.addEventListener("pointerup", (event) => {
    const moved = from?.moved;
    from = null;
    button.style.translate = "";
    button.classList.remove("dragged");
    if (!moved) return;
    const distance = (chip) => {
      const box = chip.getBoundingClientRect();
      return Math.hypot(box.x + box.width / 2 - event.clientX, box.y + box.height / 2 - event.clientY);
    };
    const [nearest] = [...$("around").querySelectorAll(".chip")].sort((a, b) => distance(a) - distance(b));
    if (nearest && nearest !== button) drop(Number(nearest.dataset.seat));
    button.addEventListener("click", (click) => click.stopImmediatePropagation(), { once: true, capture: true });
  });
  button.addEventListener("pointercancel", () => {
    from = null;
    button.style.translate = "";
  });
  button.addEventListener("click", tap);
}

async function change(state, name) {
  const does = state.first_does;
  const seat = state.players.indexOf(name);
  const what = await ask(name, [
    ...(state.dealer === seat
      ? state.is_cut_for
        ? [["cut", make("button", {}, t("The cut decides who {does}", { does }))]]
        : []
      : [["dealer", make("button", {}, t("{name} {does}", { name, does }))]]),
    ["remove", make("button", {}, t("Does not play"))],
    ["rename", make("button", {}, t("Another name"))],
    ["phone", make("button", {}, t("Your phone"))],
    ["forget", make("button", {}, t("Forget this player"))],
  ]);
  if (what === "dealer" || what === "cut") send({ do: "set-dealer", seat: what === "cut" ? null : seat });
  if (what === "remove") send({ do: "remove-player", name });
  if (what === "forget") {
    send({ do: "remove-player", name });
    send({ do: "forget-player", name });
  }
  if (what === "phone") openPhones(seat);
  if (what !== "rename") return;
  const { keyboard } = await import("./keyboard.js"),
    sheet = $("player-sheet");
  $("player-title").textContent = name;
  $("player").replaceChildren(
    keyboard(t("Another name"), name, (to) => {
      send({ do: "rename-player", name, to });
      sheet.close();
    }),
  );
  sheet.showModal();
}
