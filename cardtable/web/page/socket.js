// The connection of a page: notices within five seconds that the network forwards nothing any more, connects again, and
// knows which presses have reached the table. The table sends something every two seconds.

const SILENT_MS = 4500,
  LOOK_MS = 500,
  WAIT_FIRST_MS = 300,
  WAIT_MOST_MS = 2000;

// Connects to `path` and stays connected. `heard`: called with every message. `lost`: with the code of the closed
// connection, and whether a press is not answered. `unheard`: with whether it is certain that a press has not arrived;
// it is not if the table has started again meanwhile.
export function live(path, heard, lost, unheard = () => {}) {
  const name = [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
  const url = new URL(path, location.href);
  url.protocol = url.protocol.replace("http", "ws");
  url.searchParams.set("page", name);
  const unanswered = new Set(); // the numbers of presses
  let socket = null,
    at = 0,
    wait = WAIT_FIRST_MS,
    waiting = 0,
    presses = 0;

  function open() {
    clearTimeout(waiting);
    const mine = (socket = new WebSocket(url));
    let first = true;
    at = performance.now();
    mine.addEventListener("message", (event) => {
      if (mine !== socket) return;
      const message = JSON.parse(event.data);
      at = performance.now();
      wait = WAIT_FIRST_MS;
      for (const number of unanswered) if (number <= message.pressed) unanswered.delete(number);
      if (first && "pressed" in message) {
        if (unanswered.size) unheard(message.pressed !== null);
        unanswered.clear();
        first = false;
      }
      heard(message);
    });
    mine.addEventListener("close", (event) => {
      if (mine === socket) gone(event.code);
    });
  }

  function leave() {
    const old = socket;
    socket = null; // its end is of no interest: it may take minutes
    old?.close();
  }

  function gone(code) {
    leave();
    lost(code, unanswered.size > 0);
    waiting = setTimeout(open, wait);
    wait = Math.min(wait * 2, WAIT_MOST_MS);
  }

  function again() {
    leave();
    open();
  }

  function send(message) {
    if (socket?.readyState !== WebSocket.OPEN) return false;
    presses += 1;
    unanswered.add(presses);
    socket.send(JSON.stringify({ ...message, press: presses }));
    return true;
  }

  // A page that comes back, or a network: the old connection may be dead.
  addEventListener("online", again);
  addEventListener("pageshow", (event) => {
    if (event.persisted) again();
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) again();
  });
  setInterval(() => {
    if (socket && performance.now() - at > SILENT_MS) gone(0);
  }, LOOK_MS);
  open();
  return { send, again };
}
