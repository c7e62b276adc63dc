// The access log: a day's picture with a lane for each client and sensor, the entries, and the chain of hashes.

import { api, emptyState, format, h, icon, unseen } from "./dashboard.js";
import { texts } from "./page-texts.js";
import {
  announce, button, copy, foreign, load, notice, panel, perform, save, stateWord, table, visible,
} from "./parts.js";
import { meaningText } from "./requests.js";

const words = texts.activity;
/** The maximum number of entries of one call, and of those of a day that are read unasked. */
const PAGE = 5000;
const MOST = 100_000;
/** Entries that the table shows at a time. */
const SHOWN = 25;

export default {
  title: words.title,
  async show(main, { query, signal }) {
    await new ActivityPage(main, query, signal).show();
  },
};

// MARK: Days

/** The midnight at which the day in the URL begins; today if it has none. */
function dayOf(query) {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(query.get("day") ?? "") ?? [];
  const date = year ? new Date(year, month - 1, day) : new Date();
  return new Date(date.getFullYear(), date.getMonth(), date.getDate());
}

const shifted = (date, days) => new Date(date.getFullYear(), date.getMonth(), date.getDate() + days);
const two = (number) => String(number).padStart(2, "0");
const dayName = (date) => `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;

/**
 * The number of the first entry at or after a time, by bisection: entries are numbered without gaps, in the order of
 * time.
 */
async function firstEntry(time, newest, signal) {
  let [low, high] = [1, newest + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const { items: [entry] } = await api("/access-log", {
      query: { cursor: middle + 1, limit: 1 }, signal,
    });
    // Older entries were removed.
    if (!entry || entry.time < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The entries of a day, newest first. */
async function readDay(from, to, signal) {
  const [{ accessLog }, seal] = await Promise.all([
    api("/status", { signal }), api("/access-log/seal", { signal }),
  ]);
  const isPast = to <= Date.now();
  let cursor = isPast ? await firstEntry(to, accessLog.line, signal) : undefined;
  const entries = [];
  while (entries.length < MOST) {
    const { items, next } = await api("/access-log", {
      query: { limit: PAGE, ...(cursor ? { cursor } : {}) }, signal,
    });
    const older = items.findIndex(({ time }) => time < from);
    entries.push(...(older < 0 ? items : items.slice(0, older)));
    if (older >= 0 || !next) return { entries, head: accessLog, seal };
    cursor = next;
  }
  return { entries, head: accessLog, seal, isPartial: true };
}

// MARK: Entries

const isUse = ({ kind }) => kind === "access" || kind === "refusal";
const decisions = new Set(["granted", "denied", "reset"]);
const appEvents = new Set(["installed", "updated", "uninstalled", "run-began", "run-ended", "violation"]);
const tokenEvents = new Set(["token-created", "token-revoked"]);
/** The types of client, in the order in which they are shown. */
const TYPES = ["app", "client", "owner", "dashboard", "command"];

/** What kind of client an entry is about, as the log says; of events and older entries as far as it follows from them. */
function typeOf({ client, clientKind, kind }) {
  if (TYPES.includes(clientKind)) return clientKind;
  if (appEvents.has(kind)) return "app";
  if (tokenEvents.has(kind)) return client === "dashboard" ? "dashboard" : "client";
  return client === "owner" && kind !== "notice" ? "command" : undefined;
}

const isOwner = (entry) => ["command", "dashboard"].includes(typeOf(entry));

function who(entry) {
  if (isOwner(entry)) return words.you;
  if (!entry.client && !entry.outcome) return words.host;
  return entry.client ? visible(entry.client, 64) : words.unknown;
}

/** What an entry records, in the host's words. */
function action(entry) {
  const { kind, operation, access, calls, count, privilege, detail } = entry;
  if (isUse(entry)) {
    const known = words.operations[operation] ?? words.operations[access]
      ?? visible(operation ?? kind, 80);
    const origin = privilege && visible(privilege.replace(/^net:/, ""), 80);
    const sentence = typeof known === "function" ? known(format.number(count), origin) : known;
    return calls > 1 ? words.times(sentence, format.number(calls)) : sentence;
  }
  const known = words.kinds[kind];
  const about = privilege ? meaningText(privilege) : undefined;
  return known ? known(about, detail && visible(detail, 200)) : visible(kind, 40);
}

function outcome({ kind, outcome: result }) {
  if (result === "allowed" || kind === "granted") return stateWord("good", "check", words.allowed);
  if (result === "refused" || kind === "denied") return stateWord("bad", "refused", words.denied);
  if (kind === "violation") return stateWord("bad", "warn", words.stopped);
  return "–";
}

/** Why a call was refused, or the terms of a decision. */
function remark({ kind, reason, detail }) {
  const said = reason ?? (decisions.has(kind) ? detail : undefined);
  return said ? h("span", { class: "under" }, foreign(said, 240)) : [];
}

/** Clients by type and name, each with its lanes. */
function lanes(entries) {
  const clients = new Map();
  for (const entry of entries) {
    if (!isUse(entry)) continue;
    const name = who(entry), type = typeOf(entry), id = `${type} ${name}`;
    const client = clients.get(id) ?? { name, type, lanes: new Map() };
    clients.set(id, client);
    const what = entry.sensor ?? entry.privilege ?? words.other;
    const key = `${what} ${entry.access ?? ""}`;
    const lane = client.lanes.get(key)
      ?? { what, access: entry.access, samples: 0, refused: 0, entries: [] };
    client.lanes.set(key, lane);
    lane.entries.push(entry);
    if (entry.outcome === "refused") lane.refused += entry.calls;
    else if (!/^(fetch|websocket)(-body)?$/.test(entry.operation)) lane.samples += entry.count;
  }
  return [...clients.values()]
    .sort((a, b) => TYPES.indexOf(a.type) - TYPES.indexOf(b.type) || a.name.localeCompare(b.name))
    .map((client) => ({
      ...client, lanes: [...client.lanes.values()].sort((a, b) => a.what.localeCompare(b.what)),
    }));
}

// MARK: Page

class ActivityPage {
  #main;
  #query;
  #signal;
  #day;
  #entries = [];
  #head;
  #seal;
  #isPartial = false;
  #shown = SHOWN;
  #filter;
  #picture = h("div", {});
  #list = h("div", {});
  #aside = h("aside", { class: "stack", "aria-label": words.log });
  #hides = [];

  constructor(main, query, signal) {
    this.#main = main;
    this.#query = query;
    this.#signal = signal;
    this.#day = dayOf(query);
    this.#filter = {
      client: query.get("client") ?? "", sensor: query.get("sensor") ?? "", type: "", isDenied: false,
      hasOwner: true,
    };
  }

  get #isToday() { return shifted(this.#day, 1) > Date.now(); }

  async show() {
    const place = h("div", { class: "stack" });
    const before = shifted(this.#day, -1), after = shifted(this.#day, 1);
    const title = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });
    this.#main.replaceChildren(
      h("div", { class: "head" },
        h("div", {}, h("h1", {}, words.title), h("p", {}, words.subtitle)),
        h("div", { class: "actions" },
          dayLink(before, words.dayBefore, "back"),
          h("strong", {}, h("time", { datetime: dayName(this.#day) }, title.format(this.#day))),
          this.#isToday ? button(icon("next"), null, { disabled: true, "aria-label": words.dayAfter })
            : dayLink(after, words.dayAfter, "next"))),
      place);
    const from = this.#day.getTime(), to = shifted(this.#day, 1).getTime();
    await load(place, this.#signal, words.theLog, () => readDay(from, to, this.#signal), (read) => {
      this.#entries = read.entries;
      this.#head = read.head;
      this.#seal = read.seal;
      this.#isPartial = read.isPartial ?? false;
      this.#showAside();
      if (!read.entries.length) {
        return h("div", { class: "with-aside" },
          emptyState("activity", words.nothing, h("p", {}, words.nothingHint)), this.#aside);
      }
      const content = [this.#form(), h("div", { class: "with-aside" },
        h("div", { class: "stack" }, this.#picture, this.#list), this.#aside)];
      this.#showEntries();
      return content;
    });
  }

  #form() {
    const clients = new Set(this.#entries.filter(({ client }) => client).map(who));
    const sensors = new Set(this.#entries.map(({ sensor }) => sensor).filter(Boolean));
    const types = new Set(this.#entries.map(typeOf));
    const choice = (label, all, values, name, shown = (value) => visible(value, 64)) => h("label", {}, unseen(label),
      h("select", { on: { change: (event) => this.#change({ [name]: event.currentTarget.value }) } },
        h("option", { value: "" }, all), values.map((value) => {
          const option = h("option", { value }, shown(value));
          option.selected = this.#filter[name] === value;
          return option;
        })));
    const check = (label, name) => {
      const input = h("input", { type: "checkbox", on: { change: () => this.#change({ [name]: input.checked }) } });
      input.checked = this.#filter[name];
      return h("label", { class: "check" }, input, " ", label);
    };
    return h("form", { class: "filter", "aria-label": words.only, on: { submit: (event) => event.preventDefault() } },
      choice(words.type, words.everyType, TYPES.filter((type) => types.has(type)), "type",
        (type) => words.types[type]),
      choice(words.client, words.everyClient, [...clients].sort(), "client"),
      choice(words.sensor, words.everySensor, [...sensors].sort(), "sensor"),
      check(words.deniedOnly, "isDenied"), check(words.withOwner, "hasOwner"));
  }

  #change(part) {
    Object.assign(this.#filter, part);
    this.#shown = SHOWN;
    this.#showEntries();
  }

  get #chosen() {
    const { client, sensor, type, isDenied, hasOwner } = this.#filter;
    return this.#entries.filter((entry) => (!client || who(entry) === client)
      && (!type || typeOf(entry) === type)
      && (!sensor || entry.sensor === sensor)
      && (!isDenied || entry.outcome === "refused" || entry.kind === "denied")
      && (hasOwner || !isOwner(entry)));
  }

  #showEntries() {
    const chosen = this.#chosen;
    this.#showPicture(chosen);
    this.#showTable(chosen);
  }

  // MARK: The day

  #showPicture(chosen) {
    for (const hide of this.#hides) hide();
    this.#hides = [];
    const clients = lanes(chosen);
    const legend = h("p", { class: "small quiet" }, h("span", { class: "key bar" }), " ", words.samplesRead, "\u2003",
      h("span", { class: "key refusal" }), " ", words.denied,
      this.#isToday ? ["\u2003", h("span", { class: "key now" }), " ", words.now] : []);
    const hours = h("canvas", { "aria-hidden": "true" });
    const body = clients.map((client) => h("tbody", {},
      h("tr", { class: "group" }, h("th", { scope: "rowgroup", colspan: "4" }, foreign(client.name),
        client.type ? h("span", { class: "small quiet" }, " ", words.typeOf[client.type]) : [])),
      client.lanes.map((lane) => this.#lane(lane))));
    this.#picture.replaceChildren(panel(this.#isToday ? words.today : words.thatDay, { action: legend },
      clients.length
        ? h("table", { class: "day" },
          h("thead", {}, h("tr", {}, h("th", { scope: "col" }, words.sensor),
            h("th", { scope: "col", class: "hours" }, unseen(words.hours), hours),
            h("th", { scope: "col", class: "number middle" }, words.samples),
            h("th", { scope: "col", class: "number" }, words.denials))), body)
        : h("p", { class: "inset quiet" }, words.noneMatches)));
    if (clients.length) this.#drawn(hours, () => paintHours(hours));
  }

  #lane(lane) {
    const canvas = h("canvas", { "aria-hidden": "true" });
    this.#drawn(canvas, () => paintLane(canvas, lane, this.#day, this.#isToday));
    return h("tr", {},
      h("th", { scope: "row" }, foreign(lane.what, 80),
        h("span", { class: "under" }, words.accesses[lane.access] ?? words.other)),
      h("td", { class: "lane" }, canvas, unseen(laneText(lane))),
      h("td", { class: "number middle" }, format.number(lane.samples)),
      h("td", { class: "number" }, lane.refused
        ? stateWord("bad", "refused", format.number(lane.refused)) : h("span", { class: "quiet" }, "–")));
  }

  /** Draws now, when the size changes and when the theme does. */
  #drawn(canvas, draw) {
    const size = new ResizeObserver(draw);
    size.observe(canvas);
    const theme = new MutationObserver(draw);
    theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", draw);
    const stop = () => {
      size.disconnect();
      theme.disconnect();
      scheme.removeEventListener("change", draw);
    };
    this.#hides.push(stop);
    this.#signal.addEventListener("abort", stop, { once: true });
  }

  // MARK: Table

  #showTable(chosen) {
    const rows = chosen.slice(0, this.#shown).map((entry) => [
      h("time", { datetime: new Date(entry.time).toISOString() }, clock(entry.time)),
      h("div", {}, isOwner(entry) || !entry.client ? who(entry) : foreign(entry.client, 64),
        typeOf(entry) ? h("span", { class: "small quiet" }, " ", words.typeOf[typeOf(entry)]) : [],
        h("span", { class: "narrow did" }, action(entry),
          entry.sensor ? ` (${visible(entry.sensor, 64)})` : "", remark(entry))),
      h("div", {}, action(entry), remark(entry)), entry.sensor ? foreign(entry.sensor, 64) : "–",
      entry.sensor && entry.count ? format.number(entry.count) : "–", outcome(entry),
    ]);
    const more = chosen.length - rows.length;
    const footer = [
      words.namesOnly, " ",
      more > 0 ? button(words.more(Math.min(more, SHOWN)), () => {
        this.#shown += SHOWN;
        this.#showTable(this.#chosen);
        this.#list.querySelectorAll("tbody tr")[rows.length]?.querySelector("th, td")?.focus();
      }, { kind: "plain" }) : [],
      this.#isPartial ? h("p", {}, words.partial(format.number(MOST))) : [],
    ].flat();
    this.#list.replaceChildren(panel(words.entries, {
      action: h("p", { class: "small quiet" }, words.shared(format.number(chosen.length))), footer,
    }, table(words.entries, words.columns, rows, "log")));
  }

  // MARK: Aside

  #showAside() {
    const refusals = this.#entries.filter(({ kind }) => kind === "refusal" || kind === "notice");
    const decided = this.#entries.filter(({ kind }) => decisions.has(kind));
    this.#aside.replaceChildren(this.#chain(), this.#refusals(refusals), this.#decisions(decided));
  }

  #chain() {
    const { line, hash, bytes } = this.#head;
    const said = notice(), found = notice();
    const copying = button(words.copyHash, () => perform(said, copying, async () => {
      await copy(hash);
      said.done(words.copied);
    }));
    const saved = h("input", {
      type: "text", autocomplete: "off", spellcheck: "false", maxlength: "80",
    });
    const meaning = h("p", { class: "small", hidden: true }, words.proves);
    const progress = h("progress", { "aria-label": words.verifying, hidden: true });
    const verifying = button(words.verify, () => perform(found, verifying, async () => {
      meaning.hidden = true;
      const expect = saved.value.replaceAll(/\s/g, "");
      if (expect && !/^[0-9a-fA-F]{64}$/.test(expect)) {
        saved.focus();
        throw { detail: words.notAHash };
      }
      announce(words.verifying);
      const verdict = await verified(expect, progress, this.#signal);
      meaning.hidden = false;
      if (!verdict.intact) throw { detail: brokenText(verdict) };
      found.done(intactText(verdict));
    }));
    return panel(words.chain, {}, h("div", { class: "inset stack" },
      h("p", {}, words.size(format.number(line), format.bytes(bytes))),
      h("p", { class: "small" }, words.linked),
      h("div", {}, h("p", { class: "small quiet" }, words.saveHash),
        h("p", { class: "hash" }, h("code", {}, hash.match(/.{8}/g).join(" ")))),
      said,
      h("p", { class: "actions" }, copying,
        button(words.exportDay, () => this.#export(), { sign: "save" })),
      h("label", { class: "small" }, words.savedHash, saved),
      h("p", { class: "actions" }, verifying), progress, found, meaning, this.#sealed(),
      h("p", { class: "small quiet" }, words.verifyWith, h("br", {}),
        h("code", { class: "command wrap" }, "nervous log --verify"))));
  }

  /** Since when the log is sealed, and of when the last checkpoint is. */
  #sealed() {
    const { sealed, since, first, checkpoint } = this.#seal;
    const command = (text) => h("code", { class: "command wrap" }, text);
    if (!sealed) {
      return h("p", { class: "small quiet" }, words.notSealed, h("br", {}), command("nervous log --seal"));
    }
    return h("p", { class: "small" }, words.sealedSince(format.time(since), format.number(first)), " ",
      checkpoint ? words.lastCheckpoint(format.time(checkpoint.time), format.number(checkpoint.line))
        : words.noCheckpoint, " ", words.makeCheckpoint, h("br", {}), command("nervous log --checkpoint"));
  }

  #export() {
    const lines = this.#entries.map((entry) => `${JSON.stringify(entry)}\n`);
    save(`access-log-${dayName(this.#day)}.ndjson`, new Blob(lines, { type: "application/x-ndjson" }));
  }

  #refusals(refusals) {
    const all = new Map();
    for (const entry of refusals) {
      const what = entry.sensor ?? entry.privilege ?? words.operationsOf;
      const key = `${who(entry)} ${what} ${entry.reason}`;
      const item = all.get(key) ?? { entry, what, times: [] };
      item.times.push(clock(entry.time, false));
      all.set(key, item);
    }
    const items = [...all.values()].slice(0, 8);
    const line = ({ entry, what, times }) => h("li", {},
      h("p", {}, who(entry), h("br", {}), h("span", { class: "small quiet" },
        foreign(what, 64), ", ", words.at(times.slice(0, 3).reverse().join(", "), times.length),
        entry.reason ? ["; ", foreign(entry.reason, 160)] : [])),
      entry.client && entry.kind === "refusal" && changeLink(entry.client));
    return panel(words.deniedToday, {}, items.length ? h("ul", { class: "lines" }, items.map(line))
      : h("p", { class: "inset small quiet" }, words.noDenials));
  }

  #decisions(decided) {
    const line = (entry) => h("li", {}, h("p", {}, who(entry), " ",
      h("span", { class: "small quiet" }, words.at(clock(entry.time, false), 1)), h("br", {}),
      h("span", { class: "small" }, decision(entry))));
    return panel(words.decisions, {}, decided.length
      ? h("ul", { class: "lines" }, decided.slice(0, 8).map(line))
      : h("p", { class: "inset small quiet" }, words.noDecisions));
  }
}

