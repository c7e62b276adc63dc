// The page, as a person uses it.

import { altitudeAt } from "./counters.js";
import { parse, plist } from "./files.js";
import { byId, done, isNear, north, openPage, recording, step, text } from "./stand-ins.js";
import { Store, listOf } from "./store.js";
import { detailText, titleText } from "./texts.js";
import { days } from "./week.js";

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

test("the map shows the last workout, or the one that is chosen (B17)", async () => {
  const store = new Store();
  await store.load();
  await store.add(done({ id: "old", start: clock.now() - 7_200_000 }), [north(12, 4)]);
  await store.add(done({ id: "new", start: clock.now() - 3_600_000 }), [north(12, 9)]);
  await openPage();
  document.querySelector('[data-show="map"]').click();
  await clock.advance("1ms");
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
  document.querySelector('[data-show="map"]').click();
  await clock.advance("1ms");
  byId("delete").click();
  assert.equal((await nervous.storage.get("workouts")).length, 1);
  byId("delete-now").click();
  await clock.advance("1s");
  assert.deepEqual(await nervous.storage.get("workouts"), []);
  assert.equal(await nervous.storage.get("route-only"), undefined);
  assert.match(text("empty"), /No workouts yet/);
});

test("the page says which sensors are missing, and what is missing without them (B19)", async () => {
  await permissions.deny("sensor:steps");
  await openPage();
  await step("start", "2s");
  assert.match(text("problems"), /activity: Not on this machine/);
  assert.match(text("problems"), /steps: Denied – no steps\. To change it: nervous permissions grant workouts sensor:steps/);
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

test("without permission to store, the page says that it keeps workouts only while it is open (B16)", async () => {
  await permissions.deny("storage");
  await sensors.play("walk");
  await openPage();
  assert.match(text("message"), /Workouts are kept only until this page is closed/);
  await step("start", "20s");
  await step("finish");
  assert.equal(document.querySelectorAll("#list li").length, 1);
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

test("all workouts are saved as a property list, and one as GPX (B16)", async () => {
  const store = new Store();
  await store.load();
  await store.add(done({ id: "one", start: clock.now() - 120_000 }), [north(12, 4)]);
  await store.add(done({ id: "two", start: clock.now() - 60_000, label: "running" }), [north(12, 7)]);
  await openPage();
  // The function that is replaced below is there only after its first use.
  URL.revokeObjectURL(URL.createObjectURL(new Blob([])));
  /** What the page saves when a button is pressed. */
  const saved = async (button) => {
    const create = URL.createObjectURL, blobs = [];
    URL.createObjectURL = (blob) => {
      blobs.push(blob);
      return create.call(URL, blob);
    };
    byId(button).click();
    await clock.advance("1s");
    URL.createObjectURL = create;
    assert.equal(blobs.length, 1);
    return parse(await blobs[0].text());
  };
  const all = await saved("save-all");
  assert.match(text("report"), /Saved workouts\.plist/);
  assert.deepEqual(all.map(({ workout, segments }) => [workout.id, workout.label, segments.flat().length]),
    [["one", "walking", 4], ["two", "running", 7]]);
  document.querySelector('[data-id="one"]').click();
  const [one] = await saved("save-gpx");
  assert.match(text("report"), /Saved walking-2026-01-05T07-58-00Z\.gpx/);
  assert.equal(one.segments.flat().length, 4);
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
