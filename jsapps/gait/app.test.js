import { align, corrected, correctionOf, csvOf, Meter, usualInterval } from "./align.js";
import { arriving, limbName, obstacle, Limb } from "./limbs.js";
import { after, delay, Outbox, serverURL, upload, verdict } from "./outbox.js";
import { LONGEST, PART_BYTES, payloads as payloadsOf, sessionNumber, shorten } from "./payload.js";
import { fileName, pagesOf, parseCut } from "./recording.js";
import { transport } from "./server.js";
import { sqlOf } from "./sql.js";
import { from2001, fromMilliG, GRAVITY, milliG, since2001 } from "./units.js";

const byId = (id) => document.getElementById(id);
const text = (id) => byId(id).textContent;
const click = async (id) => {
  byId(id).click();
  await clock.advance("100ms");
};
const submit = async (id) => {
  byId(id).dispatchEvent(new Event("submit", { cancelable: true }));
  await clock.advance("100ms");
};
const names = () => [...document.querySelectorAll("#sessions button")].map((button) => button.firstChild.textContent);

const T = Date.UTC(2026, 0, 5, 8);
const samplesOf = (count, every = 20, offset = 0) =>
  Array.from({ length: count }, (_, at) => ({ t: T + offset + at * every, x: at / 100, y: -at / 50, z: GRAVITY }));
const CLIENT = { id: "5D3B1D9E-6A37-4C7B-9E0E-0C4A6F3B8A11", at: T, name: "Laptop" };
const SESSION = { id: "a", name: "Lunch walk", description: "The long way", created: T, sensors: ["accelerometer"], spans: [{ from: T, to: T + 60_000 }] };
const limb = (samples, sensor = "accelerometer") => ({ sensor, label: limbName(sensor), pages: [samples] });

/** The payloads of all limbs. */
async function payloads({ limbs, ...options }) {
  const all = [];
  for (const limb of limbs) for await (const payload of payloadsOf({ ...options, limb: limbs.length > 1 ? limb : { ...limb, label: null } })) all.push(payload);
  return all;
}

/** The published server: it stores a session once, takes the same again, and refuses another version. */
class StudyServer {
  stored = new Map();
  calls = [];
  fail = () => null;

  async post(url, body, key) {
    this.calls.push({ url, body, key });
    const failure = this.fail(this.calls.length);
    if (failure?.before) throw failure.before;
    if (failure?.status) return failure;
    if (new TextEncoder().encode(body).length > 100 * 1024) return { status: 413, text: "" };
    const { client, session } = JSON.parse(body);
    const id = `${client.id}/${session.id}`, known = this.stored.get(id);
    if (known !== undefined && known !== body) return { status: 409, text: '{"Error":"different"}' };
    this.stored.set(id, body);
    if (failure?.after) throw failure.after;
    return { status: known === undefined ? 201 : 200, text: '{"Rows stored":1}' };
  }

  rows() {
    return [...this.stored.values()].flatMap((body) => JSON.parse(body).data);
  }
}

/** A storage that survives its outbox. */
class Memory {
  values = new Map();
  async get(key) {
    return this.values.has(key) ? JSON.parse(this.values.get(key)) : undefined;
  }
  async set(key, value) {
    this.values.set(key, JSON.stringify(value));
  }
  async remove(key) {
    this.values.delete(key);
  }
  async keys() {
    return [...this.values.keys()];
  }
}

const gone = new DOMException("The server cannot be reached.", "NetworkError");

function outboxOf(server, { memory = new Memory(), limbs = [limb(samplesOf(3000))], removed = [] } = {}) {
  const parts = {
    storage: memory, now: () => clock.now(), post: (...call) => server.post(...call),
    read: async () => ({ client: CLIENT, limbs }), removed: async (id) => removed.push(id),
  };
  return { outbox: new Outbox(parts), memory, removed };
}

const waiting = (more = {}) => upload({ session: SESSION, server: "http://localhost:3000/session", now: clock.now(), ...more });

async function record(name, length = "5s") {
  byId("new-name").value = name;
  await submit("new-form");
  await click("start");
  await clock.advance(length);
  await click("finish");
}

async function serve(server) {
  transport.post = (...call) => server.post(...call);
  byId("server").value = "http://localhost:3000";
  byId("client").value = "Laptop";
  await submit("server-form");
}

// --- Units ------------------------------------------------------------------------------------

