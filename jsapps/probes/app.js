// Shows one sensor at a time: its viewer, its samples with the newest on top, and how much is stored.

import { byId, dateText, el, fill, hasLayout, notice, spanText, stateOf, valueText } from "./elements.js";
import * as intervals from "./intervals.js";
import { debug, setDebug } from "./log.js";
import { archives, fetchAll, fetchPage, fetchSingle, stored } from "./records.js";
import { clear, viewerOf } from "./viewers.js";

const PAGE = 20, MOST_ROWS = 100, DRAWN_BEFORE = 5000;
const FILE_BYTES = 1_000_000, SAVED_MS = 24 * 3_600_000;
const STATUS_MS = 5000, POLL_MS = 500, TEXT_MS = 500;
// A run without layout draws no curves, and shows what is left of these after thinning.
const DRAWN_AS_TEXT = 500, READ_AS_TEXT = 2;

let sensors = [];
let set = {};
let chosen = null;
// The samples that are listed, the newest first, and the rows that show them.
let rows = [];
let body = null;
let take = () => {};
let timer = null;
let isPaused = false;
let isDue = () => true;

async function start() {
  fill(byId("loading"), "Loading sensors …");
  set = await intervals.load();
  try {
    setDebug(await nervous.storage.get("debug"));
  } catch (error) {
    if (error.name !== "NotAllowedError") throw error;
  }
  await list();
  byId("older").addEventListener("click", older);
  byId("pause").addEventListener("click", pause);
  byId("save").addEventListener("click", save);
  byId("close").addEventListener("click", closeDetail);
  byId("interval-form").addEventListener("submit", setInterval_);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !byId("detail").hidden) closeDetail();
  });
  fill(byId("loading"));
  if (sensors.length === 0) {
    for (const id of ["probe", "sensors"]) byId(id).hidden = true;
    fill(byId("message"), notice({
      kind: "undecided", title: "No sensor is allowed",
      text: "Allow the sensors that you want to see, then open this page again.", fix: nervous.openSettings().command }));
    console.log("No sensor is allowed.");
    return;
  }
  console.log(`${sensors.length} sensors: ${sensors.map(({ id }) => id).join(", ")}`);
  await choose((sensors.find(isReadable) ?? sensors[0]).id);
  // A headless run prints what there is, and ends.
  if (!hasLayout()) return;
  setInterval(() => {
    if (document.visibilityState === "visible") status().catch(report);
  }, STATUS_MS);
}

const isReadable = ({ available, access }) => available && access === "granted";
const isRunning = ({ available, level }) => available && level !== "off";

/** The sensors that the owner has decided about; those of other access than raw are named with it. */
async function list() {
  sensors = await nervous.sensors();
  fill(byId("sensors"), sensors.map((sensor) => el("li", {}, el("button", {
    type: "button", "data-sensor": sensor.id, onclick: () => choose(sensor.id).catch(report),
  }, sensor.title, el("small", {}, `${sensor.id}, ${stateText(sensor)}`)))));
}

function stateText({ available, level, access, stale }) {
  if (!available) return "not on this machine";
  if (access === "denied") return "denied";
  if (level === "off") return "off";
  if (access === "statistics") return "statistics only";
  return stale ? "stale" : "running";
}

async function choose(id) {
  clearTimeout(timer);
  take = () => {};
  clear(byId("viewer"));
  closeDetail();
  clearRows([]);
  const sensor = chosen = await nervous.sensor(id).describe();
  clearRows(sensor.fields);
  for (const button of byId("sensors").querySelectorAll("button")) {
    button.setAttribute("aria-current", `${button.getAttribute("data-sensor") === id}`);
  }
  fill(byId("title"), sensor.title);
  byId("interval").value = set[id] ? `${set[id] / 1000}` : "";
  sayInterval();
  if (!sensor.available) {
    const { reason, remedy } = sensor.unavailable ?? {};
    fill(byId("viewer"), notice({ kind: "missing", title: "Not on this machine", text: reason, fix: remedy }));
    return;
  }
  await follow(sensor);
}

