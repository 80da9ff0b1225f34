// The page of an unpaired phone, where the code or the PIN is typed. A QR code has the code after the # of its address.

import { post, reconnect } from "./connection.js";
import { $ } from "./dom.js";
import { t } from "./texts.js";

export function pairing(state) {
  const { role, player } = state.you;
  document.title = t("Card table");
  $("away").textContent =
    role === "director"
      ? t("This is the director’s device.")
      : player
        ? t("{name} does not sit at the table now. This phone waits until {name} plays again.", { name: player })
        : state.screen === "lobby"
          ? t("Touch your name on the board, then “Your phone”.")
          : t("Touch ☰ on the board, then “Your phone”.");
  $("watch").textContent = role === "director" ? t("Direct the table") : t("Watch the table without a seat");
  $("pin-form").hidden = role === "director";
}

async function pair(code) {
  if (!(await post("phone/pair", { code }))) return;
  $("code").value = "";
  reconnect();
}

async function direct(pin) {
  $("pin").value = "";
  if (await post("director", { pin })) location.href = "./";
}

$("code-form").addEventListener("submit", (event) => {
  event.preventDefault();
  pair($("code").value);
});
$("pin-form").addEventListener("submit", (event) => {
  event.preventDefault();
  direct($("pin").value);
});
if (location.hash.length > 1) {
  const code = location.hash.slice(1);
  history.replaceState(null, "", location.pathname); // so that going back does not try it again
  pair(code);
}
