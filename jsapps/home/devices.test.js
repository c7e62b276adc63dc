import { Home } from "./home.js";
import { mount } from "./page.js";
import { buttonText, released, reportOf, STATES, step } from "./link.js";
import { Leases } from "./leases.js";
import { chargeOf, doorState, batteryLevel, lockState, quantityText } from "./readings.js";
import { climate, iotDoor, serialDoor, TestDevice, withDevices } from "./test-devices.js";

const card = (id) => document.querySelector(`[data-sensor="${id}"]`);
const state = (id, tile) => card(id).querySelector(`.tile-${tile}`).getAttribute("data-state");
const button = (id) => card(id).querySelector("button");
const page = (sdk, options) => mount(sdk, { pollEvery: 500, ...options });
const start = async (sdk, options = {}) => {
  const home = new Home(sdk, { pollEvery: 500, ...options });
  await home.start();
  return home;
};

test("low is an open door and high a closed one, polled or sent (C1)", () => {
  assert.deepEqual([0, 1, "0", "1", "open", "closed", "", undefined, 2].map(doorState),
    ["open", "closed", "open", "closed", "open", "closed", "unknown", "unknown", "unknown"]);
});

test("the lines of a serial door are shown: lock, contact and battery; a part that was never sent is unknown (C2)", async () => {
  const door = serialDoor();
  door.send({ lock: "locked", door: "unknown", battery: -1 });
  await page(withDevices(nervous, door));
  await clock.advance("1s");
  assert.match(card("door.front").textContent, /LockLockedDoorUnknownBattery–/);
  door.send({ door: "open", battery: 97.7 });
  await clock.advance("1s");
  assert.match(card("door.front").textContent, /LockLockedDoorOpenBattery98 %/);
});

test("counts of a 12-bit converter are a charge of 0 to 100 %, with a divisor that can be set (C3, mistake 13)", () => {
  // (4095/4095 · 2 · 3.3 · 1.1) · 100 / 4.3 = 168.837 %
  assert.equal(chargeOf(4095), 100);
  assert.ok(Math.abs(chargeOf(2000) - 82.4596) < 0.001, `${chargeOf(2000)}`);
  assert.ok(Math.abs(chargeOf(2000, 4.2) - 84.4230) < 0.001, `${chargeOf(2000, 4.2)}`);
  assert.equal(chargeOf(0), 0);
  assert.equal(chargeOf(-5), 0);
  assert.equal(batteryLevel(168.8, "%"), 100);
  assert.equal(batteryLevel(-1, "%"), undefined);
  assert.ok(Math.abs(batteryLevel(2000, "1") - 82.4596) < 0.001);
});

test("a port that died is disconnected and says why, and recovers (C4)", async () => {
  const door = serialDoor();
  door.send({ lock: "locked", door: "closed", battery: 80 });
  await page(withDevices(nervous, door));
  await clock.advance("1s");
  door.report("disconnected", "/dev/ttyUSB0 has disappeared.");
  await clock.advance("1s");
  assert.equal(state("door.front", "link"), "disconnected");
  assert.ok(card("door.front").classList.contains("stale"));
  assert.match(card("door.front").textContent, /Stale: disconnected, last update \d+ s ago/);
  door.report("connecting");
  await clock.advance("1s");
  assert.equal(state("door.front", "link"), "connecting");
  door.report("connected");
  await clock.advance("1s");
  assert.equal(state("door.front", "link"), "connected");
  assert.ok(!card("door.front").classList.contains("stale"));
});

test("the tiles of door and link follow within a second (C5)", async () => {
  const door = serialDoor();
  door.send({ lock: "locked", door: "closed", battery: 80 });
  await page(withDevices(nervous, door));
  await clock.advance("1s");
  for (const [at, contact] of ["open", "closed", "open"].entries()) {
    door.send({ door: contact });
    door.report(at % 2 === 0 ? "scanning" : "connected");
    await clock.advance("999ms");
    assert.equal(state("door.front", "door"), contact);
    assert.equal(state("door.front", "link"), at % 2 === 0 ? "scanning" : "connected");
  }
});

