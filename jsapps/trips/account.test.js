// Providers and their themes, login and logout, and the synchronisation.

import { begin, byId, change, click, answer, fixes, put, record, settle, submit, text, unreachable, API, PROVIDER, TestServer } from "./test-support.js";
import { peopleOf, ratesOf } from "./account.js";
import { apiAddress, contrast, parseProviders, readableOn, themeOf } from "./provider.js";
import { synchronise } from "./sync.js";
import { Store } from "./store.js";

const theme = () => ["--brand", "--on-brand", "--brand-edge"].map((name) => document.documentElement.style.getPropertyValue(name));

test("the list that comes with the app can be used (E5)", async () => {
  const { providers, rejected } = parseProviders(await (await fetch("providers.json")).json());
  assert.deepEqual(rejected, []);
  assert.deepEqual(providers.map(({ api }) => api), [API]);
});

test("a list of the published form is read: addresses without a final slash, colours in one form (E5)", () => {
  const { providers: [provider], rejected } = parseProviders([PROVIDER]);
  assert.deepEqual(rejected, []);
  assert.deepEqual(provider, { name: "Town", api: API, text: "#ffffff", primary: "#00665f", secondary: "#db813c" });
});

for (const [what, change, pattern] of [
  ["a colour of three digits", { PrimaryColor: "#fff" }, /PrimaryColor is not a colour/],
  ["a colour by name", { TextColor: "white" }, /TextColor/],
  ["a colour with more behind it", { SecondaryColor: "#ffffff; background: url(x)" }, /SecondaryColor/],
  ["no colour", { PrimaryColor: undefined }, /PrimaryColor/],
  ["no address", { APIUrl: "" }, /no address/],
  ["an address of another kind", { APIUrl: "javascript:alert(1)" }, /https:/],
  ["an address with a password", { APIUrl: "https://a:b@example.org/api" }, /user name/],
  ["no name", { Name: " " }, /no name/],
]) {
  test(`a provider with ${what} is rejected with the reason, and the others stay (E5)`, () => {
    const { providers, rejected } = parseProviders([{ ...PROVIDER, ...change }, { ...PROVIDER, Name: "Other" }]);
    assert.deepEqual(providers.map(({ name }) => name), ["Other"]);
    assert.match(rejected[0].reason, pattern);
  });
}

test("what is no list is refused, and addresses are checked (E5)", () => {
  assert.throws(() => parseProviders({ Name: "x" }), /not a list/);
  assert.throws(() => apiAddress("not an address"), /not an address/);
  assert.equal(apiAddress("https://example.org/api///"), "https://example.org/api");
});

test("text on the colour of a provider can be read: contrast 4.5 or black or white (E5)", () => {
  assert.ok(Math.abs(contrast("#000000", "#ffffff") - 21) < 1e-9);
  assert.equal(contrast("#123456", "#123456"), 1);
  assert.equal(readableOn("#00665f", "#ffffff"), "#ffffff");
  // White on this blue has a contrast of 3.5.
  assert.equal(themeOf({ text: "#ffffff", primary: "#538cc6", secondary: "#db813c" })["--on-brand"], "#000000");
  for (let grey = 0; grey < 256; grey++) {
    const ground = `#${grey.toString(16).padStart(2, "0").repeat(3)}`;
    assert.ok(contrast(ground, readableOn(ground, ground)) >= 4.5, ground);
  }
});

test("the provider gives the page its colours, and the log-out takes them away (E5)", async () => {
  await begin();
  assert.deepEqual(theme(), ["#00665f", "#ffffff", "#db813c"]);
  assert.equal(text("provider-name"), "Town, Ada Byron");
  await click("leave");
  assert.deepEqual(theme(), ["", "", ""]);
  assert.equal(text("provider-name"), "No provider");
});

test("rejected providers are listed with the reason (E5)", async () => {
  const server = new TestServer().install();
  server.list = [PROVIDER, { ...PROVIDER, Name: "Grey", PrimaryColor: "grey" }];
  await app.start();
  await settle();
  byId("list-address").value = `${API}/appinfo`;
  await submit("list-form");
  assert.match(text("rejected"), /Grey: Its PrimaryColor is not a colour/);
  assert.equal(document.querySelectorAll("[data-provider]").length, 1);
});

test("the log-out wipes provider, login, trip, saved reports and purposes (E5)", async () => {
  await put(0);
  const server = await begin();
  await record();
  await clock.advance("6s");
  await fixes([150, 5]);
  await click("finish");
  await click("keep");
  await click("leave");
  assert.match(text("account-question"), /1 saved report/);
  await answer("no");
  assert.equal(text("provider-name"), "Town, Ada Byron");
  await click("leave");
  await answer("yes");
  assert.deepEqual(await nervous.storage.keys(), ["key"]);
  assert.equal(document.querySelectorAll("#outbox li").length, 0);
  assert.equal(document.querySelectorAll("#rate option").length, 1);
  assert.deepEqual(server.reports, []);
});

