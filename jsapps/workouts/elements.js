// Elements, values and the states of sensors, the same in each bundled app that has a page of its own.

/**
 * Creates an element. Properties are set as such, and as attributes if their name has a hyphen or the
 * element lacks them; children are elements, texts, or null.
 */
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined) continue;
    if (name === "class") element.className = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (!name.includes("-") && name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  fill(element, ...children);
  return element;
}

/** Replaces the children of an element. */
export function fill(element, ...children) {
  while (element.firstChild) element.firstChild.remove();
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

export const byId = (id) => document.getElementById(id);

/** Whether there is a browser that lays the page out; a headless run draws nothing. */
export const hasLayout = () => document.documentElement.clientWidth > 0;

const UNITS = new Map(Object.entries({
  "Cel": "°C", "m/s2": "m/s²", "deg": "°", "{step}": "steps", "1": "", "By": "bytes", "uT": "µT", "/min": "per min",
  "uSv/h": "µSv/h", "By/s": "bytes/s",
}));

/** A unit as people write it, from its UCUM code. */
export const unitText = (unit) => (unit === undefined ? "" : (UNITS.get(unit) ?? unit));

/** A value with its unit: "21.5 °C"; a dash if there is none. */
export function valueText(value, unit) {
  if (value === null || value === undefined) return "–";
  const text = typeof value === "number" ? `${Number(value.toPrecision(6))}` : `${value}`;
  const after = unitText(unit);
  return after === "" ? text : after === "°" ? `${text}°` : `${text} ${after}`;
}

const two = (number) => String(number).padStart(2, "0");

/** The local time of day, with 24 hours: "14:23:21". */
export function timeText(milliseconds) {
  const date = new Date(milliseconds);
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** The local date and time: "2026-01-05 14:23:21". */
export function dateText(milliseconds) {
  const date = new Date(milliseconds);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${timeText(milliseconds)}`;
}

/** A length of time: "8 s", "14 min", "3 h 20 min". */
export function spanText(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} days`;
}

/** What an error of the SDK means to the person: the state, and what to do. */
export function stateOf(error) {
  const about = { text: error.message, fix: error.fix, settings: error.settings };
  if (error.problem === "no-samples") return { kind: "empty", title: "No data yet", ...about };
  if (error.problem === "undecided") return { kind: "undecided", title: "Not decided yet", ...about };
  if (error.name === "NotAllowedError") return { kind: "denied", title: "Denied", ...about };
  if (error.problem === "several-sensors") return { kind: "undecided", title: "Several sensors", ...about };
  if (error.name === "NotFoundError" || error.name === "NotReadableError") {
    return { kind: "missing", title: "Not on this machine", ...about };
  }
  return { kind: "failed", title: "Failed", ...about };
}

const SIGNS = { empty: "○", undecided: "?", denied: "⊘", missing: "–", stale: "◷", failed: "!" };

/** A state as a box: sign and word, the sentence, and what to do next. */
export function notice({ kind, title, text, fix, settings }) {
  return el("div", { class: `notice ${kind}` },
    el("strong", {}, `${SIGNS[kind]} ${title}`), text ?? null,
    fix ? el("p", {}, "To change it: ", el("code", {}, fix)) : null,
    settings ? el("p", {}, el("a", { href: settings }, "Open the permissions")) : null);
}
