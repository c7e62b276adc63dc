// The page of the sessions. Without a browser it lists them, sends the uploads that are due, and ends when
// none waits.

import { byId, dateText, el, fill, hasLayout, notice, spanText, stateOf } from "./elements.js";
import { accelerometersOf, arriving, isReadable, Limb, limbName, obstacle, polled } from "./limbs.js";
import {
  clocksOf, counted, csvText, cutOf, draw, fileName, forgetClocks, keepClocks, limbsOf, loaded, parseCut, rangeOf, save,
  setCut, showCounts, sqlText,
} from "./recording.js";
import { client } from "./server.js";
import { Uploads } from "./uploads.js";

const CLOCK_MS = 1000;

let accelerometers = [];
let sessions = [];
let chosen = null;
const limbs = [];
/** Without a storage there are no uploads and no cuts. */
let isStored = true;

const uploads = new Uploads({
  session: () => chosen,
  cut: () => chosenCut(),
  removed: async (id) => {
    await remove(id);
    if (chosen?.id === id) chosen = null;
    await show();
    await list();
  },
  report,
});

async function start() {
  for (const [id, act] of Object.entries(ACTIONS)) byId(id).addEventListener("click", () => act().catch(report));
  for (const [id, act] of Object.entries(FORMS)) {
    byId(id).addEventListener("submit", (event) => {
      event.preventDefault();
      act().catch(report);
    });
  }
  await showLive();
  await startUploads();
  await list();
  if (sessions.length > 0 && hasLayout()) await choose(sessions[0].id);
  console.log(`${accelerometers.length} accelerometers, ${sessions.length} sessions`);
  for (const session of sessions) console.log(`${session.name}: ${stateText(session)}, ${spanText(elapsed(session))}`);
  setInterval(() => {
    if (chosen !== null) showFigures();
  }, CLOCK_MS);
  if (isStored) await uploads.sendDue();
}

async function startUploads() {
  try {
    await uploads.start();
  } catch (error) {
    if (error.name !== "NotAllowedError") throw error;
    isStored = false;
    for (const id of ["server-section", "cut-form", "sql"]) byId(id).hidden = true;
    report(error);
  }
}

function report(error) {
  fill(byId("message"), notice(stateOf(error)));
  console.warn([error.message, error.fix].filter(Boolean).join(" "));
}

// --- Live -------------------------------------------------------------------------------------

async function showLive() {
  const found = accelerometersOf(await nervous.sensors());
  // A kind without hardware is listed beside its instances.
  accelerometers = found.some(({ available }) => available) ? found.filter(({ available }) => available) : found;
  if (accelerometers.length === 0) {
    accelerometers = [await nervous.sensor("accelerometer").describe()].filter(({ available }) => !available);
  }
  let group;
  const { ChartGroup } = await import("/lib/charts.js").catch(() => ({}));
  const shared = () => (group ??= ChartGroup === undefined ? undefined : new ChartGroup());
  const views = accelerometers.map((sensor) => {
    const name = limbName(sensor.id) ?? sensor.title, problem = obstacle(sensor);
    const view = el("section", { class: "limb", "data-sensor": sensor.id, "aria-label": `Live: ${name}` });
    if (problem !== null) fill(view, el("h3", {}, name), notice(problem));
    else limbs.push(new Limb(sensor, (hasLayout() ? arriving : polled)(sensor.id), view, shared));
    return view;
  });
  if (views.length === 0) {
    views.push(notice({ kind: "undecided", title: "No accelerometer is allowed",
      text: "Allow the accelerometers of your limbs, then open this page again.", fix: "nervous permissions gait" }));
  }
  fill(byId("live"), views);
  showSensors("new-sensors", accelerometers.filter(isReadable).map(({ id }) => id));
}

/** Check boxes for the sensors of a session; those that it has are checked, also if they are gone. */
function showSensors(place, checked, isFixed = false) {
  const ids = [...new Set([...accelerometers.filter(isReadable).map(({ id }) => id), ...checked])];
  fill(byId(place), el("legend", {}, "Sensors"),
    ids.length === 0 ? el("p", { class: "note" }, "No accelerometer can be read.") : null,
    ids.map((id) => el("div", { class: "row" },
      el("input", { type: "checkbox", id: `${place}-${id}`, value: id, checked: checked.includes(id), disabled: isFixed }),
      el("label", { for: `${place}-${id}` }, limbName(id) ?? "Accelerometer"))));
}

