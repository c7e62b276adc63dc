import { Events } from "./events.js";
import { Home } from "./home.js";
import { mount } from "./page.js";
import { iotDoor, serialDoor, withDevices } from "./test-devices.js";

const locked = { lock: "locked", door: "closed", battery: 80 };
const start = async (sdk, options = {}) => {
  const home = await mount(sdk, { pollEvery: 500, ...options });
  await clock.advance("1s");
  return home;
};

test("an event that is not viewed is one message, half a second later, with title and body (C14)", async () => {
  const door = serialDoor(), sdk = withDevices(nervous, door);
  door.send(locked);
  await start(sdk);
  assert.deepEqual(sdk.sent, []);
  door.send({ lock: "unlocked" });
  await clock.advance("499ms");
  assert.equal(sdk.sent.length, 0);
  await clock.advance("1ms");
  assert.equal(sdk.sent.length, 1);
  const [{ title, body, unlessViewed }] = sdk.sent;
  assert.deepEqual([title, body, unlessViewed], ["Front door unlocked", "It was locked.", true]);
  // The host omits the message if another page or a terminal shows the app.
  const { notifications } = await app.result();
  assert.deepEqual(notifications.map((one) => [one.title, one.unlessViewed]), [["Front door unlocked", true]]);
});

test("nothing is sent while somebody looks at the page (C14)", async () => {
  const door = serialDoor(), sdk = withDevices(nervous, door);
  let isViewed = true;
  door.send(locked);
  await start(sdk, { isViewed: () => isViewed });
  door.send({ door: "open" });
  await clock.advance("5s");
  assert.deepEqual(sdk.sent, []);
  isViewed = false;
  door.send({ door: "closed" });
  await clock.advance("5s");
  assert.deepEqual(sdk.sent.map(({ title }) => title), ["Front door closed"]);
});

test("what happens within half a second is one message, and a second event does not replace the first (C14, mistake 20)", async () => {
  const door = serialDoor(), sdk = withDevices(nervous, door);
  door.send(locked);
  await start(sdk);
  door.send({ lock: "unlocked" });
  await clock.advance("100ms");
  door.send({ door: "open" });
  await clock.advance("2s");
  door.send({ door: "closed" });
  await clock.advance("2s");
  assert.deepEqual(sdk.sent.map(({ title }) => title), ["Front door unlocked, Front door opened", "Front door closed"]);
  assert.notEqual(sdk.sent[0].tag, sdk.sent[1].tag);
  assert.ok(sdk.sent.every(({ tag }) => tag.length <= 64));
});

test("a page and a run that report the same event use the same tag (C14)", async () => {
  const door = serialDoor(), [one, other] = [withDevices(nervous, door), withDevices(nervous, door)];
  door.send(locked);
  const homes = await Promise.all([one, other].map(async (sdk) => {
    const home = new Home(sdk);
    await home.start();
    await home.notifier.ask();
    return home;
  }));
  await clock.advance("1s");
  door.send({ door: "open" });
  await clock.advance("1s");
  assert.equal(one.sent.length, 1);
  assert.equal(one.sent[0].tag, other.sent[0].tag);
  for (const home of homes) await home.stop();
});

test("messages that are denied are never queued, and the page says so (C15)", async () => {
  await permissions.deny("notify");
  const door = serialDoor(), sdk = withDevices(nervous, door);
  door.send(locked);
  await start(sdk);
  door.send({ door: "open" });
  await clock.advance("10s");
  const { calls, notifications } = await app.result();
  assert.deepEqual(notifications, []);
  assert.ok(calls.every(({ path }) => !path.startsWith("/api/v1/notifications")));
  assert.match(document.getElementById("messages").textContent, /may not send messages\. Allow it with: nervous permissions grant home notify/);
});

test("the permission for messages is asked for once, when the page appears (C15)", async () => {
  const asked = [], sdk = withDevices(nervous, serialDoor());
  sdk.permissions = {
    query: async () => ({ state: "prompt" }),
    request: async ({ name }) => {
      asked.push(name);
      return { state: "granted" };
    },
  };
  await start(sdk);
  await clock.advance("1m");
  assert.deepEqual(asked, ["notify"]);
  assert.match(document.getElementById("messages").textContent, /^You get a message when/);
});

