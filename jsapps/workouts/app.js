// The page with its three views of one recorder: history, record and map. A headless run has the same page,
// and prints the week and, each second, the workout that is recorded.

import { byId, el, fill, hasLayout, notice, stateOf, timeText } from "./elements.js";
import { drawDays } from "./chart.js";
import { icon } from "./drawing.js";
import { FileProblem, fileName, gpx, parse, plist } from "./files.js";
import * as health from "./health.js";
import { STATE_WORDS, buttons } from "./machine.js";
import { draw } from "./map.js";
import { Recorder, problemOf } from "./recorder.js";
import { durationText } from "./stopwatch.js";
import { Store } from "./store.js";
import { altitudeText, detailText, motionText, paceText, titleText, totalsText } from "./texts.js";
import { days, lastWeek, latest, older } from "./week.js";
import { SENSORS } from "./workout.js";

const SECOND_MS = 1000, SIGNAL_MS = 5000, STALE_MS = 60_000;
const NOTHING = { distance: null, steps: null, floors: null, altitude: null, pace: null, activity: null, accuracy: null };
const WITHOUT = {
  location: "no way, and distance by steps only", steps: "no steps",
  barometer: "no floors", activity: "the kind of workout is not found out",
};
const SMALL = "(max-width: 15rem)";

const store = new Store();
const recorder = new Recorder(store, { changed });
let foreign = [];
let shown = null;
let extra = 0;
let timer = null;
let drawnPoints = -1;
let idleProblems = {};
let healthState = null;

const all = () => [...store.workouts, ...foreign];
/** The workout on the map: the chosen one, otherwise the last that was recorded or imported. */
const onMap = () => all().find(({ id }) => id === shown) ?? latest(store.workouts);

async function start() {
  listen();
  await store.load();
  await recorder.open();
  await readHealth();
  await check();
  const isSmall = hasLayout() && matchMedia(SMALL).matches;
  show(recorder.state === "inactive" || isSmall || !hasLayout() ? "history" : "record");
  changed({});
  for (const one of lastWeek(all(), Date.now())) console.log(`${titleText(one)}\n  ${detailText(one)}`);
  if (all().length === 0) console.log("No workouts yet.");
  if (recorder.state !== "inactive") console.log(`${STATE_WORDS[recorder.state]}: ${line()}`);
}

/** Which sensors could be read, so that the person knows before the start. */
async function check() {
  const found = await Promise.all(SENSORS.map(async (id) => [id, await problemOf(nervous.sensor(id))]));
  idleProblems = Object.fromEntries(found.filter(([, problem]) => problem !== null));
}

/** Saves what the health store does not have yet, and reads what other apps have saved. */
async function readHealth() {
  const waiting = store.workouts.filter(({ source, isInHealth }) => source === "recorded" && isInHealth !== true);
  for (const workout of waiting) {
    healthState = await health.save(workout);
    if (healthState.state !== "saved") break;
    await store.update({ ...workout, isInHealth: true });
  }
  foreign = await health.others(store.workouts);
}

/** The state of the recorder has changed; `ended` is a workout that was finished. */
function changed({ ended } = {}) {
  clearInterval(timer);
  timer = recorder.state === "active" ? setInterval(second, SECOND_MS) : null;
  drawnPoints = -1;
  if (ended !== undefined) shown = ended.id;
  render();
  if (ended === undefined) return;
  console.log(`Finished: ${titleText(ended)}\n  ${detailText(ended)}`);
  readHealth().then(render).catch(report);
}

function second() {
  recorder.tick().catch(report);
  renderRecord();
  renderMap().catch(report);
  if (!hasLayout()) console.log(line());
}

const line = () => [durationText(recorder.elapsed), totalsText(recorder.reading ?? NOTHING)].filter((text) => text !== "").join(" | ");

function render() {
  renderRecord();
  renderHistory();
  renderMessages();
  renderMap().catch(report);
}

function renderMessages() {
  const { failure, damaged } = store;
  fill(byId("message"),
    failure === null ? null : notice({ ...stateOf(failure), text: "Workouts are kept only until this page is closed." }),
    damaged === 0 ? null : notice({ kind: "failed", title: "Damaged entries",
      text: `${damaged} stored entries could not be read. They are set aside in the storage of the app.` }),
    recorder.failure === null ? null : notice({ ...stateOf(recorder.failure), title: "Not stored",
      text: recorder.state === "paused" ? `${recorder.failure.message} Finish again when the host answers.`
        : `${recorder.failure.message} The workout goes on, and is stored when the host answers.` }));
}

