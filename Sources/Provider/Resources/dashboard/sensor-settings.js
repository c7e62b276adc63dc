// sensor-settings.js: the panels beside a sensor's chart: who may read it, how often it is read, how
// long samples stay, and deleting them.

import { api, button, fill, format, h, icon, plain, text, timeOf, unseen } from "./dashboard.js";
import { said } from "./sensor-texts.js";

const LEVELS = ["off", "low", "medium", "high", "auto"];
const AGES = ["1d", "7d", "30d", "90d", "365d", "1825d"];
const HOUR = 36e5, DAY = 864e5;

/** Whether a permission is for this sensor or for its kind. */
function concerns(id, { privilege, terms }) {
  const match = /^sensor:([^:]+)(?::(?:stats|write))?$/.exec(privilege);
  if (match === null) return false;
  if (match[1] === id) return true;
  if (match[1] !== id.split(".", 1)[0]) return false;
  return (terms?.only === undefined || terms.only.includes(id)) && !terms?.excluded?.includes(id);
}

/** Shows an error's message in the element `place`. */
const failed = (place, error) => fill(place, h("span", { class: "state bad" }, icon("warn"), plain(error.message)));

/**
 * @param {object} sensor
 * @param {{signal: AbortSignal, range: () => ({from: number, to: number}|undefined),
 *   changed: () => void}} page
 */
