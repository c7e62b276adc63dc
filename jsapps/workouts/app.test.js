import { LABELS, activity, activityText, forget, prevailing, takeActivity } from "./activity.js";
import { altitudeAt, ascent, breakAscent, climb, rebase, steps, takePressure, takeSteps } from "./counters.js";
import { FileProblem, gpx, parse, plist } from "./files.js";
import * as health from "./health.js";
import { after, buttons } from "./machine.js";
import { draw, netOf, plane } from "./map.js";
import { Recorder } from "./recorder.js";
import * as routes from "./route.js";
import { durationText, read, restored, run, stop, stopwatch } from "./stopwatch.js";
import { Store, listOf } from "./store.js";
import { altitudeText, detailText, motionText, paceText, titleText, totalsText } from "./texts.js";
import { days, lastWeek, older } from "./week.js";
import { SENSORS, begin, continued, end, reading, summary, take, workout } from "./workout.js";

const byId = (id) => document.getElementById(id);
const text = (id) => byId(id).textContent;
/** The page, when it has read what is stored. */
const openPage = () => app.run("1ms");
const step = async (name, wait = "1ms") => {
  document.querySelector(`[data-step="${name}"]`).click();
  await clock.advance(wait);
};
const isNear = (actual, expected, within) =>
  assert.ok(Math.abs(actual - expected) <= within, `${actual} is not within ${within} of ${expected}`);
const recording = (options) => {
  const store = new Store(options?.storage);
  return { store, recorder: new Recorder(store, options) };
};
/** Steps north of `metres` each, a second apart. */
const north = (metres, count, { t = 0, latitude = 47, accuracy = 4 } = {}) => Array.from({ length: count }, (_, at) =>
  ({ t: t + at * 1000, latitude: latitude + (at * metres) / 111_180, longitude: 8, accuracy }));
const done = (more = {}) => {
  const start = more.start ?? 1_767_600_000_000, end = more.end ?? start + 60_000;
  return { id: `w-${start}`, source: "recorded", label: "walking", start, end, duration: end - start,
    spans: [{ from: start, to: end }], distance: 100, steps: 140, floors: 0, altitude: 0, ...more };
};

// --- Views, layout and states -------------------------------------------------------------------

test("the views show one workout, which goes on while they change (B1, B18)", async () => {
  await sensors.play("walk");
  await openPage();
  document.querySelector('[data-show="record"]').click();
  await step("start", "30s");
  const before = text("time");
  assert.equal(before, "0 min 30 secs");
  for (const view of ["map", "history", "record"]) {
    document.querySelector(`[data-show="${view}"]`).click();
    assert.equal(byId("views").dataset.view, view);
    assert.equal(document.querySelector('[data-show][aria-pressed="true"]').dataset.show, view);
    await clock.advance("5s");
  }
  assert.equal(text("time"), "0 min 45 secs");
  assert.match(byId("drawing").getAttribute("aria-label"), /\d+ positions/);
  assert.equal(text("state"), "Recording");
});

test("labels stand at the top, buttons at the bottom, and texts shrink with the width (B2)", async () => {
  await openPage();
  const record = getComputedStyle(byId("record"));
  assert.equal(record.display, "flex");
  assert.equal(record.flexDirection, "column");
  assert.equal(getComputedStyle(document.querySelector("#record .bottom")).marginTop, "auto");
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).filter(({ selectorText }) => selectorText === ".time");
  const [, least, , most] = rules[0].style.fontSize.match(/^clamp\(([\d.]+)rem, ([\d.]+)vw, ([\d.]+)rem\)$/);
  assert.ok(least / most <= 0.5, `${least} of ${most}`);
});

test("each step in each state leads where the table says, or nowhere (B3)", () => {
  const table = {
    inactive: { start: "active", pause: undefined, resume: undefined, finish: undefined },
    active: { start: undefined, pause: "paused", resume: undefined, finish: "inactive" },
    paused: { start: undefined, pause: undefined, resume: "active", finish: "inactive" },
  };
  for (const [state, steps] of Object.entries(table)) {
    for (const [name, next] of Object.entries(steps)) assert.equal(after(state, name), next, `${state} ${name}`);
    assert.equal(after(state, "constructor"), undefined);
  }
  assert.deepEqual(["inactive", "active", "paused"].map((state) => buttons(state).map(({ label }) => label)),
    [["Start"], ["Pause", "Finish"], ["Resume", "Finish"]]);
});

test("a step that is not possible is logged, and changes nothing (B3)", async () => {
  const { recorder } = recording();
  await recorder.step("pause");
  await recorder.step("finish");
  assert.equal(recorder.state, "inactive");
  await recorder.step("start");
  await recorder.step("start");
  assert.equal(recorder.state, "active");
  const { lines } = await app.result();
  assert.deepEqual(lines.filter(({ level }) => level === "warn").map(({ text }) => text), [
    "workouts: pause is not possible while the workout is inactive.",
    "workouts: finish is not possible while the workout is inactive.",
    "workouts: start is not possible while the workout is active."]);
  await recorder.step("finish");
});

test("two presses at once are one step (B3)", async () => {
  const { recorder, store } = recording();
  await Promise.all([recorder.step("start"), recorder.step("start")]);
  await clock.advance("1s");
  await Promise.all([recorder.step("finish"), recorder.step("finish")]);
  assert.equal(store.workouts.length, 1);
});

// --- The clock ----------------------------------------------------------------------------------

test("the time is the difference of clock readings: 60 ticks are 60 s (B14, mistake 1)", () => {
  const watch = stopwatch();
  run(watch, { wall: 1000, monotonic: 0 });
  for (let tick = 1; tick <= 60; tick++) read(watch, { wall: 1000 + tick * 1000, monotonic: tick * 1000 });
  assert.equal(watch.active, 60_000);
});

test("a pause does not count, and a suspended machine does (B14)", () => {
  const watch = stopwatch();
  run(watch, { wall: 0, monotonic: 0 });
  assert.equal(stop(watch, { wall: 10_000, monotonic: 10_000 }), 10_000);
  assert.equal(read(watch, { wall: 99_000, monotonic: 99_000 }), 10_000);
  run(watch, { wall: 100_000, monotonic: 100_000 });
  // The monotonic clock stands still while the machine is suspended.
  assert.equal(read(watch, { wall: 400_000, monotonic: 105_000 }), 310_000);
});

