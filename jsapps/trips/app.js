// The mileage log: holds what is known, reacts to the person, and stores each change. A headless run
// synchronises with the provider, prints what it did, and ends.

import { showAccount } from "./account-view.js";
import { peopleOf, ratesOf } from "./account.js";
import { byId, fill, hasLayout, notice, stateOf } from "./elements.js";
import { showOutbox } from "./outbox-view.js";
import { deliver, withReport, without } from "./outbox.js";
import { apiAddress, parseProviders } from "./provider.js";
import { ask, dismiss } from "./question.js";
import { Recorder } from "./recorder.js";
import { dayText, encoded, pointsOf, problemsOf, reportOf } from "./report.js";
import * as server from "./server.js";
import { Store } from "./store.js";
import { STEPS, synchronise } from "./sync.js";
import { after, resumeText, warningTexts } from "./trip.js";
import { readForm, showChoices, showFigures, showProblems, showState, writeForm } from "./trip-view.js";

const MOST_PURPOSES = 20, TICK_MS = 1000;
const NO_TRIP = { state: "none" };

let store = null;
let entries = [];
/** What is stored by name; `trip` is the one that is not sent or deleted yet. */
const kept = { provider: null, account: null, trip: NO_TRIP, purposes: [], next: STEPS[0] };
let offered = { providers: [], rejected: [], address: "" };
/** The route of a finished trip, which the host keeps until the trip is sent. */
let route = { points: [], warnings: [] };
/** The action at work. */
let running = null;
let ticking = null;

const recorder = new Recorder((error) => {
  if (error) fail("trip-message", error);
  tick();
});

async function start() {
  listen();
  await load();
  offered = { ...parseProviders(await (await fetch("providers.json")).json()), address: "" };
  show();
  try {
    await restore();
  } catch (error) {
    fail("trip-message", error);
  }
  if (!hasLayout()) await runHeadless();
}

async function load() {
  try {
    store = await Store.open();
    const { values, entries: stored, unreadable } = await store.load();
    Object.assign(kept, values);
    entries = stored;
    if (unreadable > 0) {
      say("message", { kind: "failed", title: "Some stored data cannot be read",
        text: `${unreadable} values were encrypted with another key, or are damaged. They were set aside.` });
    }
  } catch (error) {
    if (error.name !== "NotAllowedError") throw error;
    store = null;
    fail("message", error);
  }
}

/** Takes up the trip that was not finished, sent or deleted when the page was closed. */
async function restore() {
  if (kept.trip.session) await adopt();
  if (recorder.session !== null && !recorder.session.finished && hasLayout()) recorder.follow();
  writeForm(kept.trip.form ?? {});
}

/** Takes over the state of the session, which can have been paused, finished or deleted elsewhere. */
async function adopt() {
  const { trip } = kept, session = await recorder.restore(trip.session);
  if (session === null) await commit({ trip: NO_TRIP });
  else if (session.finished) await review();
  else await commit({ trip: { ...trip, state: session.state } });
}

/** Stores parts of what is kept, then shows them. */
async function commit(changes) {
  if (changes.entries) {
    await store?.setEntries(changes.entries, entries);
    entries = changes.entries;
  }
  for (const [name, value] of Object.entries(changes)) {
    if (name === "entries") continue;
    const isNothing = value === null || value === NO_TRIP;
    await store?.set(name, isNothing ? null : value);
    kept[name] = value;
  }
  show();
}

// --- Showing ---------------------------------------------------------------------------------------

function show() {
  const { provider, account, trip, purposes } = kept;
  if (isNew("account", provider, account, offered)) {
    showAccount({ provider, account, offered }, { choose, load: loadProviders, login, update, leave });
  }
  showChoices(account ?? {}, purposes, trip.form ?? {});
  showState({ state: trip.state, source: trip.source, ...route });
  if (isNew("outbox", entries, account)) showOutbox(entries, { isMine, send: sendEntry, remove: removeEntry });
  tick();
}

const shown = new Map();

/** Whether values differ from those of the last call: what is drawn again loses focus and typed text. */
function isNew(name, ...values) {
  const before = shown.get(name);
  shown.set(name, values);
  return before === undefined || values.some((value, at) => value !== before[at]);
}

