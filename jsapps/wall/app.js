// A dashboard for across the room. It reads the host's API only: sensors of the house by their newest sample,
// and the weather through the host.

import { byId, el, fill, hasLayout, timeText } from "./elements.js";
import { dayName, days, localDay, placeOffset, sampled, weekday } from "./days.js";
import { candidates, indoor, locationOnce, lock } from "./readings.js";
import { degreesText, forecastTile, indoorTile, inUnits, lockTile, outdoorTile } from "./tiles.js";
import { DEFAULTS, load, parse, store } from "./settings.js";
import { FRESH_MS, parseCurrent, parseForecast, transport, WeatherClient, WeatherError } from "./weather.js";
import { wordOf } from "./conditions.js";

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const HOUSE_MS = 5000, CLOCK_MS = 1000;
/** Keys of remote controls and keyboards that load everything again. */
const KEYS = new Set(["Enter", " ", "r", "R", "MediaPlayPause", "MediaPlay", "MediaPause", "Pause"]);

let settings = DEFAULTS;
let sensors = [];
let refreshed = null;
let running = null;
let note = "";
const said = new Map();

const weather = new WeatherClient({ fetch: (url) => transport.fetch(url), storage: nervous.storage });

async function start() {
  try {
    settings = await load();
  } catch (error) {
    if (error.name !== "NotAllowedError") throw error;
    note = "Settings are not kept: this app may not store anything.";
  }
  sensors = await nervous.sensors();
  showForm();
  showClock();
  byId("form").addEventListener("submit", (event) => {
    event.preventDefault();
    save().catch(report);
  });
  byId("refresh").addEventListener("click", () => refresh(true));
  byId("full").addEventListener("click", () => fullScreen().catch(report));
  byId("full").hidden = typeof document.documentElement.requestFullscreen !== "function";
  document.addEventListener("keydown", press);
  setInterval(showClock, CLOCK_MS);
  setInterval(() => showHouse().catch(report), HOUSE_MS);
  setInterval(() => refresh(false), FRESH_MS);
  await refresh(false);
}

function report(error) {
  note = error.message;
  console.warn([error.message, error.fix].filter(Boolean).join(" "));
  showTip();
}

/** Prints what a tile says if it has changed: what a run without a browser is for. */
function say(tile, text) {
  if (said.get(tile) === text) return;
  said.set(tile, text);
  console.log(`${tile}: ${text}`);
}

// --- Refreshing -------------------------------------------------------------------------------

function press(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
  if (event.target.closest?.("input, select, textarea, button, summary, a")) return;
  if (KEYS.has(event.key)) {
    event.preventDefault();
    refresh(true);
  } else if (event.key === "f" || event.key === "F") {
    fullScreen().catch(report);
  }
}

/** Loads everything again. With `isForced` the server is asked even if its last answer is not old. */
function refresh(isForced) {
  running ??= (async () => {
    showTip("Refreshing …");
    try {
      sensors = await nervous.sensors();
      await Promise.all([showHouse(), showWeather(isForced)]);
      refreshed = Date.now();
    } catch (error) {
      report(error);
    }
  })().finally(() => {
    running = null;
    showTip();
  });
  return running;
}

async function fullScreen() {
  if (document.fullscreenElement) await document.exitFullscreen();
  else await document.documentElement.requestFullscreen();
}

// --- Tiles ------------------------------------------------------------------------------------

async function showHouse() {
  const [inside, door] = await Promise.all([indoor(sensors, settings.indoor), lock(sensors, settings.lock)]);
  indoorTile(byId("indoor"), inside, settings.units);
  lockTile(byId("lock"), door);
  say("Indoors", inside.problem?.title ?? degreesText(inUnits(inside.celsius, settings.units)));
  say("Lock", door.problem?.title ?? `${door.lock}, door ${door.door}`);
}

/** The place that was set, otherwise one request of the position. */
const place = async () =>
  (settings.latitude === null ? locationOnce() : { latitude: settings.latitude, longitude: settings.longitude });

async function showWeather(isForced) {
  if (settings.key === "") {
    const error = "No key of OpenWeather. Enter one under Settings.";
    forecastTile(byId("forecast"), { error });
    outdoorTile(byId("outdoor"), { error });
    say("Forecast", error);
    return;
  }
  let query;
  try {
    query = { ...(await place()), units: settings.units, key: settings.key };
  } catch (error) {
    forecastTile(byId("forecast"), { error: error.message });
    outdoorTile(byId("outdoor"), { error: error.message });
    say("Forecast", error.message);
    return;
  }
  await Promise.all([
    one("forecast", query, isForced, (state, answer) =>
      forecastTile(byId("forecast"), answer === undefined ? state : { ...state, ...forecastOf(answer) })),
    one("weather", query, isForced, (state, answer) =>
      outdoorTile(byId("outdoor"), answer === undefined ? state : { ...state, now: currentOf(answer) })),
  ]);
}