test("a wall clock that goes back takes nothing away (B14)", () => {
  const watch = stopwatch();
  run(watch, { wall: 10_000_000, monotonic: 0 });
  assert.equal(read(watch, { wall: 6_401_000, monotonic: 1000 }), 1000);
  assert.equal(read(watch, { wall: 6_402_000, monotonic: 2000 }), 2000);
});

test("the time goes on while the page is closed (B14)", () => {
  const watch = stopwatch();
  run(watch, { wall: 0, monotonic: 777_000 });
  read(watch, { wall: 5000, monotonic: 782_000 });
  const later = restored(JSON.parse(JSON.stringify(watch)));
  assert.equal(read(later, { wall: 65_000, monotonic: 10 }), 65_000);
  assert.equal(read(later, { wall: 66_000, monotonic: 1010 }), 66_000);
});

test("times have hours from an hour on (B15)", () => {
  assert.deepEqual([0, 999, 59_000, 60_000, 2_102_000, 3_599_999, 3_600_000, 3_723_000, 90_061_000, -5].map(durationText), [
    "0 min 0 secs", "0 min 0 secs", "0 min 59 secs", "1 min 0 secs", "35 min 2 secs", "59 min 59 secs",
    "1 hrs 0 mins 0 secs", "1 hrs 2 mins 3 secs", "25 hrs 1 mins 1 secs", "0 min 0 secs"]);
});

// --- Storage ------------------------------------------------------------------------------------

test("a finished workout is stored at once, and a page that opens later shows it (B16, mistake 8)", async () => {
  await sensors.play("walk");
  await openPage();
  await step("start", "70s");
  await step("finish");
  const stored = await nervous.storage.get("workouts");
  assert.equal(stored.length, 1);
  assert.equal(stored[0].duration, 70_000);
  assert.equal(await nervous.storage.get("current"), undefined);
  const again = new Store();
  await again.load();
  assert.deepEqual(again.workouts, stored);
  assert.ok((await again.route(stored[0].id)).flat().length > 2);
  assert.equal(document.querySelectorAll("#list li").length, 1);
});

test("damaged entries are set aside, reported, and stop nothing (B16)", async () => {
  assert.deepEqual(listOf(undefined), { workouts: [], damaged: 0 });
  for (const value of [null, 7, "x", { a: 1 }]) assert.deepEqual(listOf(value), { workouts: [], damaged: 1 });
  const value = [done(), { ...done(), start: "soon" }, null, { id: "x" }];
  await nervous.storage.set("workouts", value);
  await nervous.storage.set("current", { state: "active", id: 7 });
  await openPage();
  assert.equal(document.querySelectorAll("#list li").length, 1);
  assert.match(text("message"), /3 stored entries could not be read/);
  assert.equal(text("state"), "Not recording");
  assert.deepEqual(await nervous.storage.get("damaged-workouts"), value);
  const { lines } = await app.result();
  assert.ok(lines.some(({ level, text }) => level === "error" && text.includes("3 stored entries are damaged")));
});

test("workouts survive a property list (B16)", () => {
  const entries = [
    { workout: done({ id: "one", distance: 1234.5, floors: 3, label: "running" }), segments: [north(12, 3), north(12, 2, { t: 9000 })] },
    { workout: done({ id: "two", start: 1_767_700_000_000, distance: null, steps: null, floors: null }), segments: [] }];
  const found = parse(plist(entries));
  assert.deepEqual(found.map(({ workout }) => workout.id), ["one", "two"]);
  const [first, second] = found;
  for (const field of ["label", "start", "end", "duration", "spans", "steps", "floors"]) {
    assert.deepEqual(first.workout[field], entries[0].workout[field], field);
  }
  assert.deepEqual(first.segments.map((points) => points.map(({ t, latitude, longitude }) => [t, latitude, longitude])),
    entries[0].segments.map((points) => points.map(({ t, latitude, longitude }) => [t, latitude, longitude])));
  assert.deepEqual([second.workout.distance, second.workout.steps, second.workout.floors], [null, null, null]);
});

test("a property list of another app needs times only, and a broken file is refused with the reason (B16)", () => {
  const file = (body) => `<?xml version="1.0"?><plist version="1.0">${body}</plist>`;
  const [{ workout }] = parse(file("<array><dict><key>startTime</key><date>2026-01-05T08:00:00Z</date>"
    + "<key>endTime</key><date>2026-01-05T08:10:00Z</date><key>totalSteps</key><integer>900</integer></dict></array>"));
  assert.equal(workout.duration, 600_000);
  assert.equal(workout.steps, 900);
  for (const [body, reason] of [
    [file("<array><dict><key>startTime</key><date>2026-01-05T08:00:00Z</date></dict></array>"), /no endTime/],
    [file("<dict></dict>"), /no list/], [file("<array>".repeat(40) + "</array>".repeat(40)), /nested too deeply/],
    [file(""), /empty/], ["<plist><array>", /not well-formed/], ["hello", /not well-formed/], ["<html></html>", /neither/],
    [file("<array><dict><key>startTime</key><date>2026-01-05T09:00:00Z</date><key>endTime</key><date>2026-01-05T08:00:00Z</date></dict></array>"),
      /ends before/],
  ]) assert.throws(() => parse(body), (error) => error instanceof FileProblem && reason.test(error.message), `${reason}`);
});

test("a way survives GPX: segments, times and altitudes (B16)", () => {
  const segments = [north(12, 3, { t: 1_767_600_000_000 }), north(12, 2, { t: 1_767_600_060_000, latitude: 47.001 })];
  segments[0][0].altitude = 402.5;
  const written = gpx(done({ label: "cycling", name: "To <work> & back" }), segments);
  const [{ workout, segments: read }] = parse(written);
  assert.equal(workout.label, "cycling");
  assert.equal(workout.name, "To <work> & back");
  assert.equal(read.length, 2);
  assert.equal(read[0][0].altitude, 402.5);
  assert.deepEqual(read.map((points) => points.map(({ t }) => t)), segments.map((points) => points.map(({ t }) => t)));
  assert.equal(workout.duration, 3000);
  // The gap between two segments is no distance.
  isNear(workout.distance, 36, 0.2);
  assert.equal(parse(written)[0].workout.id, workout.id);
  assert.throws(() => parse("<gpx><trk><trkseg><trkpt lat='1' lon='2'/></trkseg></trk></gpx>"), /no track/);
});

