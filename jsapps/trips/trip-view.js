// The form of a trip, its figures and its buttons.

import { byId, el, fill, notice } from "./elements.js";
import { map } from "./map.js";
import { kilometreText, metresOf } from "./report.js";
import { can, countdown, signalText, timeText } from "./trip.js";

const TITLES = { none: "New trip", active: "Trip", paused: "Trip", review: "Report" };
const STATES = { active: "Recording", paused: "Paused" };
const BUTTONS = {
  start: "start", enter: "enter", pause: "pause", resume: "resume", finish: "finish", send: "send", keep: "keep",
};
const FIELDS = ["date", "purpose", "placement", "rate", "kilometres", "remark"];

/** What the form contains; ids as numbers, and `metres` undefined if the kilometres are no number. */
export function readForm() {
  const value = (id) => byId(id).value;
  const id = (name) => (value(name) === "" ? "" : Number(value(name)));
  return {
    date: value("date"), purpose: value("purpose"), placement: id("placement"), rate: id("rate"),
    remark: value("remark"), startsAtHome: byId("startsAtHome").checked, endsAtHome: byId("endsAtHome").checked,
    metres: metresOf(value("kilometres")),
  };
}

/** Puts values into the form. */
export function writeForm({
  date = "", purpose = "", placement = "", rate = "", remark = "", startsAtHome = false, endsAtHome = false, metres,
}) {
  Object.entries({ date, purpose, placement: `${placement}`, rate: `${rate}`, remark }).forEach(([id, value]) => {
    byId(id).value = value;
  });
  byId("startsAtHome").checked = startsAtHome;
  byId("endsAtHome").checked = endsAtHome;
  byId("kilometres").value = metres === undefined ? "" : kilometreText(metres);
  showProblems({});
}

/** Fills the lists of the form, and keeps what is chosen, otherwise what `wanted` has. */
export function showChoices({ placements = [], rates = [] }, purposes, wanted) {
  for (const [id, choices, what] of [["placement", placements, "placement"], ["rate", rates, "rate"]]) {
    const chosen = byId(id).value || `${wanted[id] ?? ""}`;
    fill(byId(id), el("option", { value: "" }, choices.length === 0 ? "Log in first" : `Choose a ${what}`),
      choices.map((choice) => el("option", { value: `${choice.id}` }, choice.title)));
    byId(id).value = choices.some((choice) => `${choice.id}` === chosen) ? chosen : choices.length === 1 ? `${choices[0].id}` : "";
  }
  byId("login-first").hidden = placements.length > 0 || rates.length > 0;
  fill(byId("purposes"), purposes.map((purpose) => el("option", { value: purpose })));
}

/** Shows sentences at their fields, and moves the focus to the first; whether there are none. */
export function showProblems(problems) {
  for (const field of FIELDS) {
    fill(byId(`${field}-problem`), problems[field] ?? null);
    if (problems[field]) byId(field).setAttribute("aria-invalid", "true");
    else byId(field).removeAttribute("aria-invalid");
  }
  const first = FIELDS.find((field) => problems[field]);
  if (first) byId(first).focus();
  return first === undefined;
}

/** Shows the panel for a state of the trip. */
export function showState({ state, source, points, warnings }) {
  fill(byId("trip-title"), TITLES[state]);
  fill(byId("trip-state"), STATES[state] ?? null);
  byId("trip-state").className = state === "active" ? "state good" : "state warn";
  byId("figures").hidden = state !== "active" && state !== "paused";
  byId("trip-form").hidden = state === "active" || state === "paused";
  for (const field of document.querySelectorAll("[data-in]")) field.hidden = field.getAttribute("data-in") !== state;
  for (const [id, action] of Object.entries(BUTTONS)) byId(id).hidden = !can(state, action);
  byId("discard").hidden = state !== "review";
  const isMeasured = state === "review" && source === "measured";
  byId("edit").hidden = !isMeasured;
  byId("kilometres").readOnly = isMeasured;
  fill(byId("countdown"));
  fill(byId("warnings"), state === "review" ? warnings.map((text) => notice({ kind: "stale", title: "Check the route", text })) : null);
  fill(byId("map"), state === "review" && points.length > 1 ? [map(points), legend(points)] : null);
}

function legend(points) {
  const via = el("span", {}, el("span", { class: "via-sign" }, "●"), " via point, where the trip was paused");
  return el("figcaption", { class: "legend" }, el("span", {}, "○ start"), el("span", {}, "● finish"),
    points.some(({ isVia }) => isVia) ? via : null);
}

/** Shows the figures at a time. */
export function showFigures({ state, recorder }, now) {
  if (state !== "active" && state !== "paused") return;
  write("distance", recorder.distance === undefined ? "–" : `${kilometreText(recorder.distance)} km`);
  write("time", timeText(recorder.session.spans, now));
  write("signal", signalText(recorder.fix, now));
  const seconds = countdown({ state, since: recorder.since }, now);
  write("countdown", seconds > 0 ? `Wait before you drive: ${seconds}` : "");
}

/** Writes a text that has changed; the same text again would be announced again. */
function write(id, text) {
  if (byId(id).textContent !== text) fill(byId(id), text);
}
