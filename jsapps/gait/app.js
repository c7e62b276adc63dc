// The page of the sessions. Without a browser it lists them, sends the uploads that are due, and ends when
// none waits.

import { byId, dateText, el, fill, hasLayout, notice, spanText, stateOf } from "./elements.js";
import { accelerometersOf, arriving, isReadable, Limb, limbName, obstacle, polled } from "./limbs.js";
import { Outbox, after, serverURL, upload } from "./outbox.js";
import {
  clocksOf, counted, csvText, cutOf, draw, fileName, forgetClocks, keepClocks, limbsOf, loaded, parseCut, rangeOf, save, setCut, showCounts, sqlText,
} from "./recording.js";
import { client, permissionFor, renameClient, storedServer, storeServer, transport } from "./server.js";

const CLOCK_MS = 1000, LONGEST_TIMER = 2 ** 31 - 1;

let accelerometers = [];
let sessions = [];
let chosen = null;
const limbs = [];
let server = null;
let isStored = true;
let timer = null;

const outbox = new Outbox({
  storage: nervous.storage,
  now: () => Date.now(),
  post: (...call) => transport.post(...call),
  read: async ({ session, cut }) => ({ client: await client(), limbs: limbsOf(session, cut, await clocksOf(session.id)) }),
  removed: async (id) => {
    await remove(id);
    if (chosen?.id === id) chosen = null;
  },
  changed: ({ session, state, total, problem }) => {
    if (state !== "waiting") console.log(`${session.name}: upload ${state}, ${total} parts`);
    else if (problem !== null) console.log(`${session.name}: upload waits. ${problem}`);
    if (chosen?.id === session.id) showUpload().catch(report);
  },
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
  await showServer();
  await list();
  if (sessions.length > 0 && hasLayout()) await choose(sessions[0].id);
  console.log(`${accelerometers.length} accelerometers, ${sessions.length} sessions`);
  for (const session of sessions) console.log(`${session.name}: ${stateText(session)}, ${spanText(elapsed(session))}`);
  setInterval(() => {
    if (chosen !== null) showFigures();
  }, CLOCK_MS);
  await sendDue();
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
  if (accelerometers.length === 0) accelerometers = [await nervous.sensor("accelerometer").describe()].filter(({ available }) => !available);
  let group;
  const { ChartGroup } = await import("/lib/charts.js").catch(() => ({}));
  const shared = () => (group ??= ChartGroup === undefined ? undefined : new ChartGroup());
  const views = accelerometers.map((sensor) => {
    const view = el("section", { class: "limb", "data-sensor": sensor.id, "aria-label": `Live: ${limbName(sensor.id) ?? sensor.title}` });
    const problem = obstacle(sensor);
    if (problem !== null) fill(view, el("h3", {}, limbName(sensor.id) ?? sensor.title), notice(problem));
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
  fill(byId(place), el("legend", {}, "Sensors"), ids.length === 0 ? el("p", { class: "note" }, "No accelerometer can be read.") : null,
    ids.map((id) => el("div", { class: "row" },
      el("input", { type: "checkbox", id: `${place}-${id}`, value: id, checked: checked.includes(id), disabled: isFixed }),
      el("label", { for: `${place}-${id}` }, limbName(id) ?? "Accelerometer"))));
}

const checkedOf = (place) => [...byId(place).querySelectorAll("input")].filter(({ checked }) => checked).map(({ value }) => value);

// --- Sessions ---------------------------------------------------------------------------------

const elapsed = ({ spans }) => spans.reduce((sum, { from, to }) => sum + (to ?? Date.now()) - from, 0);
const hasSpans = ({ spans }) => spans.length > 0;
const stateText = ({ state, finished }) => (finished ? "finished" : { inactive: "not started", active: "recording", paused: "paused" }[state]);

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
    if (isStored) await showUpload();
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
  await outbox.discard(id);
}

async function askToDelete() {
  const entry = isStored ? await outbox.get(chosen.id) : undefined;
  const confirmed = entry?.state === "sent" ? "The server has confirmed its upload." : "No server has confirmed it.";
  const range = hasSpans(chosen) ? rangeOf(chosen) : null;
  fill(byId("confirm-text"), `Delete “${chosen.name}”? ${confirmed} `,
    ...(range === null ? [] : ["Its samples stay with the host; to delete them, too: ",
      ...chosen.sensors.map((sensor) => el("code", {}, `nervous forget ${sensor} --from ${new Date(range.start).toISOString()} --to ${new Date(range.end ?? Date.now()).toISOString()}`))]));
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
  const entry = await outbox.get(chosen.id);
  save(fileName(chosen, "sql"), "application/sql", await sqlText(await client(), chosen, await chosenLimbs(), entry?.state === "sent"));
}

// --- Uploads ----------------------------------------------------------------------------------

const UPLOADS = {
  none: ["send"], waiting: ["retry", "discard"], sent: ["send"], refused: ["retry", "discard"], conflict: ["copy", "discard"],
};

async function showUpload() {
  const entry = await outbox.get(chosen.id);
  const shown = UPLOADS[entry?.state ?? "none"];
  for (const id of ["send", "retry", "copy", "discard"]) byId(id).hidden = !shown.includes(id);
  byId("send").textContent = entry === undefined ? "Upload" : "Upload again";
  if (entry !== undefined) byId("removes").checked = entry.removes;
  byId("removes").disabled = entry !== undefined && entry.state !== "sent";
  const origin = entry === undefined ? null : new URL(entry.server).origin;
  fill(byId("upload-state"), {
    none: () => (server === null ? "Enter the address of a server below to upload." : `Not uploaded. It goes to ${server}.`),
    waiting: () => (entry.attempts === 0 ? `Uploading to ${origin}: ${progress(entry)} …`
      : `${entry.problem} It is tried again at ${dateText(entry.next).slice(11)}.`),
    sent: () => `Uploaded to ${origin} at ${dateText(entry.changed)}, ${entry.total} parts.`,
    refused: () => `Not uploaded: ${entry.problem}`,
    conflict: () => `${entry.problem} Discard this upload, or send it as a copy.`,
  }[entry?.state ?? "none"]());
}

/** How far an upload is: which limb, and which part of its time. */
function progress({ limb, total, through, session: { sensors, spans } }) {
  const { start, end } = rangeOf({ spans });
  const share = through === null ? 0 : Math.round((100 * (through - start)) / (end - start));
  return `${total} parts, limb ${Math.min(limb + 1, sensors.length)} of ${sensors.length}, ${Math.min(share, 100)} % of its time`;
}

/** Sends what is due, and again when the next upload is. */
async function sendDue() {
  if (!isStored) return;
  clearTimeout(timer);
  const before = chosen?.id;
  await outbox.runOnce();
  if (before !== undefined && chosen === null) {
    await show();
    await list();
  }
  const due = await outbox.due();
  if (due === null) return;
  timer = setTimeout(() => sendDue().catch(report), Math.min(Math.max(0, due - Date.now()), LONGEST_TIMER));
}

async function send() {
  if (server === null) {
    byId("server").focus();
    fill(byId("upload-state"), "Enter the address of the server first.");
    return;
  }
  await queue(upload({ session: chosen, cut: await chosenCut(), server, now: Date.now(), removes: byId("removes").checked }));
}

async function queue(entry) {
  await outbox.put(entry);
  await sendDue();
}

async function copy() {
  const { revision, removes } = await outbox.get(chosen.id);
  await queue(upload({
    session: chosen, cut: await chosenCut(), server, now: Date.now(), revision: revision + 1, removes }));
}

async function retry() {
  await queue(after(await outbox.get(chosen.id), { type: "retry", server }, Date.now()));
}

async function discard() {
  await outbox.discard(chosen.id);
  await showUpload();
  byId("send").focus();
}

async function showServer() {
  try {
    server = await storedServer();
    byId("client").value = (await client()).name;
  } catch (error) {
    if (error.name !== "NotAllowedError") throw error;
    // Without a storage there are no uploads and no cuts.
    isStored = false;
    for (const id of ["server-section", "cut-form", "sql"]) byId(id).hidden = true;
    report(error);
    return;
  }
  byId("server").value = server ?? "";
  await sayServer();
}

/** Whether the server may be called, and what to do if not. */
async function sayServer(before = []) {
  const missing = server === null ? [] : await (async () => {
    const { origin } = new URL(server);
    const state = await permissionFor(server);
    if (state === "granted") return [`Uploads go to ${server}.`];
    const declared = state === "prompt" ? "You have not decided" : "You have not allowed";
    return [`${declared} whether this app may call ${origin}. To allow it: `, el("code", {}, `nervous permissions grant gait net:${origin}`),
      ". A server that is missing in the list of this app's permissions must be added to its package.json first."];
  })();
  fill(byId("server-note"), el("p", {}, ...before, ...missing));
}

async function saveServer() {
  const text = byId("server").value.trim(), address = text === "" ? null : serverURL(text);
  if (text !== "" && address === null) {
    byId("server").setAttribute("aria-invalid", "true");
    fill(byId("server-note"), "Enter an address such as https://walkabout.local. Nothing has changed.");
    return;
  }
  byId("server").removeAttribute("aria-invalid");
  await renameClient(byId("client").value.trim());
  await storeServer(address);
  server = address;
  byId("server").value = address ?? "";
  await sayServer(["Saved. "]);
  if (chosen !== null && !byId("upload").hidden) await showUpload();
}

const ACTIONS = {
  start: () => step("start"), pause: () => step("pause"), resume: () => step("resume"), finish: () => step("finish"),
  delete: askToDelete, keep, really: reallyDelete, uncut: () => cut(null), csv: saveCSV, sql: saveSQL, send, retry, copy, discard,
};

const FORMS = {
  "new-form": create, "edit-form": edit, "server-form": saveServer,
  "cut-form": () => cut(parseCut(byId("cut-from").value, byId("cut-to").value, rangeOf(chosen))),
};

start().catch(report);