test("a file that only the host reads is named with the command for it (B16)", () => {
  for (const [content, format] of [["\x0e\x10\x00\x00\x00\x00\x00\x00.FIT", "FIT"], ["<?xml?><TrainingCenterDatabase>", "TCX"],
    ["<?xml?><kml>", "KML"], ["bplist00", "binary property list"]]) {
    assert.throws(() => parse(content), (error) => error.message.includes(`a ${format} file`) && error.message.includes("nervous sessions import"));
  }
});

test("a file is imported once, in the page (B16)", async () => {
  await openPage();
  const file = new File([plist([{ workout: done(), segments: [north(12, 3)] }])], "w.plist");
  const choose = async () => {
    Object.defineProperty(byId("import"), "files", { value: [file], configurable: true });
    byId("import").dispatchEvent(new Event("change"));
    await clock.advance("1s");
  };
  await choose();
  assert.match(text("report"), /Imported 1 of 1 workouts\./);
  await choose();
  assert.match(text("report"), /Imported 0 of 1 workouts; 1 were there already/);
  assert.match(text("list"), /imported/);
  assert.equal((await nervous.storage.get("workouts")).length, 1);
});

// --- The map ------------------------------------------------------------------------------------

const svg = () => document.createElementNS("http://www.w3.org/2000/svg", "svg");

test("the map has one way for each segment, a ring at the start and a square at the finish (B17)", () => {
  const picture = svg();
  draw(picture, [north(12, 5), north(12, 4, { latitude: 47.01 })], { width: 400, height: 300 });
  assert.equal(picture.querySelectorAll(".way").length, 2);
  assert.equal(picture.querySelectorAll(".start").length, 1);
  assert.equal(picture.querySelectorAll(".finish").length, 1);
  assert.match(picture.textContent, /Start/);
  assert.match(picture.textContent, /Finish/);
  // The way fills the picture and stays in it.
  const y = [...picture.querySelectorAll(".way")].flatMap((way) => way.getAttribute("points").split(" ").map((one) => Number(one.split(",")[1])));
  assert.ok(Math.min(...y) >= 20 && Math.max(...y) <= 280 && Math.max(...y) - Math.min(...y) > 200, `${Math.min(...y)} ${Math.max(...y)}`);
});

test("drawing again leaves nothing of before, and no way is an empty picture (B17)", () => {
  const picture = svg();
  for (let at = 0; at < 3; at++) draw(picture, [north(12, 5)]);
  assert.equal(picture.querySelectorAll(".start").length, 1);
  draw(picture, []);
  assert.equal(picture.childElementCount, 0);
});

test("the map crosses the antimeridian, and its net is round (B17)", () => {
  const flat = plane([[{ latitude: 0, longitude: 179.999 }, { latitude: 0, longitude: -179.999 }]]);
  isNear(flat.width, 222.64, 0.1);
  assert.deepEqual([netOf(1), netOf(0.1), netOf(1e-9)], [50, 500, 500_000]);
});

test("the map shows the last workout, or the one that is chosen (B17)", async () => {
  const store = new Store();
  await store.load();
  await store.add(done({ id: "old", start: clock.now() - 7_200_000 }), [north(12, 4)]);
  await store.add(done({ id: "new", start: clock.now() - 3_600_000 }), [north(12, 9)]);
  await openPage();
  assert.match(byId("drawing").getAttribute("aria-label"), /9 positions/);
  document.querySelector('[data-id="old"]').click();
  await clock.advance("1ms");
  assert.equal(byId("views").dataset.view, "map");
  assert.match(byId("drawing").getAttribute("aria-label"), /4 positions/);
  assert.equal(byId("drawing").querySelectorAll(".start").length, 1);
});

test("a workout is deleted with its way after two presses (B16)", async () => {
  const store = new Store();
  await store.load();
  await store.add(done({ id: "only", start: clock.now() - 60_000 }), [north(12, 4)]);
  await openPage();
  byId("delete").click();
  assert.equal((await nervous.storage.get("workouts")).length, 1);
  byId("delete-now").click();
  await clock.advance("1s");
  assert.deepEqual(await nervous.storage.get("workouts"), []);
  assert.equal(await nervous.storage.get("route-only"), undefined);
  assert.match(text("empty"), /No workouts yet/);
});

// --- One recorder -------------------------------------------------------------------------------

test("a second page takes over the workout instead of recording another (B18)", async () => {
  await sensors.play("walk");
  const first = recording(), second = recording();
  await first.recorder.step("start");
  await second.recorder.open();
  assert.equal(second.recorder.state, "active");
  await clock.advance("20s");
  await second.recorder.step("finish");
  await first.recorder.refresh();
  assert.equal(first.recorder.state, "inactive");
  assert.equal(first.store.workouts.length, 1);
  await first.recorder.step("start");
  await first.recorder.step("finish");
  assert.equal((await nervous.storage.get("workouts")).length, 2);
});

// --- Sensors ------------------------------------------------------------------------------------

/** A sensor in place of the host's, whose samples the test sends. */
class StandInSensor {
  watchers = new Set();
  stored = [];
  constructor(id, description = {}) {
    this.id = id;
    this.description = { available: true, access: "granted", level: "medium", ...description };
  }
  async describe() {
    return this.description;
  }
  async samples({ from }) {
    return this.stored.filter(({ t }) => t >= from);
  }
  watch(take, { onError }) {
    const watcher = { take, onError };
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }
  send(sample) {
    this.stored.push(sample);
    for (const { take } of this.watchers) take(sample);
  }
}
const standIns = (more = {}) => Object.fromEntries(SENSORS.map((id) => [id, new StandInSensor(id, more[id])]));

test("without a barometer, and without what finds out the activity, a workout is recorded (B19)", async () => {
  const all = standIns({ barometer: { available: false, unavailable: { reason: "No barometer found." } }, activity: { access: "denied" } });
  const { recorder, store } = recording({ sensor: (id) => all[id] });
  await recorder.step("start");
  assert.deepEqual(Object.entries(recorder.problems).map(([id, { kind }]) => [id, kind]), [["barometer", "missing"], ["activity", "denied"]]);
  assert.equal(all.barometer.watchers.size, 0);
  for (const count of [100, 110]) all.steps.send({ t: clock.now() + count, steps: count });
  await clock.advance("10s");
  await recorder.step("finish");
  const [{ steps, floors, duration, label }] = store.workouts;
  assert.deepEqual([steps, floors, duration, label], [10, null, 10_000, "unknown"]);
});