/** Verifies every entry, and shows the progress; resolves with the verdict. */
async function verified(expect, progress, signal) {
  const { body } = await api("/access-log/verification", {
    query: expect ? { expect } : {}, headers: { Accept: "application/x-ndjson" }, signal, raw: true,
  });
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let rest = ""; ;) {
      const { done, value } = await reader.read();
      // The host has ended.
      if (done) throw new TypeError("The verification has no result.");
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      for (const line of lines) {
        const step = JSON.parse(line);
        if (step.problem) throw step.problem;
        if (step.verdict) return step.verdict;
        progress.hidden = false;
        [progress.max, progress.value] = [step.total, step.verified];
      }
    }
  } finally {
    progress.hidden = true;
    reader.cancel().catch(() => {});
  }
}

/** What a verification of an intact log found. */
function intactText({ lines, cut, first, last, expected }) {
  return [lines ? words.intact(format.count(lines), format.time(first), format.time(last)) : words.empty,
    cut > 0 && words.cut(format.count(cut)), expected && words.expected].filter(Boolean).join(" ");
}

/** Where the chain breaks. */
function brokenText({ lines, fault }) {
  return fault ? words.broken(visible(fault, 200), format.count(lines)) : words.notExpected;
}

const dayLink = (date, label, sign) => h("a", {
  class: "button", href: `/activity?day=${dayName(date)}`, "aria-label": label,
}, icon(sign));

