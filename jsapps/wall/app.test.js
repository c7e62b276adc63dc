import { Budget, CALLS, WINDOW_MS } from "./budget.js";
import { iconOf, wordOf } from "./conditions.js";
import { dateOf, dayName, days, localDay, placeOffset, sampled, zoneOffset } from "./days.js";
import { current, forecast, unauthorized } from "./fixtures.js";
import { icon, names } from "./icons.js";
import { candidates, choose, lockOf } from "./readings.js";
import { degrees, parse } from "./settings.js";
import { degreesText, forecastTile, inUnits, lockTile } from "./tiles.js";
import { address, coarse, FRESH_MS, parseCurrent, parseForecast, transport, WeatherClient } from "./weather.js";

const byId = (id) => document.getElementById(id);
const text = (id) => byId(id).textContent;
const KEY = "0123456789abcdef0123456789abcdef";
const HOUR = 3_600_000;
const utc = (text) => Date.parse(text);
/** Blocks of three hours from a moment on; the temperature is the number of the block. */
const blocksFrom = (start, count, condition = 800) =>
  Array.from({ length: count }, (_, at) => ({ t: utc(start) + at * 3 * HOUR, temperature: at, condition }));

/** The weather server, and what it was asked. */
class Server {
  asked = [];
  answers = { weather: () => ({ status: 200, text: JSON.stringify(current()) }), forecast: () => ({ status: 200, text: JSON.stringify(forecast()) }) };

  async fetch(address) {
    const url = new URL(address);
    this.asked.push(url);
    return this.answers[url.pathname.split("/").at(-1)]();
  }

  /** Answers one route with an object from now on. */
  reply(kind, value, status = 200) {
    this.answers[kind] = () => ({ status, text: typeof value === "string" ? value : JSON.stringify(value) });
  }
}

async function open(more = {}, server = new Server()) {
  transport.fetch = (url) => server.fetch(url);
  await nervous.storage.set("settings", { key: KEY, latitude: 47.3769, longitude: 8.5417, ...more });
  await app.start();
  await app.run("1s");
  return server;
}

const press = async (key, target = document.body) => {
  const event = new Event("keydown", { bubbles: true, cancelable: true });
  Object.defineProperty(event, "key", { value: key });
  target.dispatchEvent(event);
  await clock.advance("100ms");
};

// --- Days -------------------------------------------------------------------------------------

test("three days have the least and the most of all their blocks (D7)", () => {
  const reduced = days(blocksFrom("2026-06-10T00:00:00Z", 40), () => 0);
  assert.deepEqual(reduced.map(({ date }) => date), ["2026-06-10", "2026-06-11", "2026-06-12"]);
  assert.deepEqual(reduced.map(({ low, high, mean, blocks }) => [low, high, mean, blocks]), [[0, 7, 3.5, 8], [8, 15, 11.5, 8], [16, 23, 19.5, 8]]);
});

test("days begin at the midnight of the place, whatever its offset (D7)", () => {
  for (const [offset, counts] of [[0, [5, 8, 2]], [9 * 3600, [2, 8, 5]], [-5 * 3600, [7, 8]], [-10 * 3600, [1, 8, 6]], [20_700, [4, 8, 3]]]) {
    assert.deepEqual(days(blocksFrom("2026-06-10T09:00:00Z", 15), () => offset).map(({ blocks }) => blocks), counts, `${offset}`);
  }
});

test("a day on which clocks change has its 23 or 25 hours (D7)", () => {
  const offsetOf = zoneOffset("Europe/Copenhagen");
  const hours = (date, from) => Array.from({ length: 96 }, (_, at) => utc(from) + at * HOUR).filter((t) => dateOf(localDay(t, offsetOf)) === date).length;
  assert.equal(hours("2026-03-28", "2026-03-27T00:00:00Z"), 24);
  assert.equal(hours("2026-03-29", "2026-03-27T00:00:00Z"), 23);
  assert.equal(hours("2026-10-25", "2026-10-23T00:00:00Z"), 25);
  const reduced = days(blocksFrom("2026-10-24T22:00:00Z", 24), offsetOf);
  assert.deepEqual(reduced.map(({ date, blocks }) => [date, blocks]), [["2026-10-25", 9], ["2026-10-26", 8], ["2026-10-27", 7]]);
  assert.equal(zoneOffset("Asia/Kathmandu")(utc("2026-01-05T08:00:00Z")), 20_700);
  assert.equal(zoneOffset("America/St_Johns")(utc("1969-12-31T23:59:59.5Z")), -12_600);
});