test("the page says which sensors are missing, and what is missing without them (B19)", async () => {
  await permissions.deny("sensor:steps");
  await openPage();
  await step("start", "2s");
  assert.match(text("problems"), /activity: Not on this machine/);
  assert.match(text("problems"), /steps: Denied – no steps\. nervous permissions grant workouts sensor:steps/);
  assert.match(text("totals"), /^\d+\.\d\dm \| 0 floors$/);
});

test("a sensor that is allowed during the workout is read from then on (B19)", async () => {
  await sensors.play("walk");
  await permissions.deny("sensor:steps");
  await openPage();
  await step("start", "20s");
  assert.doesNotMatch?.(text("totals"), /steps/);
  assert.equal(/steps/.test(text("totals")), false);
  await permissions.allow("sensor:steps");
  await clock.advance("60s");
  assert.match(text("totals"), /\d+ steps/);
});

test("a denial during the workout ends that sensor only (B19)", async () => {
  await sensors.play("walk");
  await openPage();
  await step("start", "30s");
  await permissions.deny("sensor:steps");
  await clock.advance("60s");
  const metres = Number.parseFloat(text("totals"));
  await clock.advance("60s");
  assert.match(text("problems"), /steps: Denied/);
  assert.ok(Number.parseFloat(text("totals")) > metres + 40, text("totals"));
});

test("no sample is shown as no signal, and a silent sensor as stale (B24)", async () => {
  const all = standIns();
  const { recorder } = recording({ sensor: (id) => all[id] });
  await recorder.step("start");
  all.location.send({ t: 1, latitude: 47, longitude: 8, accuracy: 6 });
  await clock.advance("4s");
  assert.ok(recorder.ages.location <= 5000);
  assert.equal(recorder.reading.accuracy, 6);
  await clock.advance("60s");
  assert.ok(recorder.ages.location > 60_000);
  assert.equal(recorder.reading.pace, null);
});

// --- Steps, floors, altitude, activity ----------------------------------------------------------

const walked = (samples) => {
  const counter = steps();
  for (const one of samples) one === "pause" ? rebase(counter) : takeSteps(counter, one);
  return counter.total;
};

test("steps are the growth of a total while active: five pauses leave out what was walked in them (B21)", () => {
  const totals = [1000];
  let active = 0;
  for (let at = 0; at < 5; at++) {
    totals.push(totals.at(-1) + 50);
    active += 50;
    totals.push("pause", totals.at(-1) + 17);
  }
  assert.equal(walked(totals), active);
  assert.equal(walked([5, 15, 3, 9]), 16);
  assert.equal(walked([]), null);
});

test("totals since the start are not added up again and again: ten updates of 10 are 100 (mistake 6)", () => {
  assert.equal(walked([0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]), 100);
  const altitudes = climb();
  for (const metres of [0, 1, 2, 3, 4]) takePressure(altitudes, 1013.25 * (1 - (0.0065 * metres) / 288.15) ** 5.25588);
  isNear(ascent(altitudes), 4, 0.01);
});

test("steps are whole numbers, whatever a counter reports (mistake 11)", () => {
  assert.equal(walked([0.2, 10.9]), 11);
  assert.equal(walked([NaN, 1, null, undefined, "7", -4, 5]), 4);
});

test("five pauses equal the uninterrupted count without the pauses, with the host's sensors (B21)", async () => {
  await sensors.play("walk");
  const { recorder, store } = recording();
  const counted = async () => (await nervous.sensor("steps").latest()).steps;
  let expected = 0;
  await recorder.step("start");
  await clock.advance("1s");
  for (let at = 0; at < 5; at++) {
    const before = await counted();
    await clock.advance("30s");
    expected += (await counted()) - before;
    await recorder.step("pause");
    await clock.advance("20s");
    await recorder.step("resume");
    await clock.advance("1s");
  }
  await recorder.step("finish");
  assert.equal(store.workouts[0].duration, 156_000);
  assert.equal(store.workouts[0].spans.length, 6);
  assert.equal(store.workouts[0].steps, expected);
});

test("a pressure that falls from 1013.25 to 1001.3 hPa is about 100 m of altitude (B23)", async () => {
  isNear(altitudeAt(1001.3) - altitudeAt(1013.25), 100, 0.1);
  await sensors.set("barometer", { pressure: 1013.25 });
  await openPage();
  await step("start", "3s");
  assert.match(text("figures"), /Altitude\+0\.0 m/);
  await sensors.set("barometer", { pressure: 1001.3 });
  await clock.advance("3s");
  assert.match(text("figures"), /Altitude\+100\.0 m/);
  assert.match(text("totals"), /33 floors/);
});

test("a floor is three metres of ascent, and what is climbed in a pause is none (B23)", () => {
  const pressure = (metres) => 1013.25 * (1 - (0.0065 * metres) / 288.15) ** 5.25588;
  const stairs = climb();
  for (const metres of [0, 2, 1.5, 3.2, 3, 6.1]) takePressure(stairs, pressure(metres));
  assert.equal(stairs.floors, 2);
  breakAscent(stairs);
  for (const metres of [40, 40.5, 43.1]) takePressure(stairs, pressure(metres));
  assert.equal(stairs.floors, 3);
  // The noise of a sensor on one floor is no climb.
  for (let at = 0; at < 200; at++) takePressure(stairs, pressure(43 + (at % 2) * 0.8));
  assert.equal(stairs.floors, 3);
  const none = climb();
  for (const wrong of [NaN, 0, 5000, null, "1000"]) takePressure(none, wrong);
  assert.equal(ascent(none), null);
});

test("without a barometer the altitude is that of positions, from the start (B23)", () => {
  const one = workout("x");
  one.state = "active";
  begin(one, 0);
  for (const [t, altitude] of [[0, 400], [1000, 402], [2000, 395]]) take(one, "location", { t, latitude: 47, longitude: 8, altitude });
  assert.equal(reading(one).altitude, -5);
  assert.equal(reading(one).floors, null);
});

test("six labels, and of equal times the first in order (B22)", () => {
  assert.deepEqual(LABELS, ["walking", "running", "cycling", "driving", "stationary", "unknown"]);
  assert.equal(prevailing({ times: {} }), "unknown");
  for (let at = 0; at < LABELS.length; at++) {
    assert.equal(prevailing({ times: Object.fromEntries(LABELS.slice(at).reverse().map((label) => [label, 5])) }), LABELS[at]);
  }
  assert.equal(prevailing({ times: { walking: 5, cycling: 6 } }), "cycling");
});

