// Workouts as files: GPX 1.1 for one with its way, and an XML property list for all, whose keys are those
// of `nervous sessions export --format plist`.

import { LABELS } from "./activity.js";
import { lengthOf } from "./route.js";
import { isSummary } from "./store.js";

const MOST_CHARACTERS = 8_000_000, DEEPEST = 16, MOST_WORKOUTS = 10_000;

/** An error about a file, for the person to read. */
export class FileProblem extends Error {}

const escaped = (text) =>
  `${text}`.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
const date = (t) => new Date(t).toISOString();
// Property lists have whole seconds.
const wholeDate = (t) => date(Math.floor(t / 1000) * 1000).replace(".000Z", "Z");
const degrees = (value) => value.toFixed(7);

/** A name for the file of a workout: "running-2026-11-22T10-24-00Z.gpx". */
export const fileName = ({ label, start }, extension) => `${label}-${wholeDate(start).replaceAll(":", "-")}.${extension}`;

/** A workout and its way as GPX 1.1; a segment for each interval between pauses. */
export function gpx(workout, segments) {
  const point = ({ t, latitude, longitude, altitude }) =>
    `      <trkpt lat="${degrees(latitude)}" lon="${degrees(longitude)}">`
    + (altitude === undefined ? "" : `<ele>${altitude.toFixed(1)}</ele>`)
    + (t === undefined ? "" : `<time>${date(t)}</time>`) + "</trkpt>\n";
  return `<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" creator="Nervous workouts" xmlns="http://www.topografix.com/GPX/1/1">
  <trk>
    <name>${escaped(workout.name ?? workout.label)}</name>
    <type>${escaped(workout.label)}</type>
${segments.map((points) => `    <trkseg>\n${points.map(point).join("")}    </trkseg>\n`).join("")}  </trk>
</gpx>
`;
}

