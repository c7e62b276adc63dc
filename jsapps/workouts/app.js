// The page with its three views of one recorder: history, record and map. A headless run has the same page,
// and prints the week and, each second, the workout that is recorded.

import { byId, el, fill, hasLayout, notice, stateOf } from "./elements.js";
import { FileProblem, fileName, gpx, parse, plist } from "./files.js";
import * as health from "./health.js";
import { renderHistory } from "./history-view.js";
import { STATE_WORDS } from "./machine.js";
import { MapView } from "./map-view.js";
import { lineText, renderRecord } from "./record-view.js";
import { Recorder, problemOf } from "./recorder.js";
import { Store } from "./store.js";
import { detailText, titleText } from "./texts.js";
import { lastWeek, latest } from "./week.js";
import { SENSORS } from "./workout.js";

const SECOND_MS = 1000, MORE = 10, SMALL = "(max-width: 15rem)", WIDE = "(min-width: 64rem)";

const store = new Store();
const recorder = new Recorder(store, { changed });
const map = new MapView(store, recorder);
let foreign = [];
let chosen = null;
let extra = 0;
let timer = null;
let failure = null;
let idle = {};
let saved = null;
let opener = null;

const all = () => [...store.workouts, ...foreign];
const shown = () => all().find(({ id }) => id === chosen) ?? latest(store.workouts);

async function start() {
  listen();
  await store.load();
  await recorder.open();
  await readHealth();
  await check();
  const isSmall = !hasLayout() || matchMedia(SMALL).matches;
  show(recorder.state === "inactive" || isSmall ? "history" : "record");
  changed();
  for (const one of lastWeek(all(), Date.now())) console.log(`${titleText(one)}\n  ${detailText(one)}`);
  if (all().length === 0) console.log("No workouts yet.");
  if (recorder.state !== "inactive") console.log(`${STATE_WORDS[recorder.state]}: ${lineText(recorder)}`);
}

/** Which sensors can be read, so that the person knows before the start. */
async function check() {
  const found = await Promise.all(SENSORS.map(async (id) => [id, await problemOf(nervous.sensor(id))]));
  idle = Object.fromEntries(found.filter(([, problem]) => problem !== null));
}

/** Saves what the health store does not have yet, and reads what other apps have saved. */
async function readHealth() {
  for (const workout of store.workouts.filter(({ source, isInHealth }) => source === "recorded" && !isInHealth)) {
    saved = await health.save(workout);
    if (saved.state === "saved") await store.update({ ...workout, isInHealth: true });
    else if (saved.state !== "failed") break;
  }
  foreign = await health.others(store.workouts);
}

/** The state of the recorder has changed; `ended` is a workout that was finished. */
function changed({ ended } = {}) {
  clearInterval(timer);
  timer = recorder.state === "active" ? setInterval(second, SECOND_MS) : null;
  if (ended !== undefined) chosen = ended.id;
  render();
  if (ended === undefined) return;
  console.log(`Finished: ${titleText(ended)}\n  ${detailText(ended)}`);
  readHealth().then(render).catch(report);
}

function second() {
  recorder.tick().catch(report);
  if (recorder.failure !== failure) renderMessages();
  renderRecord(recorder, idle, act);
  renderMap();
  if (!hasLayout()) console.log(lineText(recorder));
}

function render() {
  renderMessages();
  renderRecord(recorder, idle, act);
  renderHistory(all(), { extra, shown: shown()?.id, choose, health: saved });
  byId("save-all").disabled = store.workouts.length === 0;
  renderMap();
}

/** Draws the map if it can be seen. */
function renderMap() {
  if (byId("views").dataset.view !== "map" && !(hasLayout() && matchMedia(WIDE).matches)) return;
  const workout = shown();
  map.render(workout, {
    isLive: recorder.state !== "inactive" && chosen === null, isLast: workout?.id === latest(store.workouts)?.id,
  }).catch(report);
}

function renderMessages() {
  failure = recorder.failure;
  fill(byId("message"),
    store.failure === null ? null
      : notice({ ...stateOf(store.failure), text: "Workouts are kept only until this page is closed." }),
    store.damaged === 0 ? null : notice({ kind: "failed", title: "Damaged entries",
      text: `${store.damaged} stored entries could not be read. They are set aside in the storage of the app.` }),
    failure === null ? null : notice({ ...stateOf(failure), title: "Not stored",
      text: recorder.state === "paused" ? `${failure.message} The workout stays paused: finish it again.`
        : `${failure.message} The workout goes on, and is stored when that is possible.` }));
}

