// Alerts: the rules with their states, a form that adds one, and the history and a test of one rule.

import { api, emptyState, format, go, h, icon } from "./dashboard.js";
import { texts } from "./page-texts.js";
import { button, every, foreign, load, notice, pairs, panel, perform, stateWord, table, twoSteps, visible } from "./parts.js";

const words = texts.alerts;
/** States change at most each 5 s. */
const REFRESH_MS = 5000;
const PAGE = 100;

export default {
  title: words.title,
  async show(main, { params, signal }) {
    if (params?.name) await showRule(main, params.name, signal);
    else await showList(main, signal);
  },
};

const path = (name, rest = "") => `/alerts/${encodeURIComponent(name)}${rest}`;

const signs = {
  firing: ["bad", "warn"], pending: ["warn", "stale"], ok: ["good", "check"], "no-data": ["warn", "question"],
  waiting: ["", "stale"], disabled: ["", "pause"],
};

function stateOf({ state, missing }) {
  const [kind, sign] = signs[state] ?? signs.waiting;
  const reason = missing && [" ", h("span", { class: "under" }, words.reasons[missing.reason])];
  return [stateWord(kind, sign, words.states[state] ?? state), reason ?? []];
}

function valueText({ value, unit }) {
  return value === undefined || value === null ? "–" : format.number(value, unit);
}

/** Fills `place` again while nothing in it has the focus, when what is read has changed. */
function refresh(place, signal, read, show) {
  let last;
  every(REFRESH_MS, signal, async () => {
    try {
      const found = await read();
      const text = JSON.stringify(found);
      if (signal.aborted || text === last || place.contains(document.activeElement)) return;
      last = text;
      place.replaceChildren(...[show(found)].flat());
    } catch {
      // The line of the connection says that the host does not respond.
    }
  });
}

// MARK: List

async function showList(main, signal) {
  const place = h("div", { class: "stack" });
  const read = async () => (await api("/alerts", { signal })).items;
  const show = (items) => {
    if (!items.length) return emptyState("alerts", words.none, h("p", {}, words.noneHint));
    return panel(words.rules, {}, table(words.rules, words.columns, items.map((rule) => cells(rule, reload)), "roomy"));
  };
  const reload = () => load(place, signal, words.theRules, read, show);
  const [items, sensors, apps] = await Promise.all([
    read(), api("/sensors", { signal }), api("/apps", { signal }),
  ]);
  place.append(...[show(items)].flat());
  main.replaceChildren(
    h("div", { class: "head" }, h("div", {}, h("h1", {}, words.title), h("p", {}, words.subtitle))),
    h("div", { class: "with-aside" }, place,
      h("aside", { class: "stack", "aria-label": words.add }, addPanel(sensors.items, apps.items, reload))));
  refresh(place, signal, read, show);
}

function cells(rule, changed) {
  return [
    h("div", {}, h("a", { href: `/alerts/${encodeURIComponent(rule.name)}` }, rule.name),
      h("span", { class: "under" }, visible(rule.summary, 200)),
      rule.problem ? h("span", { class: "under" }, stateWord("bad", "warn", visible(rule.problem, 200))) : []),
    stateOf(rule), format.time(rule.since), valueText(rule), controls(rule, changed),
  ];
}

function controls(rule, changed) {
  const line = notice();
  const { name, enabled } = rule;
  const turn = button(enabled ? words.disable : words.enable, (event) => perform(line, event.currentTarget, async () => {
    await api(path(name), { method: "PATCH", json: { enabled: !enabled } });
    await changed();
  }), { about: name });
  return [turn, line];
}

// MARK: A new rule

const select = (items) => h("select", {}, items.map(([value, label]) => h("option", { value }, label)));
const input = (type, attributes = {}) => h("input", { type, autocomplete: "off", ...attributes });
const number = () => input("text", { inputmode: "decimal" });
const labelled = (label, control, hint) => h("label", {}, label, control,
  hint ? h("span", { class: "small quiet" }, hint) : []);

/** A number as people write it, with a point or a comma; `undefined` for an empty field. */
function numberOf(control, label) {
  const text = control.value.trim().replace(",", ".");
  if (text === "") return undefined;
  const value = Number(text);
  if (!Number.isFinite(value)) throw { detail: words.notANumber(label) };
  return value;
}

