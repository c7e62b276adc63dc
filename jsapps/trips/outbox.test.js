// Reports that were not accepted: kept or deleted by choice, sent later, and stored encrypted.

import { begin, byId, click, answer, fixes, put, record, submit, text, unreachable, TestServer } from "./test-support.js";
import { deliver, withFailure, withReport, without } from "./outbox.js";
import { entryOf, rowOf } from "./rows.js";
import { newKey, seal, SealError, unseal } from "./seal.js";
import { kindOf } from "./server.js";
import { Store } from "./store.js";
import { after, can } from "./trip.js";

/** A recorded trip that is shown as a report. */
async function reviewing(server = new TestServer()) {
  await put(0);
  await begin({ server });
  await record();
  await clock.advance("6s");
  await fixes([150, 5]);
  await click("finish");
  return server;
}

const items = () => [...document.querySelectorAll("#outbox li")];
const action = (item, name) => item.querySelector(`[data-action="${name}"]`);

test("a report is accepted with 200, 201 and 204, and with 200 for one that the server has (E4)", () => {
  for (const [status, code] of [[200], [201], [204], [200, 690]]) assert.equal(kindOf(status, code), undefined);
});

for (const [kind, statuses] of [
  ["later", [500, 502, 503, 504, 408, 429]], ["refused", [400, 403, 404, 409, 413, 422]], ["login", [401]],
]) {
  test(`the statuses ${statuses.join(", ")} mean: ${kind} (E4)`, () => {
    for (const status of statuses) assert.equal(kindOf(status), kind, `${status}`);
  });
}

test("a report that belongs to another user is refused, and the login stays (E4)", async () => {
  assert.equal(kindOf(401, 670), "refused");
  const server = await reviewing();
  server.fault = (path) => (path === "/report" ? [401, { ErrorCode: 670, ErrorMessage: "User and drive report user do not match" }] : undefined);
  await click("send");
  assert.match(text("trip-message"), /refused.*User and drive report user do not match/);
  assert.match(text("account-body"), /logged in/);
});

for (const [status, pattern] of [[500, /Not sent.*answered 500/], [400, /refused it.*400: Could not save drivereport/], [401, /Log in again.*401/]]) {
  test(`a report that is answered with ${status} stays, with what the server said (E4)`, async () => {
    const server = await reviewing();
    server.fault = (path) => (path === "/report" ? [status, status === 400 ? { ErrorCode: 640, ErrorMessage: "Could not save drivereport" } : undefined] : undefined);
    await click("send");
    assert.match(text("trip-message"), pattern);
    assert.equal(text("trip-title"), "Report");
    assert.deepEqual(server.reports, []);
  });
}

test("after another login, a report that was answered with 401 is still complete (E4)", async () => {
  const server = await reviewing();
  server.fault = (path) => (path === "/report" ? [401] : undefined);
  await click("send");
  byId("remark").value = "Late";
  byId("remark").dispatchEvent(new Event("change", { bubbles: true }));
  await click("send");
  assert.match(text("trip-message"), /Log in again/);
  server.fault = () => undefined;
  byId("user").value = "abc";
  byId("password").value = "secret";
  await submit("login-form");
  await click("send");
  assert.deepEqual(server.reports.map(({ EmploymentId, RateId, ManualEntryRemark }) => [EmploymentId, RateId, ManualEntryRemark]), [[3, 1, "Late"]]);
});

test("an open question is dismissed by another action", async () => {
  const server = await reviewing();
  await click("discard");
  await click("send");
  assert.equal(text("question"), "");
  assert.equal(server.reports.length, 1);
});

test("reports that a run without a page has sent meanwhile are not sent again (E21)", async () => {
  const server = await reviewing();
  await click("keep");
  const store = await Store.open(), { entries } = await store.load();
  await store.setEntries([], entries);
  await click(action(items()[0], "send"));
  assert.deepEqual([items().length, server.calls.filter((call) => call === "POST /report").length], [0, 0]);
});