test("messages that are allowed later are sent from then on (C15)", async () => {
  await permissions.deny("notify");
  const door = serialDoor(), sdk = withDevices(nervous, door);
  door.send(locked);
  await start(sdk);
  await permissions.allow("notify");
  await clock.advance("11s");
  assert.match(document.getElementById("messages").textContent, /^You get a message when/);
  door.send({ door: "open" });
  await clock.advance("1s");
  assert.equal(sdk.sent.length, 1);
});

test("messages stop when they are denied while the app runs (C15)", async () => {
  const door = serialDoor(), sdk = withDevices(nervous, door);
  door.send(locked);
  const home = await start(sdk);
  await permissions.deny("notify");
  door.send({ door: "open" });
  await clock.advance("2s");
  door.send({ door: "closed" });
  await clock.advance("2s");
  assert.deepEqual(sdk.sent, []);
  assert.equal(home.notifier.state, "denied");
});

test("the first state is no event, and neither is one that is repeated or unknown (C14)", () => {
  const events = new Events("Door"), at = (state, now = 0) => events.take({ isConnected: true, ...state }, now).map(({ title }) => title);
  assert.deepEqual(at({ lock: "unknown", door: "open" }), []);
  assert.deepEqual(at({ lock: "locked", door: "open" }), []);
  for (let poll = 0; poll < 10; poll++) assert.deepEqual(at({ lock: "locked", door: "open" }), []);
  assert.deepEqual(at({ lock: "unknown", door: "open" }), []);
  assert.deepEqual(at({ lock: "unlocked", door: "closed" }), ["Door closed", "Door unlocked"]);
});

test("a battery that drains slowly is reported once, below 20 % (C14, mistake 14)", () => {
  const events = new Events("Door");
  const take = (battery) => events.take({ battery, isConnected: true }, 0).map(({ title, body }) => `${title}: ${body}`);
  const said = [];
  for (let charge = 1000; charge >= 100; charge--) said.push(...take(charge / 10));
  assert.deepEqual(said, ["Door has a low battery: 20 % are left."]);
  assert.deepEqual(take(22), []);
  assert.deepEqual(take(19), []);
  assert.deepEqual(take(100), []);
  assert.deepEqual(take(15), ["Door has a low battery: 15 % are left."]);
});

test("a door that is lost for a minute is reported, a short interruption is not (C14)", async () => {
  const door = iotDoor(), sdk = withDevices(nervous, door);
  door.send({ lock: "locked", battery: 80 });
  await start(sdk);
  door.report("disconnected");
  await clock.advance("30s");
  door.report("connected");
  await clock.advance("5m");
  assert.deepEqual(sdk.sent, []);
  door.report("scanning");
  await clock.advance("62s");
  door.report("connected");
  await clock.advance("2s");
  assert.deepEqual(sdk.sent.map(({ title }) => title), ["Front door is not connected", "Front door is connected again"]);
});

test("messages that the host refuses because there are too many are counted in the next one (C14)", async () => {
  const door = serialDoor(), sdk = withDevices(nervous, door), { notify } = sdk;
  door.send(locked);
  await start(sdk);
  sdk.notify = async () => {
    throw new DOMException("Too many messages.", "QuotaExceededError");
  };
  for (const state of ["open", "closed", "open", "closed"]) {
    door.send({ door: state });
    await clock.advance("1s");
  }
  assert.deepEqual(sdk.sent, []);
  sdk.notify = notify;
  door.send({ door: "open" });
  await clock.advance("1s");
  assert.match(sdk.sent[0].body, /^It was closed\. 4 earlier messages were not sent\.$/);
});

test("without storage the app works, and says that nothing is kept (C15)", async () => {
  await permissions.deny("storage");
  const door = serialDoor(), sdk = withDevices(nervous, door);
  door.send(locked);
  await start(sdk);
  assert.match(document.getElementById("rooms").textContent, /Front doorLockLockedDoorClosed/);
  assert.match(document.getElementById("message").textContent, /Nothing is kept/);
});