function tick() {
  const { state } = kept.trip;
  const isOn = state === "active" || state === "paused";
  if (isOn && ticking === null && recorder.isFollowing) {
    ticking = setInterval(() => showFigures({ state: kept.trip.state, recorder }, Date.now()), TICK_MS);
  }
  if (!isOn && ticking !== null) {
    clearInterval(ticking);
    ticking = null;
  }
  if (isOn && recorder.session !== null) showFigures({ state, recorder }, Date.now());
}

const say = (place, about) => fill(byId(place), notice(about));

/** Shows an error of the SDK, of a server, or of what was typed. */
function fail(place, error) {
  const about = error.kind === undefined ? stateOf(error)
    : { kind: "failed", title: FAILURES[error.kind], text: error.message, fix: error.fix };
  say(place, about);
  console.warn(`${about.title}: ${error.message}`);
}

/** "1 report", "2 reports". */
const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

const FAILURES = {
  later: "Not sent", login: "Log in again", password: "Not logged in", refused: "The server refused it", blocked: "Not allowed",
};

/**
 * Runs one action at a time: a click while another is at work does nothing, except that it dismisses a question
 * that is open.
 */
const once = (place, action) => async (...values) => {
  if (running !== null && !dismiss()) return;
  await running;
  if (running !== null) return;
  running = (async () => {
    fill(byId(place));
    try {
      await action(...values);
    } catch (error) {
      fail(place, error);
    }
  })();
  await running;
  running = null;
};

// --- The trip --------------------------------------------------------------------------------------

function listen() {
  const on = (id, action) => byId(id).addEventListener("click", once("trip-message", action));
  on("start", begin);
  on("enter", enter);
  on("pause", pause);
  on("resume", resume);
  on("finish", finish);
  on("edit", edit);
  on("send", send);
  on("keep", keep);
  on("discard", discard);
  byId("send-all").addEventListener("click", once("message", sendAll));
  byId("trip-form").addEventListener("submit", (event) => event.preventDefault());
  // Not one of the actions: a click on a button follows it at once.
  byId("trip-form").addEventListener("change", () => remember().catch((error) => fail("trip-message", error)));
}

/** The choices of the account; without a login there are none, which the form says. */
const choices = () => kept.account ?? { placements: [], rates: [] };

/** Whether purpose, placement and rate are filled in. */
function isReady() {
  const { purpose, placement, rate, remark } = problemsOf({ ...readForm(), date: dayText(Date.now()), metres: 1000 }, choices());
  return showProblems({ purpose, placement, rate, remark });
}

/** The id is that of the report: a server recognises one that it has already. */
const newTrip = (form, source) => ({ uuid: crypto.randomUUID(), form, t: Date.now(), source });

async function begin() {
  if (!isReady()) return;
  const form = readForm();
  await recorder.start(form.purpose.trim());
  try {
    const { id } = recorder.session;
    await commit({ trip: { ...newTrip(form, "measured"), state: after("none", "start"), session: id } });
  } catch (error) {
    // What is not stored would be recorded unseen after the next start.
    await recorder.discard();
    throw error;
  }
}

async function enter() {
  if (!isReady()) return;
  const form = { ...readForm(), date: dayText(Date.now()), metres: undefined };
  await commit({ trip: { ...newTrip(form, "manual"), state: after("none", "enter") } });
  writeForm(form);
  byId("kilometres").focus();
}

async function pause() {
  if (!await step(() => recorder.pause())) return;
  await commit({ trip: { ...kept.trip, state: after("active", "pause") } });
}

/** Performs a step of the session; false if it was in another state or deleted, which is taken over. */
async function step(perform) {
  // Its session could not be read at the start, as without permission.
  if (recorder.session === null) {
    await adopt();
    return false;
  }
  try {
    await perform();
    return true;
  } catch (error) {
    if (!["wrong-state", "not-found"].includes(error.problem)) throw error;
    await adopt();
    return false;
  }
}

async function resume() {
  try {
    if (!await step(() => recorder.resume())) return;
  } catch (error) {
    const text = resumeText(error);
    if (text === undefined) throw error;
    say("trip-message", { kind: "stale", title: "The trip stays paused", text });
    return;
  }
  await commit({ trip: { ...kept.trip, state: after("paused", "resume") } });
}

async function finish() {
  if (await step(() => recorder.finish())) await review();
}

