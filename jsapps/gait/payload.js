// The payload of the published study: {client, session, data} in one JSON document, for one limb each.
// A session of several limbs, or one that is longer than the server takes at once, becomes several. They are made one
// after the other, from pages of samples: an hour of three limbs has 50 MB.

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

// Integers of 32 bits, as in the published database.
const SMALLEST = -(2 ** 31);
const LONGEST_ROW = JSON.stringify({
  id: Number.MAX_SAFE_INTEGER, sessionID: LARGEST_SESSION, at: -978307199.123456, accX: SMALLEST, accY: SMALLEST, accZ: SMALLEST,
}).length + 1;

function partName(name, label, part, isOnly) {
  const inside = [label === null ? null : shorten(label, 24), isOnly ? null : `part ${part + 1}`].filter((text) => text !== null);
  if (inside.length === 0) return shorten(name, LONGEST.sessionName);
  const suffix = ` (${inside.join(", ")})`;
  return shorten(name, LONGEST.sessionName - [...suffix].length) + suffix;
}

/**
 * The payloads of one limb of a session, in order; none without samples. The same input gives the same bytes, so an
 * upload can be repeated.
 *
 * @param session `{ id, name, description, created }`
 * @param limb `{ sensor, label, pages }`: `label` is null if the session has one limb, `pages` are arrays of samples in the order
 *   of time, synchronous or not; samples without all axes are left out
 * @param revision of a session that is sent again as a copy
 * @returns an iterator of `{ sensor, part, rows, through, body }`: `through` is the time of the last sample, `body` the JSON text
 */
export async function* payloads({ client, session, limb: { sensor, label, pages }, revision = 0, limit = PART_BYTES }) {
  const head = (id, name) => ({
    client: payloadClient(client),
    session: {
      id, clientID: client.id, at: since2001(session.created), name, description: session.description, saved: false },
  });
  const longest = JSON.stringify({ ...head(LARGEST_SESSION, "\u{10ffff}".repeat(LONGEST.sessionName)), data: [] });
  const length = Math.min(Math.floor((limit - new TextEncoder().encode(longest).length) / LONGEST_ROW), IDS_OF_A_SESSION);
  if (length < 1) throw new RangeError("The description is too long to be sent. Shorten it.");
  let part = 0, rows = [];
  const payload = async (samples, isLast) => {
    const id = await sessionNumber(client.id, session.id, sensor, part, revision);
    const name = partName(session.name, label, part, part === 0 && isLast);
    const data = samples.map((sample, at) => row(id * IDS_OF_A_SESSION + at, id, sample));
    const body = JSON.stringify({ ...head(id, name), data });
    return { sensor, part: part++, rows: samples.length, through: samples.at(-1).t, body };
  };
  for await (const page of pages) {
    for (const sample of page) if (isComplete(sample)) rows.push(sample);
    // The last part is kept back: only at the end it is known whether it is the only one.
    while (rows.length > length) yield await payload(rows.splice(0, length), false);
  }
  if (rows.length > 0) yield await payload(rows, true);
}