test("acceleration is sent in thousandths of g, and back it is the same within half of one (G2, mistake 42)", () => {
  assert.equal(milliG(GRAVITY), 1000);
  assert.equal(milliG(-2 * GRAVITY), -2000);
  assert.equal(milliG(0.004), 0);
  assert.equal(milliG(0.0096), 1);
  for (let at = -4000; at <= 4000; at++) {
    const value = at * 0.0173, back = fromMilliG(milliG(value));
    assert.ok(Number.isInteger(milliG(value)) && Math.abs(back - value) <= GRAVITY / 2000 + 1e-12, `${value}`);
    assert.equal(milliG(fromMilliG(at)), at);
  }
});

test("dates are seconds since 2001, to the microsecond, and come back (G4, mistake 42)", () => {
  assert.equal(since2001(Date.UTC(2001, 0, 1)), 0);
  assert.equal(since2001(Date.UTC(1970, 0, 1)), -978_307_200);
  assert.equal(since2001(T + 0.001), 789_292_800.000001);
  for (const t of [T, T + 0.125, T + 19.999]) assert.ok(Math.abs(from2001(since2001(t)) - t) < 0.0005);
});

// --- Payload ----------------------------------------------------------------------------------

test("the payload is the published one, with numbers as dates and integers as acceleration (G4)", async () => {
  const [{ body, rows, part }] = await payloads({
    client: CLIENT, session: SESSION,
    limbs: [limb([{ t: T, x: 0, y: GRAVITY, z: -GRAVITY / 2 }, { t: T + 20.5, x: 0.098, y: 0, z: 19.6133 }])] });
  const id = await sessionNumber(CLIENT.id, "a", "accelerometer", 0, 0);
  assert.equal(body, `{"client":{"id":"5D3B1D9E-6A37-4C7B-9E0E-0C4A6F3B8A11","at":789292800,"name":"Laptop","type":"Nervous host","systemVersion":"gait 1.0.0"},`
    + `"session":{"id":${id},"clientID":"5D3B1D9E-6A37-4C7B-9E0E-0C4A6F3B8A11","at":789292800,"name":"Lunch walk","description":"The long way","saved":false},`
    + `"data":[{"id":${id * 4_000_000},"sessionID":${id},"at":789292800,"accX":0,"accY":1000,"accZ":-500},`
    + `{"id":${id * 4_000_000 + 1},"sessionID":${id},"at":789292800.0205,"accX":10,"accY":0,"accZ":2000}]}`);
  assert.deepEqual([rows, part], [2, 0]);
});

test("a long session has parts that the server takes, and together they have each sample once (G4)", async () => {
  const samples = samplesOf(6000);
  const made = await payloads({ client: CLIENT, session: SESSION, limbs: [limb(samples)] });
  assert.ok(made.length > 4 && made.every(({ body }) => new TextEncoder().encode(body).length <= PART_BYTES));
  const parsed = made.map(({ body }) => JSON.parse(body));
  assert.deepEqual(parsed.flatMap(({ data }) => data.map(({ at }) => at)), samples.map(({ t }) => since2001(t)));
  assert.deepEqual(parsed.slice(0, 2).map(({ session }) => session.name), ["Lunch walk (part 1)", "Lunch walk (part 2)"]);
  for (const { session, data } of parsed) assert.ok(data.every(({ sessionID }) => sessionID === session.id));
  const ids = parsed.flatMap(({ data }) => data.map(({ id }) => id));
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(ids.every(Number.isSafeInteger));
});

test("the same session gives the same bytes, and a copy other numbers (G4)", async () => {
  const make = (revision) => payloads({ client: CLIENT, session: SESSION, limbs: [limb(samplesOf(10))], revision });
  assert.equal((await make(0))[0].body, (await make(0))[0].body);
  assert.notEqual(JSON.parse((await make(1))[0].body).session.id, JSON.parse((await make(0))[0].body).session.id);
});

test("names fit both published schemas (mistake 39)", async () => {
  const long = "ä".repeat(60);
  const made = await payloads({
    client: { ...CLIENT, name: long }, session: { ...SESSION, name: long, description: "d".repeat(2000) },
    limbs: ["accelerometer.left-ankle-of-the-second-person", "accelerometer.right"].map((sensor) => limb(samplesOf(2000), sensor)) });
  for (const { client, session } of made.map(({ body }) => JSON.parse(body))) {
    assert.ok([...client.name].length <= LONGEST.clientName && [...session.name].length <= LONGEST.sessionName, session.name);
    assert.ok(client.type.length <= LONGEST.type && client.systemVersion.length <= LONGEST.systemVersion);
    assert.equal(session.saved, false);
  }
  assert.match(JSON.parse(made.at(-1).body).session.name, /^ä+… \(right, part \d\)$/);
  assert.equal(shorten("😀😀😀", 2), "😀…");
  await assert.rejects(payloads({ client: CLIENT, session: { ...SESSION, description: "d".repeat(PART_BYTES) }, limbs: [limb(samplesOf(1))] }), /too long/);
});