test("the time zone of this machine is used where it agrees with the place, otherwise the place's offset (D7)", () => {
  const winter = utc("2026-03-28T12:00:00Z"), summer = utc("2026-03-30T12:00:00Z");
  const here = placeOffset(3600, "Europe/Zurich", winter), there = placeOffset(-18_000, "Europe/Zurich", winter);
  assert.deepEqual([here(winter), here(summer), there(winter), there(summer)], [3600, 7200, -18_000, -18_000]);
});

test("fewer than 16 blocks make fewer days, and order and values that are no numbers do not matter (D7)", () => {
  for (const [count, expected] of [[0, 0], [1, 1], [8, 1], [9, 2], [15, 2], [16, 2], [17, 3]]) {
    assert.equal(days(blocksFrom("2026-06-10T00:00:00Z", count), () => 0).length, expected, `${count}`);
  }
  const blocks = blocksFrom("2026-06-10T00:00:00Z", 16);
  const broken = [...blocks].reverse().concat([{ ...blocks[3], temperature: NaN }, { ...blocks[4], temperature: null }]);
  assert.deepEqual(days(broken, () => 0), days(blocks, () => 0));
});

test("the icon of a day is that of most blocks, and of equals the earliest (D7)", () => {
  const conditions = [800, 800, 500, 501, 300, 600, 200, 801];
  const blocks = conditions.map((condition, at) => ({ t: utc("2026-06-10T00:00:00Z") + at * 3 * HOUR, temperature: 1, condition }));
  assert.equal(days(blocks, () => 0)[0].icon, "rain");
  assert.equal(days(blocks.slice(0, 4), () => 0)[0].icon, "sun");
});

test("single blocks are named by their distance, and need more than 15 (D7, mistake 26)", async () => {
  const blocks = blocksFrom("2026-06-10T00:00:00Z", 40);
  assert.deepEqual(sampled(blocks).map(({ t }) => (t - blocks[0].t) / HOUR), [0, 21, 45]);
  assert.equal(sampled(blocks.slice(0, 15)), null);
  const server = await open({ forecast: "sampled" });
  assert.match(text("forecast"), /Now.*6°.*In 21 h.*2°.*In 45 h.*−2°/);
  server.reply("forecast", forecast(15));
  await press("r");
  assert.match(text("forecast"), /Error: Fewer than 16 blocks/);
});

test("days have names (D7)", () => {
  assert.equal(dayName(20_458, 20_458), "Today");
  assert.equal(dayName(20_459, 20_458), "Tomorrow");
  assert.deepEqual([20_460, 20_461].map((day) => [dateOf(day), dayName(day, 20_458)]), [["2026-01-07", "Wednesday"], ["2026-01-08", "Thursday"]]);
});

// --- Conditions and icons ---------------------------------------------------------------------

test("the nine conditions have their icons, and anything else is a cloud (D8, mistake 27)", () => {
  const table = { 200: "thunderstorm", 300: "rain", 599: "rain", 600: "snow", 699: "snow", 700: "fog", 799: "fog", 800: "sun", 801: "cloud" };
  for (const [condition, expected] of Object.entries(table)) assert.equal(iconOf(Number(condition)), expected, condition);
  for (const condition of [299]) assert.equal(iconOf(condition), "thunderstorm");
  for (const condition of [0, -1, 199, 804, 900, NaN, null, undefined, "800x", Infinity]) assert.equal(iconOf(condition), "cloud", `${condition}`);
  for (const name of ["thunderstorm", "rain", "snow", "fog", "sun", "cloud"]) {
    assert.ok(names.includes(name), name);
    assert.notEqual(wordOf(name), "Unknown");
  }
});

test("icons scale and are found by name, and an unknown name is a placeholder (D25)", () => {
  const path = (name) => icon(name).querySelector("path").getAttribute("d");
  assert.equal(new Set(names.map(path)).size, names.length);
  for (const name of names) assert.match(path(name), /^M[-\dMLHVAZCQmlhvazcq., ]+$/);
  for (const unknown of ["tornado", "", "constructor", "__proto__", undefined]) assert.equal(path(unknown), path("placeholder"), `${unknown}`);
  assert.equal(icon("sun").getAttribute("viewBox"), "0 0 24 24");
  assert.equal(icon("sun").getAttribute("aria-hidden"), "true");
  assert.deepEqual(["role", "aria-label"].map((name) => icon("sun", "Clear").getAttribute(name)), ["img", "Clear"]);
});