/** Workouts, as `{ workout, segments }`, as one property list. */
export function plist(entries) {
  const dictionary = ({ workout, segments }) => ({
    identifier: workout.id, name: workout.name ?? workout.label, sensors: ["location", "steps"],
    startTime: new Date(workout.start), endTime: new Date(workout.end), duration: { real: workout.duration / 1000 },
    ...(workout.distance === null ? {} : { distance: { real: workout.distance } }),
    distanceSource: segments.length > 0 ? "measured" : "manual",
    spans: workout.spans.map(({ from, to }) => ({ from: date(from), to: date(to) })),
    segments: segments.map((points) => points.map(({ t, latitude, longitude, altitude }) => ({
      latitude: { real: latitude }, longitude: { real: longitude },
      ...(altitude === undefined ? {} : { altitude: { real: altitude } }), ...(t === undefined ? {} : { time: date(t) }),
    }))),
    workoutType: workout.label,
    ...(workout.steps === null ? {} : { totalSteps: workout.steps }),
    ...(workout.floors === null ? {} : { flightsClimbed: workout.floors }),
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
${written(entries.map(dictionary))}
</plist>
`;
}

function written(value) {
  if (value instanceof Date) return `<date>${wholeDate(value.getTime())}</date>`;
  if (typeof value === "number") return `<integer>${Math.round(value)}</integer>`;
  if (typeof value === "string") return `<string>${escaped(value)}</string>`;
  if (Array.isArray(value)) return `<array>${value.map(written).join("\n")}</array>`;
  if (Object.hasOwn(value, "real")) return `<real>${value.real}</real>`;
  return `<dict>${Object.entries(value).map(([key, one]) => `<key>${escaped(key)}</key>${written(one)}`).join("")}</dict>`;
}

/** The workouts of a file's text, as `{ workout, segments }`, whatever its name. Throws a FileProblem. */
export function parse(text) {
  if (text.length > MOST_CHARACTERS) throw new FileProblem("The file is too large: an app keeps up to 10 MiB.");
  const host = hostFormat(text);
  if (host !== null) {
    throw new FileProblem(`This is a ${host} file, which the host reads and this app cannot: nervous sessions import FILE. `
      + "Then export it with nervous sessions export --format plist -o workouts.plist, and import that here.");
  }
  const document = new DOMParser().parseFromString(text.replace(/^\uFEFF/, ""), "application/xml");
  const broken = document.querySelector("parsererror");
  if (broken !== null) throw new FileProblem("The file is neither GPX nor a property list: it is not well-formed XML.");
  switch (document.documentElement.localName) {
    case "gpx": return fromGPX(document);
    case "plist": return fromPlist(document);
    default: throw new FileProblem("The file is neither GPX nor a property list of workouts.");
  }
}

/** The formats of other devices, which only the host's own import reads. */
function hostFormat(text) {
  if (text.slice(8, 12) === ".FIT") return "FIT";
  if (text.startsWith("bplist")) return "binary property list";
  const start = text.slice(0, 2000);
  if (start.includes("<TrainingCenterDatabase")) return "TCX";
  return start.includes("<kml") ? "KML" : null;
}

const childText = (element, name) =>
  [...element.children].find(({ localName }) => localName === name)?.textContent.trim() ?? "";

/** A number that a text is as a whole; undefined for others, also for an empty one. */
function numberOf(text) {
  const value = text === null || text.trim() === "" ? NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}

const isOnEarth = ({ latitude, longitude }) => Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;

function pointOf(latitude, longitude, altitude, t) {
  const point = { latitude, longitude, ...(t === undefined ? {} : { t }), ...(altitude === undefined ? {} : { altitude }) };
  return latitude !== undefined && longitude !== undefined && isOnEarth(point) ? point : null;
}

function fromGPX(document) {
  const found = [];
  for (const track of document.getElementsByTagName("trk")) {
    const segments = [...track.getElementsByTagName("trkseg")].map((segment) =>
      [...segment.getElementsByTagName("trkpt")].map((point) => {
        const t = Date.parse(childText(point, "time"));
        return pointOf(numberOf(point.getAttribute("lat")), numberOf(point.getAttribute("lon")),
          numberOf(childText(point, "ele")), Number.isNaN(t) ? undefined : t);
      }).filter((point) => point !== null && point.t !== undefined).sort((left, right) => left.t - right.t))
      .filter(({ length }) => length > 1);
    if (segments.length === 0) continue;
    const type = childText(track, "type").toLowerCase();
    found.push(entry({
      spans: segments.map((points) => ({ from: points[0].t, to: points.at(-1).t })), name: childText(track, "name"),
      label: LABELS.includes(type) ? type : "unknown" }, segments));
  }
  if (found.length === 0) throw new FileProblem("The file has no track of two points or more with times.");
  return found;
}

function fromPlist(document) {
  const value = plistValue(document.documentElement.firstElementChild, 0);
  if (!Array.isArray(value)) throw new FileProblem("The property list is no list of workouts.");
  if (value.length > MOST_WORKOUTS) throw new FileProblem(`The file has more than ${MOST_WORKOUTS} workouts.`);
  return value.map((one) => {
    const { startTime, endTime } = one ?? {};
    if (!(startTime instanceof Date && endTime instanceof Date)) {
      throw new FileProblem("A workout of the property list has no startTime or no endTime.");
    }
    const segments = (Array.isArray(one.segments) ? one.segments : []).map((points) =>
      (Array.isArray(points) ? points : []).map((point) => {
        const t = Date.parse(point?.time ?? "");
        return pointOf(point?.latitude, point?.longitude, point?.altitude, Number.isNaN(t) ? undefined : t);
      }).filter((point) => point !== null)).filter(({ length }) => length > 0);
    const spans = (Array.isArray(one.spans) ? one.spans : [])
      .map(({ from, to }) => ({ from: Date.parse(from), to: Date.parse(to) }))
      .filter(({ from, to }) => to >= from);
    const type = `${one.workoutType ?? ""}`.toLowerCase();
    return entry({
      id: one.identifier, name: one.name, label: LABELS.includes(type) ? type : "unknown",
      spans: spans.length > 0 ? spans : [{ from: startTime.getTime(), to: endTime.getTime() }],
      duration: Number.isFinite(one.duration) ? one.duration * 1000 : undefined,
      distance: one.distance, steps: one.totalSteps, floors: one.flightsClimbed }, segments);
  });
}

/** The value of an element of a property list. */
function plistValue(element, depth) {
  if (depth > DEEPEST || !element) throw new FileProblem("The property list is empty or nested too deeply.");
  const children = [...element.children], text = element.textContent.trim();
  switch (element.localName) {
    case "array": return children.map((child) => plistValue(child, depth + 1));
    case "dict": {
      // A map: the keys are a stranger's.
      const values = new Map();
      for (let at = 0; at + 1 < children.length; at += 2) {
        if (children[at].localName !== "key") throw new FileProblem("A dictionary of the property list has no key.");
        values.set(children[at].textContent, plistValue(children[at + 1], depth + 1));
      }
      return Object.fromEntries(values);
    }
    case "integer": case "real": return numberOf(text);
    case "date": return Number.isNaN(Date.parse(text)) ? undefined : new Date(text);
    case "true": return true;
    case "false": return false;
    default: return element.textContent;
  }
}

/** A workout that was imported. Importing a file twice gives the same id twice. */
function entry({ id, name, label, spans, duration, distance, steps, floors }, segments) {
  const total = (value) => (Number.isFinite(value) && value >= 0 ? value : null);
  const start = spans[0].from, end = spans.at(-1).to;
  const active = spans.reduce((sum, { from, to }) => sum + to - from, 0);
  const workout = {
    id: typeof id === "string" && /^[\w-]{1,64}$/.test(id) ? id : `imported-${start}-${end}-${segments.flat().length}`,
    source: "imported", label, start, end, spans, duration: total(duration) ?? active,
    distance: segments.length > 0 ? lengthOf(segments) : total(distance),
    steps: steps === undefined || total(steps) === null ? null : Math.round(steps),
    floors: floors === undefined || total(floors) === null ? null : Math.round(floors), altitude: null,
    ...(typeof name === "string" && name !== "" && name !== label ? { name: name.slice(0, 100) } : {}),
  };
  if (!isSummary(workout)) throw new FileProblem("A workout of the file ends before it begins.");
  return { workout, segments };
}