test("numbers of two clients that record the same do not collide (mistake 41)", async () => {
  const numbers = [];
  for (const client of [CLIENT, { ...CLIENT, id: "0E0C4A6F-3B8A-4115-9D3B-1D9E6A374C7B" }]) {
    for (let at = 0; at < 100; at++) {
      const [{ body }] = await payloads({ client, session: { ...SESSION, id: `s${at}` }, limbs: [limb(samplesOf(1))] });
      numbers.push(JSON.parse(body).session.id);
    }
  }
  assert.equal(new Set(numbers).size, 200);
  assert.ok(numbers.every((number) => Number.isInteger(number) && number >= 1 && number < 2 ** 31));
});

test("samples without an axis are neither sent nor drawn (G2)", async () => {
  const [{ body }] = await payloads({
    client: CLIENT, session: SESSION, limbs: [limb([{ t: T, x: 1, y: 2, z: null }, { t: T + 20, x: 1, y: 2, z: 3 }])] });
  assert.deepEqual(JSON.parse(body).data.map(({ at }) => at), [since2001(T + 20)]);
});

// --- Outbox -----------------------------------------------------------------------------------

test("each answer and each failure ends in a state with a reason (mistake 40)", async () => {
  const denied = new DOMException("Denied.", "NotAllowedError");
  const table = [
    [{ status: 201, text: "{}" }, "sent"], [{ status: 200, text: "[]" }, "sent"], [{ status: 200, text: "<html>" }, "refused"],
    [{ status: 204, text: "" }, "refused"], [{ status: 200, text: "{}", isRedirected: true }, "refused"],
    [{ status: 400, text: "{}" }, "refused"], [{ status: 404, text: "{}" }, "refused"], [{ status: 409, text: "{}" }, "conflict"],
    [{ status: 413, text: "" }, "refused"], [{ status: 408, text: "" }, "waiting"], [{ status: 429, text: "" }, "waiting"],
    [{ status: 500, text: "" }, "waiting"], [{ status: 503, text: "" }, "waiting"], [gone, "waiting"], [denied, "refused"],
  ];
  for (const [answer, state] of table) {
    const { outbox } = outboxOf({ post: async () => { if (answer instanceof Error) throw answer; return answer; } }, { limbs: [limb(samplesOf(5))] });
    await outbox.put(waiting());
    await outbox.runOnce();
    const entry = await outbox.get("a");
    assert.equal(entry.state, state, JSON.stringify(answer));
    assert.equal(entry.problem === null, state === "sent", JSON.stringify(answer));
  }
  const broken = new Outbox({ storage: new Memory(), now: () => clock.now(), read: async () => { throw new Error("No samples can be read."); } });
  await broken.put(waiting());
  await broken.runOnce();
  assert.equal((await broken.get("a")).problem, "No samples can be read.");
  const empty = outboxOf(new StudyServer(), { limbs: [limb([])] }).outbox;
  await empty.put(waiting());
  await empty.runOnce();
  assert.equal((await empty.get("a")).state, "refused");
  assert.equal(verdict({ status: 302, isJSON: false }), "refused");
  assert.throws(() => after(waiting(), { type: "lost" }, 0), TypeError);
});

test("a server that ends in the middle is tried again, and stores each sample once (G5)", async () => {
  const server = new StudyServer();
  // The third answer is lost after the server has stored the part.
  server.fail = (call) => (call === 3 ? { after: gone } : null);
  const { outbox, removed } = outboxOf(server);
  await outbox.put(waiting({ removes: true }));
  await outbox.runOnce();
  const stopped = await outbox.get("a");
  assert.equal(stopped.state, "waiting");
  assert.equal(stopped.stored, 2);
  assert.deepEqual(removed, [], "nothing is deleted before the server has confirmed everything");
  await outbox.runOnce();
  assert.equal(server.calls.length, 3, "it is not tried before its time");
  await clock.advance(delay(1));
  await outbox.runOnce();
  assert.equal(server.calls[3].body, server.calls[2].body, "the same bytes");
  assert.equal(server.calls[3].key, server.calls[2].key);
  assert.deepEqual(removed, ["a"], "deleted after the last confirmation");
  assert.equal(await outbox.get("a"), undefined);
  assert.deepEqual(server.rows().map(({ at }) => at), samplesOf(3000).map(({ t }) => since2001(t)));
});

