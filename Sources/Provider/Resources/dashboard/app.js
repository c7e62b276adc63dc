// One app: what it uses, its permissions, its console, its package.

import { api, claim, format, go, h, icon, live } from "./dashboard.js";
import { hash, installPanel } from "./install.js";
import { texts } from "./page-texts.js";
import {
  announce, button, every, figure, figures, isAbort, newId, notice, pairs, panel, perform,
  problemText, table, twoSteps, until, visible,
} from "./parts.js";
import {
  decisionWord, meaning, meaningText, openDecision, openRequest, parts, revoke, signer, termsText,
} from "./requests.js";
import { isAlive, Meter, newestRun, openPage, percent, runWord } from "./runs.js";

const words = texts.apps;
/** The console of a running app is read again at this interval. */
const CONSOLE_MS = 2000;
/** A longer description of a package is cut. */
const LONGEST_DESCRIPTION = 600;

export async function showApp(main, name, signal) {
  const path = `/apps/${encodeURIComponent(name)}`;
  const read = async () => {
    const [app, grants, runs] = await Promise.all([
      api(path, { signal }), api(`/grants/${encodeURIComponent(name)}`, { signal }),
      api("/runs", { signal }),
    ]);
    return { app, grants: grants.items, runs };
  };
  let shown;
  // The host leads here from a page that has no token.
  const isReopened = location.hash === "#reopen";
  if (isReopened) history.replaceState(null, "", location.pathname + location.search);
  const reload = async (sentence) => {
    const facts = await read();
    shown?.abort();
    shown = new AbortController();
    const page = new AppPage(facts, AbortSignal.any([signal, shown.signal]), reload);
    main.replaceChildren(...page.elements);
    page.start(sentence);
  };
  await reload();
  if (isReopened && !signal.aborted) main.prepend(reopening(name));
}

/** Why this page is shown instead of the app's own, and a button that opens the app's page. */
function reopening(app) {
  const line = notice();
  return h("section", { class: "question plain", "aria-label": words.reopening },
    icon("open"), h("p", { role: "status" }, words.reopen(app)),
    button(words.openAgain, (event) => openPage(app, line, event.currentTarget, { here: true }),
      { sign: "open", kind: "main" }), line);
}

class AppPage {
  #app;
  #grants;
  #signal;
  #meter = new Meter();
  #runs = [];
  #requests = [];
  #used = new Map();
  #line = notice();
  #controls = h("span", { class: "actions" });
  #bill = h("div", {});
  #state = h("p", { class: "small" });
  #permissions = h("div", {});
  #console;
  #installer;
  elements;