function renderRecord() {
  const { state } = recorder;
  const reading = recorder.reading ?? NOTHING;
  fill(byId("state"), STATE_WORDS[state]);
  byId("state").className = `state ${{ active: "good", paused: "warn" }[state] ?? ""}`;
  fill(byId("time"), durationText(recorder.elapsed));
  fill(byId("totals"), totalsText(reading) || "No values yet");
  fill(byId("motion"), motionText(reading));
  const figure = (name, value) => el("div", {}, el("dt", {}, name), el("dd", {}, value));
  fill(byId("figures"), figure("Altitude", altitudeText(reading.altitude)), figure("Signal", signalText(reading)));
  fill(byId("problems"), problems());
  byId("kind-field").hidden = state !== "inactive";
  const wanted = buttons(state);
  // A new button each second would lose the focus.
  if ([...byId("buttons").children].map((button) => button.dataset.step).join() === wanted.map(({ step }) => step).join()) return;
  const hadFocus = byId("buttons").contains(document.activeElement);
  fill(byId("buttons"), wanted.map(({ step, label }, at) => el("button", {
    type: "button", "data-step": step, class: at === 0 ? "main" : "", onclick: () => act(step) }, label)));
  if (hadFocus) byId("buttons").firstElementChild.focus();
}

function signalText({ accuracy }) {
  if (recorder.state !== "active" || !("location" in recorder.ages)) return "–";
  if (recorder.ages.location > SIGNAL_MS) return "no signal";
  return accuracy === null ? "accuracy unknown" : `± ${Math.round(accuracy)} m`;
}

function problems() {
  const isActive = recorder.state === "active";
  const found = Object.entries(isActive ? recorder.problems : idleProblems);
  const silent = Object.entries(isActive ? recorder.ages : {}).filter(([, age]) => age > STALE_MS).map(([id, age]) =>
    [id, { kind: "stale", title: `no sample for ${durationText(age)}` }]);
  return [...found, ...silent].map(([id, { kind, title, text, fix }]) => el("li", { class: kind },
    el("strong", {}, `${id}: ${title}`), ` – ${WITHOUT[id]}. `, kind === "failed" || kind === "missing" ? `${text ?? ""} ` : null,
    fix && fix.startsWith("nervous ") ? el("code", {}, fix) : null));
}

async function act(step) {
  try {
    await recorder.step(step, byId("kind").value || null);
  } catch (error) {
    report(error);
  }
}

function renderHistory() {
  const now = Date.now();
  const week = lastWeek(all(), now);
  const rows = [...week, ...older(all(), week, extra)];
  drawDays(byId("days"), days(all(), now), sizeOf(byId("days"), 640, 140));
  fill(byId("list"), rows.map((one) => el("li", {}, el("button", {
    type: "button", "data-id": one.id, "aria-current": `${one.id === onMap()?.id}`, onclick: () => choose(one.id),
  }, icon(one.label), el("span", {}, titleText(one), el("small", {}, rowText(one)))))));
  fill(byId("empty"), rows.length > 0 ? "" : all().length > 0 ? "No workout in the last seven days." : "No workouts yet. Start one, or import a file.");
  byId("older").hidden = rows.length >= all().length;
  byId("save-all").disabled = store.workouts.length === 0;
  fill(byId("health"), healthText());
}

const rowText = (one) => [detailText(one), one.steps === null ? null : `${one.steps} steps`,
  one.source === "imported" ? "imported" : one.source === "health" ? "from another app" : null,
].filter((text) => text !== null).join(" | ");

function healthText() {
  switch (healthState?.state) {
    case "saved": return healthState.without.length === 0 ? "Saved in the health store."
      : `Saved in the health store, without ${healthState.without.join(", ")}: you have not allowed it.`;
    case "denied": return "Kept here only: this app may not write workouts to the health store.";
    case "failed": return `Not in the health store yet: ${healthState.error.message}`;
    default: return "";
  }
}

function choose(id) {
  shown = id;
  drawnPoints = -1;
  renderHistory();
  byId("list").querySelector(`[data-id="${id}"]`)?.focus();
  renderMap().catch(report);
  show("map");
}

async function renderMap() {
  const isLive = recorder.state !== "inactive" && shown === null;
  const workout = isLive ? null : onMap();
  const segments = isLive ? recorder.segments : workout === undefined ? [] : await store.route(workout.id);
  const count = segments.flat().length;
  if (isLive && count === drawnPoints) return;
  drawnPoints = count;
  confirmDeletion(false);
  draw(byId("drawing"), segments, { ...sizeOf(byId("drawing"), 640, 320), isLive });
  const words = count === 0 ? "No way" : `The way of a workout: ${count} positions from start to ${isLive ? "now" : "finish"}`;
  byId("drawing").setAttribute("aria-label", words);
  byId("drawing").toggleAttribute("hidden", count === 0);
  fill(byId("map-title"), isLive ? "This workout" : workout === undefined || workout.id === latest(store.workouts)?.id ? "Last workout" : "Workout");
  fill(byId("map-when"), workout ? titleText(workout) : "");
  fill(byId("map-note"), count > 0 ? "" : isLive ? "No position yet."
    : workout === undefined ? "No workouts yet." : "No positions were recorded in this workout.");
  const figure = (name, value) => el("div", {}, el("dt", {}, name), el("dd", {}, value));
  fill(byId("map-figures"), workout ? [
    figure("Distance", `${(workout.distance ?? 0).toFixed(0)} m`),
    figure("Pace", paceText(workout.distance ? workout.duration / 1000 / workout.distance : null)),
    figure("Steps", workout.steps === null ? "–" : `${workout.steps}`),
    figure("Floors", workout.floors === null ? "–" : `${workout.floors}`),
    figure("Ended", timeText(workout.end)),
  ] : []);
  byId("map-actions").hidden = !workout || workout.source === "health";
  byId("save-gpx").disabled = count === 0;
}