test("an upload survives the end of the app at each step (G5)", async () => {
  const total = (await payloads({ client: CLIENT, session: SESSION, limbs: [limb(samplesOf(3000))] })).length;
  for (let last = 1; last <= total; last++) {
    const server = new StudyServer(), memory = new Memory();
    // The app ends while the call is under way: its answer never arrives.
    const { outbox } = outboxOf({ post: (...call) => (server.calls.length === last ? new Promise(() => {}) : server.post(...call)) }, { memory });
    await outbox.put(waiting());
    outbox.runOnce();
    await clock.advance("1s");
    const again = outboxOf(server, { memory }).outbox;
    await again.runOnce();
    assert.equal((await again.get("a")).state, "sent");
    assert.equal(server.rows().length, 3000);
    assert.ok(server.calls.length <= total + 1);
  }
});

test("attempts are 5 s apart, then twice as long each time, up to an hour (G5)", () => {
  assert.deepEqual([1, 2, 3, 4].map(delay), [5000, 10_000, 20_000, 40_000]);
  assert.equal(delay(11), 3_600_000);
  assert.equal(delay(1000), 3_600_000);
});

test("a session that the server has differently is a conflict, and can be sent as a copy (G5)", async () => {
  const server = new StudyServer();
  const { outbox, memory } = outboxOf(server, { limbs: [limb(samplesOf(5))] });
  await outbox.put(waiting());
  await outbox.runOnce();
  const changed = outboxOf(server, { memory, limbs: [limb(samplesOf(6))] }).outbox;
  await changed.put(waiting());
  await changed.runOnce();
  assert.equal((await changed.get("a")).state, "conflict");
  assert.equal(server.rows().length, 5);
  await changed.put(waiting({ revision: 1 }));
  await changed.runOnce();
  assert.equal((await changed.get("a")).state, "sent");
  assert.equal(server.stored.size, 2);
});

test("an upload that is tried with another server sends all its parts there (G5)", async () => {
  const first = new StudyServer(), second = new StudyServer();
  first.fail = (call) => (call === 3 ? { status: 400, text: "{}" } : null);
  const { outbox } = outboxOf({ post: (url, ...call) => (url.includes("other") ? second : first).post(url, ...call) });
  await outbox.put(waiting());
  await outbox.runOnce();
  assert.deepEqual([(await outbox.get("a")).state, first.stored.size], ["refused", 2]);
  await outbox.put(after(await outbox.get("a"), { type: "retry", server: "https://other.local/session" }, clock.now()));
  await outbox.runOnce();
  assert.equal((await outbox.get("a")).state, "sent");
  assert.equal(second.rows().length, 3000);
});

test("two runs at once send each part once (G5)", async () => {
  const server = new StudyServer();
  const { outbox } = outboxOf(server);
  await outbox.put(waiting());
  await Promise.all([outbox.runOnce(), outbox.runOnce()]);
  assert.equal(server.calls.length, server.stored.size);
});

test("a discarded upload does not come back with a late answer (G5)", async () => {
  let answer;
  const { outbox } = outboxOf({ post: () => new Promise((resolve) => (answer = resolve)) }, { limbs: [limb(samplesOf(5))] });
  await outbox.put(waiting());
  const run = outbox.runOnce();
  while (answer === undefined) await clock.advance("1ms");
  await outbox.discard("a");
  answer({ status: 201, text: "{}" });
  await run;
  assert.deepEqual(await outbox.list(), []);
});

test("addresses of servers have a path, and what is no address is refused (G5)", () => {
  assert.equal(serverURL(" http://localhost:3000 "), "http://localhost:3000/session");
  assert.equal(serverURL("https://walkabout.local/api/v2"), "https://walkabout.local/api/v2");
  for (const wrong of ["", "walkabout", "ftp://a.local", "https://me:secret@a.local", "https://a.local/?q=1"]) assert.equal(serverURL(wrong), null, wrong);
});

// --- SQL --------------------------------------------------------------------------------------