const checkedOf = (place) => [...byId(place).querySelectorAll("input")].filter(({ checked }) => checked).map(({ value }) => value);

// --- Sessions ---------------------------------------------------------------------------------

const elapsed = ({ spans }) => spans.reduce((sum, { from, to }) => sum + (to ?? Date.now()) - from, 0);
const hasSpans = ({ spans }) => spans.length > 0;
const STATES = { inactive: "not started", active: "recording", paused: "paused" };
const stateText = ({ state, finished }) => (finished ? "finished" : STATES[state]);

async function list() {
  try {
    sessions = await nervous.sessions.list({ limit: 1000 });
  } catch (error) {
    byId("new-form").hidden = true;
    fill(byId("no-sessions"), "Sessions are not shown.");
    throw error;
  }
  byId("no-sessions").hidden = sessions.length > 0;
  const focused = document.activeElement?.getAttribute?.("data-session");
  fill(byId("sessions"), sessions.map((session) => el("li", {}, el("button", {
    type: "button", "data-session": session.id, "aria-current": `${session.id === chosen?.id}`,
    onclick: () => choose(session.id).catch(report),
  }, session.name, el("small", {}, `${dateText(session.created).slice(0, 16)}, ${stateText(session)}`)))));
  if (focused) byId("sessions").querySelector(`[data-session="${focused}"]`)?.focus();
}

async function choose(id) {
  chosen = await nervous.sessions.get(id);
  await list();
  await show();
}

/** Shows the chosen session as it is now. */
async function show() {
  byId("session").hidden = chosen === null;
  byId("confirm").hidden = true;
  byId("edit").open = chosen !== null && byId("edit").open && byId("edit").getAttribute("data-of") === chosen.id;
  if (chosen === null) return;
  byId("edit").setAttribute("data-of", chosen.id);
  const { name, description, state, finished, sensors, id } = chosen;
  fill(byId("session-title"), name);
  fill(byId("session-description"), description);
  fill(byId("session-state"), stateText(chosen));
  byId("session-state").className = state === "active" ? "state good" : "note";
  byId("edit-name").value = name;
  byId("edit-description").value = description;
  fill(byId("edit-note"));
  showSensors("edit-sensors", sensors, finished || hasSpans(chosen));
  byId("start").hidden = finished || state !== "inactive";
  byId("pause").hidden = state !== "active";
  byId("resume").hidden = state !== "paused";
  byId("finish").hidden = state === "inactive";
  byId("recording").hidden = !finished || !hasSpans(chosen);
  byId("upload").hidden = byId("recording").hidden || !isStored;
  showFigures();
  if (!byId("recording").hidden) {
    if (isStored) await uploads.show();
    await showRecording(id);
  }
}

function showFigures() {
  const { sensors } = chosen;
  const figure = (name, value) => el("div", {}, el("dt", {}, name), el("dd", {}, value));
  fill(byId("session-figures"), figure("Recorded", spanText(elapsed(chosen))), figure("Limbs", `${sensors.length}`));
}

/** The samples of the chosen session, without what the person left out. */
const chosenLimbs = async () => limbsOf(chosen, await chosenCut(), await chosenClocks());
const chosenClocks = () => (isStored ? clocksOf(chosen.id) : {});
const chosenCut = () => (isStored ? cutOf(chosen.id) : null);

async function showRecording(id) {
  fill(byId("recording-note"), "Loading samples …");
  const session = chosen, range = rangeOf(session), cut = await chosenCut();
  byId("cut-from").value = cut ? `${(cut.from - range.start) / 1000}` : "";
  byId("cut-to").value = cut ? `${(cut.to - range.start) / 1000}` : "";
  byId("uncut").disabled = !cut;
  let found;
  try {
    const limbs = await chosenLimbs();
    found = hasLayout() ? await loaded(limbs) : await counted(limbs);
  } catch (error) {
    fill(byId("recorded"), notice(stateOf(error)));
    fill(byId("recording-note"));
    return;
  }
  if (chosen !== session) return;
  const count = found.reduce((sum, { samples, count }) => sum + (count ?? samples.length), 0);
  byId("send").disabled = byId("csv").disabled = byId("sql").disabled = count === 0;
  fill(byId("recording-note"), count === 0
    ? "This session has no samples. They may have been deleted, or no sensor was read while it was active."
    : cut ? "Some of the samples are left out: of the charts, of files and of uploads. They are still stored." : "");
  if (!hasLayout()) return showCounts(found);
  await draw(found, cut ? { start: cut.from, end: cut.to } : range, ({ from, to }) => {
    byId("cut-from").value = ((from - range.start) / 1000).toFixed(2);
    byId("cut-to").value = ((to - range.start) / 1000).toFixed(2);
  });
}