test("a report whose answer was lost is not stored twice by the server (E4)", async () => {
  const server = await reviewing();
  let isLost = true;
  server.fault = () => undefined;
  const accept = server.reports.push.bind(server.reports);
  server.reports.push = (report) => {
    accept(report);
    if (isLost) throw unreachable();
  };
  await click("send");
  assert.match(text("trip-message"), /Not sent/);
  isLost = false;
  await click("send");
  assert.equal(server.reports.length, 1);
  assert.match(text("message"), /sent and received/);
});

test("while the server is down a report is saved, and sent when it is up again (E21)", async () => {
  const server = await reviewing();
  server.fault = () => unreachable();
  await click("send");
  assert.match(text("trip-message"), /Not sent.*cannot be reached/);
  await click("keep");
  assert.equal(text("outbox-count"), "1 not sent");
  assert.match(items()[0].textContent, /Visit.*2026-01-05, 0\.[12] km/);
  await click(action(items()[0], "send"));
  assert.match(items()[0].textContent, /cannot be reached/);
  server.fault = () => undefined;
  await click(action(items()[0], "send"));
  assert.equal(server.reports.length, 1);
  assert.equal(server.reports[0].route.GPSCoordinates.length, 2);
  assert.equal(text("outbox-count"), "none");
  assert.match(text("message"), /sent and received/);
});

test("a report that was not sent can be deleted instead, after a question (E21)", async () => {
  const server = await reviewing();
  server.fault = () => unreachable();
  await click("send");
  await click("keep");
  await click(action(items()[0], "delete"));
  await answer("no");
  assert.equal(items().length, 1);
  await click(action(items()[0], "delete"));
  await answer("yes");
  assert.equal(items().length, 0);
  assert.deepEqual((await nervous.storage.keys()).filter((key) => key.startsWith("report/")), []);
  assert.deepEqual(server.reports, []);
});

test("all saved reports are sent, the oldest first, and one that is refused stays (E21)", async () => {
  const server = await reviewing();
  await click("keep");
  for (const purpose of ["Second", "Third"]) {
    byId("purpose").value = purpose;
    byId("placement").value = "3";
    byId("rate").value = "1";
    await click("enter");
    byId("kilometres").value = "3";
    await click("keep");
  }
  const [, second] = items().map((item) => item.getAttribute("data-uuid"));
  server.fault = (path) => (path === "/report" && server.bodies.at(-1).DriveReport.Uuid === second ? [400] : undefined);
  await click("send-all");
  assert.deepEqual(server.reports.map(({ Purpose }) => Purpose), ["Visit", "Third"]);
  assert.deepEqual(items().map((item) => item.getAttribute("data-uuid")), [second]);
  assert.match(items()[0].textContent, /answered 400/);
});

test("saved reports survive the end of the app (E21)", async () => {
  await reviewing();
  await click("keep");
  const { entries } = await (await Store.open()).load();
  assert.equal(entries.length, 1);
  assert.equal(entries[0].report.purpose, "Visit");
  assert.equal(entries[0].report.points.length, 2);
});

test("reports of another login stay and are not sent (E21)", async () => {
  const server = await reviewing();
  await click("keep");
  server.users.push({ ...server.users[0], name: "def", guid: "other", profile: 8 });
  server.users[0].isActive = false;
  await click("update");
  byId("user").value = "def";
  byId("password").value = "secret";
  await submit("login-form");
  assert.match(items()[0].textContent, /belongs to another login/);
  assert.equal(byId("send-all").hidden, true);
  await click("update");
  assert.equal(items().length, 1);
  assert.deepEqual(server.reports, []);
});

test("reports are sent one after the other, and removed only when the server has them (E21)", async () => {
  const entries = ["a", "b", "c"].reduce((list, uuid, at) => withReport(list, { uuid }, at), []);
  const saved = [], send = async ({ uuid }) => { if (uuid === "b") throw Object.assign(new Error("down"), { kind: "later" }); };
  const { entries: left, sent, failure } = await deliver(entries, send, (list) => saved.push(list.map(({ report }) => report.uuid).join("")));
  assert.deepEqual([left.map(({ report }) => report.uuid), sent, failure.kind], [["b", "c"], 1, "later"]);
  assert.deepEqual(saved, ["bc", "bc"]);
  assert.deepEqual(without(entries, "b").length, 2);
  assert.equal(withFailure(entries, "c", "x")[2].failure, "x");
});