test("a link has five states and one button; a second connect does nothing (C10)", () => {
  assert.deepEqual(STATES, ["unknown", "scanning", "connecting", "connected", "disconnected"]);
  const events = { connect: { kind: "connect" }, release: { kind: "release" } };
  for (const name of STATES) events[name] = { kind: "report", state: name };
  const held = (name) => ({ isHeld: true, state: name, problem: null });
  const table = [
    [released, "connect", "connecting", ["follow"], true], [released, "release", "unknown", [], false],
    [held("connected"), "connect", "connected", [], true], [held("scanning"), "connect", "scanning", [], true],
    [{ isHeld: false, state: "disconnected", problem: null }, "connect", "connecting", ["follow"], true],
    ...STATES.map((name) => [held(name), "release", "disconnected", ["leave"], false]),
    ...STATES.flatMap((from) => STATES.map((to) => [held(from), to, to, [], true])),
    ...STATES.map((name) => [released, name, "unknown", [], false]),
  ];
  for (const [link, event, expected, actions, isHeld] of table) {
    const next = step(link, events[event]);
    assert.deepEqual([next.link.state, next.actions, next.link.isHeld], [expected, actions, isHeld], `${link.state} ${event}`);
  }
  assert.equal(step(held("connected"), { kind: "report", state: "paired" }).link.state, "unknown");
  assert.throws(() => step(released, { kind: "x" }), TypeError);
  assert.deepEqual([released, held("connected"), held("scanning")].map(buttonText), ["Connect", "Disconnect", "Stop connecting"]);
});

test("the one button releases and connects, and keeps the focus (C10)", async () => {
  const door = iotDoor();
  door.send({ lock: "locked", battery: 80 });
  await page(withDevices(nervous, door));
  await clock.advance("1s");
  assert.equal(button("door.front").textContent, "Disconnect");
  const { readers } = door;
  button("door.front").focus();
  button("door.front").click();
  await clock.advance("1s");
  assert.equal(button("door.front").textContent, "Connect");
  assert.equal(door.readers, 0);
  assert.equal(document.activeElement, button("door.front"));
  button("door.front").click();
  button("door.front").click();
  button("door.front").click();
  await clock.advance("1s");
  assert.equal(door.readers, readers);
});

test("scanning ends in a connection, or after 30 s in the reason that the host names (C11)", async () => {
  const door = iotDoor("door.front", "scanning");
  const home = await start(withDevices(nervous, door));
  const waited = home.connect("door.front");
  await clock.advance("2s");
  door.report("connecting");
  await clock.advance("2s");
  door.report("connected");
  await clock.advance("1s");
  await waited;
  await home.disconnect("door.front");
  door.report("scanning", "The device has no characteristic 134c298f-7d6b-4f64-8496-8965e0851d03.");
  const failed = assert.rejects(home.connect("door.front"), /^Could not find sensor: The device has no characteristic 134c298f/);
  await clock.advance("31s");
  await failed;
  await home.stop();
});

test("the byte 1 and the text 1 are locked, 0 is unlocked, and nothing else is taken for either (C12, mistake 16)", () => {
  assert.deepEqual(["\u0001", "1", 1, "locked"].map(lockState), Array(4).fill("locked"));
  assert.deepEqual(["0", 0, "unlocked"].map(lockState), Array(3).fill("unlocked"));
  assert.deepEqual(["", "\uFFFD", "11", null, undefined, {}].map(lockState), Array(6).fill("unknown"));
  assert.equal(quantityText("battery", batteryLevel(79.6, "%")), "80 %");
});

