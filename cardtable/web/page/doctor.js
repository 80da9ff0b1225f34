// The doctor: what works, what does not, and what to do; the worst first.

import { $, t } from "./base.js";
import { finding, get, waited, watch } from "./start_signs.js";

const ORDER = ["trouble", "warning", "good"];
const LIVE = { bad: "trouble", warning: "warning", good: "good" };

watch();
document.body.dataset.version = "1"; // the page has something to show

// What the table reports about its cameras and readers: checks in the lobby, troubles in a game.
const live = (state) =>
  (state.sources ?? [])
    .flatMap((source) =>
      source.checks
        ? source.checks.map((check) => ({
            check: source.name,
            state: LIVE[check.state],
            text: check.text,
            advice: check.advice,
          }))
        : source.trouble
          ? [{ check: source.name, state: "trouble", text: source.trouble, advice: "" }]
          : [],
    )
    .concat(state.trouble ? [{ check: t("journal"), state: "trouble", text: state.trouble, advice: "" }] : []);

async function examine() {
  $("text").textContent = t("Looking…");
  $("forward").disabled = true;
  const [examined, state] = await waited(
    Promise.all(["doctor/findings.json", "state.json"].map((path) => get(path).then((answer) => answer.json()))).catch(
      () => [null, null],
    ),
  );
  $("forward").disabled = false;
  if (!examined || examined.refused) {
    $("text").textContent = examined?.refused ?? t("No connection to the table. Try again.");
    return;
  }
  const found = [...examined.findings, ...live(state)].toSorted(
    (a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state),
  );
  const wrong = found.filter((each) => each.state !== "good").length;
  $("text").textContent = wrong ? t("Something needs attention:") : t("Everything is well.");
  $("findings").replaceChildren(...found.map((each) => finding({ ...each, text: t("{check}: {text}", each) })));
}

$("forward").addEventListener("click", examine);
examine();
