// The live game during a replay: it waits in the background, and the replay ends as soon as something happens.

let show = { felt: () => {}, live: () => {} }; // how a state is drawn: on the felt alone, or as a whole
let live = null; // the newest state of the table
let stop = null; // what ends the replay; null for none

// Sets how states are drawn. Called once.
export const drawWith = (felt, whole) => {
  show = { felt, live: whole };
};

// Holds the live game back until `drawLive`. `end`: ends the replay, and calls `drawLive`.
export const hold = (end) => {
  stop = end;
};

// Draws a state of the replay.
export const drawReplayed = (state) => show.felt({ ...state, you: live?.you });

// Draws the live game after a replay.
export function drawLive() {
  stop = null;
  if (live) show.live(live);
}

// Accepts a new state of the table. Returns whether it must wait because a replay is shown.
export function held(state) {
  const before = live;
  live = state;
  if (stop && before && happened(before, state)) stop();
  return Boolean(stop);
}

// Whether the players must see the table again: the game went on, or there is another screen, a menu or a fault.
function happened(before, now) {
  const alarms = (state) =>
    JSON.stringify([state.notice, state.trouble, (state.prompts ?? []).filter((prompt) => prompt.urgent)]);
  return before.screen !== now.screen || before.n !== now.n || Boolean(now.menu) || alarms(before) !== alarms(now);
}