test("the time of the last update is shown (C12)", async () => {
  const door = iotDoor();
  door.send({ lock: "unlocked", battery: 55 });
  await page(withDevices(nervous, door));
  await clock.advance("3m");
  assert.match(card("door.front").textContent, /Updated 2026-01-05 08:00:00, 3 min ago/);
  assert.ok(!card("door.front").classList.contains("stale"));
});

test("a radio that is off is shown as unavailable, with the reason (C13)", async () => {
  const door = iotDoor();
  door.unavailable = { reason: "No Bluetooth adapter is switched on.", remedy: "bluetoothctl power on" };
  const home = await page(withDevices(nervous, door));
  await clock.advance("1s");
  assert.match(card("door.front").textContent, /Not on this machineNo Bluetooth adapter is switched on\..*bluetoothctl power on/);
  assert.deepEqual(reportOf(door.description), { state: "disconnected", problem: "No Bluetooth adapter is switched on." });
  door.unavailable = undefined;
  door.send({ lock: "locked", battery: 50 });
  await clock.advance("1s");
  assert.equal(home.devices.get("door.front").link.state, "connected");
});

test("temperature and humidity are shown by room, and a sensor that fails says so (C19, C26)", async () => {
  const bedroom = climate("climate.bedroom", { temperature: 28.2, humidity: 41.5 }), kitchen = climate("climate.kitchen");
  kitchen.failure = "dht-read printed “Failed to read sensor”, which does not match the pattern.";
  await page(withDevices(nervous, bedroom, kitchen));
  await clock.advance("1s");
  assert.deepEqual([...document.querySelectorAll("#rooms h2")].map(({ textContent }) => textContent), ["Bedroom", "Home", "Kitchen"]);
  assert.match(card("climate.bedroom").textContent, /Temperature28\.2 °CHumidity41\.5 %/);
  assert.match(card("climate.kitchen").textContent, /Sensor failuredht-read printed “Failed to read sensor”/);
  bedroom.stale = true;
  await clock.advance("1m");
  assert.ok(card("climate.bedroom").classList.contains("stale"));
  assert.match(card("climate.bedroom").textContent, /Stale: last update 1 min ago/);
});

test("the simulated thermometer and hygrometer are read through the host (C19)", async () => {
  await sensors.set("temperature", { temperature: 19.26 });
  await sensors.set("humidity", { humidity: 55 });
  await app.start();
  await app.run("10s");
  assert.match(card("temperature").textContent, /Temperature19\.3 °C/);
  assert.match(card("humidity").textContent, /Humidity55\.0 %/);
});

test("two connects at once are both answered (C27, mistake 22)", async () => {
  const door = iotDoor("door.front", "connecting");
  const home = await start(withDevices(nervous, door));
  const answers = [];
  for (const name of ["first", "second"]) home.connect("door.front").then(() => answers.push(name));
  await clock.advance("5s");
  assert.deepEqual(answers, []);
  door.report("connected");
  await clock.advance("1s");
  assert.deepEqual(answers, ["first", "second"]);
  await home.stop();
});

test("a device that is not there, or vanishes while a call waits, could not be found (C27)", async () => {
  const sdk = withDevices(nervous, iotDoor("door.front", "scanning"));
  const home = await start(sdk);
  await assert.rejects(home.connect("door.back"), /^Could not find sensor$/);
  const waited = assert.rejects(home.connect("door.front"), /^Could not find sensor$/);
  sdk.devices.delete("door.front");
  await clock.advance("1s");
  await waited;
  await home.stop();
});

test("the state of a door is an error before the first connection, and stale after the release (C28, mistakes 17 and 22)", async () => {
  const door = iotDoor();
  const home = await start(withDevices(nervous, door));
  assert.throws(() => home.status("door.front"), /never connected/);
  door.send({ lock: "locked", battery: 80 });
  await clock.advance("1s");
  assert.deepEqual(home.status("door.front"), { lock: "locked", battery: 80, lastUpdate: door.sample.t, stale: false });
  const { t } = door.sample;
  await home.disconnect("door.front");
  door.send({ lock: "unlocked" });
  await clock.advance("10s");
  // Nothing is read any more: the last state that was known, and it says so.
  assert.deepEqual(home.status("door.front"), { lock: "locked", battery: 80, lastUpdate: t, stale: true });
  await home.stop();
});