async function step(name) {
  chosen = await nervous.sessions[name](chosen.id);
  if (name === "finish" && isStored) await keepClocks(chosen);
  await list();
  await show();
  // The button that was pressed is gone.
  [...byId("session").querySelectorAll("[aria-label=Recording] button")].find(({ hidden }) => !hidden)?.focus();
  if (chosen.finished) byId("session-title").focus();
}

async function create() {
  const made = await nervous.sessions.create({
    name: byId("new-name").value.trim(), description: byId("new-description").value.trim(), sensors: needed("new-sensors") });
  byId("new-form").reset();
  showSensors("new-sensors", accelerometers.filter(isReadable).map(({ id }) => id));
  fill(byId("message"));
  await choose(made.id);
  byId("start").focus();
}

/** The chosen sensors; at least one. */
function needed(place) {
  const sensors = checkedOf(place);
  if (sensors.length === 0) throw new DOMException("Choose at least one sensor.", "DataError");
  return sensors;
}

async function edit() {
  const name = byId("edit-name").value.trim(), description = byId("edit-description").value.trim();
  const sensors = chosen.finished || hasSpans(chosen) ? undefined : needed("edit-sensors");
  chosen = await nervous.sessions.update(chosen.id, { name, description, sensors });
  await list();
  await show();
  fill(byId("edit-note"), "Saved.");
}

/** Deletes a session, its upload and what was left out of it. Its samples stay with the host. */
async function remove(id) {
  await nervous.sessions.remove(id);
  if (!isStored) return;
  await setCut(id, null);
  await forgetClocks(id);
  await uploads.outbox.discard(id);
}

const iso = (t) => new Date(t).toISOString();

async function askToDelete() {
  const entry = isStored ? await uploads.outbox.get(chosen.id) : undefined;
  const confirmed = entry?.state === "sent" ? "The server has confirmed its upload." : "No server has confirmed it.";
  const range = hasSpans(chosen) ? rangeOf(chosen) : null;
  fill(byId("confirm-text"), `Delete “${chosen.name}”? ${confirmed} `,
    ...(range === null ? [] : ["Its samples stay with the host; to delete them, too: ",
      ...chosen.sensors.map((sensor) => el("code", {}, `nervous forget ${sensor} --from ${iso(range.start)} --to ${iso(range.end ?? Date.now())}`))]));
  byId("confirm").hidden = false;
  byId("confirm-text").focus();
}

async function reallyDelete() {
  await remove(chosen.id);
  chosen = null;
  await show();
  await list();
  byId("new-name").focus();
}

async function keep() {
  byId("confirm").hidden = true;
  byId("delete").focus();
}

// --- Samples ----------------------------------------------------------------------------------

async function cut(range) {
  if (range === undefined) {
    for (const id of ["cut-from", "cut-to"]) byId(id).setAttribute("aria-invalid", "true");
    fill(byId("recording-note"), "Enter seconds since the start; the first number must be smaller. Nothing has changed.");
    return;
  }
  for (const id of ["cut-from", "cut-to"]) byId(id).removeAttribute("aria-invalid");
  await setCut(chosen.id, range);
  await showRecording(chosen.id);
}

async function saveCSV() {
  save(fileName(chosen, "csv"), "text/csv", csvText(await loaded(await chosenLimbs())));
}

async function saveSQL() {
  const entry = await uploads.outbox.get(chosen.id);
  const text = await sqlText(await client(), chosen, await chosenLimbs(), entry?.state === "sent");
  save(fileName(chosen, "sql"), "application/sql", text);
}

const ACTIONS = {
  start: () => step("start"), pause: () => step("pause"), resume: () => step("resume"), finish: () => step("finish"),
  delete: askToDelete, keep, really: reallyDelete, uncut: () => cut(null), csv: saveCSV, sql: saveSQL,
};

const FORMS = {
  "new-form": create, "edit-form": edit,
  "cut-form": () => cut(parseCut(byId("cut-from").value, byId("cut-to").value, rangeOf(chosen))),
};

start().catch(report);
