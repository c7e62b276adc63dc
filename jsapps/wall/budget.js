// How many calls the weather server allows: 60 in any minute.

export const CALLS = 60, WINDOW_MS = 60_000;

/** A sliding window of calls. A bucket that fills once a second would allow 119 calls in its first minute. */
export class Budget {
  #times;

  /** @param times of earlier calls, in milliseconds */
  constructor(times = []) {
    this.#times = [...times];
  }

  /** Milliseconds until the next call is allowed; 0 if it is now. */
  wait(now) {
    // Times in the future are those of a clock that was set back.
    this.#times = this.#times.filter((t) => t <= now && t > now - WINDOW_MS);
    return this.#times.length < CALLS ? 0 : this.#times[0] + WINDOW_MS - now;
  }

  /** Takes a call. Call it only if `wait` is 0. */
  take(now) {
    if (this.wait(now) > 0) throw new RangeError("No call is allowed now.");
    this.#times.push(now);
  }

  /** The times that count, to be stored. */
  get times() {
    return [...this.#times];
  }
}