test("driving names a workout, and what is uncertain counts for nothing (B22, mistake 7)", () => {
  const found = activity();
  const labels = [["walking", "low"], ["walking", "low"], ["walking", "low"], ["driving", "high"], ["driving", "medium"], ["stationary", "high"]];
  labels.forEach(([label, confidence], at) => takeActivity(found, { t: at * 1000, activity: label, confidence }));
  takeActivity(found, { t: 99_000, activity: "flying", confidence: "high" });
  takeActivity(found, { t: 1000, activity: "running", confidence: "high" });
  assert.deepEqual(found.times, { driving: 2000 });
  assert.equal(prevailing(found), "driving");
  assert.equal(activityText({ label: "walking", confidence: "low" }), "walking (low confidence)");
  forget(found);
  takeActivity(found, { t: 500_000, activity: "running", confidence: "high" });
  assert.deepEqual(found.times, { driving: 2000 });
});

test("the activity of the sensor is shown, and names the workout unless the person chose (B22)", async () => {
  for (const [kind, label] of [[null, "running"], ["cycling", "cycling"]]) {
    const all = standIns();
    const { recorder, store } = recording({ sensor: (id) => all[id] });
    await store.load();
    await recorder.step("start", kind);
    for (let at = 0; at < 5; at++) all.activity.send({ t: at * 3000, activity: "running", confidence: "high" });
    assert.equal(motionText(recorder.reading), "running");
    await recorder.step("pause");
    assert.equal(recorder.reading.activity, null);
    await recorder.step("finish");
    assert.equal(store.workouts.at(-1).label, label);
  }
});

// --- Live values --------------------------------------------------------------------------------

test("the texts of live values (B24)", () => {
  assert.equal(totalsText({ distance: 512.3, steps: 700, floors: 2 }), "512.30m | 700 steps | 2 floors");
  assert.equal(totalsText({ distance: 0, steps: null, floors: 0 }), "0.00m | 0 floors");
  assert.equal(totalsText({ distance: null, steps: null, floors: null }), "");
  assert.equal(paceText(0.714), "11:54 min/km");
  assert.equal(paceText(0.0599), "1:00 min/km");
  assert.equal(motionText({ pace: 0.714, activity: { label: "walking", confidence: "high" } }), "11:54 min/km, walking");
  assert.equal(motionText({ pace: null, activity: null }), "–");
  assert.equal(altitudeText(-1.25), "−1.3 m");
});

test("live values are new each second, and follow a walk of 1.4 m/s (B24)", async () => {
  await sensors.play("walk");
  await openPage();
  await step("start", "1s");
  const seen = [];
  for (let second = 0; second < 120; second++) {
    seen.push(text("time"));
    assert.match(text("totals"), /^\d+\.\d\dm \| \d+ steps \| \d+ floors$/);
    await clock.advance("1s");
  }
  assert.equal(new Set(seen).size, 120);
  const [metres, count] = text("totals").match(/[\d.]+/g).map(Number);
  isNear(metres, 121 * 1.4, 25);
  isNear(count, 121 * 1.85, 10);
  const [minutes, seconds] = text("motion").match(/^(\d+):(\d\d) min\/km/).slice(1).map(Number);
  isNear(minutes * 60 + seconds, 1000 / 1.4, 150);
});

test("the pace is that of the last minute, by steps until there is a position", () => {
  const one = workout("x");
  one.state = "active";
  begin(one, 0);
  for (let t = 0; t <= 30_000; t += 1000) take(one, "steps", { t, steps: t / 500 });
  isNear(reading(one).distance, 42, 1e-9);
  isNear(reading(one).pace, 1 / 1.4, 1e-9);
  for (const fix of north(2, 200, { t: 30_000 })) take(one, "location", fix);
  isNear(reading(one).pace, 0.5, 0.05);
  assert.equal(reading(one, { location: 61_000 }).pace, null);
});

test("an hour of walking (B14, B24)", async () => {
  await sensors.play("walk");
  await openPage();
  await step("start", "1h");
  assert.equal(text("time"), "1 hrs 0 mins 0 secs");
  await step("finish");
  const [{ distance, steps, duration }] = await nervous.storage.get("workouts");
  assert.equal(duration, 3_600_000);
  isNear(distance, 3600 * 1.4, 500);
  isNear(steps, 3600 * 1.85, 200);
});

// --- The route ----------------------------------------------------------------------------------

const routeOf = (...parts) => {
  const route = routes.route();
  for (const fixes of parts) {
    routes.begin(route);
    for (const fix of fixes) routes.take(route, fix);
  }
  return route;
};

test("a pause has no line and no distance (mistake 5)", () => {
  const one = routeOf(north(12, 20)), far = north(12, 20, { t: 100_000, latitude: 47.5 });
  const both = routeOf(north(12, 20), far);
  assert.equal(both.segments.length, 2);
  isNear(both.metres, 2 * one.metres, 0.1);
  isNear(routes.lengthOf(both.segments), both.metres, 1e-6);
  // The first point after the pause is at the place of the resumption, not the last one before.
  assert.ok(both.segments[1][0].latitude > 47.4);
});

test("a pause of a workout adds no distance, with the host's sensors (mistake 5)", async () => {
  await sensors.play("walk");
  const { recorder, store } = recording();
  await recorder.step("start");
  await clock.advance("60s");
  await recorder.step("pause");
  const before = recorder.reading.distance;
  await sensors.set("location", { latitude: 48, longitude: 9 });
  await clock.advance("60s");
  await recorder.step("resume");
  await clock.advance("30s");
  isNear(recorder.reading.distance, before, 1e-9);
  await recorder.step("finish");
  assert.equal((await store.route(store.workouts[0].id)).length, 2);
});

test("a workout does not begin at the last position of the one before (mistake 5, mistake 12)", async () => {
  await sensors.play("walk");
  const { recorder, store } = recording();
  await recorder.step("start");
  await clock.advance("60s");
  await recorder.step("finish");
  await sensors.set("location", { latitude: 48, longitude: 9 });
  await recorder.step("start");
  await clock.advance("20s");
  assert.equal(recorder.reading.distance, 0);
  assert.ok(recorder.reading.steps < 60);
  assert.equal(recorder.elapsed, 20_000);
  await recorder.step("finish");
  assert.deepEqual(await store.route(store.workouts[1].id), []);
});

