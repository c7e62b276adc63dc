// sensor.js: the page of one sensor: its newest value, a chart of any range from a second to years,
// statistics, distribution and table, and beside it who may read it and how it is stored.

import {
  Chart, ChartGroup, Points, api, boundsOf, button, drawHistogram, emptyState, failure, fill, format, h, icon, isLate,
  isNumeric, live, mainField, plain, remember as setQuery, setTitle, text, timeOf, unseen,
} from "./dashboard.js";
import { readColumns } from "./columns.js";
import { settingsPanels } from "./sensor-settings.js";
import { said } from "./sensor-texts.js";

const SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE, DAY = 24 * HOUR;
const RANGES = [["1m", MINUTE], ["10m", 10 * MINUTE], ["1h", HOUR], ["24h", DAY], ["7d", 7 * DAY],
  ["90d", 90 * DAY], ["1y", 365 * DAY]];
const NEAR_MS = 15 * MINUTE; // a range this short is shown sample by sample
const NEAR_SAMPLES = 3000; // as is a longer one with so few samples
const MOST_SAMPLES = 1_000_000; // one series, on demand
const MOST_SERIES = 4;
const STEPS = [1, 2, 5, 10, 15, 30].map((n) => n * SECOND).concat(
  [1, 2, 5, 10, 15, 30].map((n) => n * MINUTE), [1, 2, 3, 6, 12].map((n) => n * HOUR),
  [1, 2, 7, 14, 28].map((n) => n * DAY));
const FIGURES_MS = 10_000; // figures of a live range are recomputed
const ROWS = 50;
const EXPORT_ROWS = 10_000_000;

/** A duration of the API. */
function code(ms) {
  for (const [size, name] of [[DAY, "d"], [HOUR, "h"], [MINUTE, "m"], [SECOND, "s"]]) {
    if (ms % size === 0) return `${ms / size}${name}`;
  }
  return `${Math.max(1, Math.round(ms))}ms`;
}

/** The length of the windows for a range on so many pixels. */
function windowLength(range, width) {
  const most = Math.max(40, Math.min(600, width / 4.5));
  return STEPS.find((step) => range / step <= most) ?? Math.ceil(range / most / DAY) * DAY;
}

/**
 * Where the first window begins that contains a time, and the time zone for windows of days.
 *
 * Days are those of the calendar here, and weeks begin on Monday, so that a window begins at a local midnight and not
 * at one of UTC. Windows of several days are counted from the same day whatever the range, so that they stay in place.
 */
function firstWindow(time, every) {
  if (every % DAY !== 0) return { from: Math.floor(time / every) * every };
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  if (timeZone === undefined) return { from: Math.floor(time / every) * every };
  const date = new Date(time), days = every / DAY;
  // The number of the day since 1970; that year began on a Thursday.
  const day = Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / DAY + 3;
  const start = new Date(date.getFullYear(), date.getMonth(), date.getDate() - (((day % days) + days) % days));
  return { from: start.getTime(), zone: timeZone };
}

/** The stretches of the header Nervous-Damaged. */
function damagedOf(header) {
  return (header ?? "").split(",").map((one) => one.trim()).filter(Boolean).map((one) => {
    const [from, to] = one.split("/").map((t) => (t === ".." ? undefined : Date.parse(t)));
    return { from, to };
  });
}

