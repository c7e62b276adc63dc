import { accessoriesOf, defaultName, defaultRoom, Names, roomsOf } from "./accessories.js";
import { BridgeError, isSetupCode, readBridge } from "./bridge.js";
import { Home } from "./home.js";
import { mount } from "./page.js";
import { newUsername, Pairing, setupCode } from "./pairing.js";
import { answer } from "./question.js";
import { DocumentError, parse } from "./strict-json.js";
import { climate, iotDoor, withDevices } from "./test-devices.js";

const BRIDGE = { name: "Homebridge", username: "CC:22:3D:E3:CE:30", port: 51826, pin: "031-45-154" };
const DHT = {
  accessory: "Dht", name: "DHT22", name_temperature: "Temperature", name_humidity: "Humidity", gpio: "21", service: "dht22",
};
const DOOR = {
  name: "IOTDoor", address: "01:23:45:67:89:ab",
  services: [
    {
      name: "Door lock", type: "LockMechanism", UUID: "4fafc201-1fb5-459e-8fcc-c5c9c331914b",
      characteristics: [{ type: "LockCurrentState", UUID: "beb5483e-36e1-4688-b7f5-ea07361b26a8" }],
    },
    { name: "Battery", type: "BatteryService", UUID: "180F", characteristics: [{ type: "BatteryLevel", UUID: "2A19" }] },
  ],
};
const SEED = JSON.stringify({
  bridge: BRIDGE, description: "The bridge of a home",
  accessories: [DHT], platforms: [{ platform: "Bluetooth", accessories: [DOOR] }],
}, null, 2);

const bedroom = () => climate("climate.bedroom", { temperature: 21.44, humidity: 40 });
const door = () => {
  const device = iotDoor();
  device.send({ lock: "locked", battery: 80 });
  return device;
};
const text = (id) => document.getElementById(id).textContent;
const submit = async (id, values = {}) => {
  for (const [name, value] of Object.entries(values)) document.getElementById(name).value = value;
  document.getElementById(id).dispatchEvent(new Event("submit", { cancelable: true }));
  await clock.advance("1s");
};
const click = async (id) => {
  document.getElementById(id).click();
  await clock.advance("1s");
};

// --- The configuration ------------------------------------------------------------------------------------

test("one configuration has several accessories, alone and of a platform (C16, C17)", () => {
  const { accessories, warnings, ...bridge } = readBridge(SEED);
  assert.deepEqual(bridge, BRIDGE);
  assert.deepEqual(warnings, []);
  assert.deepEqual(accessories.map(({ key, parts }) => [key, parts]), [
    ["bridge:Dht/DHT22", [{ quantity: "temperature", name: "Temperature" }, { quantity: "humidity", name: "Humidity" }]],
    ["bridge:Bluetooth/IOTDoor", [{ quantity: "lock", name: "Door lock" }, { quantity: "battery", name: "Battery" }]],
  ]);
});

test("a key that occurs twice is refused with its place (C17, mistake 21)", () => {
  const twice = SEED.replace('"platforms": [', '"platforms": [],\n  "platforms": [');
  const error = assert.throws(() => readBridge(twice), DocumentError);
  assert.match(error.message, /^Line 20, column 3: the key "platforms" occurs twice in the same object\. Keep one of them\.$/);
  // As printed: the second configuration of the book is no JSON.
  const printed = SEED.replace('"platforms": [', '"platforms": "platforms": [');
  assert.match(assert.throws(() => readBridge(printed), DocumentError).message,
    /^Line 19, column 27: expected "," or "}" after the value of "platforms", found ":"\.$/);
});

test("strict JSON has the values of JSON.parse, and refuses what it refuses", () => {
  const good = ["null", " [1, -2.5e3, 0.1, true, false] ", '{"a":{"b":["\\u00e4\\n"]},"__proto__":1}', '""', SEED];
  for (const document of good) assert.equal(JSON.stringify(parse(document)), JSON.stringify(JSON.parse(document)), document);
  const bad = ["", "{", "[1,]", '{"a":1,}', "{a:1}", "01", "1 2", "'a'", '"\u0001"', "[1", "nul", "\ufeff1", "-", '{"a" 1}'];
  for (const document of bad) {
    assert.throws(() => JSON.parse(document), SyntaxError, document);
    assert.throws(() => parse(document), DocumentError, document);
  }
  assert.throws(() => parse('{"a":1,"\\u0061":2}'), /occurs twice/);
  assert.throws(() => parse("[".repeat(40) + "]".repeat(40)), /too deeply/);
});

