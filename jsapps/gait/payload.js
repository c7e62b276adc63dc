// The payload of the published study: {client, session, data} in one JSON document, for one limb each.
// A session of several limbs, or one that is longer than the server takes at once, becomes several.

import { isComplete, milliG, since2001 } from "./units.js";

/** The published server reads JSON with a limit of 100 kB. */
export const PART_BYTES = 100_000;

/** The shorter lengths of the two published schemas, in characters. */
export const LONGEST = Object.freeze({ clientName: 45, type: 30, systemVersion: 30, sessionName: 55 });

const IDS_OF_A_SESSION = 4_000_000, LARGEST_SESSION = 2 ** 31 - 1;

/** A text of at most so many characters; a longer one ends with "…". */
export function shorten(text, limit) {
  const characters = [...text];
  return characters.length <= limit ? text : `${characters.slice(0, limit - 1).join("")}…`;
}

/** The client of the payload: who measures. `at` is when it was made, in milliseconds. */
export function payloadClient({ id, at, name }) {
  return {
    id, at: since2001(at), name: shorten(name, LONGEST.clientName), type: "Nervous host", systemVersion: "gait 1.0.0",
  };
}

/**
 * The number of a session on the server, 1 to 2³¹ − 1, derived from what makes it unique. Two clients
 * that count from 1 would collide, since numbers are keys there.
 */
export async function sessionNumber(...parts) {
  const bytes = new TextEncoder().encode(JSON.stringify(parts));
  const digest = new DataView(await crypto.subtle.digest("SHA-256", bytes));
  return (digest.getUint32(0) % LARGEST_SESSION) + 1;
}

const row = (id, sessionID, { t, x, y, z }) => ({
  id, sessionID, at: since2001(t), accX: milliG(x), accY: milliG(y), accZ: milliG(z) });

/** Rows in parts whose JSON has at most `bytes` each; numbers are counted at their longest. */
function divide(samples, bytes) {
  const parts = [[]];
  let size = 0;
  for (const sample of samples) {
    const length = JSON.stringify(row(Number.MAX_SAFE_INTEGER, LARGEST_SESSION, sample)).length + 1;
    if (parts.at(-1).length > 0 && (size + length > bytes || parts.at(-1).length === IDS_OF_A_SESSION)) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1).push(sample);
    size += length;
  }
  return parts;
}

function partName(name, label, part, of) {
  if (label === null && of === 1) return shorten(name, LONGEST.sessionName);
  const inside = [label === null ? null : shorten(label, 24), of === 1 ? null : `${part + 1} of ${of}`];
  const suffix = ` (${inside.filter((text) => text !== null).join(", ")})`;
  return shorten(name, LONGEST.sessionName - [...suffix].length) + suffix;
}

/**
 * The payloads of a session, in order. The same input gives the same bytes, so an upload can be repeated.
 *
 * @param session `{ id, name, description, created }`
 * @param limbs `[{ sensor, label, samples }]`; samples without all axes are left out
 * @param revision of a session that is sent again as a copy
 * @returns `[{ sensor, part, of, rows, body }]`, at least one for each limb; `body` is the JSON text
 */
export async function payloads({ client, session, limbs, revision = 0, limit = PART_BYTES }) {
  const all = [];
  for (const { sensor, label, samples } of limbs) {
    const head = (id, name) => ({
      client: payloadClient(client),
      session: {
        id, clientID: client.id, at: since2001(session.created), name, description: session.description, saved: false },
    });
    const longest = JSON.stringify({ ...head(LARGEST_SESSION, "\u{10ffff}".repeat(LONGEST.sessionName)), data: [] });
    const room = limit - new TextEncoder().encode(longest).length;
    if (room < 200) throw new RangeError("The description is too long to be sent. Shorten it.");
    const parts = divide(samples.filter(isComplete), room);
    for (const [part, rows] of parts.entries()) {
      const id = await sessionNumber(client.id, session.id, sensor, part, revision);
      const name = partName(session.name, limbs.length > 1 ? label : null, part, parts.length);
      const data = rows.map((sample, index) => row(id * IDS_OF_A_SESSION + index, id, sample));
      all.push({ sensor, part, of: parts.length, rows: rows.length, body: JSON.stringify({ ...head(id, name), data }) });
    }
  }
  return all;
}
