// The session of this browser, and calls of the API with its token.
// A part of the module dashboard.js, which CResources/dashboard.c concatenates.

// For all parts.
import {
  API, CALL, HOUR_MS, LEADER_KEY, MOST_OF, SESSION_KEY, STREAM_KEY, WINDOW_MS, address, begun, hourQuery,
  streamQuery,
} from "./begin.js";

let token = null;

/** A refusal or failure of a call, with the members of the problem document. */
class ApiError extends Error {
  constructor(status, problem) {
    super(problem.detail ?? problem.title ?? `HTTP ${status}`);
    this.name = "ApiError";
    this.status = status;
    this.code = problem.code ?? "internal";
    this.detail = this.message;
    this.fix = problem.fix;
    this.problem = problem;
  }
}

/**
 * Calls the API of the host.
 * @param {string} path below /api/v1, such as "/sensors/cpu"
 * @param {{query?: object, method?: string, json?: any, body?: BodyInit, headers?: object,
 *   signal?: AbortSignal, raw?: boolean, at?: string, answer?: Promise<Response>}} [options] `raw` resolves with the `Response`;
 *   `at` is what precedes the path instead of /api/v1; `answer` is one that was begun before
 * @returns {Promise<any>} the parsed JSON; `null` if the answer is empty. Rejects with `ApiError`
 *   if the host refuses, with `TypeError` if it does not respond.
 */
export async function api(path, options = {}) {
  const { query, json, headers = {}, signal, raw = false, at = API } = options;
  const sent = { Authorization: `Bearer ${token}`, ...headers };
  if (json !== undefined) sent["Content-Type"] = "application/json";
  const used = token;
  const answer = await (options.answer ?? fetch(address(path, query, at), {
    method: options.method ?? (json !== undefined || options.body !== undefined ? "POST" : "GET"),
    headers: sent, body: json === undefined ? options.body : JSON.stringify(json), signal, ...CALL,
  }));
  if (!answer.ok) {
    const problem = await answer.json().catch(() => ({}));
    if (answer.status === 401 && used === token) locked();
    throw new ApiError(answer.status, problem);
  }
  if (raw) return answer;
  const body = await answer.text();
  return body === "" ? null : JSON.parse(body);
}

/** Ends this session at the host and here. */
export async function lock() {
  await api("/dashboard", { method: "DELETE" }).catch(() => {});
  locked();
}

/** Forgets the token and everything shown. */
function locked(why = text.shell.lockedHow) {
  token = null;
  localStorage.removeItem(SESSION_KEY);
  live.stop();
  leave();
  showRequests([]);
  fill(notices);
  document.querySelector(".rail nav").hidden = true;
  hostLine.hidden = true;
  document.title = text.shell.locked;
  const state = emptyState("lock", text.shell.locked, h("p", why),
    h("p", h("code", { class: "command" }, text.shell.lockedCommand)));
  state.querySelector("h2").replaceWith(h("h1", { class: "same" }, text.shell.locked));
  page.removeAttribute("aria-busy");
  fill(page, h("div", { class: "alone" }, state));
}

/** Redeems the launch code in the address, if there is one. Returns whether that failed. */
async function redeem() {
  const code = /^#launch=(.+)$/.exec(location.hash)?.[1];
  const nonce = document.querySelector('meta[name="nervous-page"]');
  nonce?.remove();
  if (code === undefined) return false;
  history.replaceState(null, "", location.pathname);
  try {
    const answer = await fetch(`${API}/launch`, {
      method: "POST", headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ code, page: nonce?.content ?? "" }), credentials: "omit",
    });
    if (!answer.ok) return true;
    localStorage.setItem(SESSION_KEY, (await answer.json()).token);
    return false;
  } catch {
    return true;
  }
}