async function act(step) {
  try {
    await recorder.step(step, byId("kind").value || null);
    if (step === "start") ask().catch(report);
    if (step === "start") chosen = null;
    render();
  } catch (error) {
    report(error);
  }
}

/** Asks the owner for what is not decided yet; the workout goes on meanwhile. */
async function ask() {
  const undecided = Object.entries(idle).filter(([, { kind }]) => kind === "undecided").map(([id]) => id);
  if (store.failure?.problem === "undecided") undecided.push("storage");
  if (undecided.length === 0) return;
  await Promise.all(undecided.map((name) => nervous.permissions.request({ name })));
  await check();
  await recorder.look();
  render();
}

function choose(id) {
  chosen = id;
  show("map");
  // On a narrow page the row is no longer there.
  if (hasLayout() && !matchMedia(WIDE).matches) byId("map-title").focus();
}

function show(view) {
  byId("views").dataset.view = view;
  for (const button of document.querySelectorAll("[data-show]")) {
    button.setAttribute("aria-pressed", `${button.dataset.show === view}`);
  }
  byId("menu").hidden = true;
  // A drawing of a view that was hidden had no size.
  map.forget();
  render();
}

/** The record view, with the kind of workout to choose. A workout that is recorded goes on. */
function newWorkout() {
  chosen = null;
  show("record");
  byId("buttons").firstElementChild?.focus();
}

function openMenu(event) {
  if (event.target.closest("input")) return;
  event.preventDefault();
  opener = document.activeElement;
  const menu = byId("menu"), { clientWidth, clientHeight } = document.documentElement;
  menu.hidden = false;
  menu.style.left = `${Math.max(0, Math.min(event.clientX, clientWidth - menu.offsetWidth - 8))}px`;
  menu.style.top = `${Math.max(0, Math.min(event.clientY, clientHeight - menu.offsetHeight - 8))}px`;
  byId("menu-new").focus();
}

/** Escape or q leaves the menu, then the view; what is recorded goes on. */
function leave(event) {
  if (!(event.key === "Escape" || event.key === "q") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest?.("input, select")) return;
  if (byId("menu").hidden) {
    show("history");
    return;
  }
  byId("menu").hidden = true;
  opener?.focus();
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
  render();
}

function download(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  el("a", { href: url, download: name }).click();
  URL.revokeObjectURL(url);
  fill(byId("report"), `Saved ${name}.`);
}

async function saveGPX() {
  const { workout } = map;
  download(fileName(workout, "gpx"), "application/gpx+xml", gpx(workout, await store.route(workout.id)));
}

async function saveAll() {
  const entries = [];
  for (const workout of store.workouts) entries.push({ workout, segments: await store.route(workout.id) });
  download("workouts.plist", "application/x-plist", plist(entries));
}

async function deleteWorkout() {
  await health.remove(map.workout);
  await store.remove(map.workout.id);
  chosen = null;
  show("history");
}

function report(error) {
  console.warn(`workouts: ${error.message}`);
  fill(byId("message"), notice(stateOf(error)));
}

function listen() {
  const on = (target, event, action) => target.addEventListener(event, (happened) => {
    Promise.resolve(happened).then(action).catch(report);
  });
  for (const button of document.querySelectorAll("[data-show]")) {
    button.addEventListener("click", () => {
      chosen = button.dataset.show === "record" ? null : chosen;
      show(button.dataset.show);
    });
  }
  byId("new").addEventListener("click", newWorkout);
  byId("menu-new").addEventListener("click", newWorkout);
  // What the browser would do can be prevented only at once.
  byId("history").addEventListener("contextmenu", openMenu);
  byId("older").addEventListener("click", () => {
    extra += MORE;
    render();
  });
  on(byId("import"), "change", importFile);
  on(byId("save-gpx"), "click", saveGPX);
  on(byId("save-all"), "click", saveAll);
  byId("delete").addEventListener("click", () => map.confirmDeletion(true));
  byId("keep").addEventListener("click", () => {
    map.confirmDeletion(false);
    byId("delete").focus();
  });
  on(byId("delete-now"), "click", deleteWorkout);
  document.addEventListener("keydown", leave);
  document.addEventListener("click", (event) => {
    if (!event.target.closest("#menu")) byId("menu").hidden = true;
  });
  // Another page of the app may have changed what is stored.
  on(document, "visibilitychange", async () => {
    if (document.visibilityState !== "visible") return;
    await recorder.refresh();
    await store.load();
    render();
  });
  addEventListener("resize", () => {
    map.forget();
    render();
  });
}

start().catch(report);