test("the file of SQL has the tables of the study, and each foreign key refers to a row before it (G3)", async () => {
  const session = { ...SESSION, name: "Anna's walk", description: "It's; DROP TABLE Client; --" };
  const made = await payloads({
    client: CLIENT, session, limit: Infinity, limbs: ["accelerometer.left", "accelerometer.right"].map((sensor) => limb(samplesOf(100), sensor)) });
  const sql = sqlOf(made.map(({ body }) => body), true);
  for (const table of ["Client", "MSession", "Metadata"]) assert.match(sql, new RegExp(`CREATE TABLE IF NOT EXISTS ${table}\n`));
  assert.match(sql, /^PRAGMA foreign_keys = ON;\nBEGIN TRANSACTION;/);
  assert.match(sql, /COMMIT TRANSACTION;\n$/);
  const rows = (table) => [...sql.matchAll(new RegExp(`INTO ${table} VALUES \\((.*)\\);\n`, "g"))].map(([, row]) => row.match(/'(?:[^']|'')*'|[^,\s]+/g));
  const clients = new Set(), sessions = new Set();
  for (const [id] of rows("Client")) clients.add(id);
  for (const [id, client] of rows("MSession")) {
    assert.ok(clients.has(client) && !sessions.has(id));
    sessions.add(id);
  }
  assert.equal(rows("MSession").length, 2);
  assert.equal(rows("MSession")[0].at(4), "'It''s; DROP TABLE Client; --'");
  const metadata = rows("Metadata");
  assert.equal(metadata.length, 200);
  assert.ok(metadata.every(([, id]) => sessions.has(id)));
  assert.equal(new Set(metadata.map(([id]) => id)).size, 200);
  assert.deepEqual(metadata[1].slice(2), ["'2026-01-05T08:00:00.020Z'", "1", "-2", "1000"]);
  assert.match(sql, /INTO Scale VALUES \('AccX', 'm\/s2', 0\.00980665\);/);
});

// --- Several limbs ----------------------------------------------------------------------------

test("three sensors with different clocks are aligned to the same moments, and gaps stay gaps (G18)", () => {
  const wave = (every, offset, without = () => false) => Array.from({ length: 1000 }, (_, at) => T + offset + at * every)
    .filter((t) => !without(t)).map((t) => ({ t, x: Math.sin((t - T) / 160), y: 1, z: GRAVITY }));
  const isLost = (t) => t > T + 5000 && t < T + 6000;
  const limbs = [wave(20, 0), wave(19.7, 7.3), wave(20.4, 3.1, isLost)];
  const moments = align(limbs, 20);
  assert.equal(moments[0].t, T);
  assert.ok(moments.every(({ t }, at) => t === T + at * 20));
  const worst = Math.max(...moments.flatMap(({ t, values }) => values.filter(Boolean).map(([x]) => Math.abs(x - Math.sin((t - T) / 160)))));
  assert.ok(worst < 0.003, `${worst}`);
  for (const { t, values } of moments) {
    if (t > T + 5040 && t < T + 5960) assert.equal(values[2], null);
    if (t > T + 1000 && t < T + 4900) assert.ok(values.every(Boolean));
  }
  assert.equal(moments[0].values[1], null, "before its first sample");
  assert.deepEqual(align([[], []], 20), []);
  assert.equal(usualInterval([T]), null);
});

test("times of a clock that is ahead are corrected, and one that may send late is left alone (G18)", () => {
  assert.deepEqual([undefined, { offset: 120, wrong: false }, { offset: -80, wrong: false }, { offset: -9000, wrong: true }].map(correctionOf), [0, 120, 0, -9000]);
  assert.deepEqual(corrected([{ t: 1000, x: 1 }], 120), [{ t: 880, x: 1 }]);
  // The same movement, seen by two clocks, is the same at each moment.
  const samples = samplesOf(200), ahead = samples.map((sample) => ({ ...sample, t: sample.t + 120 }));
  for (const { values: [left, right] } of align([samples, corrected(ahead, 120)], 20)) assert.deepEqual(left, right);
});

test("what is known about the clocks at the end of a session is used for its charts, files and uploads (G18)", async () => {
  await app.start();
  await app.run("1s");
  const server = new StudyServer();
  await serve(server);
  await record("Walk");
  const [{ id, sensors: [sensor] }] = await nervous.sessions.list();
  await nervous.storage.set(`clocks/${id}`, { [sensor]: 120 });
  await click("send");
  await clock.advance("1s");
  const [{ t }] = await nervous.sessions.samples(id, { sensor });
  const payload = [...server.stored.values()].map((body) => JSON.parse(body))[0];
  assert.equal(payload.data[0].at, since2001(t - 120));
  await click("delete");
  await click("really");
  assert.ok((await nervous.storage.keys()).every((key) => !key.includes(id)));
});

