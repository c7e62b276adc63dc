// The health store, with an object that follows docs/health.md.

import { LABELS } from "./activity.js";
import * as health from "./health.js";
import { NotAllowed, StandInHealth, done, save } from "./stand-ins.js";

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
