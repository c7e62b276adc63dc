// Pieces that several pages are made of: states, panels, tables, buttons that ask twice.

import { button as plainButton, emptyState, h, icon, plain, unseen } from "./dashboard.js";
import { texts } from "./page-texts.js";

const words = texts.parts;
/** Content that arrives within this time is shown without a word about loading. */
const LOADING_MS = 300;
/** A confirming button ignores clicks for this long at first, so that a double click does not confirm. */
const DEAD_MS = 500;

// MARK: Texts

/** Untrusted text: escaped, and cut where it is too long to read. */
export function visible(value, limit = 400) {
  const characters = Array.from(plain(value));
  return characters.length > limit ? `${characters.slice(0, limit).join("")}…` : characters.join("");
}

/** Text of a device or a log: escaped, and isolated from the direction of what surrounds it. */
export function foreign(value, limit) {
  return h("bdi", {}, visible(value, limit));
}

/** The sentences of an error: what failed, and what to do. */
export function problemText(error) {
  const detail = error instanceof TypeError ? words.noAnswer : error?.detail ?? error?.message;
  return [detail, error?.fix].filter(Boolean).map((part) => visible(part)).join(" ");
}

export const isAbort = (error) => error?.name === "AbortError";

// MARK: States

export function stateWord(kind, sign, ...content) {
  return h("span", { class: `state ${kind}` }, icon(sign), h("span", {}, ...content));
}

/**
 * Fills `place` with what `show` makes of what `read` returns.
 *
 * Earlier content stays until then. After 300 ms without content, a sentence says what is read. A failure is shown
 * with its cause and a button to try again.
 */
export async function load(place, signal, what, read, show) {
  place.setAttribute("aria-busy", "true");
  const slow = setTimeout(() => {
    if (place.hasChildNodes()) return;
    place.append(
      h("section", { class: "panel empty" },
        h("span", { class: "wait", "aria-hidden": "true" }), h("h2", {}, words.reading(what))),
    );
  }, LOADING_MS);
  try {
    const content = await read();
    if (signal.aborted) return;
    place.replaceChildren(...[await show(content)].flat());
  } catch (error) {
    if (signal.aborted || isAbort(error)) return;
    const again = () => load(place, signal, what, read, show);
    place.replaceChildren(
      emptyState("warn", words.failed(what), h("p", {}, problemText(error)),
        h("p", {}, button(words.retry, again))),
    );
  } finally {
    clearTimeout(slow);
    place.removeAttribute("aria-busy");
  }
}

// MARK: Elements

let numbers = 0;
export const newId = (name) => `${name}-${++numbers}`;

/** A panel with a heading; `action` is at its right. */
export function panel(heading, { action, footer, level = "h2" } = {}, ...content) {
  const id = newId("panel");
  return h("section", { class: "panel", "aria-labelledby": id },
    h("header", {}, h(level, { id }, heading), action ?? []),
    ...content, footer ? h("footer", {}, footer) : []);
}

/** A button; `about` is said to screen readers after its label. */
export function button(label, act, { about, ...rest } = {}) {
  return plainButton([label, about && unseen(` ${about}`)], act, rest);
}

/** Terms and their meaning; pairs without a meaning are left out. */
export function pairs(...items) {
  const known = items.filter((item) => item && item[1] !== undefined && item[1] !== null);
  return h("dl", { class: "pairs small" },
    known.map(([term, meaning]) => [h("dt", {}, term), h("dd", {}, meaning)]));
}

export function figures(items, kind = "") {
  return h("dl", { class: `figures ${kind}`.trim() },
    items.map(([term, value, note]) => h("div", {}, h("dt", {}, term), h("dd", {}, value),
      note ? h("dd", { class: "note" }, note) : [])));
}

/** A value with its unit in small type. */
export function figure(shown) {
  const [, value, unit] = /^(.*?)(?:[\u202f\u00a0 ]([^\d\s].*))?$/s.exec(shown);
  return unit ? [value, " ", h("small", {}, unit)] : [value];
}

/**
 * A table in a box that scrolls sideways when it must.
 *
 * A column is `{name, kind, isHead}`; `kind` is the class of its cells: `number`, `middle`, `wide`. The heading of a
 * row is the cell of the column that is marked, or the first.
 */
