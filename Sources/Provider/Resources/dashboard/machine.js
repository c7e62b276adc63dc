// The machine: health, storage and retention, tokens, phones, forgetting, notices, locking.

import { api, button as plainButton, claim, format, h, icon, live, lock, timeOf } from "./dashboard.js";
import { texts } from "./page-texts.js";
import {
  announce, button, copy, every, foreign, load, notice, pairs, panel, perform, stateWord,
  table, twoSteps, until, visible,
} from "./parts.js";
import { phonesPanel } from "./phones.js";
import { keyLockPanel } from "./key-lock.js";
import { programsPanel } from "./programs.js";
import { meaningText } from "./requests.js";

const words = texts.machine;
const GIGABYTE = 1e9;
const REFRESH_MS = 30_000;
const NOTICES = 50;

export default {
  title: words.title,
  async show(main, { signal }) {
    const page = new MachinePage(signal);
    await page.read();
    main.replaceChildren(page.head, h("div", { class: "with-aside" },
      h("div", { class: "stack" }, page.health, page.checks, page.storage, page.retention, page.tokens, page.programs,
        page.phones, page.forget),
      h("aside", { class: "stack", "aria-label": words.aside }, page.host, page.notices, page.keyLock, page.locks)));
    page.follow();
    page.check();
  },
};

const states = {
  broken: (sentence) => stateWord("bad", "warn", sentence),
  note: (sentence) => stateWord("", "question", sentence),
  fine: (sentence) => stateWord("good", "check", sentence),
};

class MachinePage {
  #signal;
  #status;
  #storage;
  #sensors = [];
  #tokens = [];
  #grants = [];
  #apps = [];
  #received = [];
  /** The findings of `nervous doctor`, by the name of the check; nothing until they are read. */
  #checked = new Map();
  #unchecked = [];
  #checksLine = notice();
  #retentionLine = notice();
  #storageLine = notice();
  head = h("div", { class: "head" }, h("div", {}, h("h1", {}, words.title), h("p", {}, words.subtitle)),
    h("div", { class: "actions" }, plainButton(words.lock, () => lock(), { sign: "lock" })));
  health = h("div", {});
  checks = h("div", {});
  storage = h("div", {});
  retention = h("div", {});
  tokens = h("div", {});
  /** Stays when the list of tokens changes, and with it a token that is shown only once. */
  #newToken = this.#tokenForm();
  programs = programsPanel(() => this.#readTokens());
  phones = phonesPanel(() => this.#readTokens());
  forget = h("div", {});
  host = h("div", {});
  notices = h("div", {});
  keyLock;
  locks = h("div", {});

  constructor(signal) {
    this.#signal = signal;
    this.keyLock = keyLockPanel(signal);
  }

  async read() {
    const signal = this.#signal;
    const [status, storage, sensors, tokens, grants, apps] = await Promise.all(
      ["/status", "/retention", "/sensors", "/tokens", "/grants", "/apps"].map((path) => api(path, { signal })));
    this.#status = status;
    this.#storage = storage;
    [this.#sensors, this.#tokens, this.#grants, this.#apps] = [sensors, tokens, grants, apps].map(({ items }) => items);
    this.#showHealth();
    this.#showHost();
    this.#showStorage();
    this.#showRetention();
    this.#showTokens();
    this.#showForget();
    this.#showNotices();
    this.#showLocks();
  }

  follow() {
    until(this.#signal, live.on("notification", (message) => {
      this.#received.unshift(message);
      this.#received.length = Math.min(this.#received.length, NOTICES);
      this.#showNotices();
    }));
    until(this.#signal, live.on("sensors", ({ items }) => {
      this.#sensors = items;
      this.#showHealth();
    }));
    every(REFRESH_MS, this.#signal, () => this.#refresh());
  }

