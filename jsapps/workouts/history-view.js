// The history: the week as bars, a row for each workout, and what became of them in the health store.

import { drawDays } from "./chart.js";
import { icon, sizeOf } from "./drawing.js";
import { byId, el, fill } from "./elements.js";
import { detailText, titleText } from "./texts.js";
import { days, lastWeek, older } from "./week.js";

const SOURCES = { imported: "imported", health: "from the health store" };

/** "5200 m | 12 floors | 6100 steps", and where the workout is from if it was not recorded here. */
export const rowText = (one) => [
  detailText(one), one.steps === null ? null : `${one.steps} steps`, SOURCES[one.source] ?? null,
].filter((text) => text !== null).join(" | ");

/** `extra` is how many older workouts are shown; `choose(id)` is called for a press of a row. */
export function renderHistory(workouts, { extra, shown, choose, health }) {
  const now = Date.now(), week = lastWeek(workouts, now), rows = [...week, ...older(workouts, week, extra)];
  drawDays(byId("days"), days(workouts, now), sizeOf(byId("days"), 640, 140));
  const focused = document.activeElement?.getAttribute?.("data-id");
  fill(byId("list"), rows.map((one) => el("li", {}, el("button", {
    type: "button", "data-id": one.id, "aria-current": `${one.id === shown}`, onclick: () => choose(one.id),
  }, icon(one.label), el("span", {}, titleText(one), el("small", {}, rowText(one)))))));
  if (focused) byId("list").querySelector(`[data-id="${CSS.escape(focused)}"]`)?.focus();
  fill(byId("empty"), rows.length > 0 ? "" : workouts.length > 0 ? "No workout in the last seven days."
    : "No workouts yet. Start one, or import a file.");
  byId("older").hidden = rows.length >= workouts.length;
  fill(byId("health"), healthText(health));
}

function healthText(health) {
  switch (health?.state) {
    case "saved": return health.without.length === 0 ? "Saved in the health store."
      : `Saved in the health store, without ${health.without.join(", ")}: you have not allowed it.`;
    case "denied": return "Kept here only: this app may not write workouts to the health store.";
    case "failed": return `Not in the health store yet: ${health.error.message}`;
    default: return "";
  }
}