export function settingsPanels(sensor, { signal, range, changed }) {
  const path = `/sensors/${encodeURIComponent(sensor.id)}`;
  const access = h("ul", { class: "lines" });
  const kept = h("div", { class: "inset stack" });

  // The unit in which the precision of a grant is shown; `undefined` if the numbers of the sensor have different units.
  const units = new Set(sensor.fields.filter(({ kind }) => kind === "number").map((field) => field.unit));
  const unit = units.size === 1 ? [...units][0] : undefined;

  const grantPath = (grant) => `/grants/${encodeURIComponent(grant.client)}/${encodeURIComponent(grant.privilege)}`;

  async function showAccess() {
    let grants, tokens;
    try {
      [grants, tokens] = await Promise.all([api("/grants", { signal }), api("/tokens", { signal })]);
    } catch (error) {
      if (!signal.aborted) fill(access, h("li", h("p", failed(h("span"), error))));
      return;
    }
    const names = new Set(tokens.items.map(({ name }) => name));
    const shown = grants.items.filter((grant) => concerns(sensor.id, grant));
    fill(access, shown.length === 0 ? h("li", h("p", { class: "small quiet" }, said.noReaders)) : shown.map((grant) => line(grant, names.has(grant.client))));
  }

  function line(grant, isToken) {
    const isGranted = grant.state === "granted";
    const status = h("span", { class: "small quiet", role: "status" });
    const terms = grant.terms ?? { access: "raw" };
    const what = isGranted ? [text.terms(terms, format, unit), grant.once && said.once].filter(Boolean).join(", ") : null;
    if (isGranted) status.textContent = what;
    else fill(status, h("span", { class: "state bad small" }, icon("refused"), said.deniedOn(format.date(grant.decided))));
    const item = h("li", h("p",
      isToken ? [h("b", plain(grant.client)), " ", h("span", { class: "id" }, said.token)]
        : h("a", { href: `/apps/${encodeURIComponent(grant.client)}` }, plain(grant.client)),
      !`${grant.privilege}:`.startsWith(`sensor:${sensor.id}:`) && [" ", h("span", { class: "id" }, plain(grant.privilege))], h("br"), status));
    const label = isGranted ? said.revoke : said.reset;
    const act = button([label, unseen(` ${said.of(plain(grant.client))}`)], async () => {
      act.disabled = true;
      try {
        await api(grantPath(grant), { method: "DELETE", signal });
        status.textContent = isGranted ? said.revoked : said.wasReset;
        act.remove();
        if (isGranted && !grant.once) item.append(undo(grant, status));
        item.querySelector("button")?.focus();
      } catch (error) {
        act.disabled = false;
        if (!signal.aborted) failed(status, error);
      }
    }, { kind: isGranted ? "plain bad" : "plain" });
    item.append(act);
    return item;
  }

  /** A button that restores the revoked grant with the same terms. */
  function undo(grant, status) {
    return button([said.undo, unseen(` ${said.of(plain(grant.client))}`)], async () => {
      try {
        await api(grantPath(grant), { method: "PUT", signal, json: { decision: "allow", terms: grant.terms ?? { access: "raw", background: true } } });
        await showAccess();
        access.querySelector("button")?.focus();
      } catch (error) {
        if (!signal.aborted) failed(status, error);
      }
    }, { kind: "plain" });
  }

  // --- Level and retention

  const isPolled = sensor.definition === undefined && sensor.source !== "published by clients" && sensor.available;

  function levels() {
    const status = h("p", { class: "small", role: "status" });
    const choices = LEVELS.includes(sensor.level) ? LEVELS : [...LEVELS, sensor.level];
    return h("div", h("p", { class: "small quiet", id: "level" }, said.level),
      h("fieldset", { class: "choice full", "aria-labelledby": "level" }, choices.map((level) => h("label",
        h("input", { type: "radio", name: "level", value: level, checked: level === sensor.level,
          on: { change: () => setLevel(level, status) } }),
        h("span", text.levels[level] ?? plain(level))))), status);
  }

  async function setLevel(level, status) {
    try {
      await api(`/collection/${encodeURIComponent(sensor.id)}`, { method: "PUT", json: { level }, signal });
      sensor.level = level;
      status.textContent = said.levelSet(text.levels[level] ?? level);
    } catch (error) {
      if (signal.aborted) return;
      failed(status, error);
      for (const input of kept.querySelectorAll("input[name=level]")) input.checked = input.value === sensor.level;
    }
  }

  async function showKept() {
    let retention, first;
    try {
      [retention, first] = await Promise.all([api("/retention", { signal }),
        api(`${path}/samples`, { signal, query: { limit: 1 } }).catch(() => ({ items: [] }))]);
    } catch (error) {
      if (!signal.aborted) fill(kept, failed(h("p", { class: "small" }), error));
      return;
    }
    const own = retention.sensors.find((one) => one.sensor === sensor.id) ?? { samples: 0, bytes: 0, rule: {} };
    const rule = Object.keys(own.rule ?? {}).length > 0 ? own.rule : retention.standard ?? {};
    const oldest = first.items[0]?.t;
    fill(kept, isPolled && levels(),
      h("dl", { class: "pairs small" },
        h("dt", said.retention), h("dd", said.rule(rule.raw && format.period(rule.raw), rule.summaries && format.period(rule.summaries))),
        h("dt", said.oldest), h("dd", oldest === undefined ? "–" : timeOf(oldest)),
        h("dt", said.size), h("dd", said.samples(format.count(own.samples), format.bytes(own.bytes)))),
      rules(own), deletion());
  }

  function rules(own) {
    const status = h("span", { class: "small", role: "status" });
    const current = own.rule?.raw;
    const ages = AGES.includes(current) || current === undefined ? AGES : [current, ...AGES];
    const choice = h("select", h("option", { value: "", selected: current === undefined }, said.keepAll),
      ages.map((age) => h("option", { value: age, selected: age === current }, said.keepFor(format.period(age)))));
    const apply = button(said.apply, async () => {
      apply.disabled = true;
      try {
        const rule = { ...own.rule, raw: choice.value === "" ? undefined : choice.value };
        const address = `/retention/${encodeURIComponent(sensor.id)}`;
        if (rule.raw === undefined && rule.summaries === undefined && rule.bytes === undefined) {
          await api(address, { method: "DELETE", signal });
        } else await api(address, { method: "PUT", json: rule, signal });
        await showKept();
        kept.querySelector("select")?.focus();
      } catch (error) {
        apply.disabled = false;
        if (!signal.aborted) failed(status, error);
      }
    }, { hidden: true });
    choice.addEventListener("change", () => {
      apply.hidden = choice.value === (current ?? "");
      status.textContent = apply.hidden || choice.value === "" ? "" : said.deletesOlder(format.period(choice.value));
    });
    return h("div", { class: "stack tight" }, h("label", { class: "field small" }, said.keep, choice), status, apply);
  }

  function deletion() {
    const status = h("p", { class: "small", role: "status" });
    const start = button(said.delete, () => {
      start.hidden = true;
      form.hidden = false;
      form.querySelector("select").focus();
    }, { kind: "bad" });
    const now = () => Date.now(), shown = range();
    const spans = [["hour", () => ({ from: now() - HOUR })], ["day", () => ({ from: now() - DAY })],
      shown && ["shown", () => ({ from: Math.round(range().from), to: Math.round(range().to) })], ["all", () => ({})]].filter(Boolean);
    const choice = h("select", spans.map(([name]) => h("option", { value: name }, said.spans[name])));
    const confirm = button("", async () => {
      confirm.disabled = true;
      try {
        const query = spans.find(([name]) => name === choice.value)[1]();
        const receipt = await api(`${path}/samples`, { method: "DELETE", signal, query });
        close();
        status.textContent = said.deleted(receipt.samples, format.count(receipt.samples));
        changed();
      } catch (error) {
        confirm.disabled = false;
        if (!signal.aborted) failed(status, error);
      }
    }, { kind: "bad" });
    const name = () => { confirm.textContent = said.deleteSpan(said.spans[choice.value]); };
    choice.addEventListener("change", name);
    name();
    function close() {
      form.hidden = true;
      start.hidden = confirm.disabled = false;
      start.focus();
    }
    const form = h("div", { class: "stack tight", hidden: true },
      h("label", { class: "field small" }, said.deleteWhich, choice),
      h("p", { class: "small quiet" }, said.cannotUndo),
      h("p", { class: "actions" }, confirm, button(said.cancel, close, { kind: "plain" })));
    return h("div", { class: "stack tight" }, h("p", start), form, status);
  }

  showAccess();
  showKept();
  return [
    h("section", { class: "panel", "aria-labelledby": "who" }, h("header", h("h2", { id: "who" }, said.access)), access),
    h("section", { class: "panel", "aria-labelledby": "kept" }, h("header", h("h2", { id: "kept" }, said.kept)), kept),
  ];
}