/** Shows the finished trip as a report that can be sent. */
async function review() {
  const { trip } = kept, collection = await recorder.route();
  route = { points: pointsOf(collection), warnings: warningTexts(collection.warnings ?? []) };
  const form = trip.state === "review" ? trip.form
    : { ...trip.form, date: dayText(trip.t), metres: collection.distance > 0 ? collection.distance : undefined };
  await commit({ trip: { ...trip, state: "review", form, source: collection.distanceSource ?? "measured" } });
  writeForm(form);
}

async function edit() {
  const isSure = await ask(byId("question"), {
    text: "If you edit the kilometres, the recorded route is deleted, and the report has no map.",
    yes: "Delete the route and edit", no: "Keep the route" });
  if (!isSure) return;
  const { trip } = kept, form = { ...readForm(), metres: trip.form.metres };
  await recorder.enter(form.metres ?? 0);
  route = { points: [], warnings: [] };
  await commit({ trip: { ...trip, form, source: "manual" } });
  byId("kilometres").focus();
}

/** Keeps what was typed, in case the page is closed. */
async function remember() {
  const { trip } = kept;
  if (trip.state !== "review") return;
  const form = readForm();
  // Measured metres are exact; the field shows one decimal.
  if (trip.source === "measured") form.metres = trip.form.metres;
  // Without a login the lists are empty; what was chosen comes back with it.
  if (kept.account === null) Object.assign(form, { placement: trip.form.placement, rate: trip.form.rate });
  kept.trip = { ...trip, form };
  await store?.set("trip", kept.trip);
}

/** The report of the form; null if something is missing, which is shown. */
async function checkedReport() {
  if (kept.account === null) throw new server.ServerError("login", "A report carries the id of your login.");
  await remember();
  const { trip, trip: { form } } = kept;
  if (!showProblems(problemsOf(form, choices()))) return null;
  if (trip.session) {
    await recorder.rename(form.purpose.trim());
    if (trip.source === "manual") await recorder.enter(form.metres);
  }
  return { ...reportOf(form, { uuid: trip.uuid, t: trip.t, source: trip.source, points: route.points }), owner: ownerOf(kept) };
}

const ownerOf = ({ provider, account }) => `${provider.api} ${account.profile}`;
const isMine = ({ report }) => kept.account !== null && report.owner === ownerOf(kept);

async function send() {
  const report = await checkedReport();
  if (report === null) return;
  try {
    await server.sendReport(kept.provider.api, encoded(report, kept.account));
  } catch (error) {
    if (error.kind === undefined) throw error;
    if (error.kind === "login") await commit({ account: null });
    fail("trip-message", error);
    return;
  }
  await end(report);
  say("message", { kind: "empty", title: "Sent", text: "The report was sent and received." });
  console.log("The report was sent and received.");
}

async function keep() {
  const report = await checkedReport();
  if (report === null) return;
  if (store === null) throw new server.ServerError("blocked", "The app may not store anything, so the report cannot be saved.");
  await commit({ entries: withReport(entries, report, Date.now()) });
  await end(report);
  say("message", { kind: "empty", title: "Saved", text: "Send the report from the list of saved reports." });
}

async function discard() {
  const isSure = await ask(byId("question"), {
    text: "This trip is deleted and not reported.", yes: "Delete the trip", no: "Keep the trip" });
  if (!isSure) return;
  if (kept.trip.session) await recorder.discard();
  await reset();
}

/** Ends the trip of a report; its session stays with the person's others. */
async function end({ purpose }) {
  recorder.leave();
  const purposes = [purpose, ...kept.purposes.filter((one) => one !== purpose)].slice(0, MOST_PURPOSES);
  await commit({ purposes });
  await reset();
}

async function reset() {
  route = { points: [], warnings: [] };
  await commit({ trip: NO_TRIP });
  writeForm({});
  showChoices(choices(), kept.purposes, {});
}

// --- Saved reports ---------------------------------------------------------------------------------

const upload = (report) => server.sendReport(kept.provider.api, encoded(report, kept.account));

/** Takes over what a run without a page has sent meanwhile. */
async function reload() {
  if (store === null) return;
  ({ entries } = await store.load());
  show();
}

