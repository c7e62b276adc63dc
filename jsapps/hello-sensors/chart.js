"use strict";

// Live charts on the page: the last ten minutes, then every sample as it arrives, in local time.
// `data-charts` names sensors, each with a field unless all its numbers are drawn. A headless run has no
// layout, and draws nothing.
(() => {
  const LENGTH_MS = 10 * 60_000;
  const SAMPLE_LIMIT = 3600;
  const section = document.getElementById("charts");
  if (section.clientWidth === 0) return;

  /** The numeric fields of a sensor by unit; each unit has a chart of its own. */
  function byUnit(fields, chosen) {
    const groups = new Map();
    for (const { name, unit, kind } of fields) {
      if ((kind !== "number" && kind !== "integer") || (chosen !== undefined && name !== chosen)) continue;
      groups.set(unit, [...(groups.get(unit) ?? []), name]);
    }
    return [...groups];
  }

  /** An empty chart below its heading. */
  function add({ Chart, Points, group }, title, unit, names) {
    const figure = document.createElement("figure"), heading = document.createElement("figcaption");
    const canvas = document.createElement("canvas"), readout = document.createElement("output");
    const series = names.map((name) => ({ name, unit, points: new Points(SAMPLE_LIMIT), live: true }));
    heading.textContent = `${title}: ${names.join(", ")}`;
    figure.append(heading, canvas, readout);
    section.append(figure);
    const bounds = unit === "%" ? { floor: 0, ceiling: 100 } : {};
    const chart = new Chart(canvas, {
      label: `${title}, the last 10 minutes`, series, follow: LENGTH_MS, readout, group, ...bounds,
      placeholder: "Move over the chart to read its values.",
    });
    return (sample) => {
      for (const { name, points } of series) points.push(sample.t, sample[name] ?? NaN);
      chart.update();
    };
  }

  async function follow(parts, [name, field]) {
    const sensor = nervous.sensor(name);
    try {
      const { title, fields } = await sensor.describe();
      const before = await sensor.samples({ last: "10m", limit: SAMPLE_LIMIT });
      const charts = byUnit(fields, field).map(([unit, names]) => add(parts, title, unit, names));
      const take = (sample) => charts.forEach((push) => push(sample));
      before.forEach(take);
      sensor.watch(take, { onError: () => {} });
    } catch (error) {
      // The console of the app already reports what it may not read, and sensors that this machine lacks.
      const isReported = ["NotAllowedError", "NotFoundError"].includes(error.name) || error.problem === "several-sensors";
      if (!isReported) throw error;
    }
  }

  async function main() {
    const { Chart, ChartGroup, Points } = await import("/lib/charts.js");
    const parts = { Chart, Points, group: new ChartGroup() };
    for (const chart of section.dataset.charts.split(" ")) await follow(parts, chart.split(":"));
  }

  main();
})();
