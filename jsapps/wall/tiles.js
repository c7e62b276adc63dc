// The tiles: each is drawn whole from a state, which is a value, an error or "loading".

import { el, fill, timeText } from "./elements.js";
import { iconOf, wordOf } from "./conditions.js";
import { dayName } from "./days.js";
import { icon } from "./icons.js";

/** A number of degrees without a fraction, and no minus before a zero. */
export const degreesText = (value) => `${Math.round(value) + 0}°`.replace("-", "−");

/** °C in the units that were set. */
export const inUnits = (celsius, units) => (units === "imperial" ? celsius * 1.8 + 32 : celsius);

/** When something was measured or loaded, if that is not now. */
const since = (t) => el("p", { class: "state warn" }, `◷ Stale: of ${timeText(t).slice(0, 5)}`);

/** A tile: its name with an icon, then its content, or what is missing. */
function frame(place, name, picture, ...content) {
  fill(place, el("h2", {}, picture, name), ...content);
}

const problemOf = ({ title, text, fix }) => [
  el("p", { class: "problem" }, title), text ? el("p", { class: "detail" }, text) : null,
  fix ? el("p", { class: "detail" }, el("code", {}, fix)) : null];

const errorOf = (text) => [el("p", { class: "problem" }, text)];
const loading = () => [el("p", { class: "detail" }, "Loading …")];

/** Three days, or three moments: `{ days, today }` or `{ moments }`, with `error` and `stale` if there is one. */
export function forecastTile(place, state) {
  const { days, moments, today, error, staleSince, isLoading } = state;
  const column = (name, picture, high, low) => el("li", {},
    el("p", { class: "name" }, name), icon(picture, wordOf(picture)),
    el("p", { class: "high" }, el("span", { class: "sr" }, "high "), degreesText(high)),
    low === null ? null : el("p", { class: "low" }, el("span", { class: "sr" }, "low "), degreesText(low)));
  const shown = days?.map(({ day, icon: picture, high, low }) => column(dayName(day, today), picture, high, low))
    ?? moments?.map(({ name, temperature, condition }) => column(name, iconOf(condition), temperature, null));
  frame(place, "Forecast", null,
    shown === undefined ? null : el("ul", { class: "days" }, shown),
    staleSince ? since(staleSince) : null,
    error ? errorOf(error) : shown === undefined && isLoading ? loading() : null);
}

/** The weather now. */
export function outdoorTile(place, { now, error, staleSince, isLoading }) {
  const picture = now === undefined ? "thermometer" : iconOf(now.condition ?? -1);
  frame(place, "Outdoors", icon(picture, now === undefined ? undefined : wordOf(picture)),
    now === undefined ? null : el("p", { class: "big" }, degreesText(now.temperature)),
    now === undefined ? null : el("p", { class: "more" },
      [now.text, now.humidity === null ? null : `${Math.round(now.humidity)} %`].filter(Boolean).join(", ")),
    staleSince ? since(staleSince) : null,
    error ? errorOf(error) : now === undefined && isLoading ? loading() : null);
}

/** Temperature and humidity of the house. */
export function indoorTile(place, { problem, celsius, humidity, isStale, t }, units) {
  if (problem !== undefined) return frame(place, "Indoors", icon("home"), ...problemOf(problem));
  frame(place, "Indoors", icon("home"),
    el("p", { class: `big${isStale ? " stale" : ""}` }, degreesText(inUnits(celsius, units))),
    humidity === null ? null : el("p", { class: "more" }, `${Math.round(humidity)} % humidity`),
    isStale ? since(t) : null);
}

const LOCK_WORDS = { locked: "Locked", unlocked: "Unlocked", unknown: "Unknown" };

/** The lock and the door. A word and a sign say what the colour says. */
export function lockTile(place, { problem, lock, door, battery, isStale, t }) {
  if (problem !== undefined) return frame(place, "Lock", icon("lock"), ...problemOf(problem));
  const isOpen = door === "open";
  const word = lock === "unknown" && door !== "unknown" ? (isOpen ? "Open" : "Closed") : LOCK_WORDS[lock];
  const tone = isStale || word === "Unknown" ? " stale" : lock === "unlocked" || isOpen ? " warn" : " good";
  const more = [
    lock !== "unknown" && door !== "unknown" ? `Door ${door}` : null,
    battery === null ? null : `Battery ${Math.round(battery)} %`];
  frame(place, "Lock", icon({ locked: "lock", unlocked: "unlock" }[lock] ?? "placeholder"),
    el("p", { class: `big word${tone}` }, word),
    more.some(Boolean) ? el("p", { class: "more" }, more.filter(Boolean).join(", ")) : null, isStale ? since(t) : null);
}
