// The first script of every page: asks the host for what the overview needs while the other scripts are still read.
// It is a module of its own, so that it runs as soon as it is there; dashboard.js takes over what it began.

export const API = "/api/v1";
export const SESSION_KEY = "nervous-session";
/** The sensors of the overview and their fields, until the page is locked. */
export const ASKED_KEY = "nervous-overview";
/** The lock of the tab that connects, and the channel on which it passes events on. */
export const STREAM_KEY = "nervous-stream";
/** A note of the tab that has the lock, until it leaves. */
export const LEADER_KEY = "nervous-leader";
export const HOUR_MS = 36e5, WINDOW_MS = 6e4;
export const MOST_OF = 32; // sensors in one call of /stats

/** The address of a resource below `at`. */
export function address(path, query, at = API) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const one of [value].flat()) {
      if (one !== undefined && one !== null && one !== false) parameters.append(name, one === true ? "" : one);
    }
  }
  const rest = parameters.toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
  return at + path + (rest === "" ? "" : `?${rest}`);
}

/** What every call has: no cookies, no cache, no redirects. */
export const CALL = { cache: "no-store", credentials: "omit", redirect: "error" };

/** The query for the last hour of up to 32 sensors, each with a field: `cpu:busy`. */
export function hourQuery(of) {
  const from = Math.floor((Date.now() - HOUR_MS) / WINDOW_MS) * WINDOW_MS;
  return { of, from, every: "1m", fn: "mean,max,count", digits: 5 };
}

/** The query of the stream of some sensors with everything that the owner is told. */
export function streamQuery(sensors) {
  return {
    sensors: sensors.length > 0 ? sensors.join(",") : undefined,
    newest: true, list: true, requests: true, runs: true, notices: true, access: true, storage: true,
  };
}

/** What the overview asked for last; an empty list if that is not known. */
export function askedBefore() {
  try {
    return JSON.parse(localStorage.getItem(ASKED_KEY) ?? "[]").slice(0, MOST_OF).map((one) => one.join(":"));
  } catch {
    localStorage.removeItem(ASKED_KEY);
    return [];
  }
}

function call(path, query, token, signal) {
  const answer = fetch(address(path, query), { headers: { Authorization: `Bearer ${token}` }, signal, ...CALL });
  answer.catch(() => {}); // whoever takes it over hears of it
  return answer;
}

/** The last hour: `of`, and the answer for it. */
function beginHour(token) {
  const of = askedBefore();
  return of.length > 0 ? { of, answer: call("/stats", hourQuery(of), token) } : null;
}

/**
 * The stream, unless another tab has it: a promise of its answer, and what ends it and gives the lock back. The lock is
 * known only when the page has been drawn for the first time, so the stream is asked for before, unless a tab has noted
 * that it leads.
 */
function beginStream(token) {
  if (!navigator.locks || !globalThis.BroadcastChannel) return null;
  const controller = new AbortController();
  const connect = () => call("/stream", streamQuery(["*"]), token, controller.signal);
  const early = localStorage.getItem(LEADER_KEY) === null ? connect() : null;
  return new Promise((resolve) => {
    const giveUp = () => (controller.abort(), resolve(null));
    navigator.locks.request(STREAM_KEY, { ifAvailable: true }, (lock) => {
      if (lock === null) return giveUp();
      return new Promise((release) => resolve({ answer: early ?? connect(), controller, release }));
    }).catch(giveUp);
  });
}

const token = localStorage.getItem(SESSION_KEY);
const isOverview = token !== null && location.pathname === "/" && location.hash === "";

/** What was begun for the overview; whoever takes a part of it over sets it to `null`. */
export const begun = {
  hour: isOverview ? beginHour(token) : null,
  stream: isOverview ? beginStream(token) : null,
};