test("resuming keeps the way, the time and the start (mistake 2)", async () => {
  await sensors.play("walk");
  const { recorder, store } = recording();
  await recorder.step("start");
  const began = clock.now();
  await clock.advance("60s");
  const before = recorder.segments[0].length;
  await recorder.step("pause");
  await clock.advance("10s");
  await recorder.step("resume");
  assert.equal(recorder.segments[0].length, before);
  assert.equal(recorder.elapsed, 60_000);
  await clock.advance("30s");
  await recorder.step("finish");
  const [{ start, end, duration }] = store.workouts;
  assert.deepEqual([start, end, duration], [began, began + 100_000, 90_000]);
});

test("a paused workout can be finished (mistake 3)", async () => {
  const { recorder, store } = recording();
  await recorder.step("start");
  await clock.advance("10s");
  await recorder.step("pause");
  await clock.advance("50s");
  await recorder.step("finish");
  assert.equal(recorder.state, "inactive");
  assert.equal(store.workouts[0].duration, 10_000);
});

test("no sensor is read during a pause and after the end (mistake 4)", async () => {
  const all = standIns();
  const { recorder } = recording({ sensor: (id) => all[id] });
  const read = () => Object.values(all).reduce((sum, { watchers }) => sum + watchers.size, 0);
  await recorder.step("start");
  assert.equal(read(), 4);
  await recorder.step("pause");
  assert.equal(read(), 0);
  await recorder.step("resume");
  assert.equal(read(), 4);
  await recorder.step("finish");
  assert.equal(read(), 0);
});

test("what becomes a point of the way: the rules of the host's routes", () => {
  const route = routeOf([]);
  const take = (t, metres, accuracy = 5) => routes.take(route, { ...north(metres, 2)[1], t, accuracy });
  assert.deepEqual([take(0, 0), take(4999, 0), take(5000, 0), take(5000, 50), take(6000, 9.9), take(7000, 10.2),
    take(8000, 400, 101), take(9000, 400, 6), take(10_000, 20.2, 6), take(11_000, 31, 5)],
  ["warming-up", "warming-up", "kept", "stale", "too-near", "kept", "inaccurate", "worse-accuracy", "too-near", "kept"]);
  assert.equal(routes.take(route, { t: 20_000, latitude: 91, longitude: 8 }), "invalid");
  assert.equal(routes.take(route, { t: 20_000, latitude: null, longitude: 8 }), "invalid");
  // One position is no way.
  assert.deepEqual(routes.finished(routeOf(north(0, 9))), []);
});

test("a receiver whose clock goes back does not end the way", () => {
  const one = workout("x");
  one.state = "active";
  begin(one, 0);
  for (const fix of north(12, 20, { t: 9_000_000 })) take(one, "location", fix);
  const before = reading(one).distance;
  for (const fix of north(12, 20, { t: 1000, latitude: 47.002 })) take(one, "location", fix);
  assert.ok(reading(one).distance > before + 100, `${reading(one).distance}`);
});

test("distances are those of the ellipsoid within a tenth of a percent", () => {
  // Of GeographicLib, GeodSolve -i.
  for (const [from, to, metres] of [
    [[0, 0], [0, 1], 111_319.491], [[0, 0], [1, 0], 110_574.389], [[89, 0], [90, 0], 111_693.865],
  ]) {
    const [a, b] = [from, to].map(([latitude, longitude]) => ({ latitude, longitude }));
    isNear(routes.distance(a, b), metres, metres / 1000);
    assert.equal(routes.distance(a, b), routes.distance(b, a));
  }
});

// --- Reload and offline -------------------------------------------------------------------------

test("a page that opens during a workout continues it, and misses nothing (B16, D12)", async () => {
  await sensors.play("walk");
  const open = recording();
  await open.recorder.step("start");
  await clock.advance("40s");
  await open.recorder.tick();
  await clock.advance("25s");
  // Another page opens 25 s after the workout was stored, and sees what the first one saw.
  const reloaded = recording();
  await reloaded.recorder.open();
  assert.equal(reloaded.recorder.state, "active");
  assert.equal(reloaded.recorder.elapsed, 65_000);
  await clock.advance("20s");
  assert.deepEqual(reloaded.recorder.reading, open.recorder.reading);
  assert.deepEqual(reloaded.recorder.segments, open.recorder.segments);
});

test("a paused workout is paused after a reload (B16)", async () => {
  const first = recording();
  await first.recorder.step("start");
  await clock.advance("10s");
  await first.recorder.step("pause");
  await clock.advance("1h");
  await openPage();
  assert.equal(text("state"), "Paused");
  assert.equal(text("time"), "0 min 10 secs");
  await step("resume", "5s");
  await step("finish");
  assert.equal((await nervous.storage.get("workouts"))[0].duration, 15_000);
});

/** The storage of a host that does not answer while `isDown`. */
class StandInStorage {
  isDown = false;
  values = new Map();
  check() {
    if (this.isDown) throw new TypeError("Failed to fetch");
  }
  async get(key) {
    this.check();
    return structuredClone(this.values.get(key));
  }
  async set(key, value) {
    this.check();
    this.values.set(key, structuredClone(value));
  }
  async remove(key) {
    this.check();
    this.values.delete(key);
  }
}

test("while the host does not answer a workout goes on, and is stored when it answers (D12)", async () => {
  const storage = new StandInStorage();
  const { recorder, store } = recording({ storage });
  await recorder.step("start");
  storage.isDown = true;
  await clock.advance("20s");
  await recorder.tick();
  assert.equal(recorder.state, "active");
  assert.match(recorder.failure.message, /Failed to fetch/);
  await recorder.step("finish");
  assert.equal(recorder.state, "paused");
  storage.isDown = false;
  await clock.advance("20s");
  await recorder.step("finish");
  assert.equal(recorder.state, "inactive");
  assert.equal(recorder.failure, null);
  assert.equal(store.workouts[0].duration, 20_000);
  assert.equal(storage.values.get("workouts").length, 1);
});

test("without permission to store, the page says that it keeps workouts only while it is open (B16)", async () => {
  await permissions.deny("storage");
  await sensors.play("walk");
  await openPage();
  assert.match(text("message"), /Workouts are kept only until this page is closed/);
  await step("start", "20s");
  await step("finish");
  assert.equal(document.querySelectorAll("#list li").length, 1);
});

