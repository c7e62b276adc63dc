// The last hour of sensors, which the overview shows.
// A part of the module dashboard.js, which CResources/dashboard.c concatenates.

// A curve of at most this length draws each sample received since the page was opened; a longer one, means of minutes.
const LIVE_MS = 15 * 60_000;

/** The last hour of one field in windows of a minute, and its newest sample. */
class Recent {
  t = []; v = []; max = [];
  points = new Points(LIVE_MS / 1000);
  newest = undefined; value = undefined; sample = null; interval = undefined;
  #sum = 0; #count = 0; #window = 0;

  /** @param {object} item of /stats @param {object} field */
  load(item, field) {
    const columns = item[field.name] ?? {};
    let most = 0;
    item.from.forEach((from, i) => {
      const mean = columns.mean?.[i] ?? null;
      if (mean === null) return;
      this.t.push(from + WINDOW_MS / 2);
      this.v.push(mean);
      this.max.push(columns.max?.[i] ?? mean);
      most = Math.max(most, columns.count?.[i] ?? 0);
    });
    if (most > 0) this.interval = WINDOW_MS / most;
  }

  take(sample, field) {
    if (this.newest !== undefined && sample.t < this.newest) return;
    [this.newest, this.sample] = [sample.t, sample];
    const value = field === undefined ? undefined : sample[field.name];
    this.value = value;
    if (typeof value !== "number") return;
    this.points.push(sample.t, value);
    const window = Math.floor(sample.t / WINDOW_MS);
    if (window !== this.#window) [this.#window, this.#sum, this.#count] = [window, 0, 0];
    const isNew = this.#count === 0;
    this.#sum += value;
    this.#count++;
    // The last point moves with the newest sample until its minute is over.
    if (isNew) {
      // The sample lies in the minute of the last loaded window, whose point it replaces, or even before it.
      const replacesLast = this.t.length > 0 && Math.floor(this.t.at(-1) / WINDOW_MS) >= window;
      if (replacesLast) [this.t, this.v, this.max].forEach((list) => list.pop());
      this.t.push(sample.t);
      this.v.push(value);
      this.max.push(value);
    } else {
      this.t[this.t.length - 1] = sample.t;
      this.v[this.v.length - 1] = this.#sum / this.#count;
      this.max[this.max.length - 1] = Math.max(this.max.at(-1), value);
    }
    while (this.t.length > 0 && this.t[0] < sample.t - HOUR_MS - WINDOW_MS) {
      [this.t, this.v, this.max].forEach((list) => list.shift());
    }
  }

  /** The points from which a curve of the last `length` milliseconds is drawn. */
  curve(length) {
    if (length > LIVE_MS || this.points.length === 0) return { t: this.t, v: this.v, gap: undefined };
    const { t, v } = this.points, before = this.t.filter((one) => one < t[0] - WINDOW_MS / 2).length;
    return { t: [...this.t.slice(0, before), ...t], v: [...this.v.slice(0, before), ...v],
      gap: before > 0 ? 4 * WINDOW_MS : undefined };
  }

  get mean() { return this.v.reduce((sum, v) => sum + v, 0) / this.v.length; }
}

/**
 * Fetches statistics of the last hour, with a call for each 32 sensors; resolves to a map from `sensor:field` to
 * statistics.
 */
async function lastHour(asked, signal) {
  const found = new Map();
  for (let at = 0; at < asked.length; at += MOST_OF) {
    const of = asked.slice(at, at + MOST_OF);
    const { items } = await api("/stats", { signal, query: hourQuery(of) });
    items.forEach((item, i) => found.set(of[i], item));
  }
  return found;
}

/**
 * Fetches the last hour of up to 32 sensors before the list of sensors has arrived; uses the request that begin.js
 * sent, if any. Resolves to a map like that of `lastHour`, which is empty on failure.
 */
function lastHourEarly(signal) {
  const answer = begun.hour ?? undefined;
  begun.hour = null;
  return api("/stats", { signal, answer, query: hourQuery("*") }).then(({ items }) =>
    new Map(items.filter(({ fields }) => fields).map((item) => [`${item.sensor}:${item.fields[0].name}`, item])),
  () => new Map());
}