test("what is stored is encrypted: no purpose, position or id can be read (E22)", async () => {
  const server = await reviewing();
  await click("keep");
  const stored = [];
  for (const key of await nervous.storage.keys()) stored.push(JSON.stringify(await nervous.storage.get(key)));
  for (const secret of ["Visit", "56.0", "560000", server.users[0].guid, "Ada", "localhost"]) {
    assert.ok(stored.every((value) => !value.includes(secret)), secret);
  }
});

test("a value becomes bytes and comes back the same (E22)", async () => {
  const key = newKey();
  for (const value of [{ a: [1, 2.5, null, true], b: "æøå €\u0000" }, "", 0, Array.from({ length: 20_000 }, (_, at) => at)]) {
    assert.deepEqual(await unseal(await seal(value, "x", key), "x", key), value);
  }
});

test("the same value is never encrypted to the same bytes, and no two installations have the same key (E6)", async () => {
  const key = newKey(), blobs = [await seal("trip", "x", key), await seal("trip", "x", key)];
  assert.notEqual(blobs[0].nonce, blobs[1].nonce);
  assert.notEqual(blobs[0].sealed, blobs[1].sealed);
  assert.notEqual(newKey(), newKey());
  assert.equal(atob(key).length, 32);
});

test("another key, another name and a changed byte break the decryption (E6)", async () => {
  const key = newKey(), blob = await seal("trip", "x", key);
  await assert.rejects(unseal(blob, "x", newKey()), SealError);
  await assert.rejects(unseal(blob, "y", key), SealError);
  const bytes = atob(blob.sealed), changed = btoa(String.fromCharCode(bytes.charCodeAt(0) ^ 1) + bytes.slice(1));
  await assert.rejects(unseal({ ...blob, sealed: changed }, "x", key), SealError);
  await assert.rejects(unseal("damaged", "x", key), SealError);
});

test("what was encrypted with another key is set aside and reported, not deleted (E6)", async () => {
  await nervous.storage.set("key", newKey());
  const store = await Store.open();
  await store.set("purposes", ["Visit"]);
  await nervous.storage.set("key", newKey());
  new TestServer().install();
  await app.start();
  await clock.advance("20ms");
  assert.match(text("message"), /1 values were encrypted with another key/);
  assert.deepEqual((await nervous.storage.keys()).sort(), ["key", "unreadable/purposes"]);
});

test("a row is not the report: it has a version, and integers in place of degrees (E24)", () => {
  const report = { uuid: "u", purpose: "p", points: [{ latitude: 56.1234567, longitude: -10.5, isVia: true }, { latitude: 0, longitude: 180, isVia: false }] };
  const entry = { report, kept: 5, failure: "" }, row = rowOf(entry);
  assert.deepEqual(row.points, [[561234567, -105000000, 1], [0, 1800000000, 0]]);
  assert.equal(row.version, 1);
  assert.deepEqual(entryOf(row), entry);
  for (const wrong of [{ ...row, version: 2 }, { ...row, points: null }, null, {}]) assert.throws(() => entryOf(wrong), RangeError);
});

test("the modules of the domain know neither storage nor host nor page (E24)", async () => {
  const domain = ["account.js", "outbox.js", "provider.js", "report.js", "rows.js", "sync.js", "trip.js"];
  for (const name of domain) {
    const source = await (await fetch(name)).text();
    for (const word of ["nervous.", "localStorage", "document.", "store.js", "server.js", "elements.js"]) {
      assert.ok(!source.includes(word), `${name} has ${word}`);
    }
    for (const [, imported] of source.matchAll(/from "\.\/(.*?)"/g)) assert.ok(domain.includes(imported), `${name} imports ${imported}`);
  }
});

test("each action is possible in the states that the trip has, and in no other (mistake 3)", () => {
  const table = { none: ["start", "enter"], active: ["pause", "finish"], paused: ["resume", "finish"], review: ["send", "keep", "discard"] };
  for (const state of Object.keys(table)) {
    const possible = ["start", "enter", "pause", "resume", "finish", "send", "keep", "discard"].filter((one) => can(state, one));
    assert.deepEqual(possible, table[state], state);
  }
  assert.equal(after("paused", "finish"), "review");
  assert.equal(after("elsewhere", "start"), undefined);
});