export function table(label, columns, rows, kind = "") {
  const head = Math.max(0, columns.findIndex(({ isHead }) => isHead));
  const cell = (content, place) => (place === head
    ? h("th", { scope: "row", class: columns[place].kind }, content)
    : h("td", { class: columns[place].kind }, content));
  return h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": label },
    h("table", { class: kind },
      h("thead", h("tr", columns.map(({ name, kind: column, isUnseen }) =>
        h("th", { scope: "col", class: column }, isUnseen ? unseen(name) : name)))),
      h("tbody", rows.map((cells) => h("tr", cells.map(cell))))));
}

/** A line that says how an action went, also to screen readers. */
export function notice() {
  const line = h("p", { class: "notice small", role: "status" });
  line.hidden = true;
  const show = (kind, sign, sentence) => {
    line.hidden = false;
    line.replaceChildren(stateWord(kind, sign, sentence));
  };
  return Object.assign(line, {
    done: (sentence) => show("good", "check", sentence),
    failed: (error) => { if (!isAbort(error)) show("bad", "warn", problemText(error)); },
    clear: () => { line.hidden = true; line.replaceChildren(); },
  });
}

/** Runs an action once at a time; its failure is shown in `line`. */
export async function perform(line, control, act) {
  if (control?.getAttribute("aria-disabled") === "true") return;
  control?.setAttribute("aria-disabled", "true");
  line.clear();
  try {
    await act();
  } catch (error) {
    line.failed(error);
  } finally {
    control?.removeAttribute("aria-disabled");
  }
}

/**
 * A button for what cannot be undone: it says what would happen, and a second button does it.
 *
 * The focus moves to the button that keeps everything, and the confirming one ignores clicks for half a second.
 */
export function twoSteps(label, sentence, confirmation, act, { about, kind = "bad" } = {}) {
  const place = h("span", { class: "steps" });
  const line = notice();
  const first = button(label, () => ask(), { kind, about });
  const rest = (focuses) => {
    place.replaceChildren(first, line);
    if (focuses) first.focus();
  };
  const ask = () => {
    const shown = performance.now();
    line.clear();
    const keep = button(words.cancel, () => rest(true));
    const confirm = button(confirmation, () => {
      if (performance.now() - shown < DEAD_MS) return;
      perform(line, confirm, async () => {
        await act();
        rest(place.isConnected);
      });
    }, { kind: "bad" });
    const escape = (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      rest(true);
    };
    place.replaceChildren(
      h("span", { class: "asks", role: "group", "aria-label": sentence, on: { keydown: escape } },
        h("span", { class: "small" }, sentence), keep, confirm), line);
    keep.focus();
  };
  rest(false);
  return place;
}

let region;
/** Says a sentence to screen readers, wherever the focus is. */
export function announce(sentence) {
  if (!region) {
    region = h("p", { class: "unseen", role: "status" });
    document.body.append(region);
  }
  region.textContent = "";
  setTimeout(() => { region.textContent = sentence; }, 50);
}

/** Copies a text to the clipboard, which a browser may refuse. */
export async function copy(value) {
  try {
    await navigator.clipboard.writeText(value);
  } catch {
    throw { detail: words.notCopied };
  }
}

/** Saves an answer of the API as a file; the token stays in a header field. */
export function save(name, blob) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Calls `act` at an interval while the page is visible, until the signal aborts. */
export function every(milliseconds, signal, act) {
  const timer = setInterval(() => { if (!document.hidden) act(); }, milliseconds);
  signal.addEventListener("abort", () => clearInterval(timer), { once: true });
}

/** Stops a subscription when the page is left. */
export function until(signal, stop) {
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
}

/** Texts for the configuration of other programs, each with a button that copies it; with several lines as they are. */
export function settingsList(items) {
  const line = notice();
  const copying = (term, value) => button(words.copy, (event) => perform(line, event.currentTarget, async () => {
    await copy(value);
    line.done(words.copied(term));
  }), { about: term });
  const shown = (value) => (value.includes("\n") ? h("pre", { class: "command" }, value)
    : h("code", { class: "command wrap" }, value));
  return [h("dl", { class: "settings" }, items.map(([term, value]) => h("div", {},
    h("dt", { class: "small" }, term), h("dd", {}, shown(value)), h("dd", {}, copying(term, value))))), line];
}
