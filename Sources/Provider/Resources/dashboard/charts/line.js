
// Lines, bands and gaps of a series.
// A part of charts.js, which CResources/dashboard.c concatenates.

/** The times and values of a series, and how far the point of a window is from its beginning. */
function dataOf(series) {
  const { t = [], v = [] } = series.points ?? series;
  return { t, v, shift: (series.every ?? 0) / 2 };
}

/** The least and the greatest of values, continuing from `low` and `high`. */
function extent(values, first, end, low, high) {
  for (let i = first; i < end; i++) {
    const v = values[i];
    if (v === null) continue;
    if (v < low) low = v;
    if (v > high) high = v;
  }
  return [low, high];
}

const bands = new WeakMap();

/** Mean ± deviation of each window, but not beyond its least and greatest value. */
function bandOf({ v, deviation, min, max }) {
  let band = bands.get(deviation);
  if (band === undefined) {
    band = {
      lower: Array.from(v, (mean, i) => Math.max(min?.[i] ?? -Infinity, mean - (deviation[i] || 0))),
      upper: Array.from(v, (mean, i) => Math.min(max?.[i] ?? Infinity, mean + (deviation[i] || 0))),
    };
    bands.set(deviation, band);
  }
  return band;
}

/** A longer time than this between two points of a series is a gap. */
const longestIntervalOf = (series, t) => series.gap ?? (series.every ? series.every * 1.5 : GAP * usualInterval(t));

/** First and last index of each stretch without a gap. */
function* stretches(t, v, first, end, longestInterval) {
  let start = -1;
  for (let i = first; i < end; i++) {
    if (!isNumber(v[i])) {
      if (start >= 0) yield [start, i - 1];
      start = -1;
    } else if (start < 0) start = i;
    else if (t[i] - t[i - 1] > longestInterval) {
      yield [start, i - 1];
      start = i;
    }
  }
  if (start >= 0) yield [start, end - 1];
}

/**
 * Strokes a line: x = x0 + t·kx, y = y0 + v·ky. With more than two samples a column of device pixels
 * each column is filled from its least to its greatest value.
 */
function line(c, t, v, first, end, longestInterval, x0, kx, y0, ky, ratio) {
  if (end <= first) return;
  const column = 1 / ratio; // in CSS pixels
  const columns = Math.max(1, (t[end - 1] - t[first]) * kx * ratio);
  if (end - first <= 2 * columns) {
    c.beginPath();
    // A sample alone between two gaps.
    const point = (i) => c.fillRect(x0 + t[i] * kx - 1.5, y0 + v[i] * ky - 1.5, 3, 3);
    let isDown = false, isSingle = false;
    for (let i = first; i < end; i++) {
      const value = v[i];
      if (value === null || value !== value) {
        if (isSingle) point(i - 1);
        isDown = isSingle = false;
        continue;
      }
      const x = x0 + t[i] * kx, y = y0 + value * ky;
      if (isDown && t[i] - t[i - 1] > longestInterval) {
        if (isSingle) point(i - 1);
        isDown = false;
      }
      if (isDown) c.lineTo(x, y); else c.moveTo(x, y);
      isSingle = !isDown;
      isDown = true;
    }
    if (isSingle) point(end - 1);
    return c.stroke();
  }
  // A rectangle a column: software rasterizers fill thousands of them in the time of one long path.
  const thick = c.lineWidth;
  let before = NaN, i = first;
  while (i < end) {
    const x = Math.floor((x0 + t[i] * kx) * ratio);
    const next = ((x + 1) / ratio - x0) / kx; // the time at which the next column begins
    let low = Infinity, high = -Infinity, last = NaN, isBroken = false;
    do {
      const value = v[i];
      if (value !== null && value === value) {
        if (value < low) low = value;
        if (value > high) high = value;
        last = value;
      }
      i++;
      if (i < end && t[i] - t[i - 1] > longestInterval) { isBroken = true; break; }
    } while (i < end && t[i] < next);
    if (last !== last) { before = NaN; continue; }
    // From where the column before ended, so that the line has no holes.
    if (before < low) low = before;
    if (before > high) high = before;
    const top = y0 + high * ky, tall = (low - high) * ky;
    c.fillRect((x - 0.25) * column, top - thick / 2, 1.5 * column, tall + thick);
    before = isBroken ? NaN : last;
  }
}
