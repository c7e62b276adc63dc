// The weather server: what is asked, what its answers mean, and how often it is asked.

import { Budget } from "./budget.js";

export const ORIGIN = "https://api.openweathermap.org";
/** Answers do not change more often. */
export const FRESH_MS = 600_000;

/** An error whose message is shown after "Error: ". */
export class WeatherError extends Error {}

const invalid = () => new WeatherError("Invalid response");

/** A position that is exact enough for the weather, and does not reveal the house: to about a kilometre. */
export const coarse = (degrees) => Math.round(degrees * 100) / 100;

/** The address of `weather` or `forecast`. */
export function address(kind, { latitude, longitude, units, key }) {
  const query = new URLSearchParams({ lat: coarse(latitude), lon: coarse(longitude), units, appid: key });
  return `${ORIGIN}/data/2.5/${kind}?${query}`;
}

/** Temperatures outside of these are not in the units that were asked for, such as kelvin. */
const PLAUSIBLE = { metric: [-100, 70], imperial: [-150, 160] };

function temperatureOf(value, units) {
  const [low, high] = PLAUSIBLE[units];
  if (typeof value !== "number" || !(value >= low && value <= high)) throw invalid();
  return value;
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** The weather now, of an answer of `/weather`: `{ t, temperature, humidity, condition, text, place }`. */
export function parseCurrent(answer, units) {
  if (!isObject(answer?.main) || !Array.isArray(answer.weather)) throw invalid();
  const { main, weather: [weather], name, dt } = answer;
  return {
    t: typeof dt === "number" ? dt * 1000 : null, temperature: temperatureOf(main.temp, units),
    humidity: typeof main.humidity === "number" ? main.humidity : null,
    condition: typeof weather?.id === "number" ? weather.id : null,
    text: typeof weather?.description === "string" ? weather.description : "", place: typeof name === "string" ? name : "",
  };
}

/** The blocks of an answer of `/forecast`: `{ blocks, offset }`, the offset of the place in seconds. */
export function parseForecast(answer, units) {
  if (!Array.isArray(answer?.list) || answer.list.length === 0) throw invalid();
  const blocks = answer.list.map((entry) => {
    if (typeof entry?.dt !== "number" || !isObject(entry.main)) throw invalid();
    return { t: entry.dt * 1000, temperature: temperatureOf(entry.main.temp, units), condition: entry.weather?.[0]?.id ?? null };
  });
  return { blocks, offset: typeof answer.city?.timezone === "number" ? answer.city.timezone : 0 };
}

const STATUS = {
  401: "The weather server does not accept the key", 404: "The weather server does not know this place",
  429: "The weather server wants fewer calls",
};

/** Calls to the weather server. A test replaces `fetch`. */
export const transport = {
  async fetch(url) {
    const answer = await nervous.net.fetch(url);
    return { status: answer.status, text: await answer.text() };
  },
};

/**
 * Asks the server, at most 60 times a minute, and keeps its last answers.
 *
 * - `fetch(url)`: resolves to `{ status, text }`, or rejects
 * - `storage`: `get` and `set`, for answers and for the times of calls; errors of it are not errors of the weather
 */
export class WeatherClient {
  #fetch;
  #storage;
  #now;
  #sleep;
  #budget = null;
  #answers = null;
  #running = new Map();

  constructor({ fetch, storage, now = () => Date.now(), sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms)) }) {
    [this.#fetch, this.#storage, this.#now, this.#sleep] = [fetch, storage, now, sleep];
  }

  /**
   * The answer to `weather` or `forecast`: `{ answer, asked }`, `asked` in milliseconds since 1970.
   *
   * An answer of the last ten minutes is used again. With `isForced` the server is asked, unless the calls of this
   * minute are used up: then the last answer is used, and if there is none, the call waits.
   */
  async get(kind, query, isForced = false) {
    await this.#load();
    const place = `${kind} ${coarse(query.latitude)} ${coarse(query.longitude)} ${query.units}`;
    const known = this.#answers[kind]?.place === place ? this.#answers[kind] : undefined;
    const isFresh = known !== undefined && Math.abs(this.#now() - known.asked) < FRESH_MS;
    if (known !== undefined && (isForced ? this.#budget.wait(this.#now()) > 0 : isFresh)) return known;
    // Whoever asks for the same meanwhile gets the same answer.
    if (!this.#running.has(place)) {
      this.#running.set(place, this.#ask(kind, query, place).finally(() => this.#running.delete(place)));
    }
    return this.#running.get(place);
  }

  /** The last answer, however old it is; undefined if there is none of this place. */
  async last(kind, query) {
    await this.#load();
    const place = `${kind} ${coarse(query.latitude)} ${coarse(query.longitude)} ${query.units}`;
    return this.#answers[kind]?.place === place ? this.#answers[kind] : undefined;
  }

  async #load() {
    if (this.#answers !== null) return;
    const [times, answers] = await Promise.all(["calls", "answers"].map((key) => this.#storage.get(key).catch(() => undefined)));
    if (this.#answers !== null) return;
    this.#budget = new Budget(Array.isArray(times) ? times : []);
    this.#answers = isObject(answers) ? answers : {};
  }

  async #ask(kind, query, place) {
    for (let wait = this.#budget.wait(this.#now()); wait > 0; wait = this.#budget.wait(this.#now())) await this.#sleep(wait);
    const asked = this.#now();
    this.#budget.take(asked);
    await this.#storage.set("calls", this.#budget.times).catch(() => {});
    const { status, text } = await this.#fetch(address(kind, query));
    if (status !== 200) throw new WeatherError(STATUS[status] ?? `The weather server answers ${status}`);
    let answer;
    try {
      answer = JSON.parse(text);
    } catch {
      throw invalid();
    }
    // An answer that cannot be used does not replace one that can.
    (kind === "weather" ? parseCurrent : parseForecast)(answer, query.units);
    this.#answers[kind] = { place, asked, answer };
    await this.#storage.set("answers", this.#answers).catch(() => {});
    return this.#answers[kind];
  }
}
