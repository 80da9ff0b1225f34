// Care of the table: updates, making a backup on a USB stick or this device, and restoring one.

import { $, ask, day, make, region, t } from "./base.js";
import { finding, get, pressed, watch } from "./start_signs.js";

const EVERY = 2000; // ms

watch();
document.body.dataset.version = "1"; // the page has something to show
let busy = false;
let leaving = null; // the session of the table that is about to be closed; null for none

function refuse(text) {
  $("refused").textContent = text ?? "";
  $("refused").hidden = !text;
}

// Sends a request, and shows how much of a file has been sent; fetch cannot tell.
function sent(path, type, body) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", path);
    request.setRequestHeader("Content-Type", type);
    request.responseType = "json";
    if (body instanceof File)
      request.upload.onprogress = ({ loaded, total }) => {
        $("text").textContent = t("Sending the backup: {percent}%", { percent: Math.floor((100 * loaded) / total) });
      };
    request.onload = () => (request.response ? resolve(request.response) : reject());
    request.onerror = reject;
    request.send(body);
  });
}

async function post(path, type, body) {
  if (busy) {
    refuse(t("Wait: your last press is not answered yet."));
    return;
  }
  busy = true;
  document.body.classList.add("busy");
  refuse("");
  const answer = await pressed(
    sent(path, type, body).catch(() => ({ refused: t("No connection to the table. Try again.") })),
  );
  busy = false;
  if (answer.opening) {
    leaving = answer.session;
    $("text").textContent = t("The backup is put back; the table is opened again…");
    return;
  }
  document.body.classList.remove("busy");
  if (answer.refused) refuse(answer.refused);
  else $("text").textContent = answer.said;
  look();
}

const send = (wanted, value = "") => {
  if (wanted === "save") $("text").textContent = t("Saving… Do not unplug the stick yet.");
  return post("care/do", "application/json", JSON.stringify({ do: wanted, value }));
};
const button = (label, onclick, main = false) => make("button", { class: main ? "main" : "", onclick }, label);

async function agreed(question, label) {
  return ask(question, [[true, button(label, null)]]);
}

async function restore(backup) {
  if (
    await agreed(
      t("Put the backup of {day} back? The games and settings of now are kept beside it.", { day: day(backup.time) }),
      t("Put back"),
    )
  )
    send("restore", backup.file);
}

$("file").addEventListener("change", async () => {
  const [file] = $("file").files;
  $("file").value = "";
  if (
    file &&
    (await agreed(
      t("Put {name} back? The games and settings of now are kept beside it.", { name: file.name }),
      t("Put back"),
    ))
  )
    post("care/restore", "application/zip", file);
});

function show({ update, sticks, saves, left_out: leftOut }) {
  const findings = [
    { state: update.wrong ? "trouble" : "good", text: update.text },
    ...leftOut.map((text) => ({ state: "trouble", text })),
  ];
  region("findings", findings, () => findings.map(finding));
  region("update", [update.offer, update.can_look], () =>
    [
      update.offer
        ? button(t("Install version {version}", { version: update.offer }), () => send("install"), true)
        : null,
      update.can_look ? button(t("Look for updates"), () => send("check")) : null,
    ].filter(Boolean),
  );
  $("about").textContent = sticks.length
    ? t("Games, players, settings and decks; not the paired phones.")
    : t("Plug a USB stick into the table, or save on this device.");
  region("backups", [sticks], () => [
    ...(saves ? sticks : []).map((stick) =>
      button(
        t("Save on {label} ({free})", { label: stick.label, free: stick.free }),
        () => send("save", stick.place),
        true,
      ),
    ),
    saves
      ? make(
          "a",
          {
            class: "button",
            href: "start/backup.zip",
            onclick: () => {
              $("text").textContent = t("The backup is being made; then this device saves it.");
            },
          },
          t("Save on this device"),
        )
      : null, // not if the table cannot start
    ...sticks.flatMap((stick) =>
      stick.backups.map((backup) =>
        button(t("Put back: {day}", { day: day(backup.time).replaceAll(" ", "\u00a0") }), () => restore(backup)),
      ),
    ),
    button(t("Put back from this device…"), () => $("file").click()),
  ]);
}

async function look() {
  const state = await get("care/state.json")
    .then((answer) => answer.json())
    .catch(() => null);
  if (!state) return;
  if (state.refused) {
    $("text").textContent = state.refused;
    return;
  }
  if (leaving && state.session !== leaving) {
    leaving = null;
    document.body.classList.remove("busy");
    $("text").textContent = state.restored ?? "";
  }
  show(state);
}

setInterval(look, EVERY);
look();