test("a login gives an opaque id, which is used thereafter; the password is not kept (E2)", async () => {
  await put(0);
  const server = await begin();
  assert.deepEqual(server.bodies.at(-1), { UserName: "abc", Password: "secret" });
  await record();
  await clock.advance("6s");
  await fixes([150, 5]);
  await click("finish");
  await click("send");
  await click("update");
  const [report, info] = server.bodies.slice(-2);
  assert.deepEqual([report.Authorization.GuId, info.GuId], [server.users[0].guid, server.users[0].guid]);
  assert.ok(server.bodies.slice(2).every((body) => !JSON.stringify(body).includes("secret")));
  const { values } = await (await Store.open()).load();
  assert.ok(!JSON.stringify(values).includes("secret"));
  assert.equal(byId("password"), null);
});

test("a second login gives the same id (E2)", async () => {
  const server = await begin();
  await click("leave");
  const before = server.bodies.length;
  await click(document.querySelector("[data-provider]"));
  byId("user").value = "abc";
  byId("password").value = "secret";
  await submit("login-form");
  assert.equal(server.bodies.length, before + 1);
  assert.equal((await (await Store.open()).load()).values.account.guid, server.users[0].guid);
});

test("a wrong password is refused with the server's sentence, and nothing is kept (E2)", async () => {
  await begin({ password: "wrong" });
  assert.match(text("account-message"), /Not logged in.*401: Username or password is incorrect\./);
  assert.equal(text("account-body").includes("logged in"), false);
  assert.deepEqual((await nervous.storage.keys()).sort(), ["key", "provider"]);
});

test("an empty user name or password is not sent (E2)", async () => {
  const server = await begin({ password: "" });
  assert.deepEqual(server.calls, ["GET /appinfo"]);
  assert.match(text("account-message"), /Enter the user name and the password/);
});

test("of the user, only id, name and placements are taken over (E1)", () => {
  const info = { profile: { Id: 7, Firstname: "Ada", Lastname: "", HomeLatitude: "56.1", Authorization: { GuId: "g" },
    Employments: [{ Id: 3, EmploymentPosition: "Nurse", ManNr: "1" }] }, rates: [{ Id: 1, Description: "High", Year: "2026" }] };
  assert.deepEqual(peopleOf(info), { guid: "g", profile: 7, name: "Ada", placements: [{ id: 3, title: "Nurse, 1" }] });
  assert.deepEqual(ratesOf(info), [{ id: 1, title: "High (2026)" }]);
  for (const wrong of [undefined, {}, { profile: { Id: 7 } }, { profile: { Id: "7", Authorization: { GuId: "g" } } }]) {
    assert.throws(() => peopleOf(wrong), TypeError);
  }
  assert.throws(() => ratesOf({ rates: [{ Description: "x" }] }), /no rates/);
});

test("the user is validated again, and rates and placements are refreshed (E3)", async () => {
  const server = await begin();
  server.rates = [{ Id: 5, Description: "New rate", Year: "2027" }];
  await click("update");
  assert.match(text("account-message"), /up to date/);
  assert.deepEqual([...document.querySelectorAll("#rate option")].map((option) => option.textContent), ["Choose a rate", "New rate (2027)"]);
});

test("a user who was deactivated is rejected, and has to log in again (E3)", async () => {
  const server = await begin();
  server.users[0].isActive = false;
  await click("update");
  assert.match(text("account-message"), /Log in again.*Invalid authorization/);
  assert.ok(byId("login-form"));
  byId("user").value = "abc";
  byId("password").value = "secret";
  await submit("login-form");
  // An inactive user cannot log in.
  assert.match(text("account-message"), /Username or password is incorrect/);
  assert.ok(byId("login-form"));
});

const STATE = { account: { guid: "g", profile: 7, placements: [], rates: [] }, next: "reports" };
const INFO = { profile: { Id: 7, Authorization: { GuId: "g" }, Employments: [] }, rates: [{ Id: 1, Description: "High", Year: "2026" }] };
const entry = (uuid, kept = 0) => ({ kept, failure: "", report: {
  uuid, date: "2026-01-05T08:00:00.000+00:00", purpose: "p", remark: "", placement: 3, rate: 1, startsAtHome: false,
  endsAtHome: false, metres: 1000, source: "manual", points: [], owner: "o" } });

/** A state that remembers what was committed, and a server that remembers its calls. */
function bench(state, answers = {}) {
  const calls = [], commits = [];
  const server = {
    sendReport: async ({ DriveReport: { Uuid } }) => { calls.push(`report ${Uuid}`); answers.report?.(Uuid); },
    userInfo: async (guid) => { calls.push(`userinfo ${guid}`); return answers.info?.() ?? INFO; },
  };
  const commit = async (changes) => { commits.push(Object.keys(changes)[0]); Object.assign(state, changes); };
  return { calls, commits, run: () => synchronise({ ...state }, server, commit) };
}

