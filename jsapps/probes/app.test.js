import { fetchAll, fetchSingle, archives, line, stored } from "./records.js";
import { intervalOf, parseInterval, thinning } from "./intervals.js";
import { batteryState, plane, viewerOf } from "./viewers.js";

const text = (id) => document.getElementById(id).textContent;
const rows = () => document.querySelectorAll("#samples tbody tr");
const choose = async (id) => {
  document.querySelector(`[data-sensor="${id}"]`).click();
  await clock.advance("1s");
};

test("F27: a viewer is found by the kind of the sensor, and a table is the fallback", () => {
  assert.equal(viewerOf({ id: "accelerometer.phone" }).name, "viz-accelerometer");
  assert.equal(viewerOf({ id: "location" }).name, "viz-location");
  assert.equal(viewerOf({ id: "network.eth0" }).name, "table");
  assert.equal(viewerOf({ id: "constructor" }).name, "table");
});

test("F27: each simulated sensor is shown by its viewer", async () => {
  await app.start();
  await app.run("3s");
  for (const { id } of await nervous.sensors()) {
    await choose(id);
    assert.equal(document.querySelectorAll("#viewer .notice").length, 0, id);
    assert.ok(document.getElementById("viewer").childElementCount > 0, id);
  }
});

test("F5: the map draws the way of a walk", async () => {
  await sensors.play("walk");
  await app.start();
  await app.run("10s");
  await choose("location");
  await clock.advance("10s");
  const points = document.querySelector("#viewer .way").getAttribute("points").split(" ");
  const { length } = await nervous.sensor("location").samples({ from: 0, limit: 1000 });
  assert.equal(points.length, length);
  assert.match(text("viewer"), /± \d+ m/);
});

test("F5: the plane has metres, also across the antimeridian", () => {
  const [, { x, y }] = plane([{ latitude: 0, longitude: 179.999 }, { latitude: 0.001, longitude: -179.999 }]);
  assert.ok(Math.abs(x - 222.39) < 0.1 && Math.abs(y - 111.195) < 0.01, `${x} ${y}`);
});

test("F16: a record has the sensor and the time in milliseconds, one a line", async () => {
  await clock.advance("3s");
  const [sample] = await nervous.sensor("battery").samples({ from: 0, limit: 1 });
  const record = line("battery", sample);
  assert.ok(!record.includes("\n"));
  const { sensor, t, ...fields } = JSON.parse(record);
  assert.equal(sensor, "battery");
  assert.equal(t, sample.t);
  assert.deepEqual(Object.keys(fields).sort(), (await nervous.sensor("battery").describe()).fields.map(({ name }) => name).sort());
});

test("F17: a file ends before the line that exceeds the limit, and names have 24 hours and are unique", () => {
  const t = Date.UTC(2026, 0, 5, 14, 23, 21);
  const samples = [0, 1, 2].map(() => ({ t, x: 1 }));
  const bytes = line("cpu", samples[0]).length + 1;
  assert.equal(archives("cpu", samples, 3 * bytes).length, 1);
  assert.deepEqual(archives("cpu", samples, 3 * bytes - 1).map(({ text }) => text.split("\n").length - 1), [2, 1]);
  assert.deepEqual(archives("cpu", samples, 1).map(({ name }) => name), [
    "cpu-2026-01-05T14-23-21.000Z.ndjson", "cpu-2026-01-05T14-23-21.000Z-2.ndjson", "cpu-2026-01-05T14-23-21.000Z-3.ndjson"]);
  assert.deepEqual(archives("cpu", [], 100), []);
  // Sizes are bytes, not characters.
  assert.equal(archives("cpu", [{ t, s: "ä" }, { t, s: "ä" }], 2 * line("cpu", { t, s: "ä" }).length + 2).length, 2);
});

test("F18: a sensor that is denied shows none of its samples", async () => {
  await permissions.deny("sensor:cpu");
  await app.start();
  await app.run("3s");
  await choose("cpu");
  await clock.advance("10s");
  assert.equal(rows().length, 0);
  assert.match(text("viewer"), /^⊘ Denied/);
  assert.match(text("viewer"), /Ask the owner to allow sensor:cpu/);
});

test("F18: samples stop when the sensor is denied while it is shown", async () => {
  await app.start();
  await app.run("3s");
  await choose("cpu");
  await permissions.deny("sensor:cpu");
  await clock.advance("10s");
  assert.match(text("viewer"), /Denied/);
});

test("F26: the status has the values of the store", async () => {
  await app.start();
  await app.run("10s");
  await choose("memory");
  const samples = await nervous.sensor("memory").samples({ from: 0, limit: 10_000 });
  const { count, length } = await stored(await nervous.sensor("memory").describe());
  assert.equal(count, samples.length);
  assert.equal(length, samples.at(-1).t - samples[0].t);
  assert.match(text("status"), /Sensors running\d+ of \d+Samples stored\d+Over\d+ s/);
});

