// A workout from start to finish, with the sensors and the storage of the test host or in place of them.

import { StandInStorage, isNear, recording, standIns } from "./stand-ins.js";
import { motionText } from "./texts.js";

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

test("a page that opens during a workout continues it, and misses nothing (B16, D12)", async () => {
  await sensors.play("walk");
  const open = recording();
  await open.recorder.step("start");
  await clock.advance("70s");
  await open.recorder.tick();
  await clock.advance("25s");
  // Another page opens 25 s after the workout was stored, and sees what the first one saw.
  const reloaded = recording();
  await reloaded.recorder.open();
  assert.equal(reloaded.recorder.state, "active");
  assert.equal(reloaded.recorder.elapsed, 95_000);
  await clock.advance("20s");
  assert.deepEqual(reloaded.recorder.reading, open.recorder.reading);
  assert.deepEqual(reloaded.recorder.segments, open.recorder.segments);
});

test("while the host does not answer a workout goes on, and is stored when it answers (D12)", async () => {
  const storage = new StandInStorage();
  const { recorder, store } = recording({ storage });
  await recorder.step("start");
  storage.isDown = true;
  await clock.advance("70s");
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
  assert.equal(store.workouts[0].duration, 70_000);
  assert.equal(storage.values.get("workouts").length, 1);
});