test("a bridge without a name, username, port or PIN is refused, and says which (C17)", () => {
  const reject = (change, pattern) => assert.throws(
    () => readBridge(JSON.stringify({ bridge: { ...BRIDGE, ...change } })), (error) => error instanceof BridgeError && pattern.test(error.message));
  reject({ name: " " }, /no “name”/);
  reject({ username: "CC:22" }, /“username”/);
  reject({ port: 0 }, /“port”/);
  reject({ port: "51826" }, /“port”/);
  reject({ pin: "03145154" }, /“pin”/);
  reject({ pin: "123-45-678" }, /“pin”/);
  reject({ pin: "000-00-000" }, /“pin”/);
  for (const document of ["[]", "1", "{}", '{"bridge":[]}']) assert.throws(() => readBridge(document), BridgeError, document);
  assert.throws(() => readBridge(JSON.stringify({ bridge: BRIDGE, accessories: {} })), /“accessories” must be a list/);
  assert.ok(isSetupCode("031-45-154"));
});

test("accessories of unknown plugins, services and platforms are skipped with a warning each (C18)", () => {
  const { accessories, warnings } = readBridge(JSON.stringify({
    bridge: BRIDGE,
    accessories: [{ accessory: "Toaster", name: "T" }, DHT, { ...DHT }, { accessory: "Dht" }, null],
    platforms: [
      { platform: "config", name: "Config" }, { platform: "Bluetooth" },
      { platform: "Bluetooth", accessories: [{ ...DOOR, services: [...DOOR.services, { name: "Light", type: "Lightbulb" }] }, { name: "Nothing" }] },
    ],
  }));
  assert.deepEqual(accessories.map(({ name }) => name), ["DHT22", "IOTDoor"]);
  assert.deepEqual(warnings, [
    "The accessory “Toaster” is not known and was skipped.",
    "There are two accessories named “DHT22”. The second was skipped.",
    "An accessory of type “Dht” has no name and was skipped.",
    "The accessory “without a type” is not known and was skipped.",
    "The platform “config” is not known and was skipped.",
    "The platform “Bluetooth” has no list of accessories and was skipped.",
    "The service “Lightbulb” of “IOTDoor” is not supported and was skipped.",
    "“Nothing” has no service that is supported and was skipped.",
  ]);
});

test("the divisor of a battery is that of its accessory (C3, C17)", () => {
  const [lock] = readBridge(JSON.stringify({ bridge: BRIDGE, accessories: [{ accessory: "IOTDoor", name: "Door", batteryDivisor: 4.2 }] })).accessories;
  assert.equal(lock.divisor, 4.2);
  const { accessories, warnings } = readBridge(JSON.stringify({ bridge: BRIDGE, accessories: [{ accessory: "IOTDoor", name: "Door", batteryDivisor: 0 }] }));
  assert.equal(accessories[0].divisor, undefined);
  assert.equal(warnings.length, 1);
});

// --- Pairing ----------------------------------------------------------------------------------------------

test("a setup code is typed in any of its forms, or is the text of a QR code (C21)", () => {
  for (const typed of ["031-45-154", "03145154", " 031 45 154 ", "0314-5154"]) assert.equal(setupCode(typed), "031-45-154", typed);
  // 3145154 in the lowest 27 bits; above them flags 2 (IP) and category 2 (bridge).
  const payload = (3_145_154 + 2 * 2 ** 27 + 2 * 2 ** 31).toString(36).toUpperCase().padStart(9, "0");
  assert.equal(setupCode(`X-HM://${payload}ABCD`), "031-45-154");
  for (const wrong of ["", "1234567", "031-45-15a", "X-HM://00", `X-HM://${payload}ABC`]) assert.equal(setupCode(wrong), undefined, wrong);
});