  async #refresh() {
    try {
      const [status, storage] = await Promise.all([
        api("/status", { signal: this.#signal }), api("/retention", { signal: this.#signal }),
      ]);
      this.#status = status;
      this.#storage = storage;
      this.#showHealth();
      this.#showHost();
      if (!this.storage.contains(document.activeElement)) this.#showStorage();
      if (!this.retention.contains(document.activeElement)) this.#showRetention();
    } catch {
      // The strip at the head of the page says that the host does not respond.
    }
  }

  // MARK: Health

  /** What is wrong, as far as the host says so: `[kind, sentence, what to do]`. */
  get #findings() {
    const { failure, dropped, damaged = [], collecting } = this.#status;
    const { bytes, budget, free, shrinks } = this.#storage;
    const found = [];
    if (failure) found.push(["bad", words.findings.failure(visible(failure, 300)), words.findings.failureFix]);
    if (dropped > 0) found.push(["warn", words.findings.dropped(format.count(dropped)), words.findings.droppedFix]);
    if (!collecting) found.push(["warn", words.findings.notCollecting, words.findings.notCollectingFix]);
    for (const { sensor, from, to } of damaged) {
      found.push(["bad", words.findings.damaged(visible(sensor, 64), from && format.time(from), to && format.time(to)),
        words.findings.damagedFix]);
    }
    if (free < 1e9) found.push(["warn", words.findings.disk(format.bytes(free)), words.findings.diskFix]);
    if (bytes > 0.9 * budget) {
      found.push(["warn", words.findings.budget(format.percent(bytes / budget)), words.findings.budgetFix]);
    }
    if (shrinks === false) found.push(["", words.findings.shrinks, words.findings.shrinksFix]);
    for (const { id, failure: read, clock, note } of this.#sensors) {
      if (read) found.push(["warn", [h("code", {}, id), ": ", foreign(read, 240)], undefined]);
      if (clock?.wrong) {
        found.push(["warn", words.findings.clock(id, format.duration(Math.abs(clock.offset)), clock.offset > 0),
          words.findings.clockFix]);
      }
      if (note) found.push(["", [h("code", {}, id), ": ", foreign(note, 240)], undefined]);
    }
    return found;
  }

