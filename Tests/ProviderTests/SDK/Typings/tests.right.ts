// Every global of a test, used as intended.
/// <reference path="nervous-test.d.ts" />
test("it counts", async () => {
  await sensors.set("battery", { level: 5, status: "discharging" });
  await sensors.reset("battery");
  await sensors.play("walk");
  await permissions.allow("sensor:cpu");
  await permissions.deny("storage");
  await permissions.statistics("sensor:load");
  await health.set("height", 1.78);
  await health.unset("height");
  await health.add({ type: "heart-rate", value: 61 });
  await health.addWorkout({ activity: "running", start: 0, end: 1, samples: [{ type: "steps", value: 9 }] });
  await app.start();
  const { lines, errors, exit, published, notifications, calls } = await app.run("10s");
  assert.equal(lines[0]?.text.length, 5);
  assert(errors.length === 0 && exit !== 1, "it goes on");
  assert.match(lines[0]!.text, /x/);
  assert.deepEqual(published["visitors"], []);
  assert.ok(calls.every(({ status, t }) => status === 200 && t <= clock.now()));
  assert.notEqual(notifications.length, 1);
  await clock.advance(500);
  const { message } = assert.throws(() => JSON.parse("{"), SyntaxError);
  await assert.rejects(async () => { throw new Error(message); }, { message });
  const text: string = (await app.result()).lines.map((line) => line.level).join();
  if (text === "") assert.fail();
});
test.skip("later");
