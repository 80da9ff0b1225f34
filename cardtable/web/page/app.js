// Guides a phone through trusting the table's certificate authority once, and through installing the page as an app.
// Over HTTP it tries HTTPS again and again; over HTTPS the phone trusts the table already, and its pairing is passed over.

import { $, t } from "./base.js";

const EVERY = 2000; // ms
const WRONG_S = 400 * 24 * 3600; // a clock that is further off makes certificates invalid
const DEVICES = { ios: /iPhone|iPad|Macintosh/, android: /Android/ };

document.body.dataset.version = "1"; // the page has something to show
const secure = location.protocol === "https:";
const there = new URL("app", location.href);
there.protocol = "https:";

const here = Object.keys(DEVICES).find((name) => DEVICES[name].test(navigator.userAgent));
for (const name of Object.keys(DEVICES)) {
  $(name).open = name === here;
  for (const line of document.querySelectorAll(`#install .${name}`)) line.hidden = here !== undefined && name !== here;
}

async function look() {
  const offered = await fetch("trusted", { cache: "no-store" }).catch(() => null);
  if (!offered) {
    $("text").textContent = t("No connection to the table. Trying again…");
    return;
  }
  if (!offered.ok) {
    $("text").textContent = t("This table has no certificate: its doctor says why.");
    return;
  }
  const { now } = await offered.json();
  $("clock").hidden = Math.abs(now - Date.now() / 1000) < WRONG_S;
  $("clock").textContent = t("The table’s clock is wrong: connect the table to the internet first.");
  const trusted = await fetch(new URL("trusted", there), { cache: "no-store" })
    .then((answer) => answer.ok)
    .catch(() => false);
  $("trust").hidden = trusted;
  $("text").textContent = trusted
    ? t("This phone trusts the table.")
    : t(
        "This phone must trust the table once. Then it can have the table as an app, and its display stays on during the game.",
      );
  if (trusted) {
    clearInterval(looking);
    $("go").href = there;
    $("go").textContent = t("Go on");
    $("go").classList.add("main");
  }
}

async function pass() {
  await fetch("phone/secure", { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" }).catch(
    () => null,
  );
  $("text").textContent = t("This phone trusts the table. Install the app:");
  $("install").hidden = false;
}

let looking = 0;
if (secure) pass();
else {
  looking = setInterval(look, EVERY);
  look();
}
