// The health store, with an object that follows docs/health.md.

import { LABELS } from "./activity.js";
import * as health from "./health.js";
import { NotAllowed, StandInHealth, done, openPage, save, step, text } from "./stand-ins.js";

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
  // Other types are allowed meanwhile.
  store.denied.add("steps");
  assert.equal((await save(store, done())).state, "saved");
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

test("only what is not decided is asked for, before saving (B28)", async () => {
  const store = new StandInHealth([], ["steps"]);
  assert.deepEqual(await save(store, done()), { state: "saved", without: [] });
  assert.deepEqual(store.asked, ["steps"]);
  await save(store, done({ start: clock.now() }));
  assert.deepEqual(store.asked, ["steps"]);
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
  assert.deepEqual(await health.save(done(), { health: null, permissions: null }), { state: "missing" });
  assert.deepEqual(await health.others([], { health: null }), []);
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

// --- With the store of the test host ------------------------------------------------------------

/** A minute of walking on the page. */
const walk = async () => {
  await sensors.play("walk");
  await openPage();
  await step("start", "70s");
  await step("finish", "1s");
  const [kept] = await nervous.storage.get("workouts");
  return kept;
};

test("a finished workout is in the health store, with what was measured (B26, B30, B32)", async () => {
  const kept = await walk();
  const [{ key, start, end, duration, totals, distance, text: texts }] = await nervous.health.workouts();
  assert.deepEqual([key, start, end, duration], [kept.id, kept.start, kept.end, kept.duration]);
  assert.equal(totals.steps, kept.steps);
  assert.ok(Math.abs(distance - kept.distance) < 0.001);
  assert.equal(texts.detail, `${kept.distance.toFixed(0)} m | ${kept.floors} floors`);
  assert.equal(text("health"), "Saved in the health store.");
  assert.equal(document.querySelectorAll("#list li").length, 1);
});

test("a type that is denied is left out of the health store, and named (B27)", async () => {
  await permissions.deny("health:steps:write");
  await walk();
  const [{ totals }] = await nervous.health.workouts();
  assert.equal("steps" in totals, false);
  assert.match(text("health"), /without steps/);
});

test("a denied workout is kept here, and saved when it is allowed (B28, D12)", async () => {
  await permissions.deny("health:workout:write");
  const kept = await walk();
  assert.deepEqual(await nervous.health.workouts(), []);
  assert.match(text("health"), /Kept here only/);
  await permissions.allow("health:workout:write");
  assert.equal((await health.save(kept)).state, "saved");
  assert.equal((await nervous.health.workouts())[0].key, kept.id);
});

test("a workout of another app is in the week (B26, B32)", async () => {
  const start = clock.now() - 3_600_000;
  await globalThis.health.addWorkout({ activity: "swimming", start, end: start + 1_800_000,
    samples: [{ type: "distance-swimming", value: 1000 }] });
  await openPage();
  assert.match(text("list"), /swimming \| 30 min 0 secs/);
  assert.match(text("list"), /from the health store/);
});

test("a workout that is deleted is deleted in the health store (B26)", async () => {
  await walk();
  document.querySelector('[data-show="map"]').click();
  await clock.advance("1ms");
  document.getElementById("delete-now").click();
  await clock.advance("1s");
  assert.deepEqual(await nervous.health.workouts(), []);
});