test("aligned samples are one table, with an empty cell for a gap (G18)", () => {
  const csv = csvOf(["accelerometer.left", "accelerometer.right"], [{ t: T, values: [[1, 2, 3.14159265], null] }]);
  assert.equal(csv, `t,accelerometer.left.x,accelerometer.left.y,accelerometer.left.z,accelerometer.right.x,accelerometer.right.y,accelerometer.right.z\n${T},1,2,3.141593,,,\n`);
});

test("a session of several limbs becomes one payload for each (G18)", async () => {
  const made = await payloads({
    client: CLIENT, session: SESSION, limbs: ["left-ankle", "right-ankle", "hip"].map((name) => limb(samplesOf(10), `accelerometer.${name}`)) });
  assert.deepEqual(made.map(({ body }) => JSON.parse(body).session.name), ["left ankle", "right ankle", "hip"].map((name) => `Lunch walk (${name})`));
  assert.equal(new Set(made.map(({ body }) => JSON.parse(body).session.id)).size, 3);
});

test("a session records each accelerometer that is chosen (G18)", async () => {
  await app.start();
  await app.run("1s");
  await record("All limbs");
  const [{ id, sensors }] = await nervous.sessions.list();
  assert.deepEqual([...sensors], (await nervous.sensors()).map((sensor) => sensor.id));
  assert.equal(document.querySelectorAll(".limb").length, sensors.length);
  const counts = await Promise.all(sensors.map(async (sensor) => (await nervous.sessions.samples(id, { sensor })).length));
  assert.ok(counts.every((count) => count >= 50 && count === counts[0]), `${counts}`);
  assert.equal(document.querySelectorAll("#recorded figure").length, sensors.length);
});

// --- Live -------------------------------------------------------------------------------------

test("a stream of 50 samples a second is drawn completely, less than 100 ms behind (G11)", async () => {
  const place = document.createElement("div");
  let sent = 0, take;
  const limb = new Limb({ id: "accelerometer.left", title: "Accelerometer" }, (onSample) => ((take = onSample), () => {}), place);
  const timer = setInterval(() => take({ t: Date.now() - 35, x: sent++, y: 0, z: GRAVITY }), 20);
  await clock.advance("1m");
  assert.equal(sent, 3000);
  assert.equal(limb.taken, sent);
  assert.ok(Math.abs(limb.reading.rate - 50) < 0.5 && limb.reading.late < 100, JSON.stringify(limb.reading));
  assert.match(place.textContent, /^leftx/);
  await clock.advance("1s");
  assert.match(place.textContent, /Samples per second50Behind \(ms\)35$/);
  clearInterval(timer);
  await clock.advance("4s");
  assert.match(place.textContent, /Stale: newest \d\d:\d\d:\d\d$/);
  limb.stop();
});

test("samples of the host arrive at once (G11)", async () => {
  const [{ id, title }] = await nervous.sensors(), place = document.createElement("div");
  const limb = new Limb({ id, title }, arriving(id), place);
  await clock.advance("10s");
  const stored = await nervous.sensor(id).samples({ from: 0, limit: 1000 });
  assert.ok(stored.length >= 100 && limb.taken >= stored.length - 1, `${limb.taken} of ${stored.length}`);
  assert.ok(limb.reading.late < 100, JSON.stringify(limb.reading));
  limb.stop();
  await clock.advance("1s");
  assert.ok(limb.taken <= stored.length + 1);
});

test("live samples end with the permission, and the page says so (G11)", async () => {
  await app.start();
  await app.run("3s");
  await permissions.deny("sensor:accelerometer");
  await clock.advance("3s");
  assert.match(text("live"), /Denied/);
});

test("the page shows samples of the host, and says if there are few (G11)", async () => {
  await app.start();
  await app.run("3s");
  await sensors.set("accelerometer", { x: 1.25 });
  await clock.advance("2100ms");
  const view = document.querySelector(".limb").textContent;
  assert.match(view, /x \(m\/s²\)1\.25/);
  assert.match(view, /Samples per second1\dBehind \(ms\)\d+Fewer than 50 samples a second\. To change it: nervous sensors set accelerometer\S* 20ms/);
});

test("the meter has the rate and the largest delay of the last two seconds (G11)", () => {
  const meter = new Meter();
  assert.equal(meter.reading, null);
  for (let at = 0; at < 300; at++) meter.push(at * 20, at * 20 + (at === 10 ? 500 : 30));
  assert.deepEqual(meter.reading, { rate: 50, late: 30 });
});