// --- The weather server -----------------------------------------------------------------------

test("the server is asked for the place, the units and with the key (D5)", async () => {
  const server = await open({ units: "imperial" }, (() => {
    const imperial = new Server();
    imperial.reply("weather", { ...current(), main: { ...current().main, temp: 43.6 } });
    return imperial;
  })());
  assert.deepEqual(server.asked.map(({ origin, pathname }) => origin + pathname).sort(),
    ["https://api.openweathermap.org/data/2.5/forecast", "https://api.openweathermap.org/data/2.5/weather"]);
  for (const { searchParams } of server.asked) {
    assert.deepEqual([...searchParams], [["lat", "47.38"], ["lon", "8.54"], ["units", "imperial"], ["appid", KEY]]);
  }
  assert.match(text("outdoor"), /44°/);
});

test("positions are sent to about a kilometre only (D5)", () => {
  assert.deepEqual([47.376888, -8.541694, 0.004, 180].map(coarse), [47.38, -8.54, 0, 180]);
  assert.equal(address("weather", { latitude: 47.376888, longitude: -8.541694, units: "metric", key: "k" }),
    "https://api.openweathermap.org/data/2.5/weather?lat=47.38&lon=-8.54&units=metric&appid=k");
});

test("answers of the published format are read (D5)", () => {
  assert.deepEqual(parseCurrent(current(), "metric"),
    { t: 1_767_600_123_000, temperature: 6.42, humidity: 87, condition: 500, text: "light rain", place: "Zurich" });
  const { blocks, offset } = parseForecast(forecast(), "metric");
  assert.equal(offset, 3600);
  assert.equal(blocks.length, 40);
  assert.deepEqual(blocks[0], { t: utc("2026-01-05T09:00:00Z"), temperature: 6.4, condition: 500 });
});

test("an answer without main or list is invalid, and so is one in kelvin (D9, mistake 26)", () => {
  const { main, ...bare } = current();
  for (const wrong of [bare, {}, null, [], 3, { ...bare, main: [] }, { ...current(), main: {} }, { ...current(), weather: undefined },
    { ...current(), main: { ...main, temp: 279.57 } }, { ...current(), main: { ...main, temp: "6.4" } }]) {
    assert.throws(() => parseCurrent(wrong, "metric"), /^Invalid response$|Invalid response/, JSON.stringify(wrong));
  }
  const list = forecast().list;
  for (const wrong of [{ city: {} }, { list: [] }, { list: {} }, { list: [{}] }, { list: [null] }, { list: [{ dt: 1 }] },
    { list: list.map((block) => ({ ...block, main: { temp: block.main.temp + 273.15 } })) }]) {
    assert.throws(() => parseForecast(wrong, "metric"), /Invalid response/, JSON.stringify(wrong).slice(0, 60));
  }
});

test("a tile whose answer is invalid says so, and the other tiles work (D9)", async () => {
  const server = new Server();
  server.reply("forecast", { cod: "200", message: 0 });
  server.reply("weather", "<html>");
  await open({}, server);
  assert.match(text("forecast"), /Error: Invalid response$/);
  assert.match(text("outdoor"), /Error: Invalid response$/);
  assert.match(text("indoor"), /\d+°/);
  server.reply("forecast", forecast());
  server.reply("weather", current());
  await press("Enter");
  assert.match(text("forecast"), /^ForecastToday/);
  assert.match(text("outdoor"), /6°light rain, 87 %$/);
  // An invalid answer later leaves the last one, with its age.
  server.reply("weather", {});
  await press("Enter");
  assert.match(text("outdoor"), /6°light rain, 87 %◷ Stale: of \d\d:\d\dError: Invalid response$/);
});

test("refusals of the server are named (D9)", async () => {
  const server = new Server();
  server.reply("forecast", unauthorized(), 401);
  server.reply("weather", "", 503);
  await open({}, server);
  assert.match(text("forecast"), /Error: The weather server does not accept the key/);
  assert.match(text("outdoor"), /Error: The weather server answers 503/);
});

test("without the permission for the server the tiles say how to allow it (D9)", async () => {
  const { fetch } = transport;
  await open();
  transport.fetch = fetch;
  await nervous.storage.remove("answers");
  byId("latitude").value = "10";
  byId("form").dispatchEvent(new Event("submit", { cancelable: true }));
  await clock.advance("1s");
  assert.match(text("outdoor"), /Error: .*api\.openweathermap\.org.*Ask the owner to allow net:https:\/\/api\.openweathermap\.org/);
});