/** Saves a file that the page has made. */
function save(name, type, content) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = h("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** One curve: a field of a sensor, as windows or as samples. */
class Curve {
  /** @param {object} sensor @param {object} field @param {number} slot of the colours, from 0 */
  constructor(sensor, field, slot, name) {
    Object.assign(this, { sensor, field, slot });
    this.series = { name, unit: field.unit, color: `--series-${slot + 1}`, t: [], v: [] };
  }

  get key() { return `${this.sensor.id}:${this.field.name}`; }

  /** Shows windows of /stats; `tail` replaces those from its first one on. */
  windows(items, every, isTail) {
    const { name } = this.field, columns = { t: [], v: [], min: [], max: [], deviation: [] };
    for (const item of items) {
      const values = item.values?.[name];
      columns.t.push(item.from);
      columns.v.push(values?.mean ?? NaN);
      columns.min.push(values?.min ?? NaN);
      columns.max.push(values?.max ?? NaN);
      columns.deviation.push(values?.stddev ?? NaN);
    }
    if (isTail && this.series.every === every) {
      const kept = this.series.t.filter((t) => t < (items[0]?.from ?? Infinity)).length;
      for (const key of Object.keys(columns)) columns[key] = [...this.series[key].slice(0, kept), ...columns[key]];
    }
    Object.assign(this.series, columns, { every, points: undefined });
  }

  /** Shows samples; those that arrive later are added. */
  samples({ t, columns }, isLive) {
    const v = columns.get(this.field.name) ?? new Float64Array(t.length);
    for (const key of ["every", "min", "max", "deviation"]) delete this.series[key];
    if (!isLive) return Object.assign(this.series, { t, v, points: undefined });
    const points = new Points(Math.max(20_000, t.length * 2));
    for (let i = 0; i < t.length; i++) points.push(t[i], v[i]);
    Object.assign(this.series, { points, t: [], v: [] });
  }
}

export default {
  title: ({ id }) => id,

  async show(target, { params, query, signal }) {
    const { id } = params;
    const path = (of = id) => `/sensors/${encodeURIComponent(of)}`;
    const sensor = await api(path(), { signal });
    setTitle(plain(sensor.title));
    const numeric = sensor.fields.filter(isNumeric);
    const main = mainField(sensor);

    const head = h("div", { class: "head" },
      h("div", h("a", { class: "back", href: "/" }, icon("back"), text.overview.title),
        h("h1", plain(sensor.title)), h("p", h("code", plain(id)), " · ", source(sensor))));
    if (!sensor.available && sensor.newest === undefined) {
      return fill(target, head, emptyState("question", said.missing(plain(sensor.title)),
        h("p", plain(sensor.unavailable?.reason ?? "")),
        sensor.unavailable?.remedy && h("p", plain(sensor.unavailable.remedy))));
    }

    // --- What is shown: the range and the curves

    const state = {
      follow: HOUR, from: 0, to: 0, everySample: false, every: null, isRaw: true, damaged: [],
      interval: sensor.interval?.current,
    };
    const curves = [];
    const others = new Map(); // other sensors, once they are needed
    const named = RANGES.find(([name]) => name === query.get("range"));
    if (named) [, state.follow] = named;
    else if (Number(query.get("from")) > 0 && Number(query.get("to")) > Number(query.get("from"))) {
      Object.assign(state, { follow: null, from: Number(query.get("from")), to: Number(query.get("to")) });
    } else if (sensor.stale && sensor.newest !== undefined) {
      // A sensor that is silent for long is shown where its samples end.
      if (Date.now() - sensor.newest > HOUR) {
        Object.assign(state, { follow: null, from: sensor.newest - HOUR * 0.95, to: sensor.newest + HOUR * 0.05 });
      }
    }

    const freeSlot = () => [0, 1, 2, 3].find((slot) => !curves.some((curve) => curve.slot === slot));
    function add(of, field) {
      const slot = freeSlot();
      if (slot === undefined || curves.some((curve) => curve.sensor.id === of.id && curve.field === field)) return null;
      const curve = new Curve(of, field, slot, of.id === id ? field.name : `${of.id} ${field.name}`);
      curves.push(curve);
      return curve;
    }
    const wanted = (query.get("fields") ?? "").split(",");
    for (const field of numeric.filter(({ name }) => wanted.includes(name)).slice(0, MOST_SERIES)) add(sensor, field);
    if (curves.length === 0 && main) add(sensor, main);
    for (const key of query.getAll("with")) {
      const [other, name] = key.split(":");
      const found = live.latest("sensors")?.items.find((one) => one.id === other) ?? await api(path(other), { signal }).catch(() => null);
      const field = found?.fields.find((one) => one.name === name);
      if (field && isNumeric(field)) add(found, field);
    }

    // --- Elements

    const figure = h("span", "–"), unit = h("small"), age = h("p", { class: "small" });
    const readout = h("output", { class: "readout", id: "reading" });
    const canvas = h("canvas", { "aria-describedby": "reading" });
    const legend = h("fieldset", { class: "legend" });
    const ranges = h("fieldset", { class: "choice push" });
    const rangeText = h("p", { class: "small range" });
    const figures = h("dl", { class: "figures ruled" });
    const remark = h("p", { class: "remark", role: "status", hidden: true });
    const tableHead = h("thead"), tableBody = h("tbody"), tableNote = h("p", { class: "small quiet" });
    const tableFoot = h("footer"), moreRows = button(said.moreRows, () => (rowLimit += 500, table()), { kind: "plain" });
    const histogram = h("canvas", { class: "histogram" }), histogramNote = h("p", { class: "small quiet" });
    const pause = button(said.pause, () => {
      chart.pause(!chart.isPaused);
      pause.setAttribute("aria-pressed", String(chart.isPaused));
      fill(pause, icon(chart.isPaused ? "play" : "pause"), chart.isPaused ? said.resume : said.pause);
    }, { sign: "pause", "aria-pressed": "false" });
    let rowLimit = ROWS;

    head.append(h("div", { class: "actions" }, pause,
      h("a", { class: "button", href: "#table" }, icon("table"), said.table),
      button("CSV", () => save(`${id}.csv`, "text/csv", chart.csv()), { sign: "save", "aria-label": said.saveShown })));
    const chartPanel = h("section", { class: "panel", "aria-labelledby": "chart" },
      h("header", h("h2", { id: "chart", class: "unseen" }, said.chart),
        h("div", { class: "newest" }, h("p", { class: "figure large" }, figure, unit), age), ranges),
      main && legend,
      h("div", { class: "chart" }, canvas, readout), remark, figures);
    const problem = notice(sensor);
    fill(target, head, problem, h("div", { class: "with-aside" },
      h("div", { class: "stack" }, main ? chartPanel : statesPanel(),
        h("section", { class: "panel", "aria-labelledby": "table" },
          h("header", h("h2", { id: "table" }, said.table), tableNote),
          h("div", { class: "scroll tall", tabindex: 0, role: "group", "aria-labelledby": "table" },
            h("table", tableHead, tableBody)), tableFoot)),
      h("aside", { class: "stack", "aria-label": said.about },
        main && h("section", { class: "panel", "aria-labelledby": "spread" },
          h("header", h("h2", { id: "spread" }, said.distribution)),
          h("div", { class: "inset stack" }, histogram, histogramNote)),
        settingsPanels(sensor, { signal, range: () => chart?.range, changed: () => load() }))));

    let chart = null, removeHistogram = () => {};
    let loading = new AbortController(), newest = null, isRefreshing = false;
    signal.addEventListener("abort", () => {
      loading.abort();
      chart?.remove();
      removeHistogram();
    });
    if (!main) return showStates();

    chart = new Chart(canvas, {
      label: said.chartOf(plain(sensor.title)), series: curves.map(({ series }) => series), group: new ChartGroup(),
      ...boundsOf(curves[0].field, curves[0].sensor), readout, placeholder: said.how,
      format: (v, u, step) => (step === undefined ? format.number(v, u) : format.tick(v, u, step)),
      limits: { shortest: SECOND, longest: 30 * 365 * DAY },
      ...(state.follow === null ? { from: state.from, to: state.to } : { follow: state.follow }),
      onrange: ({ from, to, follow }) => {
        Object.assign(state, { from, to, follow });
        remember();
        showRange();
        load();
      },
    });
    // --- Range, legend and address

    function setRange(length) {
      state.follow = length;
      chart.set({ follow: length });
      if (chart.isPaused) pause.click();
      remember();
      showRange();
      load();
    }

    fill(ranges, h("legend", { class: "unseen" }, said.range), RANGES.map(([name, length]) => h("label",
      h("input", { type: "radio", name: "range", value: name, checked: state.follow === length,
        on: { change: () => setRange(length) } }), h("span", said.ranges[name]))));
    ranges.after(rangeText);

    function showRange() {
      for (const input of ranges.querySelectorAll("input")) {
        input.checked = RANGES.find(([name]) => name === input.value)[1] === state.follow;
      }
      const { from, to, follow } = chart.range;
      const isNamed = RANGES.some(([, length]) => length === follow);
      pause.disabled = follow === null;
      rangeText.hidden = isNamed;
      if (isNamed) return;
      const exact = to - from < 2 * MINUTE ? format.moment : (t) => format.time(t);
      fill(rangeText, follow !== null ? said.lastOf(format.duration(follow)) : said.between(exact(from), exact(to)), " ",
        button(said.backToLive, () => setRange(HOUR), { kind: "plain" }));
    }

    /** The address shows the same again after a reload. */
    function remember() {
      const kept = new URLSearchParams();
      const name = RANGES.find(([, length]) => length === state.follow)?.[0];
      if (name) kept.set("range", name);
      else {
        const { from, to } = chart.range;
        kept.set("from", Math.round(from));
        kept.set("to", Math.round(to));
      }
      const own = curves.filter((curve) => curve.sensor.id === id).map(({ field }) => field.name);
      if (own.length > 1 || own[0] !== main.name) kept.set("fields", own.join(","));
      for (const { sensor: other, key } of curves) if (other.id !== id) kept.append("with", key);
      setQuery(kept);
    }

    function showLegend() {
      const units = new Set(curves.map(({ field }) => field.unit));
      const isFull = (field) => curves.length >= MOST_SERIES || (units.size >= 2 && !units.has(field.unit));
      const item = (of, field, name) => {
        const curve = curves.find((one) => one.sensor.id === of.id && one.field.name === field.name);
        return h("label", { class: "check" }, h("input", { type: "checkbox", checked: curve !== undefined,
          disabled: curve === undefined && isFull(field),
          on: { change: (event) => (toggle(of, field) === false ? (event.target.checked = true) : null) } }),
        h("span", curve && h("span", { class: `key s${curve.slot + 1}` }), curve && " ", plain(name)));
      };
      const focused = document.activeElement?.closest?.(".legend") === legend
        ? [...legend.querySelectorAll("input, select")].indexOf(document.activeElement) : -1;
      const compared = curves.filter((curve) => curve.sensor.id !== id);
      const hasBand = curves[0]?.series.every !== undefined;
      const few = numeric.slice(0, 6), rest = numeric.slice(6);
      const shownRest = rest.filter((field) => curves.some((curve) => curve.sensor.id === id && curve.field === field));
      fill(legend, h("legend", { class: "unseen" }, said.series),
        [...few, ...shownRest].map((field) => item(sensor, field, field.name)),
        compared.map((curve) => item(curve.sensor, curve.field, `${curve.sensor.id} ${curve.field.name}`)),
        hasBand && h("span", { class: "check" }, h("span", { class: "key band" }), said.band),
        state.damaged.length > 0 && h("span", { class: "check" }, h("span", { class: "key hatch" }), said.damagedKey),
        choose(rest.filter((field) => !shownRest.includes(field)), isFull));
      if (focused >= 0) [...legend.querySelectorAll("input, select")].at(Math.min(focused, legend.querySelectorAll("input, select").length - 1))?.focus();
    }

    /** More fields, and fields of other sensors, in one list. */
    function choose(rest, isFull) {
      const all = live.latest("sensors")?.items ?? [];
      others.clear();
      for (const other of all) {
        if (other.id !== id && other.available && other.fields.some(isNumeric)) others.set(other.id, other);
      }
      const option = (of, field) => h("option", { value: `${of.id}:${field.name}`, disabled: isFull(field) },
        of.id === id ? field.name : `${plain(of.id)} ${field.name}`);
      const chosen = (event) => {
        const [other, name] = event.target.value.split(":");
        const of = other === id ? sensor : others.get(other);
        if (of) toggle(of, of.fields.find((field) => field.name === name));
      };
      return h("label", { class: "check compare" }, unseen(said.compare), h("select", { on: { change: chosen } },
        h("option", { value: "" }, said.compareWith),
        rest.length > 0 && h("optgroup", { label: said.moreFields }, rest.map((field) => option(sensor, field))),
        [...others.values()].map((other) => h("optgroup", { label: plain(other.title) },
          other.fields.filter(isNumeric).map((field) => option(other, field))))));
    }

    function toggle(of, field) {
      const at = curves.findIndex((curve) => curve.sensor.id === of.id && curve.field.name === field.name);
      if (at >= 0) {
        if (curves.length === 1) return false;
        curves.splice(at, 1);
      } else if (add(of, field) === null) return true;
      chart.set({ series: curves.map(({ series }) => series), floor: undefined, ceiling: undefined,
        ...boundsOf(curves[0].field, curves[0].sensor) });
      remember();
      watch();
      load();
      return true;
    }

    // --- Loading

    let stopWatching = () => {};
    function watch() {
      const before = stopWatching;
      stopWatching = live.watch([...new Set([id, ...curves.map((curve) => curve.sensor.id)])]);
      before();
    }

    /** Whether the range is shown sample by sample. */
    function isNear(length) {
      const expected = length / (state.interval ?? SECOND);
      if (state.everySample) return expected * curves.length <= MOST_SAMPLES * 1.5;
      return expected <= NEAR_SAMPLES * 10 && (length <= NEAR_MS || expected <= NEAR_SAMPLES / 5);
    }

    /** The fields that are shown, by sensor. */
    function bySensor() {
      const of = new Map();
      for (const curve of curves) of.set(curve.sensor.id, [...(of.get(curve.sensor.id) ?? []), curve]);
      return [...of];
    }

    async function load() {
      loading.abort();
      loading = new AbortController();
      const cancelled = loading.signal, { from, to, follow } = chart.range;
      const busy = setTimeout(() => { readout.textContent = said.reading(format.duration(to - from)); }, 300);
      try {
        const isRaw = isNear(to - from);
        const every = isRaw ? null : windowLength(to - from, canvas.clientWidth || 800);
        const damaged = [];
        await Promise.all(bySensor().map(([of, shown]) => (isRaw ? loadSamples(of, shown, from, to, follow, damaged, cancelled)
          : loadWindows(of, shown, from, follow === null ? to : undefined, every, damaged, cancelled))));
        if (cancelled.aborted || signal.aborted) return;
        Object.assign(state, { isRaw, every, damaged });
        fill(remark);
        remark.hidden = true;
      } catch (error) {
        if (cancelled.aborted || signal.aborted) return;
        fill(remark, icon("warn"), " ", plain(error.message), " ", button(text.shell.retry, () => load(), { kind: "plain" }));
        remark.hidden = false;
      } finally {
        clearTimeout(busy);
        if (!cancelled.aborted && readout.textContent.startsWith(said.reading(""))) readout.textContent = said.how;
      }
      for (const curve of curves) curve.series.live = follow !== null;
      chart.set({ series: curves.map(({ series }) => series), damaged: state.damaged });
      showDamage();
      showLegend();
      await summaries(cancelled);
    }

    async function loadSamples(of, shown, from, to, follow, damaged, cancelled) {
      const margin = (to - from) * 0.02;
      const answer = await api(`${path(of)}/samples`, { raw: true, signal: cancelled,
        headers: { Accept: "application/vnd.nervous.columns" },
        query: { from: Math.round(from - margin), to: follow === null ? Math.round(to + margin) : undefined,
          limit: state.everySample ? MOST_SAMPLES : NEAR_SAMPLES * 10, fields: shown.map(({ field }) => field.name) .join(",") } });
      const read = readColumns(await answer.arrayBuffer());
      if (cancelled.aborted) return;
      damaged.push(...damagedOf(answer.headers.get("Nervous-Damaged")));
      if (of === id && read.rows > 10) state.interval = (read.t.at(-1) - read.t[0]) / (read.rows - 1);
      for (const curve of shown) curve.samples(read, follow !== null);
    }

    async function loadWindows(of, shown, from, to, every, damaged, cancelled, isTail = false) {
      const answer = await api(`${path(of)}/stats`, { signal: cancelled, query: {
        ...firstWindow(from, every), to: to === undefined ? undefined : Math.round(to), every: code(every),
        fn: "mean,min,max,stddev", fields: shown.map(({ field }) => field.name).join(","),
      } });
      if (cancelled.aborted) return;
      damaged.push(...answer.damaged ?? []);
      if (of === id && !isTail) {
        const most = Math.max(0, ...answer.items.map(({ count }) => count));
        if (most > 1) state.interval = every / most;
      }
      for (const curve of shown) curve.windows(answer.items, every, isTail);
    }

    /** The newest windows of a live range. */
    async function refreshTail() {
      const { follow } = chart.range;
      if (isRefreshing || document.hidden || chart.isPaused || follow === null || state.isRaw || state.every === null
        || live.state.name !== "live") return;
      isRefreshing = true;
      const { every } = state, cancelled = loading.signal;
      try {
        await Promise.all(bySensor().map(([of, shown]) => loadWindows(of, shown,
          Math.max(Date.now() - 2 * every, chart.range.from), undefined, every, [], cancelled, true)));
        chart.update();
      } catch { /* the state of the stream says that the host does not respond */ }
      isRefreshing = false;
    }

    // --- Figures, distribution, table

    async function summaries(cancelled) {
      const { from, to, follow } = chart.range, [{ sensor: of, field }] = curves;
      const isLong = to - from > DAY;
      const [median, p95] = isLong ? ["p50~", "p95~"] : ["median", "p95"];
      const range = { from: Math.round(from), to: follow === null ? Math.round(to) : undefined };
      const [stats, bins] = await Promise.allSettled([
        api(`${path(of.id)}/stats`, { signal: cancelled,
          query: { ...range, fields: field.name, fn: `count,mean,stddev,${median},p5~,${p95},min,max` } }),
        spread(of.id, field, { from, to }, cancelled),
      ]);
      if (cancelled.aborted || signal.aborted) return;
      const values = stats.value?.items[0]?.values?.[field.name], coverage = stats.value?.items[0]?.coverage;
      state.scale = values ? Math.max(Math.abs(values.min ?? 0), Math.abs(values.max ?? 0)) || undefined : undefined;
      const say = (value) => format.number(value, field.unit, state.scale);
      const shown = [["mean", say(values?.mean)], ["deviation", say(values?.stddev)], ["median", say(values?.[median])],
        ["p95", say(values?.[p95])], ["min", say(values?.min)], ["max", say(values?.max)],
        ["coverage", coverage === undefined ? "–" : format.percent(coverage)]];
      fill(figures, shown.map(([name, value]) => h("div", h("dt", said.figures[name]), h("dd", value))));
      removeHistogram();
      const isEmpty = bins.status !== "fulfilled" || bins.value.bins.length === 0 || !values?.count;
      histogram.hidden = isEmpty;
      if (isEmpty) histogramNote.textContent = text.noData;
      else {
        const label = said.histogram(field.name, say(values["p5~"] ?? values.min), say(values[p95]), say(values[median]));
        removeHistogram = drawHistogram(histogram, { bins: bins.value.bins, unit: field.unit, label,
          format: (v, u, step) => format.tick(v, u, step) });
        histogramNote.textContent = bins.value.means === null ? label : `${label} ${said.means(format.duration(bins.value.means))}`;
      }
      state.coverage = coverage;
      state.count = values?.count;
      table();
    }

    async function spread(of, field, range, cancelled) {
      const ask = (every) => api("/analyze", { signal: cancelled, json: { analysis: "histogram", inputs: [`${of}.${field.name}`],
        from: Math.round(range.from), to: Math.round(range.to), every, parameters: { bins: 24 } } });
      const expected = (range.to - range.from) / (state.interval ?? SECOND);
      const means = Math.ceil((range.to - range.from) / 50_000 / SECOND) * SECOND;
      // An analysis takes at most a million samples; of more samples, the means of windows are counted.
      const [answer, counted] = expected > MOST_SAMPLES ? [await ask(code(means)), means]
        : await ask().then((all) => [all, null], async (error) => {
          if (error.code !== "too-many-rows") throw error;
          return [await ask(code(means)), means];
        });
      return { bins: answer.result?.bins ?? [], means: counted };
    }

    function table() {
      const { columns, rows, total } = chart.table({ limit: rowLimit });
      const isWindows = state.every !== null && !state.isRaw;
      const shown = columns.length <= 8 ? columns.map((_, i) => i)
        : columns.flatMap(({ statistic }, i) => (statistic === undefined || statistic === "mean" ? [i] : []));
      const isOne = curves.length === 1;
      const title = ({ series, statistic }) => (statistic === undefined ? plain(series)
        : isOne ? said.statistics[statistic] : said.statisticOf(plain(series), said.statistics[statistic]));
      const exact = (chart.range.to - chart.range.from) > DAY ? (t) => format.time(t) : isWindows && state.every >= MINUTE ? format.time
          : !isWindows && state.interval < 0.9 * SECOND ? format.exactClock : format.clock;
      fill(tableHead, h("tr", h("th", { scope: "col" }, isWindows ? said.from : said.time),
        isWindows && h("th", { scope: "col", class: "middle" }, said.to),
        shown.map((i) => h("th", { scope: "col", class: "number" }, title(columns[i])))));
      tableBody.replaceChildren(...rows.map(({ t, to, values }) => h("tr",
        h("th", { scope: "row", class: "time" }, timeOf(t, exact(t))), isWindows && h("td", { class: "middle time" }, to === undefined ? "" : exact(to)),
        shown.map((i, k) => h("td", { class: "number" }, values[i] === null ? (k === 0 && isWindows ? text.noData : "–")
          : format.number(values[i], columns[i].unit, columns[i].unit === curves[0].field.unit ? state.scale : undefined))))));
      tableNote.textContent = isWindows ? said.windowsOf(format.duration(state.every), total) : said.samplesOf(format.count(total));
      moreRows.hidden = total <= rows.length;
      const missing = state.coverage === undefined ? null : 1 - state.coverage;
      fill(tableFoot, h("p", missing === null || missing < 0.005 ? said.complete : said.incomplete(format.percent(missing))),
        h("p", { class: "actions" }, moreRows, button(said.saveShown, () => save(`${id}.csv`, "text/csv", chart.csv()), { kind: "plain" }),
          button(said.saveAll, saveAll, { kind: "plain" }), everySampleSwitch()));
    }

    function everySampleSwitch() {
      const { from, to } = chart.range;
      const expected = state.count ?? (to - from) / (state.interval ?? SECOND);
      if (state.isRaw && !state.everySample) return null;
      return h("label", { class: "check" }, h("input", { type: "checkbox", checked: state.everySample,
        disabled: !state.everySample && expected > MOST_SAMPLES,
        on: { change: (event) => (state.everySample = event.target.checked, load()) } }),
      said.everySample(format.count(Math.round(expected))));
    }

    /** Every sample of the range with all fields, from the host. */
    async function saveAll(event) {
      const { from, to } = chart.range, pressed = event.currentTarget;
      pressed.disabled = true;
      try {
        const answer = await api(`${path()}/samples`, { raw: true, signal, headers: { Accept: "text/csv" },
          query: { from: Math.round(from), to: Math.round(to), limit: EXPORT_ROWS } });
        save(`${id}-all.csv`, "text/csv", await answer.blob());
      } catch (error) {
        fill(remark, icon("warn"), " ", plain(error.message));
        remark.hidden = signal.aborted;
      }
      pressed.disabled = false;
    }

    function showDamage() {
      if (state.damaged.length === 0) return;
      const { from, to } = chart.range;
      const length = state.damaged.reduce((sum, one) => sum + Math.max(0, Math.min(one.to ?? to, to) - Math.max(one.from ?? from, from)), 0);
      fill(remark, icon("warn"), " ", said.damaged(format.duration(length)));
      remark.hidden = false;
    }

    // --- Live

    function showNewest() {
      const value = newest?.[main.name];
      const parts = format.parts(value, main.unit);
      figure.textContent = parts.number;
      unit.textContent = `${parts.unit} ${said.now(main.name)}`.trim();
      showAge();
    }

    function showAge() {
      const t = newest?.t ?? sensor.newest, isOff = sensor.level === "off";
      const late = !isOff && (isLate(t, state.interval) || (newest === null && sensor.stale));
      figure.parentNode.classList.toggle("quiet", late || isOff || !newest);
      const words = isOff ? said.off : t === undefined ? text.overview.never
        : late ? said.stale(format.age(t), state.interval && format.duration(state.interval)) : "";
      if (age.dataset.words === words) return;
      age.dataset.words = words;
      fill(age, words !== "" && h("span", { class: `state ${late ? "warn" : ""}` }, late && icon("stale"), words));
    }

    const stops = [
      live.on("sample", (sample) => {
        if (sample.sensor === id) {
          newest = sample;
          showNewest();
        }
        let isShown = false;
        for (const curve of curves) {
          if (curve.sensor.id !== sample.sensor || !curve.series.points) continue;
          isShown = curve.series.points.push(sample.t, sample[curve.field.name]) || isShown;
        }
        if (isShown && chart.range.follow !== null && !chart.isPaused) chart.update();
      }),
      live.on("sensors", () => others.size === 0 && showLegend()),
      live.on("damage", ({ sensor: of }) => of === id && load()),
      live.on("gap", ({ sensor: of }) => of === id && load()),
      live.on("resync", () => load()),
    ];
    watch();
    const second = setInterval(showAge, SECOND);
    let tailAt = 0;
    const tail = setInterval(() => {
      const pace = Math.max(2 * SECOND, Math.min(MINUTE, (state.every ?? 0) / 4));
      if (Date.now() - tailAt < pace) return;
      tailAt = Date.now();
      refreshTail();
    }, SECOND);
    let figuresAt = Date.now();
    const figuresTimer = setInterval(() => {
      const { from, to, follow } = chart.range;
      if (follow === null || document.hidden || chart.isPaused || live.state.name !== "live") return;
      // A year is not computed every ten seconds.
      if (Date.now() - figuresAt < Math.max(FIGURES_MS, (to - from) / 300)) return;
      figuresAt = Date.now();
      summaries(loading.signal);
    }, SECOND);
    signal.addEventListener("abort", () => {
      stops.forEach((stop) => stop());
      stopWatching();
      for (const timer of [second, tail, figuresTimer]) clearInterval(timer);
    });

    showRange();
    showLegend();
    showAge();
    api(`${path()}/latest`, { signal }).then((sample) => {
      newest ??= sample;
      showNewest();
    }, () => {});
    load();

    // --- A sensor without numbers

    function statesPanel() {
      return h("section", { class: "panel", "aria-labelledby": "chart" },
        h("header", h("h2", { id: "chart", class: "unseen" }, said.newest), h("p", { class: "figure large" }, figure, unit)), age);
    }

    async function showStates() {
      tableHead.append(h("tr", h("th", { scope: "col" }, said.time),
        sensor.fields.map(({ name }) => h("th", { scope: "col" }, plain(name)))));
      const row = (sample) => h("tr", h("th", { scope: "row", class: "time" }, timeOf(sample.t, format.moment(sample.t))),
        sensor.fields.map((field) => h("td", format.value(sample[field.name], field))));
      const show = (sample) => {
        figure.textContent = format.value(sample[sensor.fields[0].name], sensor.fields[0]);
        fill(age, timeOf(sample.t, format.age(sample.t)));
      };
      const ends = [live.watch([id]), live.on("sample", (sample) => {
        if (sample.sensor !== id) return;
        show(sample);
        tableBody.prepend(row(sample));
        if (tableBody.childElementCount > 500) tableBody.lastElementChild.remove();
      })];
      signal.addEventListener("abort", () => ends.forEach((end) => end()));
      try {
        const { items } = await api(`${path()}/samples`, { signal, query: { order: "desc", limit: 100 } });
        if (items.length > 0) show(items[0]);
        tableBody.append(...items.map(row));
      } catch (error) {
        if (!signal.aborted) tableFoot.replaceChildren(failure(error));
      }
    }

    function source(of) {
      const interval = of.interval?.current;
      return interval ? said.readEvery(format.duration(interval), plain(of.source)) : said.readFrom(plain(of.source));
    }

    /** What is wrong with the sensor, if anything. */
    function notice(of) {
      const words = [of.failure && said.failure(plain(of.failure)), !of.available && plain(of.unavailable?.reason ?? ""),
        of.clock?.wrong && said.clock(format.duration(of.clock.offset)),
        of.connection?.problem && plain(of.connection.problem), of.note && plain(of.note)].filter(Boolean);
      return words.length === 0 ? null : h("section", { class: "question plain" }, icon("warn"), h("div", words.map((one) => h("p", one))));
    }
  },
};