/** The size of a drawing in pixels of the page; a headless run has none. */
function sizeOf(svg, width, height) {
  const box = svg.getBoundingClientRect();
  return box.width > 0 ? { width: box.width, height: box.height } : { width, height };
}

function show(view) {
  byId("views").dataset.view = view;
  for (const button of document.querySelectorAll("[data-show]")) {
    button.setAttribute("aria-pressed", `${button.dataset.show === view}`);
  }
  closeMenu();
  // A drawing of a view that was hidden had no size.
  if (!hasLayout()) return;
  drawnPoints = -1;
  renderHistory();
  renderMap().catch(report);
}

/** The record view, with the kind of workout to choose. A workout that is recorded goes on. */
function newWorkout() {
  shown = null;
  show("record");
  byId("buttons").firstElementChild?.focus();
}

function openMenu(event) {
  if (event.target.closest("input")) return;
  event.preventDefault();
  const menu = byId("menu");
  menu.hidden = false;
  menu.style.left = `${Math.max(0, Math.min(event.clientX, document.documentElement.clientWidth - menu.offsetWidth - 8))}px`;
  menu.style.top = `${Math.max(0, Math.min(event.clientY, document.documentElement.clientHeight - menu.offsetHeight - 8))}px`;
  byId("menu-new").focus();
}

function closeMenu() {
  byId("menu").hidden = true;
}

/** Escape or q leaves the menu, then the view; what is recorded goes on. */
function leave(event) {
  if (!(event.key === "Escape" || event.key === "q") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest?.("input, select")) return;
  if (!byId("menu").hidden) closeMenu();
  else show("history");
}

async function importFile() {
  const [file] = byId("import").files;
  if (file === undefined) return;
  try {
    const known = new Set(store.workouts.map(({ id }) => id));
    const found = parse(await file.text());
    const added = found.filter(({ workout }) => !known.has(workout.id));
    for (const { workout, segments } of added) await store.add(workout, segments);
    const again = found.length - added.length;
    fill(byId("report"), `Imported ${added.length} of ${found.length} workouts${again > 0 ? `; ${again} were there already` : ""}.`);
  } catch (error) {
    if (!(error instanceof FileProblem || error.name === "QuotaExceededError")) throw error;
    fill(byId("report"), `Nothing more was imported. ${error.message}`);
  }
  byId("import").value = "";
  drawnPoints = -1;
  render();
}

function download(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  el("a", { href: url, download: name }).click();
  URL.revokeObjectURL(url);
  fill(byId("report"), `Saved ${name}.`);
}

async function saveGPX() {
  const workout = onMap();
  download(fileName(workout, "gpx"), "application/gpx+xml", gpx(workout, await store.route(workout.id)));
}

async function saveAll() {
  const entries = [];
  for (const workout of store.workouts) entries.push({ workout, segments: await store.route(workout.id) });
  download("workouts.plist", "application/x-plist", plist(entries));
}

/** The second button deletes, so that one press cannot. */
function confirmDeletion(isAsked) {
  byId("delete").hidden = isAsked;
  byId("delete-now").hidden = byId("keep").hidden = !isAsked;
  if (isAsked) byId("keep").focus();
}

async function deleteWorkout() {
  const workout = onMap();
  await health.remove(workout);
  await store.remove(workout.id);
  shown = null;
  drawnPoints = -1;
  render();
  show("history");
}

function report(error) {
  console.warn(`workouts: ${error.message}`);
  fill(byId("message"), notice(stateOf(error)));
}

function listen() {
  const on = (id, event, action) => byId(id).addEventListener(event, (happened) => {
    Promise.resolve(action(happened)).catch(report);
  });
  for (const button of document.querySelectorAll("[data-show]")) {
    button.addEventListener("click", () => show(button.dataset.show));
  }
  on("new", "click", newWorkout);
  on("menu-new", "click", newWorkout);
  on("history", "contextmenu", openMenu);
  on("older", "click", () => {
    extra += 10;
    renderHistory();
  });
  on("import", "change", importFile);
  on("save-gpx", "click", saveGPX);
  on("save-all", "click", saveAll);
  on("delete", "click", () => confirmDeletion(true));
  on("keep", "click", () => {
    confirmDeletion(false);
    byId("delete").focus();
  });
  on("delete-now", "click", deleteWorkout);
  document.addEventListener("keydown", leave);
  document.addEventListener("click", (event) => {
    if (!event.target.closest("#menu")) closeMenu();
  });
  // Another page of the app may have changed what is stored.
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") recorder.refresh().catch(report);
  });
  addEventListener("resize", () => show(byId("views").dataset.view));
}

start().catch(report);