test("a stored workout that is damaged is not continued (B16)", () => {
  for (const wrong of [undefined, 7, {}, { ...workout("x"), state: "active" }, { ...workout("x"), state: "flying", spans: [1] }]) {
    assert.equal(continued(wrong ?? null), null);
  }
});

// --- The health store: with an object that follows docs/health.md -------------------------------

class NotAllowed extends Error {
  name = "NotAllowedError";
}

/** The health store of the contract, as far as the app uses it. */
class StandInHealth {
  objects = [];
  constructor(denied = []) {
    this.denied = new Set(denied);
  }
  permissions = {
    query: async ({ name, type, access }) => {
      if (name !== "health" || access !== "write") throw new TypeError("unknown privilege");
      return { state: this.denied.has(type) ? "denied" : "granted" };
    },
  };
  activityOf(label) {
    switch (label) {
      case "running": return { activity: "running", distance: "distance-walking-running" };
      case "cycling": return { activity: "cycling", distance: "distance-cycling" };
      case "driving": return { activity: "driving", distance: undefined };
      case "stationary": return { activity: "other", distance: undefined };
      default: return { activity: "walking", distance: "distance-walking-running" };
    }
  }
  async saveWorkout({ activity, start, end, duration = end - start, samples = [], key }) {
    for (const type of ["workout", ...samples.map(({ type }) => type)]) {
      if (this.denied.has(type)) throw new NotAllowed(`health:${type}:write`);
    }
    if (samples.some(({ start: from, end: to }) => from < start || to > end) || duration > end - start) {
      throw Object.assign(new Error("outside of the workout"), { name: "DataError", problem: "invalid-health-data" });
    }
    const known = this.objects.find((one) => one.key === key);
    if (known !== undefined) return known;
    const id = `h${this.objects.length}`;
    const totals = Object.fromEntries(samples.map(({ type, value }) => [type, value]));
    const distance = totals["distance-walking-running"] ?? totals["distance-cycling"];
    this.objects.push({ id, type: "workout", activity, start, end, duration, own: true, key, totals, distance, floors: totals["flights-climbed"] });
    // After the workout, with it as parent.
    for (const one of samples) this.objects.push({ ...one, workout: id });
    return this.objects.find((one) => one.id === id);
  }
  async workouts({ from = clock.now() - 604_800_000, to = Infinity, limit = 10 } = {}) {
    return this.objects.filter(({ type, start }) => type === "workout" && start >= from && start < to)
      .sort((left, right) => right.start - left.start).slice(0, limit);
  }
  async remove(id) {
    this.objects = this.objects.filter((one) => one.id !== id && one.workout !== id);
  }
}
const save = (store, one) => health.save(one, { health: store, permissions: store.permissions });

test("the workout is saved first, then its samples with it (B30)", async () => {
  const store = new StandInHealth();
  assert.deepEqual(await save(store, done({ label: "running", floors: 3 })), { state: "saved", without: [] });
  assert.deepEqual(store.objects.map(({ type, value }) => [type, value]),
    [["workout", undefined], ["steps", 140], ["flights-climbed", 3], ["distance-walking-running", 100]]);
  assert.ok(store.objects.slice(1).every(({ workout }) => workout === "h0"));
});

test("a workout is saved once, however often it is tried (B26, D12)", async () => {
  const store = new StandInHealth();
  await save(store, done());
  await save(store, done());
  assert.equal(store.objects.filter(({ type }) => type === "workout").length, 1);
});

test("types that may not be written are left out, and without the workout nothing is saved (B27, B28)", async () => {
  const some = new StandInHealth(["steps"]);
  assert.deepEqual(await save(some, done()), { state: "saved", without: ["steps"] });
  assert.deepEqual(some.objects.map(({ type }) => type), ["workout", "flights-climbed", "distance-walking-running"]);
  const none = new StandInHealth(["workout"]);
  assert.deepEqual(await save(none, done()), { state: "denied" });
  assert.deepEqual(none.objects, []);
  // Decided differently later: the same call asks again.
  none.denied.clear();
  assert.equal((await save(none, done())).state, "saved");
});

test("what is not known is not saved as zero (B29)", async () => {
  const store = new StandInHealth();
  await save(store, done({ steps: null, floors: null, distance: null }));
  assert.deepEqual(store.objects.map(({ type }) => type), ["workout"]);
});

test("activities are mapped as the store says, and driving is no walk (B31, mistake 9)", async () => {
  const expected = {
    running: ["running", "distance-walking-running"], cycling: ["cycling", "distance-cycling"],
    walking: ["walking", "distance-walking-running"], unknown: ["walking", "distance-walking-running"],
    driving: ["driving", undefined], stationary: ["other", undefined],
  };
  assert.deepEqual(Object.keys(expected).sort(), [...LABELS].sort());
  for (const [label, [activity, distance]] of Object.entries(expected)) {
    const store = new StandInHealth();
    await save(store, done({ label, steps: null, floors: null }));
    assert.equal(store.objects[0].activity, activity);
    assert.equal(store.objects[1]?.type, distance);
  }
});

test("workouts of other apps are in the history, and one's own keep their way and steps (B26, B32, mistake 9)", async () => {
  const store = new StandInHealth();
  const own = done({ start: clock.now() - 60_000, end: clock.now() });
  await save(store, own);
  store.objects.push({ id: "hx", type: "workout", activity: "swimming", start: clock.now() - 90_000, end: clock.now() - 80_000,
    duration: 10_000, own: false, totals: { "distance-swimming": 400 }, distance: 400 });
  const found = await health.others([own], { health: store });
  assert.deepEqual(found.map(({ id, label, distance, steps }) => [id, label, distance, steps]), [["health-hx", "swimming", 400, null]]);
  assert.equal(own.steps, 140);
  await health.remove(own, { health: store });
  assert.deepEqual(store.objects.map(({ id }) => id), ["hx"]);
});

test("without a health store, or when reading it fails, the history is the app's own (B26)", async () => {
  assert.deepEqual(await health.save(done(), { health: undefined, permissions: null }), { state: "missing" });
  assert.deepEqual(await health.others([], { health: undefined }), []);
  const refusing = { workouts: () => Promise.reject(new NotAllowed("denied")) };
  assert.deepEqual(await health.others([], { health: refusing }), []);
  const failing = new StandInHealth();
  failing.saveWorkout = () => Promise.reject(new TypeError("Failed to fetch"));
  assert.equal((await save(failing, done())).state, "failed");
});

