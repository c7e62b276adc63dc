// A workout while it is recorded: it takes the samples of its sensors and gives its totals. All of it is
// plain data, so that it is stored as JSON and continues after a reload.

import * as activities from "./activity.js";
import * as counters from "./counters.js";
import * as routes from "./route.js";
import { restored, stopwatch } from "./stopwatch.js";

/** The sensors; a workout is recorded with those of them that there are. */
export const SENSORS = ["location", "steps", "barometer", "activity"];

const STEP_M = 0.7, PACE_MS = 60_000, LEAST_M = 1, BACK_MS = 5000;

/** A new workout, with nothing of an earlier one. `kind` is a label, or null to find it out. */
export const workout = (id, kind = null) => ({
  id, kind, state: "inactive", spans: [], revision: 0, watch: stopwatch(), cursors: {},
  route: routes.route(), steps: counters.steps(), climb: counters.climb(), gps: { first: null, now: null },
  activity: activities.activity(), marks: [],
});

/** Begins an active interval at a time of the wall clock. Nothing is measured from before. */
export function begin(workout, wall) {
  workout.spans.push({ from: wall, to: null });
  routes.begin(workout.route);
  counters.rebase(workout.steps);
  counters.breakAscent(workout.climb);
  activities.forget(workout.activity);
  workout.marks = [];
}

/** Ends the active interval. */
export function end(workout, wall) {
  const span = workout.spans.at(-1);
  span.to = Math.max(span.from, wall);
}

/** Takes a sample of a sensor. Times are compared only with those of the same sensor. */
export function take(workout, sensor, sample) {
  const before = workout.cursors[sensor];
  workout.cursors[sensor] = sample.t;
  if (sample.t < before - BACK_MS) clockWentBack(workout, sensor);
  switch (sensor) {
    case "location":
      routes.take(workout.route, sample);
      if (Number.isFinite(sample.altitude)) {
        workout.gps.first ??= sample.altitude;
        workout.gps.now = sample.altitude;
      }
      break;
    case "steps": counters.takeSteps(workout.steps, sample.steps); break;
    case "barometer": counters.takePressure(workout.climb, sample.pressure); break;
    case "activity": activities.takeActivity(workout.activity, sample); break;
  }
  if (sensor === measure(workout)) mark(workout, sample.t);
}

function clockWentBack(workout, sensor) {
  if (sensor === "location") routes.restart(workout.route);
  if (sensor === "activity") activities.forget(workout.activity);
  if (sensor === measure(workout)) workout.marks = [];
}

/** The sensor that the distance comes from: steps as long as no position is known. */
const measure = ({ route }) => (route.isKnown ? "location" : "steps");

/** Metres of the route, or of steps; null without both. */
export function distance({ route, steps }) {
  if (route.isKnown) return route.metres;
  return steps.total === null ? null : steps.total * STEP_M;
}

/** Notes the distance, at most once a second, for the pace of the last minute. */
function mark(workout, t) {
  const { marks } = workout, by = measure(workout);
  // Distances by steps do not compare with those of the route.
  if (marks.length > 0 && marks[0].by !== by) marks.length = 0;
  if (marks.length > 0 && t - marks.at(-1).t < 1000) return;
  marks.push({ t, metres: distance(workout), by });
  while (marks.length > 1 && marks[1].t <= t - PACE_MS) marks.shift();
}

/** Seconds for a metre over the last minute; null for less than a metre. */
function pace(marks) {
  if (marks.length < 2) return null;
  const { t, metres } = marks.at(-1);
  const seconds = (t - Math.max(marks[0].t, t - PACE_MS)) / 1000, covered = metres - marks[0].metres;
  return covered >= LEAST_M && seconds > 0 ? seconds / covered : null;
}

/**
 * The totals; null for what no sensor has reported. Pace and activity are those of now: only of an active
 * workout, and of sensors that were heard in the last minute. `ages` are milliseconds by sensor.
 */
export function reading(workout, ages = {}) {
  const isNow = (sensor) => workout.state === "active" && (ages[sensor] ?? 0) <= activities.LIFE_MS;
  const { label, confidence } = workout.activity;
  const { first, now } = workout.gps;
  return {
    distance: distance(workout), steps: workout.steps.total, floors: workout.climb.floors,
    altitude: counters.ascent(workout.climb) ?? (first === null ? null : now - first),
    pace: isNow(measure(workout)) ? pace(workout.marks) : null,
    activity: label !== null && isNow("activity") ? { label, confidence } : null,
    accuracy: workout.route.shown,
  };
}

/** What is kept of a workout that has ended. */
export function summary(workout) {
  const { distance, steps, floors, altitude } = reading(workout);
  return {
    id: workout.id, source: "recorded",
    label: workout.kind ?? activities.prevailing(workout.activity),
    start: workout.spans[0].from, end: workout.spans.at(-1).to, duration: Math.round(workout.watch.active),
    spans: workout.spans, distance, steps, floors, altitude,
  };
}

/** A stored workout that continues; null if it is none. */
export function continued(stored) {
  const isWorkout = stored !== null && typeof stored === "object" && typeof stored.id === "string"
    && (stored.state === "active" || stored.state === "paused") && Array.isArray(stored.spans)
    && stored.spans.length > 0 && Array.isArray(stored.route?.segments) && stored.route.segments.length > 0
    && Number.isFinite(stored.watch?.active);
  return isWorkout ? { ...workout(stored.id), ...stored, watch: restored(stored.watch) } : null;
}
