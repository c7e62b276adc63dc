// A trip while it is recorded: its states, and what is said about it. The host measures the route by its rules
// (docs/derived-sensors.md); times here are milliseconds since 1970.

/** After a start or a resumption, positions are not used for so long: a receiver is inaccurate at first. */
export const WARM_UP_MS = 5000;
/** Without a position for so long there is no signal. */
export const SILENCE_MS = 5000;

const TRANSITIONS = {
  none: { start: "active", enter: "review" },
  active: { pause: "paused", finish: "review" },
  paused: { resume: "active", finish: "review" },
  review: { send: "none", keep: "none", discard: "none" },
};

/** The state after an action; undefined if it is not possible. */
export const after = (state, action) => TRANSITIONS[state]?.[action];

/** Whether an action is possible. */
export const can = (state, action) => after(state, action) !== undefined;

/** The whole seconds until positions count, from 5 to 1; 0 afterwards and unless the trip is active. */
export function countdown({ state, since }, now) {
  if (state !== "active") return 0;
  return Math.min(5, Math.max(0, Math.ceil((since + WARM_UP_MS - now) / 1000)));
}

/** The accuracy of the newest position, or that there is none. */
export function signalText(fix, now) {
  if (fix === null || now - fix.arrived > SILENCE_MS) return "No signal";
  return Number.isFinite(fix.accuracy) ? `± ${Math.round(fix.accuracy)} m` : "Accuracy unknown";
}

/** How long a trip was active, without its pauses: "1:05:09", "12:40". */
export function timeText(spans, now) {
  const active = spans.reduce((sum, { from, to = now }) => sum + Math.max(0, to - from), 0);
  const seconds = Math.floor(active / 1000), two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}`;
}

const WARNINGS = new Map([
  ["signalLost", "The signal was lost for more than 30 seconds. Check whether the distance and the route are right."],
  ["jump", "Two positions are more than 200 m apart. Check whether the distance and the route are right."],
]);

/** What to say about the warnings of a route, at the end of a trip. */
export const warningTexts = (warnings) => warnings.map((name) => WARNINGS.get(name)).filter(Boolean);

/** Why a trip does not resume, if the reason is its position; undefined for another error. */
export function resumeText(error) {
  if (error.problem === "too-far") {
    return "You are more than 200 m from where you paused. Go back there, or finish this trip and start another.";
  }
  if (error.problem === "inaccurate") {
    return "The position is not accurate to 100 m. Wait for a better one, or finish this trip.";
  }
  return undefined;
}
