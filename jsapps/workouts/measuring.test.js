// What is measured, without the host: clock, route, steps, floors, altitude, activity, and the week.

import { LABELS, activity, activityText, forget, prevailing, takeActivity } from "./activity.js";
import { ascent, breakAscent, climb, rebase, steps, takePressure, takeSteps } from "./counters.js";
import { after, buttons } from "./machine.js";
import { draw, netOf, plane } from "./map.js";
import * as routes from "./route.js";
import { done, isNear, north } from "./stand-ins.js";
import { durationText, read, restored, run, stop, stopwatch } from "./stopwatch.js";
import { altitudeText, motionText, paceText, totalsText } from "./texts.js";
import { lastWeek, older } from "./week.js";
import { begin, reading, take, workout } from "./workout.js";

const svg = () => document.createElementNS("http://www.w3.org/2000/svg", "svg");

const walked = (samples) => {
  const counter = steps();
  for (const one of samples) one === "pause" ? rebase(counter) : takeSteps(counter, one);
  return counter.total;
};

const routeOf = (...parts) => {
  const route = routes.route();
  for (const fixes of parts) {
    routes.begin(route);
    for (const fix of fixes) routes.take(route, fix);
  }
  return route;
};

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

test("a pause has no line and no distance (mistake 5)", () => {
  const one = routeOf(north(12, 20)), far = north(12, 20, { t: 100_000, latitude: 47.5 });
  const both = routeOf(north(12, 20), far);
  assert.equal(both.segments.length, 2);
  isNear(both.metres, 2 * one.metres, 0.1);
  isNear(routes.lengthOf(both.segments), both.metres, 1e-6);
  // The first point after the pause is at the place of the resumption, not the last one before.
  assert.ok(both.segments[1][0].latitude > 47.4);
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
