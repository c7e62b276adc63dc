
// What is under the crosshair, and the sentences about it for people and for screen readers.
// A part of charts.js, which CResources/dashboard.c concatenates.

/** A value with its unit; `step` is the distance between two labels of an axis. */
function formatted(value, unit, step, options, texts) {
  return isNumber(value) ? (options.format ?? defaultFormat)(value, unit, step) : texts.noData;
}

/** The sample of each series that is closest to a time; null in a gap. */
function closest(shown, at) {
  return shown.map((series) => {
    const { t, v, shift } = dataOf(series);
    if (t.length === 0) return { series, i: null };
    let i = Math.min(t.length - 1, indexOf(t, at - shift));
    if (i > 0 && at - shift - t[i - 1] < t[i] - (at - shift)) i--;
    const longestInterval = series.every ?? longestIntervalOf(series, t);
    const isFar = t.length > 1 && Math.abs(t[i] + shift - at) > longestInterval;
    return { series, i: isFar || !isNumber(v[i]) ? null : i };
  });
}

/** The time and the values under the crosshair, of what `view` shows. */
function sentenceAt(at, { from, to, shown, options, texts }) {
  const under = closest(shown, at), { axis } = options;
  // The time of the sample itself, where one series has one.
  const own = under.length === 1 && under[0].i !== null ? dataOf(under[0].series).t[under[0].i] : at;
  const named = timeFormats(), say = (value, series) => formatted(value, series.unit, undefined, options, texts);
  if (options.brief) {
    return [axis ? axis.format(own) : named.second.format(own),
      ...under.map(({ series, i }) => say(i === null ? null : dataOf(series).v[i], series))].join(" · ");
  }
  const when = axis ? axis.format(own) : (to - from < MINUTE ? named.exact : named.moment).format(own);
  const said = under.map(({ series, i }) => {
    const { v } = dataOf(series);
    if (i === null) return texts.value(series.name, texts.noData);
    return series.every && series.min
      ? texts.window(series.name, say(v[i], series), say(series.min[i], series), say(series.max[i], series))
      : texts.value(series.name, say(v[i], series));
  });
  return [when, ...said].join(" · ");
}

/** The newest, the least and the greatest value of each series that `view` shows. */
function summaryOf({ from, to, shown, options, texts }) {
  const said = shown.map((series) => {
    const { t, v } = dataOf(series);
    const [first, end] = [indexOf(t, from - (series.every ?? 0)), indexOf(t, to)];
    const [low] = extent(series.min ?? v, first, end, Infinity, -Infinity);
    const [, high] = extent(series.max ?? v, first, end, Infinity, -Infinity);
    let last = end - 1;
    while (last >= first && !isNumber(v[last])) last--;
    if (last < first) return null;
    const values = [v[last], low, high].map((value) => formatted(value, series.unit, undefined, options, texts));
    return texts.summary(series.name, ...values);
  }).filter(Boolean);
  return `${said.length > 0 ? said.join("; ") : texts.empty}. ${texts.keys}.`;
}