/** Leads to the permissions of a client. */
const changeLink = (client) => h("a", {
  class: "button plain", href: `/apps/${encodeURIComponent(client)}`,
}, words.change, " ", unseen(words.changeAbout(visible(client, 64))));

function decision(entry) {
  const what = entry.privilege ? meaningText(entry.privilege) : "";
  const terms = entry.detail ? `: ${visible(entry.detail, 120)}` : "";
  if (entry.kind === "granted") return stateWord("good", "check", what + terms);
  if (entry.kind === "denied") return stateWord("bad", "refused", what);
  return stateWord("", "back", words.forgotten(what));
}

const clock = (time, hasSeconds = true) => new Intl.DateTimeFormat(undefined, {
  hour: "2-digit", minute: "2-digit", ...(hasSeconds ? { second: "2-digit" } : {}),
}).format(time);

/** A lane in words, for screen readers. */
function laneText({ entries, samples, refused }) {
  const times = entries.map(({ time }) => time);
  // Entries are newest first.
  return words.lane(clock(times.at(-1), false), clock(times[0], false), format.number(samples), refused);
}

// MARK: Painting

/** A canvas at the resolution of the screen. */
function prepared(canvas) {
  const ratio = devicePixelRatio, w = canvas.clientWidth, height = canvas.clientHeight;
  canvas.width = Math.round(w * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  const probe = getComputedStyle(canvas);
  return { context, w, height, color: (name) => resolved(probe, canvas, name), font: probe.fontFamily };
}

const probes = ["--grid", "--series-1", "--bad", "--surface", "--ink-2", "--ink-3"];
/** A colour of the theme: classes of the style sheet give a canvas each of them as a plain colour. */
function resolved(probe, canvas, name) {
  canvas.className = `ink-${probes.indexOf(name)}`;
  const { color } = getComputedStyle(canvas);
  canvas.className = "";
  return color;
}

/** Samples of an app and sensor over a day: the heights are of the square root, so that few are seen beside many. */
function paintLane(canvas, { entries }, day, isToday) {
  if (!canvas.clientWidth) return;
  const { context, w, height, color } = prepared(canvas);
  const from = day.getTime(), span = shifted(day, 1) - from;
  const ground = height - 3, count = w < 320 ? 48 : 144, cell = w / count;
  const sums = new Array(count).fill(0);
  for (const { time, count: samples, outcome: result, calls } of entries) {
    if (result === "refused") continue;
    const place = Math.min(count - 1, Math.floor(((time - from) / span) * count));
    sums[place] += Math.max(samples, calls);
  }
  const most = Math.max(1, ...sums);
  context.fillStyle = color("--grid");
  for (let i = 0; i <= 8; i++) context.fillRect(Math.min(w - 1, Math.round((i / 8) * w)), 0, 1, height);
  context.fillRect(0, ground, w, 1);
  context.fillStyle = color("--series-1");
  sums.forEach((sum, i) => {
    if (!sum) return;
    const tall = Math.max(3, Math.sqrt(sum / most) * (ground - 3));
    context.fillRect(i * cell, ground - tall, Math.max(1.5, cell - 1), tall);
  });
  context.strokeStyle = color("--bad");
  context.fillStyle = color("--surface");
  context.lineWidth = 1.5;
  for (const { time, outcome: result } of entries) {
    if (result !== "refused") continue;
    const x = Math.max(5, Math.min(w - 5, ((time - from) / span) * w)), y = height / 2;
    context.beginPath();
    for (const [dx, dy] of [[0, -5], [5, 0], [0, 5], [-5, 0]]) context.lineTo(x + dx, y + dy);
    context.closePath();
    context.fill();
    context.stroke();
  }
  if (!isToday) return;
  context.fillStyle = color("--ink-2");
  context.fillRect(Math.round(((Date.now() - from) / span) * w), 0, 1, height);
}

function paintHours(canvas) {
  if (!canvas.clientWidth) return;
  const { context, w, color, font } = prepared(canvas);
  context.font = `11px ${font}`;
  context.fillStyle = color("--ink-3");
  const step = w < 140 ? 24 : w < 260 ? 12 : w < 420 ? 6 : 3;
  for (let hour = 0; hour <= 24; hour += step) {
    context.textAlign = hour === 0 ? "left" : hour === 24 ? "right" : "center";
    context.fillText(`${two(hour)}:00`, (hour / 24) * w, 13);
  }
}