// --- Rate -------------------------------------------------------------------------------------

test("no minute has more than 60 calls, at any pace (D6)", () => {
  const budget = new Budget(), taken = [];
  let random = 12_345;
  for (let now = 0; now < 600_000;) {
    const wait = budget.wait(now);
    if (wait === 0) {
      budget.take(now);
      taken.push(now);
      random = (random * 1_103_515_245 + 12_345) % 2 ** 31;
      now += random % 900;
    } else now += wait;
  }
  assert.ok(taken.every((t, at) => at < CALLS || t - taken[at - CALLS] >= WINDOW_MS));
  assert.ok(taken.length >= 590, `${taken.length}`);
  assert.throws(() => {
    for (let at = 0; at <= CALLS; at++) budget.take(700_000);
  }, RangeError);
});

test("the 61st call of a minute has the last answer, or waits if there is none (D6)", async () => {
  const server = new Server(), values = new Map();
  const storage = { get: async (key) => values.get(key), set: async (key, value) => void values.set(key, JSON.parse(JSON.stringify(value))) };
  const client = new WeatherClient({ fetch: (url) => server.fetch(url), storage });
  const query = { latitude: 47.38, longitude: 8.54, units: "metric", key: KEY };
  for (let at = 0; at < 100; at++) await client.get("weather", query, true);
  assert.equal(server.asked.length, 60);
  // A new start of the app knows the calls of the last one.
  const again = new WeatherClient({ fetch: (url) => server.fetch(url), storage });
  assert.equal((await again.get("weather", query, true)).answer.name, "Zurich");
  assert.equal(server.asked.length, 60);
  let arrived = null;
  again.get("weather", { ...query, latitude: 10 }).then(() => (arrived = clock.now()));
  const before = clock.now();
  await clock.advance("59s");
  assert.equal(arrived, null);
  await clock.advance("2s");
  assert.ok(arrived - before >= 59_000 && server.asked.length === 61, `${arrived - before}`);
});

test("an answer is used for ten minutes, and callers at the same time share one (D6)", async () => {
  const server = new Server(), storage = { get: async () => undefined, set: async () => {} };
  const client = new WeatherClient({ fetch: (url) => server.fetch(url), storage });
  const query = { latitude: 47.38, longitude: 8.54, units: "metric", key: KEY };
  await Promise.all([1, 2, 3].map(() => client.get("forecast", query)));
  assert.equal(server.asked.length, 1);
  await clock.advance(FRESH_MS - 1000);
  await client.get("forecast", { ...query, latitude: 47.3801 });
  assert.equal(server.asked.length, 1);
  await clock.advance("1s");
  await client.get("forecast", query);
  await client.get("forecast", { ...query, units: "imperial" }).catch(() => {});
  assert.equal(server.asked.length, 3);
});

test("a held key does not exceed the rate (D6)", async () => {
  const server = await open();
  for (let at = 0; at < 200; at++) await press("Enter");
  assert.ok(server.asked.length <= 60 && server.asked.length >= 59, `${server.asked.length}`);
  assert.match(text("forecast"), /^ForecastToday/);
});

// --- Page -------------------------------------------------------------------------------------

test("there are tiles of the forecast, indoors, outdoors and the lock, and a line of tips (D1)", async () => {
  await sensors.set("temperature", { temperature: 21.4 });
  await sensors.set("humidity", { humidity: 44.4 });
  await open();
  assert.deepEqual([...document.querySelectorAll(".tile")].map(({ id }) => id), ["forecast", "indoor", "outdoor", "lock"]);
  assert.deepEqual([...document.querySelectorAll("#forecast li .name")].map(({ textContent }) => textContent), ["Today", "Tomorrow", "Wednesday"]);
  assert.deepEqual([...document.querySelectorAll("#forecast .high")].map(({ textContent }) => textContent), ["high 7°", "high 6°", "high 0°"]);
  assert.deepEqual([...document.querySelectorAll("#forecast .low")].map(({ textContent }) => textContent), ["low 4°", "low 1°", "low −3°"]);
  assert.match(text("indoor"), /^Indoors21°44 % humidity$/);
  assert.match(text("outdoor"), /^Outdoors6°light rain, 87 %$/);
  assert.match(text("tip"), /^Enter, Space or Play refreshes · Refreshed \d\d:\d\d$/);
  assert.match(text("date"), /^(Sunday, 4|Monday, 5) January$/);
});

