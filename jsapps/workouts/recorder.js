// Records a workout: steps of the person go through the state machine, samples of the sensors into the
// workout, and both into the storage. One step at a time; sensors are read only while a workout is active.

import { stateOf } from "./elements.js";
import { after } from "./machine.js";
import * as routes from "./route.js";
import { read, run, stop } from "./stopwatch.js";
import { SENSORS, begin, continued, end, reading, summary, take, workout } from "./workout.js";

const SAVE_MS = 60_000, LOOK_MS = 30_000, PAGE = 10_000;

const clocks = () => ({ wall: Date.now(), monotonic: performance.now() });

export class Recorder {
  #store;
  #sensor;
  #clocks;
  #changed;
  #workout = null;
  #stops = new Map();
  #heard = {};
  #steps = Promise.resolve();
  #following = 0;
  #saved = 0;
  #looked = 0;
  #isBusy = false;
  /** The state of each sensor that is not read, by name: as `notice` shows it. */
  problems = {};
  /** Why the workout is not stored at the moment; null if it is. */
  failure = null;

  /** `changed(event)` is called when the state changes, with what ended if a workout ended. */
  constructor(store, { sensor = (id) => nervous.sensor(id), now = clocks, changed = () => {} } = {}) {
    this.#store = store;
    this.#sensor = sensor;
    this.#clocks = now;
    this.#changed = changed;
  }

  get state() {
    return this.#workout?.state ?? "inactive";
  }

  get kind() {
    return this.#workout?.kind ?? null;
  }

  /** The segments of the workout that is recorded. */
  get segments() {
    return this.#workout?.route.segments ?? [];
  }

  /** Active milliseconds. */
  get elapsed() {
    return this.#workout === null ? 0 : read(this.#workout.watch, this.#clocks());
  }

  /** The totals; null without a workout. */
  get reading() {
    return this.#workout === null ? null : reading(this.#workout, this.ages);
  }

  /** Milliseconds since a sensor was heard, or since it is read. */
  get ages() {
    const { monotonic } = this.#clocks();
    return Object.fromEntries(Object.entries(this.#heard).map(([id, at]) => [id, monotonic - at]));
  }

  /** Continues the workout that was recorded when the page was closed. */
  open() {
    return this.#serially(async () => {
      await this.#adopt(await this.#store.current());
    });
  }

  /** Takes over what another page of the app has done since. */
  refresh() {
    return this.#serially(() => this.#synchronize());
  }