test("a state that existed before the connection is read once (mistake 17)", async () => {
  const door = iotDoor();
  door.send({ lock: "locked", battery: 80 });
  const home = await start(withDevices(nervous, door));
  await clock.advance("1ms");
  assert.equal(home.status("door.front").lock, "locked");
  await home.stop();
});

test("the first of two clients to release a device leaves it to the other; releasing twice is one release (C29)", async () => {
  const door = iotDoor();
  door.send({ lock: "locked", battery: 80 });
  const sdk = withDevices(nervous, door);
  const one = await start(sdk, { client: "one", kind: "page" }), other = await start(sdk, { client: "other", kind: "run" });
  assert.equal((await other.leases.holders()).get("door.front").length, 2);
  await one.disconnect("door.front");
  await one.disconnect("door.front");
  assert.deepEqual((await other.leases.holders()).get("door.front"), [{ client: "other", kind: "run" }]);
  assert.equal(door.readers, 1);
  assert.equal(other.status("door.front").stale, false);
  await other.disconnect("door.front");
  assert.equal((await other.leases.holders()).get("door.front"), undefined);
  assert.equal(door.readers, 0);
  await one.stop();
  await other.stop();
});

test("the lease of a client that vanished ends, and that of one that is there does not (C30)", async () => {
  const client = (name) => new Leases(nervous.storage, { client: name, kind: "page", length: 30_000 });
  const [gone, here] = [client("gone"), client("here")];
  await gone.acquire("door.front");
  await here.acquire("door.front");
  await clock.advance("20s");
  await here.renew();
  assert.equal((await here.holders()).get("door.front").length, 2);
  await clock.advance("10s");
  assert.deepEqual((await here.holders()).get("door.front").map((one) => one.client), ["here"]);
  assert.deepEqual(await nervous.storage.keys(), ["lease/door.front/here"]);
});

test("a page that stays keeps its lease for an hour, and one that is left gives it back (C30)", async () => {
  const door = iotDoor();
  door.send({ lock: "locked", battery: 80 });
  const home = await start(withDevices(nervous, door), { client: "me", pollEvery: 5000 });
  await clock.advance("1h");
  assert.deepEqual((await home.leases.holders()).get("door.front").map((one) => one.client), ["me"]);
  await home.stop();
  assert.deepEqual(await nervous.storage.keys(), []);
  assert.equal(door.readers, 0);
  await clock.advance("1m");
  assert.deepEqual(await nervous.storage.keys(), []);
});

test("who else uses a door is shown (C29)", async () => {
  const door = iotDoor();
  door.send({ lock: "locked", battery: 80 });
  const sdk = withDevices(nervous, door);
  const run = await start(sdk, { client: "run", kind: "run" });
  await page(sdk, { client: "page", kind: "page" });
  await clock.advance("1s");
  assert.match(card("door.front").textContent, /Also used by a run in the background\./);
  await run.stop();
  await clock.advance("15s");
  assert.ok(!card("door.front").textContent.includes("used by"));
});

test("a door that is connected and does not move is not stale, however long (C28)", async () => {
  const door = iotDoor();
  door.send({ lock: "locked", battery: 80 });
  door.stale = true;
  const home = await start(withDevices(nervous, door), { pollEvery: 5000 });
  await clock.advance("1h");
  assert.equal(home.status("door.front").stale, false);
  await home.stop();
});

test("a door that is denied while it is shown loses its state and its connection (C30)", async () => {
  const door = iotDoor();
  door.send({ lock: "locked", battery: 80 });
  await page(withDevices(nervous, door));
  await clock.advance("1s");
  door.access = "denied";
  await clock.advance("1s");
  assert.match(card("door.front").textContent, /⊘ DeniedYou have denied door\.front to this app\./);
  assert.ok(!card("door.front").textContent.includes("Locked"));
  assert.equal(door.readers, 0);
});