function addPanel(sensors, apps, changed) {
  const line = notice();
  const known = sensors.filter(({ fields }) => fields.some(({ kind }) => kind === "number" || kind === "integer"));
  if (!known.length) return panel(words.add, {}, h("p", { class: "inset small" }, words.noSensors));
  const name = input("text", { maxlength: "64", required: true, spellcheck: "false", autocapitalize: "none" });
  const sensor = select(known.map(({ id, title }) => [id, `${visible(title, 60)} (${id})`]));
  const field = select([]);
  const measure = select(words.measures);
  const statistic = select(words.statistics);
  const [duration, baseline] = [select(words.durations), select(words.baselines)];
  const side = select(words.sides);
  const [limit, clear, hold] = [number(), number(), select(words.holds)];
  const notify = h("input", { type: "checkbox" });
  notify.checked = true;
  const webhook = input("url", { spellcheck: "false", placeholder: "https://" });
  const run = select([["", words.noApp], ...apps.map(({ name: app, title }) => [app, visible(title ?? app, 60)])]);
  const add = h("button", { class: "button main", type: "submit" }, icon("add"), words.add);

  const parts = {
    field: labelled(words.field, field), statistic: labelled(words.statistic, statistic),
    duration: labelled(words.window, duration), baseline: labelled(words.baseline, baseline),
    side: labelled(words.fires, side), limit: labelled(words.threshold, limit),
    clear: labelled(words.clear, clear, words.clearHint), hold: labelled(words.hold, hold),
  };
  const shownParts = {
    statistic: ["field", "statistic", "duration", "side", "limit", "clear", "hold"],
    silence: ["duration"], anomaly: ["field", "statistic", "duration", "baseline", "limit", "hold"],
  };
  const showFields = () => {
    const chosen = known.find(({ id }) => id === sensor.value);
    const numeric = chosen.fields.filter(({ kind }) => kind === "number" || kind === "integer");
    field.replaceChildren(...numeric.map(({ name: value }) => h("option", { value }, visible(value, 60))));
    if (chosen.mainField) field.value = chosen.mainField;
  };
  const showParts = () => {
    for (const [key, part] of Object.entries(parts)) part.hidden = !shownParts[measure.value].includes(key);
    limit.placeholder = measure.value === "anomaly" ? "3.5" : "";
  };
  sensor.addEventListener("change", showFields);
  measure.addEventListener("change", showParts);
  showFields();
  showParts();

  const definition = () => {
    const kind = measure.value;
    const actions = {
      notify: notify.checked, ...(webhook.value.trim() && { webhook: { url: webhook.value.trim() } }),
      ...(run.value && { run: run.value }),
    };
    if (kind === "silence") return { sensor: sensor.value, silence: duration.value, ...actions };
    const threshold = numberOf(limit, words.threshold);
    return {
      sensor: sensor.value, field: field.value, statistic: statistic.value, window: duration.value, for: hold.value,
      ...actions,
      ...(kind === "anomaly" ? { baseline: baseline.value, above: threshold }
        : { [side.value]: threshold, clear: numberOf(clear, words.clear) }),
    };
  };
  const form = h("form", {
    class: "terms single",
    on: {
      submit: (event) => {
        event.preventDefault();
        perform(line, add, async () => {
          const rule = await api("/alerts", { json: { name: name.value.trim(), rule: definition() } });
          form.reset();
          notify.checked = true;
          showFields();
          showParts();
          await changed();
          line.done(words.added(rule.name));
        });
      },
    },
  }, labelled(words.name, name, words.nameHint), labelled(words.sensor, sensor), labelled(words.measure, measure),
  Object.values(parts),
  h("fieldset", { class: "only" }, h("legend", {}, words.then),
    h("label", { class: "check" }, notify, " ", words.notify),
    labelled(words.webhook, webhook, words.webhookHint), labelled(words.run, run)),
  line, h("p", { class: "actions" }, add));
  return panel(words.add, {}, h("div", { class: "inset stack" }, form));
}

// MARK: One rule