test("the manifest has a different purpose for each privilege (B27, mistake 10)", async () => {
  const manifest = await (await fetch("package.json")).json();
  const reasons = manifest.privileges.map(({ reason }) => reason);
  assert.ok(reasons.every((reason) => reason.length > 10));
  assert.equal(new Set(reasons).size, reasons.length);
});

// --- History ------------------------------------------------------------------------------------

test("the last 604 800 s, the newest first, at most ten; older ones page by page (B32)", () => {
  const now = 1_767_600_000_000, week = 604_800_000;
  const ages = [week - 1000, week, week + 1000, ...Array.from({ length: 9 }, (_, at) => at * 3_600_000)];
  const all = ages.map((age) => done({ id: `age-${age}`, start: now - age, end: now - age + 1000 }));
  const shown = lastWeek(all, now);
  assert.equal(shown.length, 10);
  assert.deepEqual(shown.map(({ start }) => start), [...shown.map(({ start }) => start)].sort((left, right) => right - left));
  assert.equal(shown[0].start, now);
  assert.deepEqual(lastWeek(all.slice(0, 3), now).map(({ start }) => now - start), [week - 1000, week]);
  assert.deepEqual(older(all, shown).map(({ start }) => now - start), [week, week + 1000]);
});

test("the rows of the history (B33)", async () => {
  const one = done({ start: new Date(2026, 10, 22, 10, 24).getTime(), label: "running", duration: 2_102_000, distance: 5200.4, floors: 12 });
  assert.equal(titleText(one), "2026-11-22 10:24 | running | 35 min 2 secs");
  assert.equal(detailText(one), "5200 m | 12 floors");
  assert.equal(detailText({ distance: null, floors: null }), "0 m | 0 floors");
  const store = new Store();
  await store.load();
  await store.add(done({ start: clock.now() - 600_000, end: clock.now(), steps: 6100 }), []);
  await openPage();
  const [row] = document.querySelectorAll("#list li");
  assert.match(row.textContent, /^2026-01-05 07:50 \| walking \| 10 min 0 secs100 m \| 0 floors \| 6100 steps$/);
  assert.equal(row.querySelector(".icon").getAttribute("data-icon"), "walking");
});

test("the picture of the week has a bar for each day (B32)", async () => {
  const now = new Date(2026, 0, 8, 12).getTime();
  const week = days([done({ start: now, duration: 1_800_000 }), done({ start: now - 3 * 86_400_000, duration: 600_000 }),
    done({ start: now - 9 * 86_400_000 })], now);
  assert.deepEqual(week.map(({ minutes }) => minutes), [0, 0, 0, 10, 0, 0, 30]);
  await openPage();
  assert.equal(document.querySelectorAll("#days .bar").length, 7);
  assert.match(byId("days").getAttribute("aria-label"), /Mon 0 min/);
});

test("rows beyond the week are shown when asked for (B32)", async () => {
  const store = new Store();
  await store.load();
  for (let at = 1; at <= 12; at++) await store.add(done({ id: `w${at}`, start: clock.now() - at * 86_400_000 }), []);
  await openPage();
  assert.equal(document.querySelectorAll("#list li").length, 7);
  byId("older").click();
  assert.equal(document.querySelectorAll("#list li").length, 12);
  assert.equal(byId("older").hidden, true);
});

// --- The small page, and without a page ---------------------------------------------------------

test("the history comes first on a small page, and its rows are 50 px high (D11)", async () => {
  await openPage();
  assert.equal(byId("views").dataset.view, "history");
  assert.equal(document.querySelector("nav button").dataset.show, "history");
  const store = new Store();
  await store.load();
  await store.add(done({ start: clock.now() }), []);
  document.dispatchEvent(new Event("visibilitychange"));
  assert.equal(document.querySelector("#views > section").id, "history");
  const sheet = [...document.styleSheets].flatMap(({ cssRules }) => [...cssRules]);
  assert.equal(sheet.find(({ selectorText }) => selectorText === ".list button").style.minHeight, "50px");
});

test("a headless run prints the week, and the workout that is recorded each second (D11, D13)", async () => {
  await sensors.play("walk");
  const { recorder } = recording();
  const store = new Store();
  await store.load();
  await store.add(done({ start: clock.now() - 60_000, end: clock.now() }), []);
  await recorder.step("start");
  await clock.advance("5s");
  const { lines } = await app.run("3s");
  const texts = lines.map(({ text }) => text);
  assert.ok(texts.some((line) => line.includes("walking | 1 min 0 secs\n  100 m | 0 floors")), texts.join("\n"));
  const live = texts.filter((line) => /^0 min \d+ secs \| \d+\.\d\dm \| \d+ steps \| \d+ floors$/.test(line));
  assert.equal(live.length, 3);
});

test("the page and the headless run share recorder and storage (D13)", async () => {
  const { recorder } = recording();
  await recorder.step("start");
  await clock.advance("5s");
  await openPage();
  assert.equal(text("state"), "Recording");
  await step("finish");
  await recorder.refresh();
  assert.equal(recorder.state, "inactive");
});

test("the menu of the history begins a workout, and Escape or q leaves the view while it goes on (D14)", async () => {
  await openPage();
  const open = new MouseEvent("contextmenu", { bubbles: true, cancelable: true, clientX: 10, clientY: 10 });
  byId("list").dispatchEvent(open);
  assert.equal(open.defaultPrevented, true);
  assert.equal(byId("menu").hidden, false);
  document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
  assert.equal(byId("menu").hidden, true);
  byId("list").dispatchEvent(new MouseEvent("contextmenu", { bubbles: true, cancelable: true }));
  byId("menu-new").click();
  assert.equal(byId("views").dataset.view, "record");
  assert.equal(byId("menu").hidden, true);
  await step("start", "2s");
  document.dispatchEvent(new KeyboardEvent("keydown", { key: "q", bubbles: true }));
  assert.equal(byId("views").dataset.view, "history");
  assert.equal(text("state"), "Recording");
});

test("what is kept of a workout (B16)", () => {
  const one = workout("x");
  begin(one, 1000);
  end(one, 500);
  const kept = summary(one);
  assert.deepEqual([kept.start, kept.end, kept.label, kept.distance, kept.steps], [1000, 1000, "unknown", null, null]);
});
