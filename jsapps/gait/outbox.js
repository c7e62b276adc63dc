// Uploads that wait, are tried again, and end only with the server's answer. An upload is a value; `after` is
// its state machine. Payloads are not stored: they are made again from the samples of the session, and have
// the same bytes at each attempt.

import { payloads } from "./payload.js";

const FIRST_DELAY = 5000, LONGEST_DELAY = 3_600_000;
const TEMPORARY = new Set([408, 425, 429]);

/** An address as typed: `URL` of a server and a path, `/session` if there is none; null if it is no address. */
export function serverURL(text) {
  let url;
  try {
    url = new URL(text.trim());
  } catch {
    return null;
  }
  const hasMore = [url.username, url.password, url.search, url.hash].some((part) => part !== "");
  if (!/^https?:$/.test(url.protocol) || hasMore) return null;
  if (url.pathname === "/") url.pathname = "/session";
  return url.href;
}

/** A new upload of a session as it is now: later changes of its name do not change what is sent. */
export function upload({ session, cut, server, now, revision = 0, removes = false }) {
  const { id, name, description, created, sensors, spans } = session;
  return {
    session: { id, name, description, created, sensors, spans }, cut: cut ?? null, server, revision, removes,
    state: "waiting", limb: 0, stored: 0, total: 0, through: null, attempts: 0, next: now, problem: null, changed: now,
  };
}

/** Milliseconds until the next attempt, after so many. */
export const delay = (attempts) => Math.min(FIRST_DELAY * 2 ** (attempts - 1), LONGEST_DELAY);

/**
 * What an answer means: `stored` only if the server says so with a JSON document, `again` if a repetition
 * may succeed, `conflict` if it has another version, otherwise `refused`.
 */
export function verdict({ status, isJSON, isRedirected = false }) {
  // A redirected upload may have become a mere request for a page.
  if (isRedirected) return "refused";
  if (status >= 200 && status < 300) return isJSON ? "stored" : "refused";
  if (status === 409) return "conflict";
  return status >= 500 || TEMPORARY.has(status) ? "again" : "refused";
}

/**
 * The upload after a step. `event` is a verdict, `limb` after the last part of a limb, `complete` after the last limb,
 * or `retry` with the `server` that is set now. `limb` and `stored` say which part is next.
 */
export function after(entry, event, now) {
  const { type, problem = null } = event;
  switch (type) {
    case "stored":
      return {
        ...entry, stored: entry.stored + 1, total: entry.total + 1, through: event.through,
        attempts: 0, next: now, problem: null, changed: now };
    case "limb":
      return { ...entry, limb: entry.limb + 1, stored: 0, changed: now };
    case "complete":
      return { ...entry, state: "sent", next: null, problem: null, changed: now };
    case "again": {
      const attempts = entry.attempts + 1;
      return { ...entry, state: "waiting", attempts, next: now + delay(attempts), problem, changed: now };
    }
    case "conflict":
    case "refused":
      return { ...entry, state: type, next: null, problem, changed: now };
    case "retry": {
      // Another server has nothing yet.
      const server = event.server ?? entry.server;
      const rest = server === entry.server ? {} : { limb: 0, stored: 0, total: 0, through: null };
      return { ...entry, server, ...rest, state: "waiting", attempts: 0, next: now, problem: null, changed: now };
    }
    default:
      throw new TypeError(`An upload has no event ${type}.`);
  }
}

const KEY = "upload/";

/**
 * Stores uploads and sends those that are due, one payload after the other.
 *
 * - `storage`: `get`, `set`, `remove`, `keys`
 * - `read(entry)`: resolves to `{ client, limbs }`, each limb as `payloads` takes it
 * - `post(url, body, key)`: resolves to `{ status, isRedirected, text }`, or rejects
 * - `removed(id)`: deletes a session whose upload is complete, if the person wants that
 * - `changed(entry)`: called after each step
 */
export class Outbox {
  #parts;
  #running = null;

  constructor(parts) {
    this.#parts = parts;
  }

  async list() {
    const { storage } = this.#parts;
    const keys = (await storage.keys()).filter((key) => key.startsWith(KEY));
    return (await Promise.all(keys.map((key) => storage.get(key)))).filter((entry) => entry !== undefined);
  }

  get(session) {
    return this.#parts.storage.get(KEY + session);
  }

  async put(entry) {
    await this.#parts.storage.set(KEY + entry.session.id, entry);
    this.#parts.changed?.(entry);
  }

  discard(session) {
    return this.#parts.storage.remove(KEY + session);
  }

  /** Sends what is due. While it runs, a second call waits for the first. */
  runOnce() {
    this.#running ??= this.#run().finally(() => (this.#running = null));
    return this.#running;
  }

  /** When the next attempt is due; null if none waits. */
  async due() {
    const times = (await this.list()).filter(({ state }) => state === "waiting").map(({ next }) => next);
    return times.length === 0 ? null : Math.min(...times);
  }

  async #run() {
    for (const entry of await this.list()) {
      if (entry.state === "waiting" && entry.next <= this.#parts.now()) await this.#send(entry);
    }
  }

  async #send(first) {
    const { now, read, removed } = this.#parts;
    let entry = first;
    const step = async (event) => {
      entry = after(entry, event, now());
      await this.put(entry);
    };
    try {
      const { client, limbs } = await read(entry);
      while (entry.limb < limbs.length) {
        let known = entry.stored;
        const { session, revision, limb } = entry;
        for await (const { body, through } of payloads({ client, session, limb: limbs[limb], revision })) {
          if (known-- > 0) continue;
          const event = await this.#post(entry, body);
          // The person may have discarded it meanwhile.
          if ((await this.get(entry.session.id)) === undefined) return;
          await step({ ...event, through });
          if (event.type !== "stored") return;
        }
        await step({ type: "limb" });
      }
      if (entry.total === 0) throw new RangeError("The session has no samples.");
    } catch (error) {
      await step({ type: "refused", problem: textOf(error) });
      return;
    }
    await step({ type: "complete" });
    if (!entry.removes) return;
    await removed(entry.session.id);
    await this.discard(entry.session.id);
  }

  async #post({ server }, body) {
    let answer;
    try {
      const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(body));
      const key = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
      answer = await this.#parts.post(server, body, key);
    } catch (error) {
      const isFinal = error.name === "NotAllowedError" || error.name === "DataError";
      return { type: isFinal ? "refused" : "again", problem: textOf(error) };
    }
    const type = verdict({ status: answer.status, isRedirected: answer.isRedirected, isJSON: isJSON(answer.text) });
    if (type === "stored") return { type };
    const { origin } = new URL(server);
    return { type, problem: {
      again: `${origin} answered ${answer.status}.`,
      conflict: `${origin} has another version of this session.`,
      refused: answer.isRedirected ? `${origin} redirects. Enter the address that it redirects to.` : answer.status < 300
        ? `${origin} answered ${answer.status}, but not with JSON, so it is not known whether it stored the session.`
        : `${origin} refused the session with ${answer.status}.`,
    }[type] };
  }
}

const textOf = (error) => [error.message, error.fix].filter(Boolean).join(" ");

function isJSON(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