test("the lock is read from either kind of door, and what is not known is not shown as locked (D1)", () => {
  assert.deepEqual(lockOf({ lock: "locked", door: "closed", battery: 87.5 }), { lock: "locked", door: "closed", battery: 87.5 });
  assert.deepEqual(lockOf({ lock: "unlocked", battery: -1 }), { lock: "unlocked", door: "unknown", battery: null });
  assert.deepEqual(lockOf({ lock: 1 }), { lock: "unknown", door: "unknown", battery: null });
  assert.deepEqual(lockOf({ state: "open" }), { lock: "unknown", door: "open", battery: null });
  const place = document.createElement("div"), shown = (state) => {
    lockTile(place, state);
    return place.textContent;
  };
  assert.equal(shown({ lock: "locked", door: "closed", battery: 87.5 }), "LockLockedDoor closed, Battery 88 %");
  assert.equal(shown({ lock: "unlocked", door: "unknown", battery: null }), "LockUnlocked");
  assert.equal(shown({ lock: "unknown", door: "open", battery: null }), "LockOpen");
  assert.equal(shown({ lock: "unknown", door: "unknown", battery: null }), "LockUnknown");
  assert.match(shown({ lock: "locked", door: "closed", battery: null, isStale: true, t: clock.now() }), /Stale: of \d\d:\d\d$/);
  assert.equal(place.querySelector(".good"), null);
  assert.match(shown({ problem: { title: "Denied", text: "No.", fix: "nervous permissions" } }), /^LockDeniedNo\.nervous permissions$/);
});

test("the sensor that was set is shown, otherwise the first that can be read (D1)", () => {
  const sensor = (id, access = "granted", available = true) => ({ id, access, available, title: id, fields: [] });
  const all = [sensor("temperature.attic", "denied"), sensor("temperature", "granted", false), sensor("temperature.hall"), sensor("climate.dht"), sensor("door.ble")];
  assert.deepEqual(candidates("indoor", all).map(({ id }) => id), ["temperature.hall", "climate.dht", "temperature.attic"]);
  assert.equal(choose("indoor", all, "").id, "temperature.hall");
  assert.equal(choose("indoor", all, "climate.dht").id, "climate.dht");
  assert.equal(choose("indoor", all, "temperature.gone").id, "temperature.hall");
  assert.equal(choose("lock", all, "").id, "door.ble");
  assert.equal(choose("lock", [], ""), undefined);
});

test("the style has a corner of 20, a shadow of 0.2 and 10, and a blur (D2)", async () => {
  await open();
  const style = getComputedStyle(document.documentElement), value = (name) => style.getPropertyValue(name).trim();
  assert.deepEqual(["--corner", "--shadow", "--blur"].map(value), ["20px", "0 0 10px rgb(0 0 0 / 0.2)", "12px"]);
  for (const tile of document.querySelectorAll(".tile")) assert.equal(getComputedStyle(tile).borderTopLeftRadius, "20px");
});

