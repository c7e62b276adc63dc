// The workouts that are kept, and the one that is recorded. The list has what is shown in rows; each route
// has a key of its own, so that a change of the list does not write all routes again.

const LIST = "workouts", CURRENT = "current";
const routeKey = (id) => `route-${id}`;

const isNumber = (value) => typeof value === "number" && Number.isFinite(value);
const isTotal = (value) => value === null || isNumber(value);

/** Whether a stored value is a workout. */
export const isSummary = (value) =>
  value !== null && typeof value === "object" && typeof value.id === "string" && typeof value.label === "string"
  && [value.start, value.end, value.duration].every(isNumber) && value.end >= value.start && value.duration >= 0
  && [value.distance, value.steps, value.floors, value.altitude].every(isTotal)
  && Array.isArray(value.spans) && value.spans.every(({ from, to }) => isNumber(from) && isNumber(to));

/** The workouts that a stored value contains, and how many entries are none. */
export function listOf(value) {
  if (value === undefined) return { workouts: [], damaged: 0 };
  if (!Array.isArray(value)) return { workouts: [], damaged: 1 };
  const workouts = value.filter(isSummary);
  return { workouts, damaged: value.length - workouts.length };
}

/** One for each page: all its views use the same. */
export class Store {
  #storage;
  #workouts = [];
  #routes = new Map();
  #current = null;
  /** Why nothing is kept: the error; null while everything is. */
  failure = null;
  /** How many stored entries could not be read. */
  damaged = 0;

  constructor(storage = nervous.storage) {
    this.#storage = storage;
  }

  get workouts() {
    return this.#workouts;
  }

  /** Reads the list again. Entries that are damaged are set aside, not lost, and the others remain. */
  async load() {
    const value = await this.#allowed(() => this.#storage.get(LIST));
    if (this.failure !== null) return;
    const { workouts, damaged } = listOf(value);
    this.#workouts = workouts;
    this.damaged = damaged;
    if (damaged === 0) return;
    console.error(`workouts: ${damaged} stored entries are damaged; they are set aside as "damaged-${LIST}".`);
    await this.#storage.set(`damaged-${LIST}`, value);
  }

  /** The workout that is recorded, as it was stored; null if there is none. */
  async current() {
    const value = await this.#allowed(() => this.#storage.get(CURRENT));
    return this.failure === null ? value ?? null : this.#current;
  }

  async setCurrent(workout) {
    this.#current = workout;
    await this.#allowed(() => (workout === null ? this.#storage.remove(CURRENT) : this.#storage.set(CURRENT, workout)));
  }

  /** Keeps a workout: first its route, then the list with it. */
  async add(summary, segments) {
    await this.#allowed(() => this.#storage.set(routeKey(summary.id), segments));
    await this.#write((workouts) => [...workouts.filter(({ id }) => id !== summary.id), summary]);
    this.#routes.set(summary.id, segments);
  }

  /** Replaces a workout of the list. */
  update(summary) {
    return this.#write((workouts) => workouts.map((one) => (one.id === summary.id ? summary : one)));
  }

  async remove(id) {
    await this.#write((workouts) => workouts.filter((one) => one.id !== id));
    this.#routes.delete(id);
    await this.#allowed(() => this.#storage.remove(routeKey(id)));
  }

  /** The segments of a workout's route; none if it has no route. */
  async route(id) {
    if (!this.#routes.has(id)) {
      const value = await this.#allowed(() => this.#storage.get(routeKey(id)));
      this.#routes.set(id, Array.isArray(value) && value.every(Array.isArray) ? value : []);
    }
    return this.#routes.get(id);
  }

  /** Changes the list as it is stored now: another page may have added to it. */
  async #write(change) {
    const value = await this.#allowed(() => this.#storage.get(LIST));
    const before = this.failure === null ? listOf(value).workouts : this.#workouts;
    const workouts = change(before);
    await this.#allowed(() => this.#storage.set(LIST, workouts));
    this.#workouts = workouts;
  }

  /** Without permission the workouts are those of this page; other failures are the caller's. */
  async #allowed(call) {
    try {
      const value = await call();
      this.failure = null;
      return value;
    } catch (error) {
      if (error.name !== "NotAllowedError") throw error;
      this.failure = error;
      return undefined;
    }
  }
}
