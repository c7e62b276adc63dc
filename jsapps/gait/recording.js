// The samples of a session: what was left out, the charts, and files.

import { align, corrected, correctionOf, csvOf, usualInterval } from "./align.js";
import { byId, el, fill, hasLayout } from "./elements.js";
import { AXES, limbName } from "./limbs.js";
import { payloads } from "./payload.js";
import { sqlOf } from "./sql.js";
import { isComplete } from "./units.js";

const CUT = "cut/", CLOCKS = "clocks/", STEP_MS = 20;

/**
 * A cut of two typed texts, in seconds since the start of the session. An empty text is no limit.
 *
 * @returns `{ from, to }` in milliseconds since 1970, null for everything, or undefined if it is no range
 */
export function parseCut(from, to, { start, end }) {
  const seconds = (text, none) => (text.trim() === "" ? none : Number(text.trim().replace(",", ".")));
  const length = (end - start) / 1000, [first, last] = [seconds(from, 0), seconds(to, length)];
  if (!Number.isFinite(first) || !Number.isFinite(last) || first < 0 || first >= last) return undefined;
  if (first === 0 && last >= length) return null;
  return { from: start + first * 1000, to: start + Math.min(last, length) * 1000 };
}

export const cutOf = (session) => nervous.storage.get(CUT + session);
export const setCut = (session, cut) =>
  cut === null ? nervous.storage.remove(CUT + session) : nervous.storage.set(CUT + session, cut);

/** Keeps how far the clock of each sensor of a session is ahead: later the host may know only later values. */
export async function keepClocks({ id, sensors }) {
  const ahead = {};
  for (const sensor of sensors) {
    const correction = correctionOf((await nervous.sensor(sensor).describe()).clock);
    if (correction !== 0) ahead[sensor] = correction;
  }
  if (Object.keys(ahead).length > 0) await nervous.storage.set(CLOCKS + id, ahead);
}

export const forgetClocks = (session) => nervous.storage.remove(CLOCKS + session);

/** What was kept about clocks, by sensor in milliseconds. */
export const clocksOf = async (session) => (await nervous.storage.get(CLOCKS + session)) ?? {};

/** The range of a session that has ended, in milliseconds. */
export const rangeOf = ({ spans }) => ({ start: spans[0].from, end: spans.at(-1).to });

const PAGE = 10_000;
/** Microseconds are the fraction of a time. */
const NEXT = 0.001;

/**
 * The samples of a sensor while a session was active, in pages: without what was left out, and with times of one clock,
 * the host's.
 *
 * @param cut `{ from, to }`, or null
 * @param correction milliseconds by which times of the sensor are too late
 */
export async function* pagesOf({ spans }, sensor, cut, correction = 0) {
  for (const span of spans) {
    let from = cut ? Math.max(span.from, cut.from + correction) : span.from;
    const end = span.to ?? Date.now(), to = cut ? Math.min(end, cut.to + correction + NEXT) : end;
    while (from < to) {
      const samples = await nervous.sensor(sensor).samples({ from, to, limit: PAGE });
      if (samples.length > 0) yield corrected(samples.filter(isComplete), correction);
      if (samples.length < PAGE) break;
      from = samples.at(-1).t + NEXT;
    }
  }
}

/** The limbs of a session: `[{ sensor, label, pages }]`; `clocks` is what was kept about their clocks. */
export const limbsOf = (session, cut, clocks) => session.sensors.map((sensor) => ({
  sensor, label: session.sensors.length > 1 ? (limbName(sensor) ?? sensor) : null,
  pages: pagesOf(session, sensor, cut, clocks[sensor]),
}));

/** The same with all `samples` of each limb. */
export async function loaded(limbs) {
  const all = [];
  for (const { sensor, label, pages } of limbs) {
    const samples = [];
    for await (const page of pages) samples.push(...page);
    all.push({ sensor, label, samples });
  }
  return all;
}

/** How many samples each limb has, for a run that draws nothing. */
export async function counted(limbs) {
  const all = [];
  for (const { sensor, label, pages } of limbs) {
    let count = 0;
    for await (const page of pages) count += page.length;
    all.push({ sensor, label, count });
  }
  return all;
}

let charts = [];

const captionOf = ({ sensor, label }, count, rate) => el("figcaption", { class: "legend" },
  `${label ?? limbName(sensor) ?? sensor}: ${count} samples${rate}`,
  hasLayout() ? AXES.map((axis) => el("span", { class: `axis ${axis}` }, axis)) : null);

/** Shows how many samples each limb has. */
export function showCounts(limbs) {
  fill(byId("recorded"), limbs.map((limb) => el("figure", {}, captionOf(limb, limb.count, ""))));
}

/** Draws a chart for each limb, with one crosshair and one range; `chosen` gets a range that the person chooses. */
export async function draw(limbs, { start, end }, chosen) {
  for (const chart of charts.splice(0)) chart.remove();
  const rows = limbs.map((limb) => {
    const canvas = el("canvas", {}), readout = el("output", {});
    const interval = usualInterval(limb.samples.map(({ t }) => t));
    const caption = captionOf(limb, limb.samples.length, interval === null ? "" : `, ${Math.round(1000 / interval)} a second`);
    return { canvas, readout, view: el("figure", {}, caption, canvas, readout) };
  });
  fill(byId("recorded"), rows.map(({ view }) => view));
  const { Chart, ChartGroup } = await import("/lib/charts.js");
  const group = new ChartGroup({ range: true });
  charts = limbs.map(({ label, sensor, samples }, at) => new Chart(rows[at].canvas, {
    label: `Recording of ${label ?? limbName(sensor) ?? sensor}`, from: start, to: end, group, readout: rows[at].readout,
    placeholder: "Drag over the chart to choose a range.",
    series: AXES.map((name) => ({ name, unit: "m/s²", t: samples.map(({ t }) => t), v: samples.map((sample) => sample[name]) })),
    onrange: ({ from, to }) => chosen({ from: Math.max(from, start), to: Math.min(to, end) }),
  }));
}

/** All limbs at the same moments, every 20 ms, as CSV. */
export const csvText = (limbs) =>
  csvOf(limbs.map(({ sensor }) => sensor), align(limbs.map(({ samples }) => samples), STEP_MS));

/** The session in the tables of the study, as SQL. */
export async function sqlText(client, session, limbs, saved) {
  const bodies = [];
  for (const limb of limbs) {
    for await (const { body } of payloads({ client, session, limb, limit: Infinity })) bodies.push(body);
  }
  return sqlOf(bodies, saved);
}

/** Saves a text as a file. */
export function save(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  el("a", { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}

/** A file name of a session: its name in plain letters, and its day. */
export function fileName({ name, created }, ending) {
  const plain = name.normalize("NFKD").replace(/[^\w]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 40);
  return `${plain || "session"}-${new Date(created).toISOString().slice(0, 10)}.${ending}`;
}