test("sensors are read through the host only, and no device is connected or switched (D3, mistake 27)", async () => {
  await open();
  await clock.advance("1m");
  await press("Enter");
  const { calls } = await app.result();
  const others = calls.filter(({ method, path }) => !(method === "GET" && /^\/api\/v1\/(sensors|storage|permissions|me)\b/.test(path)) && !/^\/api\/v1\/storage\//.test(path));
  assert.deepEqual(others.filter(({ path }) => path.includes("/api/")), []);
  assert.ok(calls.some(({ path }) => /sensors\/temperature\/latest/.test(path)));
  assert.ok(calls.every(({ path }) => !/connect|stream|collection/.test(path)));
});

test("without a place that was set, the position is requested once for each refresh (D4)", async () => {
  await sensors.set("location", { latitude: 46.9481, longitude: 7.4474 });
  const server = await open({ latitude: null, longitude: null });
  assert.equal(server.asked[0].searchParams.get("lat"), "46.95");
  const requests = async () => (await app.result()).calls.filter(({ path }) => /sensors\/location/.test(path)).length;
  assert.equal(await requests(), 1);
  await clock.advance("5m");
  assert.equal(await requests(), 1);
});

test("a position that cannot be read is an error of the tiles of the weather only (D4)", async () => {
  await permissions.deny("sensor:location");
  const server = await open({ latitude: null, longitude: null });
  assert.match(text("forecast"), /^ForecastLocation error: /);
  assert.match(text("outdoor"), /^OutdoorsLocation error: /);
  assert.match(text("indoor"), /\d+°/);
  assert.equal(server.asked.length, 0);
});

test("keys of remote controls load everything again, but not while something is typed (D10)", async () => {
  const server = await open();
  assert.equal(server.asked.length, 2);
  let expected = 2;
  for (const key of ["Enter", " ", "MediaPlayPause", "r"]) {
    await press(key);
    assert.equal(server.asked.length, expected += 2, key);
  }
  for (const key of ["a", "Escape", "Tab"]) await press(key);
  await press("Enter", byId("key"));
  await press(" ", byId("refresh"));
  assert.equal(server.asked.length, expected);
  byId("refresh").click();
  await clock.advance("100ms");
  assert.equal(server.asked.length, expected + 2);
});

test("the page refreshes by itself: the house every 5 s, the weather every 10 min (D10, mistake 27)", async () => {
  const server = await open();
  await sensors.set("temperature", { temperature: -3.4 });
  await clock.advance("6s");
  assert.match(text("indoor"), /−3°/);
  await clock.advance("1h");
  assert.equal(server.asked.length, 14);
  const refreshed = new Date(clock.now() - 7000).toTimeString().slice(0, 5);
  assert.ok(text("tip").endsWith(`Refreshed ${refreshed}`), text("tip"));
  assert.equal(text("time"), new Date().toTimeString().slice(0, 5));
});

test("settings are checked, kept and used (D5)", async () => {
  const server = await open();
  const submit = async () => {
    byId("form").dispatchEvent(new Event("submit", { cancelable: true }));
    await clock.advance("500ms");
  };
  byId("latitude").value = "95";
  await submit();
  assert.match(text("form-note"), /−90 to 90.*Nothing has changed/);
  assert.equal(byId("latitude").getAttribute("aria-invalid"), "true");
  byId("latitude").value = "-33,87";
  byId("longitude").value = "151.21";
  await submit();
  assert.equal(text("form-note"), "Saved.");
  assert.equal(server.asked.at(-1).searchParams.get("lat"), "-33.87");
  assert.equal((await nervous.storage.get("settings")).longitude, 151.21);
  assert.deepEqual([degrees("", 90), degrees("x", 90), degrees("−12.5", 90), degrees("1e3", 90)], [null, undefined, -12.5, undefined]);
  const typed = { key: "", latitude: "", longitude: "", units: "", forecast: "", indoor: "", lock: "" };
  assert.equal(parse({ ...typed, latitude: "1" }).error.id, "longitude");
  assert.equal(parse({ ...typed, key: "a b" }).error.id, "key");
  assert.equal(parse(typed).error, undefined);
});

test("the key is in no line of the console and in no text of the page (D5)", async () => {
  const server = new Server();
  server.answers.weather = async () => { throw new DOMException("The server cannot be reached.", "NetworkError"); };
  await open({}, server);
  await clock.advance("30m");
  const { lines } = await app.result();
  assert.ok(lines.length > 0 && lines.every(({ text }) => !text.includes(KEY)));
  assert.ok(!document.body.textContent.includes(KEY));
  assert.equal(byId("key").getAttribute("type"), "password");
});

test("without a key, sensors and storage the page says what to do (D1)", async () => {
  for (const privilege of ["storage", "sensor:temperature", "sensor:humidity"]) await permissions.deny(privilege);
  await app.start();
  await app.run("6s");
  assert.match(text("forecast"), /No key of OpenWeather/);
  assert.match(text("indoor"), /Denied|No thermometer/);
  assert.match(text("lock"), /No lock/);
  assert.match(text("tip"), /Settings are not kept/);
  assert.equal(byId("settings").open, true);
  await clock.advance("1m");
  // What does not change is said once.
  const { errors, lines } = await app.result();
  assert.deepEqual(errors, []);
  assert.equal(new Set(lines.map(({ text }) => text)).size, lines.length);
});

test("numbers are read at a glance (D1)", () => {
  assert.deepEqual([-0.4, 0.4, -0.6, 21.5].map(degreesText), ["0°", "0°", "−1°", "22°"]);
  assert.deepEqual([inUnits(0, "imperial"), inUnits(20, "metric")], [32, 20]);
  const place = document.createElement("div");
  forecastTile(place, { isLoading: true });
  assert.equal(place.textContent, "ForecastLoading …");
});