async function showRule(main, name, signal) {
  const [head, facts, history] = [h("div", { class: "head" }), h("div", {}), h("div", { class: "stack" })];
  const line = notice();
  const read = async () => {
    const [rule, events] = await Promise.all([
      api(path(name), { signal }), api(path(name, "/events"), { query: { limit: PAGE }, signal }),
    ]);
    return { rule, events };
  };
  const show = ({ rule, events }) => {
    head.replaceChildren(
      h("div", {}, h("a", { class: "back", href: "/alerts" }, icon("back"), words.title),
        h("h1", {}, rule.rule.title ? foreign(rule.rule.title, 200) : rule.name),
        h("p", {}, visible(rule.summary, 400))),
      h("div", { class: "actions" }, controls(rule, reload),
        twoSteps(words.remove, words.removeAsks, words.removeDoes, async () => {
          await api(path(name), { method: "DELETE" });
          go("/alerts");
        })));
    facts.replaceChildren(panel(words.about, {}, h("div", { class: "inset stack" }, pairs(
      [words.state, stateOf(rule)], [words.since, format.time(rule.since)], [words.value, valueText(rule)],
      [words.evaluated, rule.evaluated && format.time(rule.evaluated)], [words.every, rule.every],
      [words.webhook, rule.rule.webhook && visible(rule.rule.webhook.url, 200)],
      [words.run, rule.rule.run], [words.waiting, rule.waiting > 0 ? String(rule.waiting) : undefined],
      [words.problem, rule.problem && visible(rule.problem)]),
    rule.waiting > 0 || rule.problem ? sendButton(name, line, reload) : [], line)));
    return events.items.length
      ? panel(words.history, {}, table(words.history, words.eventColumns, events.items.map((event) => eventCells(event, rule))))
      : emptyState("alerts", words.neverFired, h("p", {}, words.neverFiredHint));
  };
  const reload = async () => {
    const found = await read();
    if (!signal.aborted) history.replaceChildren(...[show(found)].flat());
  };
  await reload();
  main.replaceChildren(head, h("div", { class: "with-aside" },
    h("div", { class: "stack" }, history),
    h("aside", { class: "stack", "aria-label": words.about }, facts, testPanel(name, signal))));
  every(REFRESH_MS, signal, () => {
    if (!main.contains(document.activeElement) || document.activeElement.tagName === "H1") reload().catch(() => {});
  });
}

function sendButton(name, line, changed) {
  return h("p", { class: "actions" }, button(words.send, (event) => perform(line, event.currentTarget, async () => {
    await api(path(name, "/send"), { method: "POST" });
    await changed();
  }), { sign: "retry" }));
}

function eventCells(event, rule) {
  const done = event.muted ? words.muted : event.deliveries.map(({ action, state, problem }) =>
    h("div", {}, words.delivery(words.actions[action], words.outcomes[state]),
      problem ? h("span", { class: "under" }, visible(problem, 200)) : []));
  return [
    format.time(event.time), eventWord(event.event),
    valueText({ value: event.value, unit: rule.unit }), done,
  ];
}

function eventWord(event) {
  return event === "fired" ? stateWord("bad", "warn", words.fired) : stateWord("good", "check", words.resolved);
}

/** When the rule would have fired over recorded samples. */
function testPanel(name, signal) {
  const line = notice();
  const period = select(words.periods);
  const result = h("div", { class: "stack" });
  const test = button(words.test, (event) => perform(line, event.currentTarget, async () => {
    const found = await api(path(name, "/test"), { query: { from: `-${period.value}` }, signal });
    const fired = found.events.filter(({ event: kind }) => kind === "fired").length;
    const missing = found.gaps.reduce((sum, { from, to }) => sum + to - from, 0);
    result.replaceChildren(...[
      found.events.length ? table(words.test, words.testColumns, found.events.map(({ time, event: kind, value }) =>
        [format.time(time), eventWord(kind), valueText({ value, unit: found.unit })])) : [],
    ].flat());
    line.done([
      words.wouldFire(fired, found.evaluations),
      missing > 0 ? words.noDataFor(Math.round(100 * missing / Math.max(1, found.to - found.from))) : "",
    ].filter(Boolean).join(" "));
  }));
  return panel(words.testTitle, {}, h("div", { class: "inset stack" }, h("p", { class: "small" }, words.testHint),
    h("div", { class: "terms single" }, labelled(words.period, period), h("p", { class: "actions" }, test)), line), result);
}