test("F28: a sample is on top of the list within a second, and its detail can be shown", async () => {
  await app.start();
  await app.run("2s");
  await choose("temperature");
  const { fields } = await nervous.sensor("temperature").describe();
  await sensors.set("temperature", { [fields[0].name]: 61.25 });
  const before = rows().length;
  await clock.advance("1s");
  assert.ok(rows().length > before);
  assert.match(rows()[0].textContent, /61\.25/);
  rows()[0].querySelector("button").click();
  await clock.advance("1s");
  assert.equal(document.getElementById("detail").hidden, false);
  assert.match(text("fields"), /sensortemperature/);
  assert.match(text("fields"), /61\.25/);
});

test("F28: a new sample does not take the focus from the row that has it", async () => {
  await app.start();
  await app.run("2s");
  await choose("load");
  const t = rows()[0].querySelector("button").getAttribute("data-t");
  rows()[0].querySelector("button").focus();
  await clock.advance("3s");
  assert.notEqual(rows()[0].querySelector("button").getAttribute("data-t"), t);
  assert.equal(document.activeElement.getAttribute("data-t"), t);
});

test("F28: older samples come page by page, and the last page says so", async () => {
  await clock.advance("25s");
  await app.start();
  await app.run("1s");
  await choose("load");
  document.getElementById("pause").click();
  const total = (await nervous.sensor("load").samples({ from: 0, limit: 1000 })).length;
  for (let at = 0; at < 10 && !document.getElementById("older").disabled; at++) {
    document.getElementById("older").click();
    await clock.advance("1ms");
  }
  const times = [...rows()].map((row) => row.querySelector("td").textContent);
  assert.ok(times.length >= total - 1 && times.length <= total + 1, `${times.length} of ${total}`);
  assert.deepEqual(times, [...times].sort().reverse());
  assert.equal(text("loading"), "There are no older samples.");
});

test("F29: nothing about samples is printed, and messages for developers name their origin", async () => {
  await nervous.storage.set("debug", true);
  await sensors.set("cpu", { busy: 87.65 });
  await app.start();
  await app.run("5s");
  await choose("cpu");
  const { lines } = await app.result();
  assert.ok(lines.some(({ text }) => text.startsWith("probes/viewer: ")));
  assert.ok(lines.every(({ text }) => !text.includes("87.65")));
});

test("F29: without the setting there are no messages for developers", async () => {
  await app.start();
  await app.run("5s");
  const { lines } = await app.result();
  assert.ok(lines.every(({ text }) => !text.startsWith("probes/")));
});

test("F30: all samples and a single one are fetched", async () => {
  await clock.advance("20s");
  const all = await nervous.sensor("accelerometer").samples({ from: 0, limit: 10_000 });
  // Pages that are smaller than the result lose and repeat nothing.
  assert.deepEqual(await fetchAll("accelerometer", { page: 7, to: all.at(-1).t + 0.001 }), all);
  const middle = all[Math.floor(all.length / 2)];
  assert.deepEqual(await fetchSingle("accelerometer", middle.t), middle);
  assert.equal(await fetchSingle("accelerometer", middle.t + 0.5), undefined);
});

test("F30: each test has a storage of its own", async () => {
  assert.deepEqual(await nervous.storage.keys(), []);
});

test("F26: an interval that is set beats the default; what is no interval changes nothing", async () => {
  assert.equal(intervalOf({ cpu: 5000 }, "cpu"), 5000);
  assert.equal(intervalOf({}, "cpu"), 0);
  assert.equal(intervalOf({ cpu: "fast" }, "cpu"), 0);
  assert.equal(parseInterval("2,5"), 2500);
  assert.equal(parseInterval(""), null);
  for (const wrong of ["-1", "0", "NaN", "1e9", "x", "0.01"]) assert.equal(parseInterval(wrong), undefined, wrong);
  const isDue = thinning(1000);
  assert.deepEqual([0, 500, 999, 1000, 1500, 2000, 100, 600].map((t) => isDue({ t })),
    [true, false, false, true, false, true, true, false]);
});

test("F26: the interval of the page is kept and used", async () => {
  await app.start();
  await app.run("2s");
  await choose("accelerometer");
  const form = document.getElementById("interval-form");
  document.getElementById("interval").value = "soon";
  form.dispatchEvent(new Event("submit", { cancelable: true }));
  await clock.advance("1s");
  assert.match(text("interval-note"), /has not changed/);
  document.getElementById("interval").value = "2";
  form.dispatchEvent(new Event("submit", { cancelable: true }));
  await clock.advance("1s");
  assert.deepEqual(await nervous.storage.get("intervals"), { accelerometer: 2000 });
  const before = rows().length;
  await clock.advance("10s");
  assert.equal(rows().length - before, 5);
});

test("F27: states of batteries have names", () => {
  assert.deepEqual(["charging", "Discharging", "full", "x"].map(batteryState), ["Charging", "Unplugged", "Full", "Unknown"]);
});

test("F26: without any permission the page says what to do", async () => {
  for (const { privilege } of await nervous.permissions.list()) await permissions.deny(privilege);
  await app.start();
  await app.run("5s");
  const isNamed = text("message").includes("No sensor is allowed") || text("viewer").includes("Denied");
  assert.ok(isNamed, text("message") + text("viewer"));
});
