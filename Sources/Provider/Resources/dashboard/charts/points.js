
// Samples that arrive, and charts that belong together.
// A part of charts.js, which CResources/dashboard.c concatenates.

/** Samples that arrive one by one: the newest ones, in two typed arrays. */
export class Points {
  #t; #v; #first = 0; #end = 0; #capacity;

  /** @param {number} capacity how many samples are kept */
  constructor(capacity = 3600) {
    this.#capacity = capacity;
    const size = Math.min(capacity * 2, 1024);
    this.#t = new Float64Array(size);
    this.#v = new Float64Array(size);
  }

  /** Adds a sample; one that is not newer than the last is left out. */
  push(t, v) {
    if (this.#end > this.#first && t <= this.#t[this.#end - 1]) return false;
    if (this.#end === this.#t.length) this.#makeRoom();
    this.#t[this.#end] = t;
    this.#v[this.#end++] = v ?? NaN;
    if (this.#end - this.#first > this.#capacity) this.#first++;
    return true;
  }

  clear() { this.#first = this.#end = 0; }
  get length() { return this.#end - this.#first; }
  get t() { return this.#t.subarray(this.#first, this.#end); }
  get v() { return this.#v.subarray(this.#first, this.#end); }

  #makeRoom() {
    const { t, v } = this;
    const size = t.length * 2 > this.#t.length ? Math.min(this.#t.length * 2, this.#capacity * 2) : this.#t.length;
    const [newT, newV] = [new Float64Array(size), new Float64Array(size)];
    newT.set(t);
    newV.set(v);
    [this.#t, this.#v, this.#first, this.#end] = [newT, newV, 0, t.length];
  }
}

/** Charts of a page that share the crosshair, and with `range` the range too. */
export class ChartGroup {
  /** @type {Set<Chart>} */ charts = new Set();
  /** The time under the crosshair, or null. */ at = null;
  constructor({ range = false } = {}) { this.range = range; }
}

const isNumber = (v) => v !== null && v === v;

/** The first index whose time is at least `at`. */
function indexOf(t, at) {
  let low = 0, high = t.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (t[middle] < at) low = middle + 1; else high = middle;
  }
  return low;
}

/** The usual interval: the median of some of the intervals. */
export function usualInterval(t) {
  if (t.length < 2) return Infinity;
  const some = Math.min(t.length - 1, 101), found = [];
  for (let k = 0; k < some; k++) {
    const i = 1 + Math.floor((k * (t.length - 1)) / some);
    found.push(t[i] - t[i - 1]);
  }
  return found.sort((a, b) => a - b)[found.length >> 1];
}
