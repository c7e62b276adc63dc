// What the tests share: the page, a recorder, samples, and objects in place of parts of the host.

import * as health from "./health.js";
import { Recorder } from "./recorder.js";
import { Store } from "./store.js";
import { SENSORS } from "./workout.js";

export const byId = (id) => document.getElementById(id);
export const text = (id) => byId(id).textContent;
/** The page, when it has read what is stored. */
export const openPage = () => app.run("1ms");
export const step = async (name, wait = "1ms") => {
  document.querySelector(`[data-step="${name}"]`).click();
  await clock.advance(wait);
};
export const isNear = (actual, expected, within) =>
  assert.ok(Math.abs(actual - expected) <= within, `${actual} is not within ${within} of ${expected}`);
export const recording = (options) => {
  const store = new Store(options?.storage);
  return { store, recorder: new Recorder(store, options) };
};
/** Steps north of `metres` each, a second apart. */
export const north = (metres, count, { t = 0, latitude = 47, accuracy = 4 } = {}) => Array.from({ length: count }, (_, at) =>
  ({ t: t + at * 1000, latitude: latitude + (at * metres) / 111_180, longitude: 8, accuracy }));
export const done = (more = {}) => {
  const start = more.start ?? 1_767_600_000_000, end = more.end ?? start + 60_000;
  return { id: `w-${start}`, source: "recorded", label: "walking", start, end, duration: end - start,
    spans: [{ from: start, to: end }], distance: 100, steps: 140, floors: 0, altitude: 0, ...more };
};


/** A sensor in place of the host's, whose samples the test sends. */
export class StandInSensor {
  watchers = new Set();
  stored = [];
  constructor(id, description = {}) {
    this.id = id;
    this.description = { available: true, access: "granted", level: "medium", ...description };
  }
  async describe() {
    return this.description;
  }
  async samples({ from }) {
    return this.stored.filter(({ t }) => t >= from);
  }
  watch(take, { onError }) {
    const watcher = { take, onError };
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }
  send(sample) {
    this.stored.push(sample);
    for (const { take } of this.watchers) take(sample);
  }
}
export const standIns = (more = {}) => Object.fromEntries(SENSORS.map((id) => [id, new StandInSensor(id, more[id])]));

/** The storage of a host that does not answer while `isDown`. */
export class StandInStorage {
  isDown = false;
  values = new Map();
  check() {
    if (this.isDown) throw new TypeError("Failed to fetch");
  }
  async get(key) {
    this.check();
    return structuredClone(this.values.get(key));
  }
  async set(key, value) {
    this.check();
    this.values.set(key, structuredClone(value));
  }
  async remove(key) {
    this.check();
    this.values.delete(key);
  }
}

export class NotAllowed extends Error {
  name = "NotAllowedError";
}

/** The health store of the contract, as far as the app uses it. */
export class StandInHealth {
  objects = [];
  asked = [];
  constructor(denied = [], undecided = []) {
    this.denied = new Set(denied);
    this.undecided = new Set(undecided);
  }
  permissions = {
    query: async ({ name, type, access }) => {
      if (name !== "health" || access !== "write") throw new TypeError("unknown privilege");
      return { state: this.denied.has(type) ? "denied" : this.undecided.has(type) ? "prompt" : "granted" };
    },
    request: async ({ type }) => {
      this.asked.push(type);
      this.undecided.delete(type);
      return { state: this.denied.has(type) ? "denied" : "granted" };
    },
  };
  activityOf(label) {
    switch (label) {
      case "running": return { activity: "running", distance: "distance-walking-running" };
      case "cycling": return { activity: "cycling", distance: "distance-cycling" };
      case "driving": return { activity: "driving", distance: undefined };
      case "stationary": return { activity: "other", distance: undefined };
      default: return { activity: "walking", distance: "distance-walking-running" };
    }
  }
  async saveWorkout({ activity, start, end, duration = end - start, samples = [], key }) {
    for (const type of ["workout", ...samples.map(({ type }) => type)]) {
      if (this.denied.has(type)) throw new NotAllowed(`health:${type}:write`);
    }
    if (samples.some(({ start: from, end: to }) => from < start || to > end) || duration > end - start) {
      throw Object.assign(new Error("outside of the workout"), { name: "DataError", problem: "invalid-health-data" });
    }
    const known = this.objects.find((one) => one.key === key);
    if (known?.count === samples.length) return known;
    if (known !== undefined) throw Object.assign(new Error("the key was used"), { name: "DataError", problem: "key-reused" });
    const id = `h${this.objects.length}`;
    const totals = Object.fromEntries(samples.map(({ type, value }) => [type, value]));
    const distance = totals["distance-walking-running"] ?? totals["distance-cycling"];
    this.objects.push({ id, type: "workout", activity, start, end, duration, own: true, key, totals, distance,
      floors: totals["flights-climbed"], count: samples.length });
    // After the workout, with it as parent.
    for (const one of samples) this.objects.push({ ...one, workout: id });
    return this.objects.find((one) => one.id === id);
  }
  async workouts({ from = clock.now() - 604_800_000, to = Infinity, limit = 10 } = {}) {
    return this.objects.filter(({ type, start }) => type === "workout" && start >= from && start < to)
      .sort((left, right) => right.start - left.start).slice(0, limit);
  }
  async remove(id) {
    this.objects = this.objects.filter((one) => one.id !== id && one.workout !== id);
  }
}
export const save = (store, one) => health.save(one, { health: store, permissions: store.permissions });
