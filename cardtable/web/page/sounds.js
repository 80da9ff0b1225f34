// Short sounds for those who want them: your turn, points, something wrong, the end.

import { settings } from "./settings.js";

const TUNES = {
  turn: [660],
  points: [660, 880],
  moment: [523, 784, 1047],
  alert: [220, 196],
  end: [523, 659, 784, 1047],
};
const NOTE_S = 0.13;
let audio = null;

export function sound(name) {
  if (settings.sounds !== "on") return;
  audio ??= new AudioContext();
  TUNES[name].forEach((frequency, number) => {
    const start = audio.currentTime + number * NOTE_S;
    const note = new OscillatorNode(audio, { frequency, type: "triangle" });
    const volume = new GainNode(audio, { gain: 0 });
    volume.gain.setTargetAtTime(0.2, start, 0.01);
    volume.gain.setTargetAtTime(0, start + NOTE_S * 0.7, 0.03);
    note.connect(volume).connect(audio.destination);
    note.start(start);
    note.stop(start + NOTE_S * 2);
  });
}