// --- Page -------------------------------------------------------------------------------------

test("sessions are created, shown, changed and deleted (G1)", async () => {
  await app.start();
  await app.run("1s");
  byId("new-name").value = "Lunch walk";
  byId("new-description").value = "The long way";
  await submit("new-form");
  assert.deepEqual(names(), ["Lunch walk"]);
  assert.equal(text("session-description"), "The long way");
  assert.equal(document.activeElement.id, "start");
  byId("edit-name").value = "Evening walk";
  byId("edit-description").value = "";
  await submit("edit-form");
  assert.equal(text("edit-note"), "Saved.");
  const [session] = await nervous.sessions.list();
  assert.deepEqual([session.name, session.description], ["Evening walk", ""]);
  await click("delete");
  assert.match(text("confirm-text"), /Delete “Evening walk”\? No server has confirmed it\./);
  await click("keep");
  assert.equal((await nervous.sessions.list()).length, 1);
  await click("delete");
  await click("really");
  assert.deepEqual(await nervous.sessions.list(), []);
  assert.equal(byId("session").hidden, true);
});

test("each operation of sessions and of their samples is there (G12)", async () => {
  await app.start();
  await app.run("1s");
  // Sessions: create, read, update, delete. Samples: record, read, leave out, use again.
  await record("Walk", "10s");
  const [{ id, spans: [span] }] = await nervous.sessions.list();
  const count = () => Number(/(\d+) samples/.exec(text("recorded"))[1]);
  const all = count();
  assert.equal(all, (await nervous.sessions.samples(id, { sensor: (await nervous.sessions.get(id)).sensors[0] })).length);
  byId("cut-from").value = "2";
  byId("cut-to").value = "7,5";
  await submit("cut-form");
  assert.deepEqual(await nervous.storage.get(`cut/${id}`), { from: span.from + 2000, to: span.from + 7500 });
  assert.ok(count() >= 55 && count() <= 56, `${count()}`);
  await click("uncut");
  assert.equal(count(), all);
  byId("cut-from").value = "9";
  byId("cut-to").value = "3";
  await submit("cut-form");
  assert.match(text("recording-note"), /Nothing has changed/);
  assert.equal(count(), all);
  byId("edit-name").value = "Walk, again";
  await submit("edit-form");
  assert.deepEqual(names(), ["Walk, again"]);
  await click("delete");
  assert.match(text("confirm-text"), /nervous forget accelerometer\S* --from \S+Z --to \S+Z/);
  await click("really");
  assert.deepEqual(await nervous.storage.keys(), ["client"]);
});

test("pauses are part of a session, and its samples are only those of its active time (G1)", async () => {
  await app.start();
  await app.run("1s");
  byId("new-name").value = "With a pause";
  await submit("new-form");
  await click("start");
  assert.equal(byId("edit-sensors").querySelector("input").disabled, true);
  await clock.advance("3s");
  await click("pause");
  assert.equal(document.activeElement.id, "resume");
  await clock.advance("1m");
  await click("resume");
  await clock.advance("2s");
  await click("finish");
  const [session] = await nervous.sessions.list();
  assert.equal(session.spans.length, 2);
  const samples = await nervous.sessions.samples(session.id, { sensor: session.sensors[0] });
  assert.ok(samples.length >= 50 && samples.length <= 54, `${samples.length}`);
  const read = [];
  for await (const page of pagesOf(session, session.sensors[0], null)) read.push(...page);
  assert.deepEqual(read.map(({ t }) => t), samples.map(({ t }) => t));
  assert.match(text("session-figures"), /Recorded5 s/);
});

test("ranges of seconds are checked (G12)", () => {
  const range = { start: T, end: T + 10_000 };
  assert.deepEqual(parseCut("1,5", "", range), { from: T + 1500, to: T + 10_000 });
  assert.equal(parseCut("", "", range), null);
  assert.equal(parseCut("0", "99", range), null);
  for (const [from, to] of [["5", "5"], ["7", "3"], ["-1", "3"], ["x", "3"], ["NaN", ""], ["1e99", ""]]) assert.equal(parseCut(from, to, range), undefined, `${from} ${to}`);
  assert.equal(fileName({ name: "Mörgen / walk", created: T }, "csv"), "Mo-rgen-walk-2026-01-05.csv");
  assert.equal(fileName({ name: "散歩", created: T }, "csv"), "session-2026-01-05.csv");
});