test("a door that is allowed again is followed again (C30)", async () => {
  const door = iotDoor();
  door.send({ lock: "locked", battery: 80 });
  await page(withDevices(nervous, door));
  await clock.advance("1s");
  door.access = "denied";
  door.fail(Object.assign(new Error("denied"), { name: "NotAllowedError" }));
  await clock.advance("1s");
  assert.equal(door.readers, 0);
  door.access = "granted";
  await clock.advance("1s");
  assert.equal(door.readers, 1);
  door.send({ lock: "unlocked" });
  await clock.advance("1s");
  assert.equal(state("door.front", "lock"), "unlocked");
});

test("a page that comes back takes its doors again (C30)", async () => {
  const door = iotDoor();
  door.send({ lock: "locked", battery: 80 });
  const home = await start(withDevices(nervous, door), { client: "me" });
  await home.disconnect("door.front");
  await home.stop();
  await home.resume();
  assert.deepEqual([door.readers, await nervous.storage.keys()], [0, []]);
  await home.connect("door.front");
  await home.stop();
  assert.deepEqual([door.readers, await nervous.storage.keys()], [0, []]);
  await home.resume();
  assert.deepEqual([door.readers, await nervous.storage.keys()], [1, ["lease/door.front/me"]]);
  await home.stop();
});

test("a door that was announced over MQTT has its state, and one that was declared needs no connection (C12)", async () => {
  const door = new TestDevice("door.back", { state: undefined }, { title: "Back door" });
  await page(withDevices(nervous, door));
  await clock.advance("1s");
  assert.equal(card("door.back").querySelector("button").textContent, "Stop connecting");
  door.send({ state: "open" });
  await clock.advance("1s");
  assert.equal(state("door.back", "door"), "open");
  assert.equal(state("door.back", "link"), "connected");
});

test("a thermometer that this machine does not have is one line with the reason, and no room (C13)", async () => {
  const attic = climate("climate.attic");
  attic.unavailable = { reason: "no IIO thermometer under /sys/bus/iio/devices", remedy: "sudo modprobe bme680_i2c" };
  await page(withDevices(nervous, attic));
  await clock.advance("1s");
  const missing = document.getElementById("missing");
  assert.equal(missing.hidden, false);
  assert.match(missing.textContent, /^1 sensor is not on this machine.*climate\.attic\): no IIO thermometer .*modprobe/);
  assert.equal(card("climate.attic"), null);
  attic.unavailable = undefined;
  attic.send({ temperature: 20, humidity: 50 });
  await clock.advance("1s");
  assert.equal(missing.hidden, true);
  assert.match(card("climate.attic").textContent, /20\.0 °C/);
});

test("without any sensor the page says what to add", async () => {
  for (const { privilege } of await nervous.permissions.list()) await permissions.deny(privilege);
  await app.start();
  await app.run("5s");
  assert.ok(document.querySelector("#message .notice") !== null || document.querySelector("#rooms .notice.denied") !== null);
});

test("a host that does not answer makes everything stale, and says since when (C28)", async () => {
  const door = iotDoor(), sdk = withDevices(nervous, door);
  door.send({ lock: "locked", battery: 80 });
  await page(sdk);
  await clock.advance("1s");
  const { sensors: list } = sdk;
  sdk.sensors = async () => {
    throw new TypeError("Failed to fetch");
  };
  await clock.advance("5s");
  assert.match(document.getElementById("message").textContent, /No answer from the hostSince 4 s: Failed to fetch/);
  assert.match(card("door.front").textContent, /Stale: no answer from the host/);
  sdk.sensors = list;
  await clock.advance("1s");
  assert.equal(document.getElementById("message").textContent, "");
  assert.ok(!card("door.front").classList.contains("stale"));
});
