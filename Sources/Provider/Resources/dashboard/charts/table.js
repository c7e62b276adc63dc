
// What a chart shows, as a table and as CSV.
// A part of charts.js, which CResources/dashboard.c concatenates.

/** The rows of `table`, of series with their data. */
function tableOf(shown, { from, to }, limit) {
  const columns = [], sources = [];
  for (const { series, t, v } of shown) {
    const { name, unit } = series;
    const lists = series.every === undefined ? [[undefined, v]]
      : [["mean", v], ["deviation", series.deviation], ["min", series.min], ["max", series.max]]
        .filter(([, list]) => list !== undefined);
    for (const [statistic] of lists) {
      columns.push({ name: statistic ? `${name} ${statistic}` : name, unit, series: name, statistic });
    }
    const first = indexOf(t, from - (series.every ?? 0));
    const end = indexOf(t, to + 1e-6);
    sources.push({ t, lists: lists.map(([, list]) => list), first, at: end - 1, every: series.every });
  }
  const rows = [];
  let total = 0;
  for (;;) {
    let t = -Infinity;
    for (const s of sources) if (s.at >= s.first && s.t[s.at] > t) t = s.t[s.at];
    if (t === -Infinity) break;
    const isShown = total++ < limit, values = [];
    let every;
    for (const source of sources) {
      const isHere = source.at >= source.first && source.t[source.at] === t;
      if (isShown) {
        for (const list of source.lists) values.push(isHere && isNumber(list[source.at]) ? list[source.at] : null);
      }
      if (isHere) {
        source.at--;
        every ??= source.every;
      }
    }
    if (isShown) rows.push(every === undefined ? { t, values } : { t, to: t + every, values });
  }
  return { columns, rows, total };
}

/** A table as CSV; `hasNumbers` if its rows are not times. */
function csvOf({ columns, rows }, hasNumbers) {
  const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const isWindows = rows.some((row) => row.to !== undefined);
  const head = ["from", ...(isWindows ? ["to"] : []),
    ...columns.map(({ name, unit }) => (unit && unit !== "1" ? `${name} [${unit}]` : name))];
  if (!isWindows) head[0] = hasNumbers ? "x" : "time";
  const time = (t) => (hasNumbers ? String(t) : new Date(t).toISOString());
  const lines = rows.reverse().map(({ t, to, values }) => [time(t), ...(isWindows ? [to === undefined ? "" : time(to)] : []),
    ...values.map((v) => (v === null ? "" : String(v)))].map(quoted).join(","));
  return [head.map(quoted).join(","), ...lines, ""].join("\r\n");
}