test("three sessions of one client are uploaded, one after the other (G13)", async () => {
  await app.start();
  await app.run("1s");
  const server = new StudyServer();
  await serve(server);
  for (const name of ["One", "Two", "Three"]) {
    await record(name);
    await click("send");
    await clock.advance("1s");
    assert.match(text("upload-state"), /^Uploaded to http:\/\/localhost:3000 at /);
  }
  const limbs = (await nervous.sensors()).length;
  assert.equal(server.stored.size, 3 * limbs);
  const stored = [...server.stored.values()].map((body) => JSON.parse(body));
  assert.equal(new Set(stored.map(({ client }) => client.id)).size, 1);
  assert.equal(stored[0].client.name, "Laptop");
  assert.deepEqual([...new Set(stored.map(({ session }) => session.name.split(" (")[0]))], ["One", "Two", "Three"]);
  assert.ok(server.calls.every(({ url }) => url === "http://localhost:3000/session"));
  // Again, unchanged: the server has it already, and nothing is stored twice.
  await click("send");
  await clock.advance("1s");
  assert.match(text("upload-state"), /^Uploaded/);
  assert.equal(server.stored.size, 3 * limbs);
});

test("an upload waits for its server, also after its name has changed, and the session is deleted only then (G5)", async () => {
  await app.start();
  await app.run("1s");
  const server = new StudyServer();
  let isUp = false;
  server.fail = () => (isUp ? null : { before: gone });
  await serve(server);
  await record("Walk");
  byId("removes").checked = true;
  await click("send");
  assert.match(text("upload-state"), /^The server cannot be reached\. It is tried again at \d\d:\d\d:\d\d\.$/);
  byId("edit-name").value = "Another name";
  await submit("edit-form");
  await clock.advance("1m");
  assert.equal((await nervous.sessions.list()).length, 1);
  isUp = true;
  await clock.advance("2m");
  assert.deepEqual(await nervous.sessions.list(), []);
  assert.equal(byId("session").hidden, true);
  assert.match(JSON.parse([...server.stored.values()][0]).session.name, /^Walk/);
  assert.ok(server.rows().length >= 50);
});

test("a server that is not allowed is named, and the upload says what to do (G5)", async () => {
  await app.start();
  await app.run("1s");
  byId("server").value = "https://other.example";
  await submit("server-form");
  assert.match(text("server-note"), /nervous permissions grant gait net:https:\/\/other\.example/);
  await record("Walk");
  await click("send");
  assert.match(text("upload-state"), /^Not uploaded: gait does not declare https:\/\/other\.example/);
  byId("server").value = "walkabout";
  await submit("server-form");
  assert.match(text("server-note"), /Nothing has changed/);
});

test("the page has states for a sensor that is denied, missing, off or undecided (G10)", async () => {
  const sensor = { id: "accelerometer.left", available: true, access: "granted", level: "high" };
  assert.equal(obstacle(sensor), null);
  assert.equal(obstacle({ ...sensor, available: false, unavailable: { reason: "No driver.", remedy: "modprobe x" } }).fix, "modprobe x");
  assert.equal(obstacle({ ...sensor, access: "denied" }).title, "Denied");
  assert.equal(obstacle({ ...sensor, access: "prompt" }).kind, "undecided");
  assert.equal(obstacle({ ...sensor, access: "statistics" }).title, "Statistics only");
  assert.equal(obstacle({ ...sensor, level: "off" }).fix, "nervous sensors set accelerometer.left 20ms");
  await permissions.deny("sensor:accelerometer");
  await app.start();
  await app.run("1s");
  assert.match(text("live"), /Denied|No accelerometer is allowed/);
  assert.match(text("new-sensors"), /No accelerometer can be read/);
  byId("new-name").value = "Walk";
  await submit("new-form");
  assert.match(text("message"), /Choose at least one sensor/);
  const { errors } = await app.result();
  assert.deepEqual(errors, []);
});

test("without sessions or storage the page says so, and the rest works (G10)", async () => {
  await permissions.deny("storage");
  await permissions.deny("sessions:write");
  await app.start();
  await app.run("3s");
  assert.match(text("message"), /Denied/);
  assert.equal(byId("new-form").hidden, true);
  assert.match(document.querySelector(".limb").textContent, /Samples per second1\d/);
});

test("without storage sessions are recorded, and not uploaded (G10)", async () => {
  await permissions.deny("storage");
  await app.start();
  await app.run("1s");
  await record("Walk");
  assert.match(text("recorded"), /\d+ samples/);
  await click("delete");
  await click("really");
  assert.deepEqual(await nervous.sessions.list(), []);
});