/** Shows stored samples, then each new one; what fails says so in place of the viewer. */
async function follow(sensor) {
  const { name, show: viewer } = viewerOf(sensor);
  debug("viewer", `${sensor.id} is shown by ${name}`);
  fill(byId("loading"), "Loading samples …");
  try {
    await status();
    const before = await fetchPage(sensor.id, { limit: hasLayout() ? DRAWN_BEFORE : DRAWN_AS_TEXT });
    if (chosen !== sensor) return;
    const draw = viewer(byId("viewer"), sensor);
    isDue = intervals.thinning(displayed(sensor.id));
    const due = [...before].reverse().filter(isDue);
    due.forEach((sample, at) => draw(sample, at < due.length - 1));
    addNewer(before.slice(0, PAGE));
    const [newest] = before;
    if (newest === undefined) byId("viewer").append(notice({ kind: "empty", title: "No data yet", text: `Level: ${sensor.level}.` }));
    freshness(newest, sensor.stale);
    take = (arrived) => {
      const shown = isPaused ? [] : arrived.filter(isDue);
      if (shown.length === 0) return;
      byId("viewer").querySelector(".notice")?.remove();
      shown.forEach((sample, at) => draw(sample, at < shown.length - 1));
      addNewer(shown.reverse());
      freshness(rows[0], false);
    };
    listen(sensor, newest?.t ?? Date.now());
  } catch (error) {
    fail(error);
  } finally {
    fill(byId("loading"));
  }
}

/** The milliseconds between two samples that are shown. Text does not need more than two a second. */
const displayed = (id) => Math.max(intervals.intervalOf(set, id), hasLayout() ? 0 : TEXT_MS);

/**
 * Takes what has arrived since `after`, twice a second: only the sensor that is shown is read. Of a sensor that
 * is faster than text is shown, only the newest samples are read.
 */
function listen(sensor, after) {
  timer = setTimeout(async () => {
    let newest = after;
    try {
      const range = { from: after + 0.001 };
      const arrived = hasLayout()
        ? await nervous.sensor(sensor.id).samples({ ...range, limit: 1000 })
        : (await nervous.sensor(sensor.id).samples({ ...range, limit: READ_AS_TEXT, order: "desc" })).reverse();
      if (chosen !== sensor) return;
      take(arrived);
      newest = arrived.at(-1)?.t ?? after;
    } catch (error) {
      if (chosen === sensor) fail(error);
      return;
    }
    listen(sensor, newest);
  }, POLL_MS);
}

function fail(error) {
  clear(byId("viewer"));
  fill(byId("viewer"), notice(stateOf(error)));
  console.warn(`${chosen?.id}: ${error.message}`);
}

function report(error) {
  fill(byId("message"), notice(stateOf(error)));
  console.warn(error.message);
}

function freshness(sample, stale) {
  const age = sample === undefined ? "" : `${stale ? "Stale: " : ""}newest ${dateText(sample.t)}`;
  fill(byId("freshness"), age);
  byId("freshness").className = stale ? "state warn" : "note";
}

/** How many sensors run, and how many samples of the chosen one are stored, over what time. */
async function status() {
  const sensor = chosen;
  const { count, length } = await stored(sensor);
  if (chosen !== sensor) return;
  const figure = (name, value) => el("div", {}, el("dt", {}, name), el("dd", {}, value));
  fill(byId("status"),
    figure("Sensors running", `${sensors.filter(isRunning).length} of ${sensors.length}`),
    figure("Samples stored", `${count}`), figure("Over", spanText(length)),
    figure("State", stateText(sensor)));
}

/** Begins a list of samples with these fields. */
function clearRows(fields) {
  rows = [];
  fill(byId("samples"),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Time"),
      fields.map(({ name }) => el("th", { scope: "col", class: "number" }, name)), el("th", { scope: "col" }, "Detail"))),
    body = el("tbody", {}));
  byId("older").disabled = true;
}

