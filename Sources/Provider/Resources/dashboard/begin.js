// The first script of every page: sends the requests of the overview while the browser still loads the other scripts.
// It is a separate module, so that it runs as soon as it has arrived; dashboard.js uses the responses.

export const API = "/api/v1";
export const SESSION_KEY = "nervous-session";
/** The lock of the tab that has the stream, and the channel on which it forwards events to the other tabs. */
export const STREAM_KEY = "nervous-stream";
/** Set by the tab that has the lock, until it is closed. */
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

/** The options of every call: no cookies, no cache, no redirects. */
export const CALL = { cache: "no-store", credentials: "omit", redirect: "error" };

/** The query for the last hour of up to 32 sensors, each with a field: `cpu:busy`; `*` for the main fields of all. */
export function hourQuery(of) {
  const from = Math.floor((Date.now() - HOUR_MS) / WINDOW_MS) * WINDOW_MS;
  return { of, from, every: "1m", fn: "mean,max,count", digits: 5 };
}

/** The query of the stream of some sensors with all other events for the owner. */
export function streamQuery(sensors) {
  return {
    sensors: sensors.length > 0 ? sensors.join(",") : undefined,
    newest: true, list: true, requests: true, runs: true, notices: true, access: true, storage: true,
  };
}

function call(path, query, token, signal) {
  const answer = fetch(address(path, query), { headers: { Authorization: `Bearer ${token}` }, signal, ...CALL });
  answer.catch(() => {}); // The code that uses the response handles the error.
  return answer;
}

/**
 * The stream, unless another tab has it: a promise of its response, of a controller that ends it, and of a function that
 * releases the lock. The browser grants the lock only after the first paint, so the request is sent before, unless
 * another tab has set `LEADER_KEY`.
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

/** The requests that have been sent for the overview; the code that uses one of them sets it to `null`. */
export const begun = {
  hour: isOverview ? call("/stats", hourQuery("*"), token) : null,
  stream: isOverview ? beginStream(token) : null,
};
