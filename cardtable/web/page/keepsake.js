// The keepsake: a QR code with which a phone takes the picture of the evening home.

import { ask } from "./ask.js";
import { post } from "./connection.js";
import { make } from "./dom.js";
import { qr } from "./qr.js";
import { t } from "./texts.js";

// Returns the code for the evening of the game `id`; another device than the board gets a link. `drawn`: is called after.
export function keepsake(state, id, drawn) {
  const box = make("div", { class: "keepsake" });
  if (["board", "director"].includes(state.you.role)) fill(box, id, drawn);
  else box.append(make("a", { href: `history/keepsake.svg?id=${id}` }, t("Take the evening home as a picture")));
  return box;
}

async function fill(box, id, drawn) {
  const found = await post("phone/keepsake", { id }, () => {});
  if (!found) return;
  box.replaceChildren(
    ...(found.qr
      ? [qr(found.qr), make("p", {}, t("Take the evening home as a picture"))]
      : [
          make(
            "button",
            {
              onclick: (event) => {
                event.stopPropagation();
                letIn(box, id, drawn);
              },
            },
            t("Take the evening home as a picture"),
          ),
        ]),
  );
  drawn();
}

async function letIn(box, id, drawn) {
  const yes = await ask(
    t(
      "The table lets no phone in yet. If you let phones in, every device in your network can watch, until the table is switched off.",
    ),
    [[true, make("button", {}, t("Let phones in"))]],
  );
  if (yes && (await post("phone/network"))) fill(box, id, drawn);
}

// The tally of the evening in one line.
export const tallied = (tally) =>
  tally.players.flatMap((player, number) => [
    number ? " · " : "",
    `${player.name} `,
    make("b", {}, `${player.won}/${player.played}`),
  ]);