function failure(kind) {
  return Object.assign(new Error(kind), { kind });
}

test("reports go up first, then people, then rates (E7)", async () => {
  const state = { ...STATE, entries: [entry("a"), entry("b", 1)] };
  const { calls, commits, run } = bench(state);
  assert.deepEqual(await run(), { done: ["reports", "people", "rates"], sent: 2, failure: null });
  assert.deepEqual(calls, ["report a", "report b", "userinfo g"]);
  assert.deepEqual(commits, ["entries", "entries", "next", "account", "next", "account", "next"]);
  assert.deepEqual([state.entries, state.next, state.account.rates], [[], "reports", [{ id: 1, title: "High (2026)" }]]);
});

test("after a failure nothing half is stored, and the next synchronisation resumes at the step that failed (E7)", async () => {
  const state = { ...STATE, entries: [entry("a")] };
  let info = { ...INFO, rates: [{ Description: "without an id" }] };
  const { calls, run } = bench(state, { info: () => info });
  const { done, failure: reason } = await run();
  assert.deepEqual([done, state.next], [["reports", "people"], "rates"]);
  assert.match(reason.message, /no rates/);
  assert.deepEqual(state.account.rates, []);
  info = INFO;
  assert.deepEqual((await run()).done, ["rates"]);
  assert.deepEqual(calls, ["report a", "userinfo g", "userinfo g"]);
  assert.equal(state.next, "reports");
});

test("while reports cannot be sent, people and rates wait (E7)", async () => {
  const state = { ...STATE, entries: [entry("a"), entry("b", 1)] };
  let isDown = true;
  const { calls, run } = bench(state, { report: (uuid) => { if (isDown && uuid === "b") throw failure("later"); } });
  const { done, sent } = await run();
  assert.deepEqual([done, sent, state.next], [[], 1, "reports"]);
  assert.deepEqual(state.entries.map(({ report, failure: reason }) => [report.uuid, reason]), [["b", "later"]]);
  isDown = false;
  assert.deepEqual((await run()).done, ["reports", "people", "rates"]);
  // A report that arrived is not sent again.
  assert.deepEqual(calls, ["report a", "report b", "report b", "userinfo g"]);
});

test("an inactive user is logged out by the synchronisation, and keeps the reports (E7)", async () => {
  const state = { ...STATE, entries: [entry("a")] };
  const { run } = bench(state, { report: () => { throw failure("login"); } });
  const outcome = await run();
  assert.equal(outcome.failure.kind, "login");
  assert.equal(state.account, null);
  assert.equal(state.entries.length, 1);
});

test("a run without a page synchronises and prints what it did (E7)", async () => {
  const server = new TestServer().install();
  const store = await Store.open();
  const saved = entry("0b5c");
  saved.report.owner = `${API} 7`;
  await store.set("provider", parseProviders([PROVIDER]).providers[0]);
  await store.set("account", { guid: server.users[0].guid, profile: 7, name: "Ada Byron", placements: [], rates: [] });
  await store.setEntries([saved], []);
  const { lines } = await app.run("1s");
  assert.deepEqual(server.calls, ["POST /report", "POST /userinfo"]);
  assert.equal(lines.map(({ text }) => text).join("\n"), "Synchronised with Town: 1 report sent, reports, people, rates done.");
  assert.deepEqual((await store.load()).entries, []);
});

test("a run without a page that fails says why, keeps the reports, and ends with 1 (E7)", async () => {
  const server = new TestServer().install();
  server.fault = () => [503, { ErrorCode: 600, ErrorMessage: "Maintenance" }];
  const store = await Store.open();
  const saved = entry("0b5c");
  saved.report.owner = `${API} 7`;
  await store.set("provider", parseProviders([PROVIDER]).providers[0]);
  await store.set("account", { guid: server.users[0].guid, profile: 7, name: "Ada Byron", placements: [], rates: [] });
  await store.setEntries([saved], []);
  const { lines, exit } = await app.run("1s");
  assert.match(lines.map(({ text }) => text).join("\n"), /Not sent: The server answered 503: Maintenance\.\n1 report not sent yet\./);
  assert.equal(exit, 1);
  assert.equal((await store.load()).entries[0].failure, "The server answered 503: Maintenance.");
});

test("a server that cannot be reached, or that is not allowed, is named with what to do (E5)", async () => {
  const server = new TestServer().install();
  server.fault = () => unreachable();
  await app.start();
  await settle();
  byId("list-address").value = `${API}/appinfo`;
  await submit("list-form");
  assert.match(text("account-message"), /cannot be reached/);
  server.fault = () => Object.assign(new DOMException("trips does not declare https://example.org in its package.json.", "NotAllowedError"),
    { fix: "Add to its privileges: …" });
  await submit("list-form");
  assert.match(text("account-message"), /Not allowed.*does not declare.*To change it/);
  await change("purpose", "x");
});