  #showHealth() {
    const found = this.#findings;
    const faults = found.filter(([kind]) => kind !== "").length;
    const line = ([kind, sentence, fix]) => h("li", {}, h("p", {},
      stateWord(kind, kind === "" ? "check" : "warn", sentence),
      fix && [h("br", {}), h("span", { class: "small quiet" }, fix)]));
    const list = h("ul", { class: "lines" }, found.map(line));
    this.health.replaceChildren(panel(words.health, {
      action: faults ? stateWord("warn", "warn", words.findingCount(faults))
        : stateWord("good", "check", words.healthy),
    }, found.length ? list : h("p", { class: "inset small quiet" }, words.nothingFound)));
  }

  /** Makes the checks of `nervous doctor`: all that take little time, or the one that is named. */
  async check(name, control) {
    await perform(this.#checksLine, control, async () => {
      this.#showChecks(true);
      try {
        const { findings, unchecked } = await api("/doctor", {
          query: name ? { checks: name } : {}, signal: this.#signal,
        });
        for (const check of name ? [name] : this.#checked.keys()) this.#checked.delete(check);
        for (const finding of findings) {
          this.#checked.set(finding.check, [...this.#checked.get(finding.check) ?? [], finding]);
        }
        this.#unchecked = name ? this.#unchecked.filter((other) => other !== name) : unchecked;
      } finally {
        if (!this.#signal.aborted) this.#showChecks(false);
        // The buttons are new.
        if (control) this.checks.querySelector(".actions button")?.focus();
      }
    });
  }

  #showChecks(isBusy) {
    const all = [...this.#checked.values()].flat();
    const of = (state) => all.filter((finding) => finding.state === state);
    const line = ({ check, state, message, fix }) => h("li", {}, h("p", {},
      states[state]([`${check}: `, foreign(message, 400)]),
      fix && [h("br", {}), h("span", { class: "small quiet" }, words.remedy, " ", foreign(fix, 400))]));
    const [found, notes, fine] = [of("broken"), of("note"), of("fine")];
    const group = (label, list) => (list.length === 0 ? [] : h("details", {}, h("summary", {}, label(list.length)),
      h("ul", { class: "lines" }, list.map(line))));
    const more = this.#unchecked.map((name) => {
      const again = button(words.moreChecks[name] ?? words.checkThis(name), () => this.check(name, again));
      return again;
    });
    const repeat = button(words.checkAgain, () => this.check(undefined, repeat));
    const broken = of("broken").length;
    this.checks.replaceChildren(panel(words.checks, {
      action: isBusy ? h("p", { class: "small quiet" }, words.checking)
        : all.length === 0 ? [] : broken ? stateWord("bad", "warn", words.brokenCount(broken))
          : stateWord("good", "check", words.nothingBroken),
      footer: [words.doctor, " ", h("code", { class: "command" }, "nervous doctor")],
    }, found.length ? h("ul", { class: "lines" }, found.map(line)) : [],
    h("div", { class: "inset stack" },
      group(words.notes, notes), group(words.passed, fine),
      this.#checksLine,
      isBusy ? [] : h("p", { class: "actions" }, repeat, more))));
  }

  #showHost() {
    const { version, started, data, port, pid, samples, buffered, accessLog, localNetwork } = this.#status;
    this.host.replaceChildren(panel(words.host, {}, h("div", { class: "inset" }, pairs(
      [words.version, visible(version, 40)],
      [words.runningSince, timeOf(started)],
      [words.process, `${pid}`],
      [words.port, port === undefined ? undefined : `${port}`],
      [words.data, h("code", { class: "wrap" }, visible(data, 300))],
      [words.samplesStored, format.count(samples)],
      buffered ? [words.buffered, format.count(buffered)] : undefined,
      [words.log, words.logSize(format.count(accessLog.line), format.bytes(accessLog.bytes),
        format.bytes(accessLog.budget))],
      [words.localNetwork, localNetwork
        ? localNetwork.urls.map((url) => h("code", { class: "wrap" }, visible(url, 120), " ")) : words.off],
    ))));
  }

  // MARK: Storage

  #showStorage() {
    const { bytes, budget, free, reusable, sensors, clients = [] } = this.#storage;
    const perDay = sensors.reduce((sum, { bytesPerDay = 0 }) => sum + bytesPerDay, 0);
    const days = perDay > 0 && bytes < budget ? (budget - bytes) / perDay : undefined;
    const input = h("input", { type: "text", inputmode: "decimal", autocomplete: "off", size: "8" });
    input.value = String(Math.round((budget / GIGABYTE) * 100) / 100);
    const save = h("button", { class: "button", type: "submit" }, words.setBudget);
    const form = h("form", {
      class: "actions",
      on: {
        submit: (event) => {
          event.preventDefault();
          perform(this.#storageLine, save, async () => {
            const number = Number(input.value.trim().replace(",", "."));
            if (!(number > 0)) {
              input.focus();
              throw { status: 0, detail: words.budgetInvalid };
            }
            this.#storage = await api("/retention", { method: "PUT", json: { budget: Math.round(number * GIGABYTE) } });
            this.#showStorage();
            this.#storageLine.done(words.budgetSet(format.bytes(this.#storage.budget)));
          });
        },
      },
    }, h("label", {}, words.budget, " ", input, " GB"), save);
    const share = Math.min(1, bytes / budget);
    this.storage.replaceChildren(panel(words.storage, {
      action: h("p", { class: "small quiet" }, words.freeOnDisk(format.bytes(free))),
    }, h("div", { class: "inset stack" },
      h("div", {},
        h("p", {}, words.usedOf(format.bytes(bytes), format.bytes(budget), format.percent(share))),
        h("meter", { min: "0", max: "1", value: String(share), "aria-label": words.storage }),
        h("p", { class: "small quiet" }, days ? words.fullIn(format.duration(days * 864e5)) : words.neverFull,
          reusable > 1e6 ? ` ${words.reusable(format.bytes(reusable))}` : "")),
      form, this.#storageLine,
      clients.length ? table(words.publishers, words.publisherColumns, clients.map(({ client, bytes: used, share: part }) =>
        [foreign(client, 64), format.bytes(used), format.bytes(part)])) : [])));
  }

  #showRetention() {
    const { sensors, standard } = this.#storage;
    const change = (sensor, rule) => button(words.change,
      (event) => this.#edit(sensor, rule, event.currentTarget),
      { kind: "plain", about: sensor === undefined ? words.standardRule : words.rulesOf(sensor) });
    const rows = [...sensors].sort((a, b) => b.bytes - a.bytes).map((item) => [
      h("a", { href: `/sensors/${encodeURIComponent(item.sensor)}` }, foreign(item.sensor, 64)),
      format.count(item.samples), format.bytes(item.bytes), item.oldest ? timeOf(item.oldest) : "–",
      h("div", {}, ruleText(item.rule), item.daysLeft !== undefined
        && h("span", { class: "under" }, words.daysLeft(format.duration(item.daysLeft * 864e5)))),
      change(item.sensor, item.rule),
    ]);
    this.retention.replaceChildren(panel(words.retention, {
      footer: [words.standard(ruleText(standard)), " ", change(undefined, standard)],
    }, this.#retentionLine, rows.length ? table(words.retention, words.retentionColumns, rows)
      : h("p", { class: "inset small quiet" }, words.noSamples)));
  }

  /** A form for the rule of a sensor, or of all that have none, below the table. */
  #edit(sensor, rule, control) {
    const line = notice();
    const field = (label, value, name) => {
      const input = h("input", { type: "text", autocomplete: "off", spellcheck: "false", name });
      input.value = value ?? "";
      return { input, label: h("label", {}, label, input) };
    };
    const raw = field(words.keepRaw, rule.raw, "raw");
    const summaries = field(words.keepSummaries, rule.summaries, "summaries");
    const bytes = field(words.keepBytes, rule.bytes === undefined ? "" : String(rule.bytes / 1e6), "bytes");
    const save = h("button", { class: "button", type: "submit" }, words.saveRule);
    const close = () => {
      form.remove();
      if (control.isConnected) control.focus();
    };
    const send = async () => {
      const json = {};
      for (const { input } of [raw, summaries]) {
        if (input.value.trim() !== "") json[input.name] = input.value.trim();
      }
      if (bytes.input.value.trim() !== "") {
        const number = Number(bytes.input.value.trim().replace(",", "."));
        if (!(number >= 0)) throw { status: 0, detail: words.bytesInvalid };
        json.bytes = Math.round(number * 1e6);
      }
      if (sensor === undefined) await api("/retention", { method: "PUT", json: { standard: json } });
      else await api(`/retention/${encodeURIComponent(sensor)}`, { method: "PUT", json });
      await this.#rulesChanged(sensor);
    };
    const remove = async () => {
      await api(`/retention/${encodeURIComponent(sensor)}`, { method: "DELETE" });
      await this.#rulesChanged(sensor);
    };
    const heading = h("h3", { tabindex: "-1" }, words.ruleTitle(sensor));
    const form = h("form", {
      class: "terms inset rule", "aria-label": heading.textContent,
      on: {
        submit: (event) => {
          event.preventDefault();
          perform(line, save, send);
        },
      },
    }, heading, raw.label, summaries.label, bytes.label,
    h("p", { class: "small quiet wide-cell" }, words.ruleHint), line,
    h("p", { class: "actions" }, plainButton(words.cancel, close), save,
      sensor === undefined ? [] : plainButton(words.useStandard, (event) => perform(line, event.currentTarget, remove))));
    this.retention.querySelector(".rule")?.remove();
    this.retention.firstElementChild.append(form);
    heading.focus();
  }

  async #rulesChanged(sensor) {
    this.#storage = await api("/retention", { signal: this.#signal });
    this.#showRetention();
    this.#retentionLine.done(sensor === undefined ? words.standardSaved : words.ruleSaved(sensor));
  }

  // MARK: Tokens

  #showTokens() {
    const rows = this.#tokens.map(({ name, owner, created, expires }) => [
      foreign(name, 64), owner ? stateWord("warn", "key", words.everything) : this.#grantsOf(name),
      timeOf(created), expires === undefined ? words.never : timeOf(expires),
      twoSteps(words.revoke, words.revokeAsks(name), words.revokeDoes, () => this.#revoke(name),
        { kind: "plain bad", about: name }),
    ]);
    this.tokens.replaceChildren(panel(words.tokens, {}, rows.length
      ? table(words.tokens, words.tokenColumns, rows)
      : h("p", { class: "inset small quiet" }, words.noTokens), this.#newToken));
  }

  #grantsOf(name) {
    const mine = this.#grants.filter(({ client, state }) => client === name && state === "granted");
    return mine.length ? mine.map(({ privilege }) => meaningText(privilege)).join("; ") : words.noPermissions;
  }

  async #readTokens() {
    const [tokens, grants] = await Promise.all([
      api("/tokens", { signal: this.#signal }), api("/grants", { signal: this.#signal }),
    ]);
    [this.#tokens, this.#grants] = [tokens.items, grants.items];
    this.#showTokens();
  }

  async #revoke(name) {
    await api(`/tokens/${encodeURIComponent(name)}`, { method: "DELETE" });
    announce(words.revoked(name));
    this.#newToken.lastElementChild.replaceChildren();
    await this.#readTokens();
  }

  #tokenForm() {
    const line = notice();
    const field = (more) => h("input", { type: "text", autocomplete: "off", spellcheck: "false", ...more });
    const name = field({ maxlength: "64", required: true });
    const allow = field({ placeholder: "sensor:cpu sensor:load:stats" });
    const lifetime = h("select", {}, words.lifetimes.map(([value, label]) => h("option", { value }, label)));
    const owner = h("input", { type: "checkbox", on: { change: () => { allow.disabled = owner.checked; } } });
    const create = h("button", { class: "button", type: "submit" }, icon("key"), words.create);
    const shown = h("div", {});
    const form = h("form", {
      class: "terms",
      on: {
        submit: (event) => {
          event.preventDefault();
          perform(line, create, async () => {
            const privileges = owner.checked ? [] : allow.value.split(/[\s,]+/).filter(Boolean);
            const made = await api("/tokens", {
              method: "POST",
              json: { name: name.value.trim(), owner: owner.checked, allow: privileges, lifetime: lifetime.value },
            });
            form.reset();
            allow.disabled = false;
            await this.#readTokens();
            this.#showToken(made);
          });
        },
      },
    }, h("h3", {}, words.newToken), h("label", {}, words.tokenName, name),
    h("label", {}, words.tokenLifetime, lifetime),
    h("label", {}, words.tokenAllow, allow), h("label", { class: "check" }, owner, " ", words.tokenOwner),
    h("p", { class: "actions" }, create), line);
    return h("div", { class: "inset stack created" }, form, shown);
  }

  /** Shows a new token, once. */
  #showToken({ name, token }) {
    const line = notice();
    const place = this.tokens.querySelector(".created > div");
    const heading = h("h3", { tabindex: "-1" }, words.createdNow(name));
    place.replaceChildren(h("div", { class: "secret stack" }, heading, h("p", { class: "small" }, words.shownOnce),
      h("p", {}, h("code", { class: "command wrap" }, token)), line,
      h("p", { class: "actions" },
        plainButton(words.copy, (event) => perform(line, event.currentTarget, async () => {
          await copy(token);
          line.done(words.copied);
        })),
        plainButton(words.hide, () => place.replaceChildren()))));
    heading.focus();
  }

  // MARK: Forgetting

  #showForget() {
    const line = notice();
    const sensor = h("select", {}, this.#storage.sensors.map((item) =>
      h("option", { value: item.sensor }, visible(item.sensor, 64))));
    const from = h("input", { type: "datetime-local", step: "1" });
    const to = h("input", { type: "datetime-local", step: "1" });
    const derived = h("input", { type: "checkbox" });
    const samples = twoSteps(words.forgetSamples, words.forgetSamplesAsks, words.forgetSamplesDoes, async () => {
      const time = ({ value }) => (value ? new Date(value).getTime() : undefined);
      const receipt = await api(`/sensors/${encodeURIComponent(sensor.value)}/samples`, {
        method: "DELETE",
        query: { from: time(from), to: time(to), derived: derived.checked ? "true" : undefined },
      });
      line.done(words.forgotten(format.count(receipt.samples), sensor.value, format.bytes(receipt.bytes)));
      announce(line.textContent);
    });
    const app = h("select", {}, this.#apps.map(({ name }) => h("option", { value: name }, name)));
    const data = twoSteps(words.forgetApp, words.forgetAppAsks, words.forgetAppDoes, async () => {
      const receipt = await api(`/apps/${encodeURIComponent(app.value)}/data`, { method: "DELETE" });
      line.done(words.appForgotten(app.value, receipt.decisions, receipt.runs, format.bytes(receipt.stored)));
      announce(line.textContent);
    });
    this.forget.replaceChildren(panel(words.forget, {}, h("div", { class: "inset stack" },
      this.#storage.sensors.length ? h("div", { class: "terms" }, h("h3", {}, words.forgetSamplesOf),
        h("label", {}, words.sensor, sensor), h("label", { class: "check" }, derived, " ", words.alsoDerived),
        h("label", {}, words.from, from), h("label", {}, words.to, to),
        h("p", { class: "actions" }, samples)) : [],
      this.#apps.length ? h("div", { class: "terms" }, h("h3", {}, words.forgetDataOf),
        h("label", {}, words.app, app), h("p", { class: "actions" }, data)) : [],
      line)));
  }

  // MARK: Notices and locks

  #showNotices() {
    const said = ({ app, title, body }) => [
      h("strong", {}, visible(app, 64)), " ", words.says, " ", claim(title), body && [" ", claim(body)],
    ];
    const line = (notice) => h("li", {}, h("p", {},
      notice.kind === "message" ? said(notice)
        : notice.kind === "alert" ? [stateWord("warn", "warn", visible(notice.title, 120)), " ", visible(notice.body, 500)]
          : stateWord("bad", "refused", visible(notice.title, 300)),
      h("br", {}), h("span", { class: "small quiet" }, timeOf(notice.time))));
    this.notices.replaceChildren(panel(words.notices, {}, this.#received.length
      ? h("ul", { class: "lines" }, this.#received.map(line))
      : h("p", { class: "inset small quiet" }, words.noNotices)));
  }

  #showLocks() {
    this.locks.replaceChildren(panel(words.locking, {}, h("div", { class: "inset stack" },
      h("p", { class: "small" }, words.lockHint),
      h("div", { class: "actions" }, twoSteps(words.lockAll, words.lockAllAsks, words.lockAllDoes, async () => {
          await api("/dashboard", { method: "DELETE", query: { all: true } });
          await lock();
        })))));
  }
}

/** A rule of retention as one clause. */
function ruleText({ raw, bytes, summaries }) {
  const clauses = [];
  if (raw !== undefined) clauses.push(words.rule.raw(format.period(raw)));
  if (bytes !== undefined) clauses.push(words.rule.bytes(format.bytes(bytes)));
  if (summaries !== undefined) clauses.push(words.rule.summaries(format.period(summaries)));
  return clauses.length ? clauses.join(", ") : words.rule.none;
}
