// columns.js: reads application/vnd.nervous.columns (docs/columns-format.md).

const KINDS = ["number", "integer", "state", "text"];

/** 64-bit little-endian integers as doubles, divided by `by`. */
function integers(words, rows, by) {
  const column = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    column[i] = ((words[2 * i + 1] | 0) * 4294967296 + words[2 * i]) / by;
  }
  return column;
}

/** One batch at an offset, and where the next begins. */
function batch(buffer, offset) {
  const view = new DataView(buffer, offset);
  const bytes = new Uint8Array(buffer, offset);
  if (bytes[0] !== 0x4e || bytes[1] !== 0x56 || bytes[2] !== 0x43 || bytes[3] !== 1) {
    throw new TypeError("Not a batch of columns.");
  }
  const fields = view.getUint16(4, true), rows = view.getUint32(6, true);
  const length = Number(view.getBigUint64(10, true));
  let at = 18;
  const named = [];
  for (let i = 0; i < fields; i++) {
    const size = bytes[at + 1];
    named.push([new TextDecoder().decode(bytes.subarray(at + 2, at + 2 + size)), KINDS[bytes[at]]]);
    at += 2 + size;
  }
  const end = offset + at + length;
  // Copies begin at a multiple of 8, as typed arrays need it.
  const take = (size) => buffer.slice(offset + at, offset + (at += size));
  const t = integers(new Uint32Array(take(8 * rows)), rows, 1000);
  const columns = new Map();
  for (const [name, kind] of named) {
    if (kind === "number") columns.set(name, new Float64Array(take(8 * rows)));
    else if (kind === "integer") columns.set(name, integers(new Uint32Array(take(8 * rows)), rows, 1));
    else {
      const lengths = new Uint32Array(take(4 * rows)), decoder = new TextDecoder();
      columns.set(name, Array.from(lengths, (size) => decoder.decode(take(size))));
    }
  }
  return { t, columns, rows, end };
}

function joined(parts) {
  if (parts.length === 1) return parts[0];
  if (Array.isArray(parts[0])) return parts.flat();
  const all = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/**
 * The samples of a body.
 * @param {ArrayBuffer} buffer
 * @returns {{t: Float64Array, columns: Map<string, Float64Array|string[]>, rows: number}} times in
 *   milliseconds since 1970
 */
export function readColumns(buffer) {
  const batches = [];
  for (let at = 0; at < buffer.byteLength;) {
    const read = batch(buffer, at);
    at = read.end;
    batches.push(read);
  }
  if (batches.length === 0) return { t: new Float64Array(0), columns: new Map(), rows: 0 };
  const columns = new Map();
  for (const name of batches[0].columns.keys()) {
    columns.set(name, joined(batches.map((one) => one.columns.get(name))));
  }
  return { t: joined(batches.map(({ t }) => t)), columns, rows: batches.reduce((sum, { rows }) => sum + rows, 0) };
}