test("a wrong code is refused, and after five of them the next has to wait (C21)", async () => {
  const pairing = new Pairing(nervous.storage);
  assert.equal((await pairing.enter("031-45-154")).ok, false);
  await pairing.import(readBridge(SEED));
  for (let at = 0; at < 4; at++) assert.equal((await pairing.enter("031-45-155")).reason, "This is not the code of the bridge.");
  assert.match((await pairing.enter("x")).reason, /^A setup code has eight digits/);
  assert.match((await pairing.enter("031-45-155")).reason, /Try again in 30 s\.$/);
  // Also the right one waits, and a new page knows it.
  const later = new Pairing(nervous.storage);
  await later.load();
  assert.match((await later.enter("031-45-154")).reason, /^Too many wrong codes\. Try again in \d+ s\.$/);
  await clock.advance("30s");
  assert.deepEqual(await later.enter("031-45-154"), { ok: true });
  assert.equal(later.stage, "confirm");
});

test("what is stored does not contain the code (C21, mistake 28)", async () => {
  const pairing = new Pairing(nervous.storage);
  await pairing.import(readBridge(SEED));
  await pairing.enter("031-45-154");
  await pairing.confirm();
  const stored = JSON.stringify(await nervous.storage.get("bridge"));
  assert.ok(!/031-?45-?154|"pin"/.test(stored), stored);
});

test("accessories appear after the code and the confirmation, and stay after a restart (C21, C23)", async () => {
  const pairing = new Pairing(nervous.storage);
  await pairing.import(readBridge(SEED));
  assert.deepEqual(pairing.accessories, []);
  await pairing.enter("03145154");
  assert.deepEqual(pairing.accessories, []);
  await pairing.cancel();
  assert.equal(pairing.stage, "code");
  await pairing.enter("03145154");
  await pairing.confirm();
  const again = new Pairing(nervous.storage);
  await again.load();
  assert.equal(again.stage, "paired");
  assert.deepEqual(again.accessories.map(({ name }) => name), ["DHT22", "IOTDoor"]);
});

test("a changed configuration waits for a reset, after which its accessories are visible (C23)", async () => {
  const pairing = new Pairing(nervous.storage);
  const only = (...accessories) => readBridge(JSON.stringify({ bridge: BRIDGE, accessories }));
  await pairing.import(only(DHT));
  await pairing.enter("031-45-154");
  await pairing.confirm();
  assert.equal(await pairing.import(only(DHT, { accessory: "IOTDoor", name: "Door" })), false);
  assert.deepEqual(pairing.accessories.map(({ name }) => name), ["DHT22"]);
  assert.ok(pairing.hasNext);
  await pairing.reset();
  assert.equal(pairing.stage, "code");
  assert.deepEqual(pairing.accessories, []);
  assert.notEqual(pairing.config.username, BRIDGE.username);
  await pairing.enter("031-45-154");
  await pairing.confirm();
  assert.deepEqual(pairing.accessories.map(({ name }) => name), ["DHT22", "Door"]);
  await pairing.remove();
  assert.deepEqual(await nervous.storage.keys(), []);
});

test("a new username is a locally administered address (C23)", () => {
  for (let at = 0; at < 50; at++) {
    const username = newUsername();
    assert.match(username, /^[0-9A-F]{2}(:[0-9A-F]{2}){5}$/);
    assert.equal(parseInt(username.slice(0, 2), 16) & 3, 2, username);
  }
});

test("on the page: import, wrong code, right code, confirmation, reset (C16, C17, C21, C23)", async () => {
  await mount(withDevices(nervous, door(), bedroom()));
  await submit("import-form", { document: '{ "bridge": { "name": 1, "name": 2 } }' });
  assert.match(text("bridge-note"), /^Not imported\. Line 1, column 26: the key "name" occurs twice/);
  await submit("import-form", { document: SEED });
  assert.match(text("bridge-note"), /^Imported 2 accessories of “Homebridge”/);
  await submit("code-form", { code: "111-22-333" });
  assert.equal(text("bridge-note"), "This is not the code of the bridge.");
  assert.equal(document.getElementById("code").getAttribute("aria-invalid"), "true");
  await submit("code-form", { code: "031-45-154" });
  assert.match(text("bridge"), /This bridge is not certified/);
  await click("confirm");
  assert.match(text("bridge"), /Paired/);
  assert.match(text("rooms"), /DHT22Temperature21\.4 °C/);
  assert.match(text("rooms"), /IOTDoorLockLocked/);
  await click("reset");
  await click("reset-now");
  assert.match(text("bridge"), /Setup code of the bridge/);
  assert.ok(!text("rooms").includes("DHT22"));
});