const row = (sample) => el("tr", {}, el("td", {}, dateText(sample.t)),
  chosen.fields.map(({ name, unit }) => el("td", { class: "number" }, valueText(sample[name], unit))),
  el("td", {}, el("button", { type: "button", "data-t": `${sample.t}`, "aria-label": `Show the sample of ${dateText(sample.t)}`,
    onclick: () => detail(sample.t).catch(report) }, "Show")));

/** Lists samples, the newest first, above the others. Rows that stay keep the focus. */
function addNewer(samples) {
  rows = [...samples, ...rows];
  body.prepend(...samples.map(row));
  while (rows.length > MOST_ROWS) {
    rows.pop();
    body.lastElementChild.remove();
  }
  byId("older").disabled = rows.length === 0;
}

/** Lists samples, the newest first, below the others. */
function addOlder(samples) {
  rows.push(...samples);
  body.append(...samples.map(row));
}

async function older() {
  fill(byId("loading"), "Loading older samples …");
  const sensor = chosen;
  try {
    const more = await fetchPage(sensor.id, { limit: PAGE, before: rows.at(-1).t });
    if (chosen !== sensor) return;
    addOlder(more);
    byId("older").disabled = more.length < PAGE;
    fill(byId("loading"), more.length < PAGE ? "There are no older samples." : "");
  } catch (error) {
    fill(byId("loading"));
    report(error);
  }
}

async function detail(t) {
  const sample = await fetchSingle(chosen.id, t);
  byId("detail").hidden = false;
  fill(byId("fields"), sample === undefined
    ? el("tbody", {}, el("tr", {}, el("td", {}, "This sample is no longer stored.")))
    : el("tbody", {}, [
      ["sensor", chosen.id], ["time", new Date(t).toISOString()],
      ...chosen.fields.map(({ name, unit }) => [name, valueText(sample[name], unit)]),
    ].map(([name, value]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", { class: "number" }, value)))));
  byId("detail").focus();
}

function closeDetail() {
  byId("detail").hidden = true;
}

function pause() {
  isPaused = !isPaused;
  byId("pause").setAttribute("aria-pressed", `${isPaused}`);
}

/** Saves the samples of the last day, one record a line, in files of at most a megabyte. */
async function save() {
  fill(byId("loading"), "Loading samples to save …");
  try {
    const all = await fetchAll(chosen.id, { from: Date.now() - SAVED_MS });
    const files = archives(chosen.id, all, FILE_BYTES);
    for (const { name, text } of files) {
      const url = URL.createObjectURL(new Blob([text], { type: "application/x-ndjson" }));
      el("a", { href: url, download: name }).click();
      URL.revokeObjectURL(url);
    }
    fill(byId("loading"), `Saved ${all.length} samples of the last 24 hours in ${files.length} files.`);
  } catch (error) {
    fill(byId("loading"));
    report(error);
  }
}

async function setInterval_(event) {
  event.preventDefault();
  const interval = intervals.parseInterval(byId("interval").value);
  if (interval === undefined) {
    byId("interval").setAttribute("aria-invalid", "true");
    fill(byId("interval-note"), "Enter seconds from 0.1 to 86400, or nothing. The interval has not changed.");
    return;
  }
  byId("interval").removeAttribute("aria-invalid");
  if (interval === null) delete set[chosen.id];
  else set[chosen.id] = interval;
  let kept = "";
  try {
    await intervals.store(set);
  } catch (error) {
    if (error.name !== "NotAllowedError") throw error;
    kept = " It is not kept, because this app may not store anything.";
  }
  await choose(chosen.id);
  sayInterval(kept);
}

function sayInterval(more = "") {
  const interval = intervals.intervalOf(set, chosen.id);
  fill(byId("interval-note"), (interval === 0
    ? `Each sample is shown. The host reads this sensor at the level “${chosen.level}”, which only you can change, on its page.`
    : `At most one sample in ${interval / 1000} s is shown; all are stored.`) + more);
}

start().catch(report);
