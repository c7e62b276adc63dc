// Samples as records: one JSON object a line with the sensor and the time, and files of a limited size.

/** A sample as a line: its sensor, its time in milliseconds since 1970 UTC, then its fields. */
export function line(sensor, { t, ...fields }) {
  return JSON.stringify({ sensor, t, ...fields });
}

/** The time for a file name: UTC with 24 hours and milliseconds, so that names sort by time. */
export function stamp(milliseconds) {
  return new Date(milliseconds).toISOString().replaceAll(":", "-");
}

/**
 * Divides lines into files of at most `limit` bytes. A file ends before the line that would exceed the
 * limit; a longer line has a file of its own. Names are those of the first sample, and unique.
 *
 * @returns {{ name: string, text: string }[]}
 */
export function archives(sensor, samples, limit) {
  const files = [], names = new Map(), encoder = new TextEncoder();
  let size = 0;
  for (const sample of samples) {
    const text = `${line(sensor, sample)}\n`, bytes = encoder.encode(text).length;
    if (files.length === 0 || size + bytes > limit) {
      const base = `${sensor}-${stamp(sample.t)}`, number = (names.get(base) ?? 0) + 1;
      names.set(base, number);
      files.push({ name: number === 1 ? `${base}.ndjson` : `${base}-${number}.ndjson`, text: "" });
      size = 0;
    }
    files.at(-1).text += text;
    size += bytes;
  }
  return files;
}

/** A page of samples, newest first: those before `before`, or the newest ones. */
export function fetchPage(sensor, { limit, before }) {
  const range = before === undefined ? {} : { to: before };
  return nervous.sensor(sensor).samples({ ...range, limit, order: "desc" });
}

/** All samples of a range, oldest first, in pages of `page`. Samples of the same time stay together. */
export async function fetchAll(sensor, { from = 0, to, page = 10_000 } = {}) {
  const all = [];
  let start = from;
  for (;;) {
    const range = to === undefined ? { from: start } : { from: start, to };
    const part = await nervous.sensor(sensor).samples({ ...range, limit: page });
    all.push(...part);
    if (part.length < page) return all;
    // Microseconds are the fraction of the time.
    start = part.at(-1).t + 0.001;
  }
}

/** The sample at a time; undefined if there is none. */
export async function fetchSingle(sensor, t) {
  const [sample] = await nervous.sensor(sensor).samples({ from: t, to: t + 0.001, limit: 1 });
  return sample;
}

/** How many samples are stored, and the time from the first to the newest in milliseconds. */
export async function stored({ id, mainField, fields }) {
  const field = mainField ?? fields[0]?.name;
  const { count } = await nervous.sensor(id).stats({ from: 0, fn: "count", fields: field });
  if (!count) return { count: 0, length: 0 };
  const [[first], [last]] = await Promise.all(
    ["asc", "desc"].map((order) => nervous.sensor(id).samples({ from: 0, limit: 1, order })));
  return { count, length: last.t - first.t };
}