// --- Rooms ------------------------------------------------------------------------------------------------

test("the room of a thermometer is that of its name, and doors are at home (C21)", () => {
  assert.equal(defaultRoom("temperature.living-room"), "Living room");
  assert.equal(defaultRoom("climate.ble"), "Home");
  assert.equal(defaultRoom("humidity"), "Home");
  assert.equal(defaultRoom("door.front"), "Home");
  assert.equal(defaultName({ id: "door.front", title: "IOTDoor" }), "Front door");
  assert.equal(defaultName({ id: "door.ble", title: "IOTDoor" }), "IOTDoor");
});

test("rooms with a door come first, and in a room its doors (C21)", () => {
  const at = (room, sensor) => ({ key: sensor, name: sensor, room, sensor });
  const rooms = roomsOf([at("Attic", "climate.attic"), at("Hall", "climate.hall"), at("Hall", "door.front"), at("Barn", "lock.barn")]);
  assert.deepEqual([...rooms].map(([room, list]) => [room, list.map(({ sensor }) => sensor)]),
    [["Barn", ["lock.barn"]], ["Hall", ["door.front", "climate.hall"]], ["Attic", ["climate.attic"]]]);
});

test("a name and a room that are given persist, and an empty one is the default again (C21)", async () => {
  const sdk = withDevices(nervous, bedroom());
  await mount(sdk);
  const form = () => document.querySelector('[data-key="sensor:climate.bedroom"]');
  const save = async (name, room) => {
    const [named, placed] = form().querySelectorAll("input");
    [named.value, placed.value] = [name, room];
    form().dispatchEvent(new Event("submit", { cancelable: true }));
    await clock.advance("1s");
  };
  await save("  By   the window ", "Attic");
  assert.match(text("rooms"), /AtticBy the window/);
  const names = new Names(nervous.storage);
  await names.load();
  assert.deepEqual(names.of("sensor:climate.bedroom"), { name: "By the window", room: "Attic", sensor: "" });
  await save("", "");
  assert.match(text("rooms"), /BedroomThermometer and hygrometer/);
  assert.deepEqual(names.of("constructor"), {});
});

test("an accessory is bound to a sensor that has its quantities, or to the one that is chosen (C16)", async () => {
  const sdk = withDevices(nervous, climate("climate.attic"), climate("climate.bedroom"), door());
  const descriptions = new Map([...sdk.devices].map(([id, { description }]) => [id, description]));
  const { accessories } = readBridge(SEED), names = new Names(nervous.storage);
  const sensorsOf = () => accessoriesOf(descriptions, accessories, names).map(({ key, sensor }) => [key, sensor]);
  assert.deepEqual(sensorsOf(), [
    ["bridge:Dht/DHT22", "climate.attic"], ["bridge:Bluetooth/IOTDoor", "door.front"], ["sensor:climate.bedroom", "climate.bedroom"]]);
  await names.set("bridge:Dht/DHT22", { name: "", room: "", sensor: "climate.bedroom" });
  assert.deepEqual(sensorsOf(), [
    ["bridge:Dht/DHT22", "climate.bedroom"], ["bridge:Bluetooth/IOTDoor", "door.front"], ["sensor:climate.attic", "climate.attic"]]);
  descriptions.delete("door.front");
  assert.equal(accessoriesOf(descriptions, accessories, names)[1].sensor, undefined);
});