/** Shows one answer: the last one while the next is loaded, and if it fails, with the reason. */
async function one(kind, query, isForced, draw) {
  const last = await weather.last(kind, query);
  draw({ isLoading: true }, last?.answer);
  try {
    const { answer } = await weather.get(kind, query, isForced);
    draw({}, answer);
  } catch (error) {
    const isOurs = error instanceof WeatherError;
    const text = `Error: ${isOurs ? error.message : [error.message, error.fix].filter(Boolean).join(" ")}`;
    draw({ error: text, staleSince: last?.asked }, last?.answer);
    say(kind === "forecast" ? "Forecast" : "Outdoors", text);
  }
}

function forecastOf(answer) {
  const { blocks, offset } = parseForecast(answer, settings.units), now = Date.now();
  const offsetOf = placeOffset(offset, ZONE, now);
  if (settings.forecast === "sampled") {
    const three = sampled(blocks);
    if (three === null) return { error: "Error: Fewer than 16 blocks" };
    const moments = three.map((block, at) => ({ ...block, name: ["Now", "In 21 h", "In 45 h"][at] }));
    say("Forecast", moments.map(({ name, temperature }) => `${name} ${degreesText(temperature)}`).join(", "));
    return { moments };
  }
  // The server's list may begin before midnight of the place.
  const today = localDay(now, offsetOf), three = days(blocks.filter(({ t }) => localDay(t, offsetOf) >= today), offsetOf);
  say("Forecast", three.map(({ day, low, high, icon }) =>
    `${dayName(day, today)} ${wordOf(icon)} ${degreesText(low)} to ${degreesText(high)}`).join(", "));
  return { days: three, today };
}

function currentOf(answer) {
  const now = parseCurrent(answer, settings.units);
  say("Outdoors", `${degreesText(now.temperature)}, ${now.text}`);
  return now;
}

const MONTHS = [
  "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];

function showClock() {
  const now = new Date();
  fill(byId("date"), `${weekday(now.getDay())}, ${now.getDate()} ${MONTHS[now.getMonth()]}`);
  fill(byId("time"), timeText(now.getTime()).slice(0, 5));
}

function showTip(busy) {
  const when = refreshed === null ? "" : ` · Refreshed ${timeText(refreshed).slice(0, 5)}`;
  const keys = `Enter, Space or Play refreshes${hasLayout() ? ", F is full screen" : ""}`;
  fill(byId("tip"), busy ?? `${keys}${when}${note === "" ? "" : ` · ${note}`}`);
}

// --- Settings ---------------------------------------------------------------------------------

const FIELDS = {
  key: "key", latitude: "latitude", longitude: "longitude", units: "units", forecast: "mode", indoor: "indoor-sensor",
  lock: "lock-sensor",
};

function showForm() {
  for (const [tile, id] of [["indoor", "indoor-sensor"], ["lock", "lock-sensor"]]) {
    fill(byId(id), el("option", { value: "" }, "The first that can be read"),
      candidates(tile, sensors).map((sensor) => el("option", { value: sensor.id }, `${sensor.title} (${sensor.id})`)));
  }
  for (const [name, id] of Object.entries(FIELDS)) byId(id).value = settings[name] ?? "";
  byId("settings").open = settings.key === "";
}

async function save() {
  const typed = Object.fromEntries(Object.entries(FIELDS).map(([name, id]) => [name, byId(id).value]));
  const { settings: parsed, error } = parse(typed);
  for (const id of Object.values(FIELDS)) byId(id).removeAttribute("aria-invalid");
  if (error !== undefined) {
    byId(error.id).setAttribute("aria-invalid", "true");
    byId(error.id).focus();
    fill(byId("form-note"), `${error.text} Nothing has changed.`);
    return;
  }
  settings = parsed;
  await store(settings).then(() => fill(byId("form-note"), "Saved."), (failure) => {
    if (failure.name !== "NotAllowedError") throw failure;
    fill(byId("form-note"), "Used until the page is closed: this app may not store anything.");
  });
  await running;
  await refresh(false);
}

start().catch(report);