  constructor({ app, grants, runs }, signal, reload) {
    this.#app = app;
    this.#grants = grants;
    this.#signal = signal;
    this.#runs = this.#meter.read(runs);
    this.#console = new Console(app.name, signal);
    this.#installer = installPanel(signal, (sentence) => reload(sentence), { heading: words.updateOrInstall });
    this.elements = [
      h("div", { class: "head" },
        h("div", {},
          h("a", { class: "back", href: "/apps" }, icon("back"), words.title),
          h("h1", {}, app.name, " ", h("span", { class: "id" }, visible(app.version, 48))),
          app.title ? h("p", {}, words.titled, claim(app.title)) : []),
        h("div", { class: "actions" },
          button(words.openApp, (event) => openPage(app.name, this.#line, event.currentTarget),
            { sign: "open", kind: "main" }), this.#controls)),
      this.#line,
      h("div", { class: "with-aside" },
        h("div", { class: "stack" },
          panel(words.usage, { action: this.#state }, this.#bill), this.#permissions,
          this.#console.element),
        h("aside", { class: "stack", "aria-label": words.about }, this.#claims(), this.#package(),
          this.#budget(), this.#installer.element)),
    ];
    this.#showRuns();
    this.#showPermissions();
  }

  /** @param sentence what was done before the page is shown again */
  start(sentence) {
    const signal = this.#signal;
    if (sentence) {
      this.#line.done(sentence);
      (this.#line.querySelector("a") ?? this.#line).focus();
    }
    until(signal, live.on("runs", (body) => {
      this.#runs = this.#meter.read(body);
      this.#showRuns();
    }));
    until(signal, live.on("requests", ({ items }) => {
      const mine = items.filter(({ client }) => client === this.#app.name);
      const name = ({ privilege, run }) => `${privilege} ${run}`;
      const [now, before] = [mine, this.#requests].map((requests) => requests.map(name));
      this.#requests = mine;
      // One that waits no longer was answered, perhaps elsewhere.
      if (before.some((name) => !now.includes(name))) this.#readGrants();
      else if (now.length > before.length) this.#showPermissions();
    }));
    every(CONSOLE_MS, signal, () => {
      const run = this.#run;
      if (run && isAlive(run)) this.#console.read(run);
      else this.#showState(run);
    });
    this.#readUse();
  }

  get #run() { return newestRun(this.#runs, this.#app.name) ?? this.#app.lastRun; }

  // MARK: Run

  #showRuns() {
    const run = this.#run;
    const isRunning = run && isAlive(run);
    const { budget } = this.#app;
    this.#showState(run);
    const usage = run?.usage;
    this.#bill.replaceChildren(usage ? figures([
      [words.processor, isRunning && run.rates ? figure(percent(run.rates.cpu)) : figure(format.duration(usage.cpu)),
        isRunning ? words.cpuOf(format.duration(usage.cpu), format.duration(budget.cpuPerMinute)) : words.inAll],
      [words.memory, figure(format.bytes(usage.memory)), words.memoryOf(isRunning, format.bytes(budget.memory))],
      [words.calls, figure(isRunning && run.rates
        ? words.perMinute(format.count(run.rates.calls)) : format.count(usage.calls)),
        words.callsOf(format.number(budget.callsPerMinute))],
      [words.samples, figure(format.number(usage.samples)), words.logged(format.bytes(usage.logged))],
    ], "ruled") : h("p", { class: "inset small quiet" }, words.neverRanHint));
    if (this.#controls.dataset.running !== String(Boolean(isRunning))) {
      this.#controls.dataset.running = String(Boolean(isRunning));
      this.#controls.replaceChildren(isRunning
        ? button(words.stop, (event) => this.#stop(event.currentTarget), { sign: "stop" })
        : button(words.start, (event) => this.#start(event.currentTarget), { sign: "play" }));
    }
    if (run && this.#console.run !== run.run) this.#console.read(run);
    else if (run?.state === "ended" && !this.#console.isFinal) this.#console.read(run);
  }

  #showState(run) {
    this.#state.replaceChildren(runWord(run), " ",
      run && isAlive(run) ? words.runningSince(format.time(run.started), run.background) : "");
  }

  #start(control) {
    return perform(this.#line, control, async () => {
      const run = await api(`/apps/${encodeURIComponent(this.#app.name)}/runs`, {
        method: "POST", json: { background: true },
      });
      await api(`/runs/${run.run}/start`, { method: "POST" });
      await this.#readRuns();
      this.#line.done(words.started(this.#app.name));
    });
  }

  #stop(control) {
    return perform(this.#line, control, async () => {
      const alive = this.#runs.filter((run) => run.app === this.#app.name && isAlive(run));
      for (const run of alive) await api(`/runs/${run.run}`, { method: "DELETE" });
      await this.#readRuns();
      this.#line.done(words.stopped(this.#app.name));
    });
  }

  async #readRuns() {
    this.#runs = this.#meter.read(await api("/runs", { signal: this.#signal }));
    this.#showRuns();
  }

  // MARK: Permissions

  /** Samples and calls of today, from the access log. */
  async #readUse() {
    const midnight = new Date().setHours(0, 0, 0, 0);
    try {
      const { items } = await api("/access-log", {
        query: { client: this.#app.name, kind: "access", limit: 5000 }, signal: this.#signal,
      });
      for (const entry of items) {
        if (entry.time < midnight) break;
        const name = entry.sensor ?? entry.privilege;
        const sum = this.#used.get(name) ?? { samples: 0, calls: 0 };
        this.#used.set(name, { samples: sum.samples + entry.count, calls: sum.calls + entry.calls });
      }
      this.#showPermissions();
    } catch {
      // The column stays empty; Activity says what is wrong with the log.
    }
  }

  #usedToday(privilege) {
    const { sensor, kind } = parts(privilege);
    let [samples, calls] = [0, 0];
    for (const [name, sum] of this.#used) {
      const isMine = sensor !== undefined ? name === sensor || name?.startsWith(`${sensor}.`)
        : name === privilege || (kind === "net" && name === privilege);
      if (!isMine) continue;
      samples += sum.samples;
      calls += sum.calls;
    }
    if (!calls) return "–";
    return sensor !== undefined && samples
      ? words.samplesUsed(format.count(samples)) : words.callsUsed(format.count(calls));
  }

  async #readGrants() {
    try {
      const name = encodeURIComponent(this.#app.name);
      const [app, grants] = await Promise.all([
        api(`/apps/${name}`, { signal: this.#signal }), api(`/grants/${name}`, { signal: this.#signal }),
      ]);
      this.#app = app;
      this.#grants = grants.items;
      this.#showPermissions();
    } catch (error) {
      this.#line.failed(error);
    }
  }

  /** Declared privileges, then decisions about others and requests for others. */
  #list() {
    const list = this.#app.privileges.map((declared) => ({ ...declared }));
    const find = (privilege) => {
      let item = list.find((item) => item.privilege === privilege);
      if (!item) list.push(item = { privilege, state: "prompt" });
      return item;
    };
    for (const grant of this.#grants) {
      Object.assign(find(grant.privilege), {
        state: grant.state, terms: grant.terms, once: grant.once, decided: grant.decided,
        refusals: grant.refusals, isDecided: true,
      });
    }
    for (const request of this.#requests) find(request.privilege).request = request;
    return list;
  }

  #showPermissions() {
    const list = this.#list();
    const decided = list.some(({ isDecided }) => isDecided);
    // A row that has the focus keeps it.
    const focused = this.#permissions.contains(document.activeElement)
      ? document.activeElement.dataset.about : undefined;
    const isAsking = this.#permissions.querySelector(".asks");
    if (isAsking) return;
    this.#permissions.replaceChildren(panel(words.permissions, {
      action: decided ? twoSteps(words.revokeAll, words.revokeAllAsks, words.revokeAllDoes,
        () => this.#revokeAll(), { kind: "plain bad" }) : undefined,
    }, list.length
      ? table(words.permissions, words.permissionColumns, list.map((item) => this.#row(item)), "roomy")
      : h("p", { class: "inset small quiet" }, words.noPermissions)));
    if (!focused) return;
    const same = this.#permissions.querySelector(`[data-about="${CSS.escape(focused)}"]`);
    (same ?? this.#permissions.querySelector(".scroll"))?.focus();
  }

  #row(item) {
    const { privilege, request, terms } = item;
    const subject = { client: this.#app.name, privilege };
    const run = this.#run && isAlive(this.#run) ? this.#run.run : undefined;
    const about = meaningText(privilege);
    const isRevocable = item.isDecided && item.state === "granted";
    const shown = request ? { state: "waits" } : item;
    const act = (name, click, kind = "plain") => {
      const control = button(name, click, { kind, about });
      control.dataset.about = `${name} ${privilege}`;
      return control;
    };
    return [
      h("div", {}, ...meaning(privilege), h("span", { class: "id" }, visible(privilege, 120)),
        item.reason ? h("span", { class: "under" }, claim(item.reason)) : []),
      h("div", {}, decisionWord(shown),
        item.newSensors?.length ? h("span", { class: "under" }, words.newSensors(item.newSensors.join(", "))) : [],
        item.supported === false ? h("span", { class: "under" }, words.unsupported) : []),
      request ? "–" : this.#terms(item, terms),
      this.#usedToday(privilege),
      h("div", { class: "actions end" },
        request ? act(words.answer, () => openRequest(request).then(() => this.#readGrants())) : [],
        isRevocable ? act(words.revoke, (event) => this.#revoke(subject, event.currentTarget), "plain bad") : [],
        request ? [] : act(words.change, () => openDecision({ ...subject, run }).then(() => this.#readGrants()))),
    ];
  }

  #terms(item, terms) {
    if (item.state === "granted") return termsText(terms);
    if (item.state === "denied" && item.decided) return words.deniedOn(format.time(item.decided));
    return "–";
  }

  #revoke(subject, control) {
    return perform(this.#line, control, async () => {
      await revoke(subject);
      await this.#readGrants();
      this.#line.done(words.revoked(meaningText(subject.privilege)));
      announce(words.revoked(meaningText(subject.privilege)));
    });
  }

  async #revokeAll() {
    await api(`/grants/${encodeURIComponent(this.#app.name)}`, { method: "DELETE" });
    this.#permissions.replaceChildren();
    await this.#readGrants();
    this.#line.done(words.revokedAll);
  }

  // MARK: Package

  #claims() {
    const { description } = this.#app;
    if (!description) return [];
    return h("figure", { class: "claims" }, h("figcaption", {}, words.description),
      h("blockquote", {}, h("p", {}, claim(cut(description)))));
  }

  #package() {
    const app = this.#app;
    return panel(words.package, {}, h("div", { class: "inset stack" },
      pairs(
        [words.signer, signer(app)],
        app.author && [words.author, claim(app.author)],
        app.license && [words.license, claim(app.license)],
        [words.installedAt, format.time(app.installed)],
        [words.files, format.number(app.files)],
        app.publishedName && [words.publishedName, claim(app.publishedName)],
        [words.fingerprint, h("code", {}, hash(app.fingerprint))],
      ),
      h("div", { class: "actions" },
        twoSteps(words.remove, words.removeAsks(app.name), words.removeDoes(app.name),
          () => this.#remove()))));
  }

  async #remove() {
    await api(`/apps/${encodeURIComponent(this.#app.name)}`, { method: "DELETE" });
    announce(words.removed(this.#app.name));
    go("/apps");
  }

  #budget() {
    const { budget } = this.#app;
    return panel(words.budget, {}, h("div", { class: "inset" }, pairs(
      [words.budgetCPU, words.inMinute(format.duration(budget.cpuPerMinute))],
      [words.budgetMemory, format.bytes(budget.memory)],
      [words.budgetCalls, words.inMinute(format.number(budget.callsPerMinute))],
      [words.budgetConsole, words.inMinute(format.bytes(budget.logPerMinute))],
      [words.budgetFetch, words.inMinute(words.fetches(format.number(budget.fetch.callsPerMinute)))],
    )));
  }
}


// MARK: Console

/** What the newest run of an app has printed. */
class Console {
  run;
  isFinal = false;
  #signal;
  #list = h("ol", {});
  #box;
  #shown = "";
  #reads = 0;
  #newest = 0;
  element;

  constructor(name, signal) {
    this.#signal = signal;
    const id = newId("console");
    this.#box = h("div", { class: "console", tabindex: "0", role: "group", "aria-labelledby": id },
      h("p", { class: "host-line" }, words.silent), this.#list);
    this.element = h("section", { class: "panel", "aria-labelledby": id },
      h("header", {}, h("h2", { id }, words.console), h("p", { class: "small quiet" }, words.newestLast)),
      this.#box);
  }

  async read(run) {
    this.run = run.run;
    // A run that is prepared has printed nothing yet.
    this.isFinal = run.state === "ended";
    const read = ++this.#reads;
    try {
      const { console = [] } = await api(`/runs/${run.run}`, { signal: this.#signal });
      // An answer that was overtaken by a later one is older.
      if (read < this.#newest) return;
      this.#newest = read;
      this.#show(console);
    } catch (error) {
      if (isAbort(error) || error.status === 404) return;
      this.#show([{ event: "failed", text: problemText(error) }]);
    }
  }

  #show(events) {
    const lines = events.map((event) => line(event)).filter(Boolean);
    const shown = lines.map((line) => line.textContent).join("\n");
    if (shown === this.#shown) return;
    this.#shown = shown;
    const isAtEnd = this.#box.scrollHeight - this.#box.scrollTop - this.#box.clientHeight < 24;
    this.#list.replaceChildren(...lines);
    this.#box.querySelector("p").hidden = lines.length > 0;
    if (isAtEnd) this.#box.scrollTop = this.#box.scrollHeight;
  }
}

/** A line of the console: the app's own words, or the host's about the run. */
function line(event) {
  const when = event.time === undefined ? [] : moment(event.time);
  const host = (sentence) => h("li", { class: "host-line" }, when, h("span", {}, words.hostSays, sentence));
  switch (event.event) {
    case "console": {
      const isFault = event.level === "warn" || event.level === "error";
      return h("li", {}, when, isFault ? h("span", { class: "state bad" }, words.levels[event.level]) : [],
        h("bdi", { class: "printed" }, printed(event.text)));
    }
    case "uncaught":
      return h("li", {}, when, h("span", { class: "state bad" }, words.uncaught),
        h("bdi", { class: "printed" }, printed([event.place, event.text].filter(Boolean).join(": "))));
    case "message":
      return h("li", {}, h("span", { class: "state" }, words.message),
        h("bdi", { class: "printed" }, printed([event.title, event.text].filter(Boolean).join(" – "))));
    case "asks": return host(words.asked(meaningText(event.privilege)));
    case "started": return host(event.layers?.length ? words.confined : words.unconfined);
    case "failed": return host(visible(event.text));
    default: return undefined;
  }
}

/** The time of a line; the day is in the title. */
function moment(time) {
  const date = new Date(time);
  const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
  return h("time", { datetime: date.toISOString(), title: format.time(time) }, clock.format(date));
}

/** Text of a console with its line breaks; everything else invisible as an escape. */
const printed = (value) => String(value ?? "").split("\n").map((part) => visible(part, 2000)).join("\n");

const cut = (claimed) =>
  (claimed.length > LONGEST_DESCRIPTION ? `${claimed.slice(0, LONGEST_DESCRIPTION)}…` : claimed);