test("a sensor that the person chose is not given to the accessory before it (C16)", async () => {
  const descriptions = new Map([["climate.a", climate("climate.a").description]]);
  const names = new Names(nervous.storage);
  const two = ["First", "Second"].map((name) => ({ ...readBridge(SEED).accessories[0], key: `bridge:Dht/${name}`, name }));
  await names.set("bridge:Dht/Second", { name: "", room: "", sensor: "climate.a" });
  assert.deepEqual(accessoriesOf(descriptions, two, names).map(({ sensor }) => sensor), [undefined, "climate.a"]);
});

// --- Questions --------------------------------------------------------------------------------------------

const asked = async (...devices) => {
  const home = new Home(withDevices(nervous, ...devices), { kind: "page" });
  await home.start();
  await clock.advance("1s");
  return home;
};

test("a question about a room is answered in any of its forms (C22)", async () => {
  const home = await asked(bedroom(), climate("climate.living-room", { temperature: 23, humidity: 51 }), door());
  for (const question of [
    "What is the temperature in the bedroom?", "How warm is it in the bedroom?", "bedroom temperature",
    "Tell me how cold the bedroom is, please", "What's the temp of my bedroom right now", "IS IT HOT IN THE BEDROOM???",
  ]) assert.deepEqual(home.ask(question), { isAnswer: true, text: "The temperature in Bedroom is 21.4 °C." }, question);
  assert.equal(home.ask("How humid is the living room?").text, "The humidity in Living room is 51.0 %.");
  assert.equal(home.ask("Is the front door locked?").text, "Front door is locked.");
  assert.equal(home.ask("Is the front door open?").text, "Front door is locked.");
  assert.equal(home.ask("How is the battery of the front door?").text, "The battery of Front door is at 80 %.");
  await home.stop();
});

test("a room that is unknown, a quantity that nothing reports and other questions have a clear answer (C22)", async () => {
  const home = await asked(bedroom(), door());
  const refused = (question, pattern) => {
    const { isAnswer, text } = home.ask(question);
    assert.equal(isAnswer, false, text);
    assert.match(text, pattern);
  };
  refused("What is the temperature in the garage?", /^There is no room “garage”\. The rooms are Home and Bedroom\.$/);
  refused("Is the door in the bedroom open?", /^Nothing in Bedroom reports a door\.$/);
  refused("What is the battery of the bedroom?", /^Nothing in Bedroom reports the battery\.$/);
  refused("Who are you?", /^I can say temperature/);
  refused("How warm is it in the Küche?", /^There is no room “küche”/);
  refused("  ", /^Ask for example/);
  await home.stop();
});

test("an answer says when a value is stale, unknown or not allowed (C22, C28)", async () => {
  const [front, thermometer] = [door(), bedroom()];
  const home = await asked(front, thermometer);
  front.report("disconnected");
  await clock.advance("65s");
  assert.match(home.ask("Is the front door locked?").text, /^Front door is locked \(disconnected, last update 1 min ago\)\.$/);
  thermometer.access = "denied";
  await clock.advance("1s");
  assert.equal(home.ask("temperature in the bedroom").text, "Temperature of Thermometer and hygrometer: unknown (not allowed).");
  await home.stop();
});

test("a question without a room is answered for each, and names have no special characters (C22)", () => {
  const quantities = [{ quantity: "temperature", field: "temperature" }];
  const rooms = roomsOf([
    { key: "a", name: "A", room: "Kid's room (2)", sensor: "temperature.a", quantities },
    { key: "b", name: "B", room: "Küche", sensor: "temperature.b", quantities },
  ]);
  const read = ({ key }) => ({ value: key === "a" ? 20 : 21, note: null });
  assert.equal(answer("How warm is it?", rooms, read).text, "The temperature in Kid's room (2) is 20.0 °C. The temperature in Küche is 21.0 °C.");
  assert.equal(answer("temperature in kid's room 2", rooms, read).text, "The temperature in Kid's room (2) is 20.0 °C.");
  assert.equal(answer("temperature Küche", rooms, read).text, "The temperature in Küche is 21.0 °C.");
});

test("the page answers below the question (C22)", async () => {
  await mount(withDevices(nervous, bedroom()));
  await clock.advance("1s");
  await submit("ask", { question: "How warm is the bedroom?" });
  assert.equal(text("answer"), "The temperature in Bedroom is 21.4 °C.");
});
