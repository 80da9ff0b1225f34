// Leaving a game for the lobby, and joining and leaving between two hands. Each takes two taps.

import { ask } from "./ask.js";
import { send } from "./connection.js";
import { $, make } from "./dom.js";
import { repeat } from "./speech.js";
import { t } from "./texts.js";

// The buttons for what is possible now.
export function leaving(state) {
  const buttons = [button(t("Say how it stands"), repeat, "I")];
  if (!state.you.may.includes("host")) return buttons;
  buttons.push(button(t("Break off"), () => breakOff(), "X"));
  if (state.between_hands)
    buttons.push(
      button(t("Add a player"), () => join(state)),
      button(t("A player leaves"), () => leave(state)),
    );
  return buttons;
}

const button = (text, onclick, key = null) => make("button", { "aria-keyshortcuts": key, onclick }, text);
const choice = (value, text) => [value, make("button", {}, text)];

async function breakOff() {
  const agreed = await ask(t("Break this game off? It stays stored, and the lobby offers to go on with it."), [
    choice(true, t("Break off")),
  ]);
  if (agreed) {
    send({ do: "break-off" });
  }
}

async function leave(state) {
  const name = await ask(
    t("Who leaves? A new game begins with the others."),
    state.seats.map((seat) => choice(seat.name, seat.name)),
  );
  if (name != null) {
    send({ do: "leave", name });
  }
}

async function join(state) {
  (await import("./keyboard.js")).whoJoins(t("A new game begins with all players."), state.remembered, (name) => {
    send({ do: "join", name });
  });
}
