// The record view: time and totals of the workout, what is not measured and why, and the buttons.

import { byId, el, fill } from "./elements.js";
import { STATE_WORDS, buttons } from "./machine.js";
import { durationText } from "./stopwatch.js";
import { altitudeText, motionText, totalsText } from "./texts.js";

const SIGNAL_MS = 5000, STALE_MS = 60_000;
const NOTHING = { distance: null, steps: null, floors: null, altitude: null, pace: null, activity: null, accuracy: null };
const STATE_CLASSES = { inactive: "", active: "good", paused: "warn" };
const WITHOUT = {
  location: "no way, and distance by steps only", steps: "no steps",
  barometer: "no floors", activity: "choose the activity yourself",
};

/** "0 min 12 secs | 16.80m | 22 steps | 0 floors". */
export const lineText = (recorder) =>
  [durationText(recorder.elapsed), totalsText(recorder.reading ?? NOTHING)].filter((text) => text !== "").join(" | ");

/** A name and a value of a list of figures. */
export const figure = (name, value) => el("div", {}, el("dt", {}, name), el("dd", {}, value));

// What is written already: most of it stays the same for a second, and new buttons would lose the focus.
const written = new Map();

function change(part, value, write) {
  if (written.get(part) === value) return;
  written.set(part, value);
  write();
}

const write = (id, text) => change(id, text, () => fill(byId(id), text));

/** `act(step)` is called for a press of a button; `idle` are the problems of sensors before the start. */
export function renderRecord(recorder, idle, act) {
  const { state, ages } = recorder;
  const reading = recorder.reading ?? NOTHING;
  write("time", durationText(recorder.elapsed));
  write("totals", totalsText(reading) || "No values yet");
  write("motion", motionText(reading));
  write("altitude", altitudeText(reading.altitude));
  write("signal", signalText(state, ages, reading));
  const rows = state === "active" ? [...Object.entries(recorder.problems), ...silent(ages)] : Object.entries(idle);
  change("problems", JSON.stringify(rows), () => fill(byId("problems"), rows.map(problemRow)));
  change("buttons", state, () => {
    fill(byId("state"), STATE_WORDS[state]);
    byId("state").className = `state ${STATE_CLASSES[state]}`;
    byId("kind-field").hidden = state !== "inactive";
    renderButtons(buttons(state), act);
  });
}

function renderButtons(wanted, act) {
  const place = byId("buttons"), hadFocus = place.contains(document.activeElement);
  fill(place, wanted.map(({ step, label }, at) => el("button", {
    type: "button", "data-step": step, class: at === 0 ? "main" : "", onclick: () => act(step) }, label)));
  if (hadFocus) place.firstElementChild.focus();
}

function signalText(state, ages, { accuracy }) {
  if (state !== "active" || ages.location === undefined) return "–";
  if (ages.location > SIGNAL_MS) return "no signal";
  return accuracy === null ? "accuracy unknown" : `± ${Math.round(accuracy)} m`;
}

/** The sensors that are read and report nothing. */
const silent = (ages) => Object.entries(ages).filter(([, age]) => age > STALE_MS)
  .map(([id, age]) => [id, { kind: "stale", title: `No sample for ${durationText(age)}` }]);

/** A reason of the host as a sentence: "No gpsd answers." */
const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."} `;

function problemRow([id, { kind, title, text, fix }]) {
  const advice = fix?.startsWith("nervous ") ? ["To change it: ", el("code", {}, fix)] : fix ? [sentence(fix)] : [];
  return el("li", { class: kind }, el("strong", {}, `${id}: ${title}`), ` – ${WITHOUT[id]}. `,
    text ? sentence(text) : null, ...advice);
}