  /** Reads the sensors that can be read now and could not before. */
  look() {
    return this.#serially(async () => {
      if (this.state === "active") await this.#follow(false);
    });
  }

  /** "start", "pause", "resume" or "finish"; what is not possible is logged, and changes nothing. */
  step(name, kind = null) {
    return this.#serially(async () => {
      await this.#synchronize();
      const next = after(this.state, name);
      if (next === undefined) {
        console.warn(`workouts: ${name} is not possible while the workout is ${this.state}.`);
        return;
      }
      switch (name) {
        case "start": await this.#start(next, kind); break;
        case "pause": await this.#pause(next); break;
        case "resume": await this.#resume(next); break;
        case "finish": await this.#finish(); break;
      }
    });
  }

  /** Each second: stores the workout from time to time, and looks for sensors that were missing. */
  async tick() {
    if (this.state !== "active" || this.#isBusy) return;
    const { monotonic } = this.#clocks();
    if (monotonic - this.#saved < SAVE_MS && monotonic - this.#looked < LOOK_MS) return;
    await this.#serially(async () => {
      if (this.state !== "active") return;
      if (monotonic - this.#saved >= SAVE_MS) {
        await this.#synchronize();
        if (this.state === "active") await this.#save();
      }
      if (this.state === "active" && monotonic - this.#looked >= LOOK_MS) await this.#follow(false);
    });
  }

  async #start(next, kind) {
    const now = this.#clocks();
    // The letters keep the keys of workouts that begin in the same millisecond apart.
    const random = Math.floor(Math.random() * 36 ** 4).toString(36).padStart(4, "0");
    this.#workout = workout(`${new Date(now.wall).toISOString().replaceAll(/[:.]/g, "-").toLowerCase()}-${random}`, kind);
    this.#activate(next, now);
    await this.#follow(false);
    await this.#save();
    this.#changed({});
  }

  async #pause(next) {
    this.#halt(next);
    await this.#save();
    this.#changed({});
  }

  async #resume(next) {
    this.#activate(next, this.#clocks());
    await this.#follow(false);
    await this.#save();
    this.#changed({});
  }

  async #finish() {
    if (this.state === "active") this.#halt("paused");
    const ended = summary(this.#workout);
    try {
      await this.#store.add(ended, routes.finished(this.#workout.route));
      await this.#store.setCurrent(null);
    } catch (error) {
      // It stays paused: nothing is lost, and it can be finished again.
      this.failure = error;
      this.#changed({});
      return;
    }
    this.#workout = null;
    this.failure = null;
    this.#changed({ ended });
  }

  #activate(state, now) {
    this.#workout.state = state;
    this.#workout.revision += 1;
    begin(this.#workout, now.wall);
    run(this.#workout.watch, now);
  }

  #halt(state) {
    const now = this.#clocks();
    this.#unfollow();
    stop(this.#workout.watch, now);
    end(this.#workout, now.wall);
    this.#workout.state = state;
    this.#workout.revision += 1;
  }

  async #save() {
    this.#saved = this.#clocks().monotonic;
    read(this.#workout.watch, this.#clocks());
    try {
      await this.#store.setCurrent(this.#workout);
      this.failure = null;
    } catch (error) {
      this.failure = error;
    }
  }

  /** Takes over what another page has done with the same workout. */
  async #synchronize() {
    let stored;
    try {
      stored = await this.#store.current();
    } catch (error) {
      this.failure = error;
      return;
    }
    const mine = this.#workout;
    if (stored === null) {
      if (mine === null || this.failure !== null) return;
      await this.#store.load();
      // Otherwise the storage was cleared, and this page has the workout still.
      if (!this.#store.workouts.some(({ id }) => id === mine.id)) return;
    } else if (stored.id === mine?.id && stored.revision <= mine.revision) {
      return;
    }
    this.#unfollow();
    this.#workout = null;
    await this.#store.load();
    await this.#adopt(stored);
    this.#changed({});
  }

  async #adopt(stored) {
    const found = continued(stored);
    if (stored !== null && found === null) console.error("workouts: the stored workout is damaged, and is not continued.");
    this.#workout = found;
    if (found?.state === "active") await this.#follow(true);
  }

  /**
   * Reads the sensors that can be read and are not yet. With `isLate`, first what was stored since the
   * workout took its last sample; live samples wait meanwhile.
   */
  async #follow(isLate) {
    this.#looked = this.#clocks().monotonic;
    const generation = this.#following;
    await Promise.all(SENSORS.filter((id) => !this.#stops.has(id)).map(async (id) => {
      const sensor = this.#sensor(id);
      const problem = await problemOf(sensor);
      if (generation !== this.#following) return;
      if (problem !== null) {
        this.problems[id] = problem;
        return;
      }
      delete this.problems[id];
      this.#heard[id] = this.#clocks().monotonic;
      const hear = (sample) => {
        this.#heard[id] = this.#clocks().monotonic;
        take(this.#workout, id, sample);
      };
      let waiting = isLate ? [] : null;
      this.#stops.set(id, sensor.watch((sample) => (waiting === null ? hear(sample) : waiting.push(sample)), {
        onError: (error) => this.#fail(id, error),
      }));
      if (waiting === null) return;
      const from = this.#workout.cursors[id] ?? this.#workout.spans.at(-1).from;
      try {
        for (const sample of await everySince(sensor, from)) {
          if (generation === this.#following) hear(sample);
        }
      } catch (error) {
        this.problems[id] = stateOf(error);
      }
      const last = this.#workout?.cursors[id] ?? -Infinity;
      if (generation === this.#following) waiting.filter(({ t }) => t > last).forEach(hear);
      waiting = null;
    }));
  }

  #unfollow() {
    this.#following += 1;
    for (const leave of this.#stops.values()) leave();
    this.#stops.clear();
    this.#heard = {};
    this.problems = {};
  }

  /** A sensor ended, such as after a denial; those that share its connection may be fine. */
  #fail(id, error) {
    this.#stops.delete(id);
    delete this.#heard[id];
    this.problems[id] = stateOf(error);
    this.#looked = -Infinity;
  }

  #serially(body) {
    const done = this.#steps.then(async () => {
      this.#isBusy = true;
      try {
        await body();
      } finally {
        this.#isBusy = false;
      }
    });
    this.#steps = done.catch(() => {});
    return done;
  }
}

/** Why a sensor cannot be read, in the order in which it is checked: first the hardware, then the permission. */
export async function problemOf(sensor) {
  try {
    const { available, unavailable, access, level } = await sensor.describe();
    if (!available) return { kind: "missing", title: "Not on this machine", text: unavailable?.reason, fix: unavailable?.remedy };
    const about = { fix: `nervous permissions grant workouts sensor:${sensor.id}` };
    if (access === "prompt") return { kind: "undecided", title: "Not decided yet", ...about };
    if (access === "statistics") return { kind: "denied", title: "Statistics only", ...about };
    if (access !== "granted") return { kind: "denied", title: "Denied", ...about };
    if (level === "off") return { kind: "missing", title: "Off", fix: `nervous sensors set ${sensor.id} medium` };
    return null;
  } catch (error) {
    return stateOf(error);
  }
}

/** All samples after a time, the oldest first. */
async function everySince(sensor, from) {
  const all = [];
  let start = from + 0.001;
  for (;;) {
    const part = await sensor.samples({ from: start, limit: PAGE });
    all.push(...part);
    if (part.length < PAGE) return all;
    // Microseconds are the fraction of the time.
    start = part.at(-1).t + 0.001;
  }
}