/** Sends saved reports that the function chooses; the others stay. */
async function sendThese(isChosen) {
  await reload();
  const chosen = entries.filter((entry) => isMine(entry) && isChosen(entry));
  const others = entries.filter((entry) => !chosen.includes(entry));
  const { sent, failure } = await deliver(chosen, upload, (left) => commit({ entries: inOrder([...others, ...left]) }));
  if (failure?.kind === "login") await commit({ account: null });
  if (failure !== null) fail("message", failure);
  else if (sent > 0) {
    say("message", { kind: "empty", title: "Sent", text: `${count(sent, "report")} sent and received.` });
  }
}

const inOrder = (list) => [...list].sort((a, b) => a.kept - b.kept);
const sendAll = () => sendThese(() => true);
const sendEntry = once("message", ({ report: { uuid } }) => sendThese(({ report }) => report.uuid === uuid));

const removeEntry = once("message", async ({ report }) => {
  const isSure = await ask(byId("outbox-question"), {
    text: `The report “${report.purpose}” is deleted and never sent.`, yes: "Delete the report", no: "Keep the report" });
  if (isSure) await commit({ entries: without(entries, report.uuid) });
});

// --- Provider and login ----------------------------------------------------------------------------

const loadProviders = once("account-message", async (address) => {
  const value = await server.providers(apiAddress(address));
  offered = { ...parseProviders(value), address };
  show();
});

const choose = once("account-message", async (provider) => {
  await commit({ provider });
  byId("user").focus();
});

const login = once("account-message", async (user, password) => {
  if (user.trim() === "" || password === "") throw new TypeError("Enter the user name and the password.");
  let info;
  try {
    info = await server.login(kept.provider.api, user.trim(), password);
  } catch (error) {
    if (error.kind === "login") error.kind = "password";
    throw error;
  }
  await commit({ account: { ...peopleOf(info), rates: ratesOf(info) }, next: STEPS[0] });
  if (kept.trip.state === "none") byId("purpose").focus();
});

const update = once("account-message", async () => {
  await reload();
  const { failure } = await synchronised();
  if (failure !== null) fail("account-message", failure);
  else say("account-message", { kind: "empty", title: "Synchronised", text: "Reports, placements and rates are up to date." });
});

/** Reports up, then people, then rates. */
function synchronised() {
  const { account, next, provider } = kept, others = entries.filter((entry) => !isMine(entry));
  return synchronise({ account, next, entries: entries.filter(isMine) }, {
    sendReport: (report) => server.sendReport(provider.api, report),
    userInfo: (guid) => server.userInfo(provider.api, guid),
  }, (changes) => commit(changes.entries ? { entries: inOrder([...others, ...changes.entries]) } : changes));
}

const leave = once("account-message", async () => {
  const waiting = entries.length, hasTrip = kept.trip.state !== "none";
  if (waiting > 0 || hasTrip) {
    const sentences = [
      waiting > 0 ? `${count(waiting, "saved report")} will be deleted and never sent.` : null,
      hasTrip ? "The trip will be deleted." : null];
    const text = sentences.filter(Boolean).join(" ");
    if (!await ask(byId("account-question"), { text, yes: "Log out and delete", no: "Stay logged in" })) return;
    if (kept.trip.session) await recorder.discard();
  }
  await store?.clear();
  entries = [];
  Object.assign(kept, { provider: null, account: null, trip: NO_TRIP, purposes: [], next: STEPS[0] });
  route = { points: [], warnings: [] };
  writeForm({});
  show();
});

// --- Without a browser -----------------------------------------------------------------------------

async function runHeadless() {
  const { provider, account, trip } = kept;
  let hasFailed = false;
  if (trip.state !== "none") console.log(`A trip is ${trip.state === "review" ? "not reported yet" : trip.state}.`);
  if (provider === null) console.log("No provider is chosen. Open the page: nervous open trips");
  else if (account === null) console.log(`Not logged in at ${provider.name}. Open the page: nervous open trips`);
  else {
    const { done, sent, failure } = await synchronised();
    console.log(`Synchronised with ${provider.name}: ${count(sent, "report")} sent, ${done.join(", ") || "nothing"} done.`);
    if (failure !== null) console.warn(`${FAILURES[failure.kind] ?? "Failed"}: ${failure.message}`);
    hasFailed = failure !== null;
  }
  if (entries.length > 0) console.log(`${count(entries.length, "report")} not sent yet.`);
  // A timer of the system can see that it failed.
  if (hasFailed) nervous.exit(1);
}

start().catch((error) => fail("message", error));
