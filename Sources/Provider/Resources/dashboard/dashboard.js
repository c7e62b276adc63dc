// dashboard.js: the owner's dashboard: session, API calls, the live stream, the router, and what the
// modules of the pages share. Pages other than the overview are modules that are loaded when shown.
// The host serves texts.js before this file, as one module: `text` is declared there.

import { Chart, ChartGroup, Points } from "/lib/charts.js";

const API = "/api/v1";
const SESSION_KEY = "nervous-session";
const THEME_KEY = "nervous-theme";
const ASKED_KEY = "nervous-overview"; // the sensors of the overview and their fields, until the page is locked
const SILENCE_MS = 40_000; // the host sends at least a comment every 15 s
const RETRY_MS = [1000, 2000, 4000, 8000, 15_000];
const SPINNER_MS = 300;
const HIDDEN_MS = 20_000; // a hidden page follows no sensors after this time
const REPLAY_MS = 5 * 60_000; // after a longer pause pages are reloaded instead of replaying samples

// --- Elements ---------------------------------------------------------------------------------

const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(["svg", "use", "path", "circle", "rect", "line", "g", "polyline", "polygon"]);
const PROPERTIES = new Set(["value", "checked", "disabled", "hidden", "selected", "indeterminate"]);

/**
 * Creates an element. Strings among the children become text nodes, never markup.
 * @param {string} tag an HTML name, or the name of an SVG shape
 * @param {object|null} [props] attributes; `class`, `dataset`, `on: {click: f}`
 * @param {...(Node|string|number|null|undefined|false|Array)} children
 * @returns {Element}
 */
export function h(tag, props, ...children) {
  const isProps = props !== null && typeof props === "object" && !Array.isArray(props)
    && !(props instanceof Node);
  if (!isProps && props !== null && props !== undefined) children.unshift(props);
  const element = SVG_TAGS.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(isProps ? props : {})) {
    if (value === null || value === undefined) continue;
    if (name === "on") {
      for (const [event, handler] of Object.entries(value)) element.addEventListener(event, handler);
    } else if (name === "dataset") Object.assign(element.dataset, value);
    else if (PROPERTIES.has(name) && name in element) element[name] = value;
    else if (value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...nodes(children));
  return element;
}

/** The nodes of children as `h` takes them. */
export function nodes(children) {
  return [children].flat(Infinity)
    .filter((child) => child !== null && child !== undefined && child !== false && child !== true)
    .map((child) => (child instanceof Node ? child : document.createTextNode(String(child))));
}

/** An icon of the sprite in index.html; says nothing to screen readers. */
export function icon(name) {
  return h("svg", { class: "icon", "aria-hidden": "true" }, h("use", { href: `#icon-${name}` }));
}

/** Text that only screen readers say. */
export const unseen = (said) => h("span", { class: "unseen" }, said);

const UNSAFE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Untrusted text with invisible, reordering and control characters escaped, on one line. */
export function plain(untrusted) {
  return String(untrusted ?? "").replace(UNSAFE, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
}

/** Text of a package: italic serif in quotation marks; nothing in it is the host's word. */
export const claim = (untrusted) => h("bdi", { class: "claim" }, plain(untrusted));

/** A button with an icon, if one is named. */
export function button(label, action, { kind = "", sign, ...props } = {}) {
  return h("button", { class: `button ${kind}`.trim(), type: "button", on: { click: action }, ...props },
    sign && icon(sign), label);
}

/** Replaces the children of an element. */
export const fill = (element, ...children) => (element.replaceChildren(...nodes(children)), element);

/** A panel that says one thing: an icon, a sentence, what to do next. */
export function emptyState(sign, title, ...rest) {
  return h("section", { class: "panel empty" }, icon(sign), h("h2", title), rest);
}

// --- Numbers, times and units -----------------------------------------------------------------

const NNBSP = "\u202f";
const formats = new Map();

function numberFormat(digits, isFixed) {
  const key = `${digits}${isFixed}`;
  let made = formats.get(key);
  if (!made) {
    made = new Intl.NumberFormat(undefined, {
      maximumFractionDigits: digits, minimumFractionDigits: isFixed ? digits : 0, useGrouping: "min2",
      signDisplay: "negative", // zero has none
    });
    formats.set(key, made);
  }
  return made;
}

/** Writes times in the language of the browser; the format is made when it is used first, because that takes time. */
function timeFormat(options) {
  let made;
  return (t) => (made ??= new Intl.DateTimeFormat(undefined, options)).format(t);
}

const clockFormat = timeFormat({ timeStyle: "short" });
const secondFormat = timeFormat({ timeStyle: "medium" });
const fractionFormat = timeFormat(
  { hour: "numeric", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3 });
const dayFormat = timeFormat({ day: "numeric", month: "short" });
const dateFormat = timeFormat({ day: "numeric", month: "short", year: "numeric" });
const momentFormat = timeFormat({ dateStyle: "medium", timeStyle: "medium" });
const longDateFormat = timeFormat({ weekday: "long", day: "numeric", month: "long" });

// UCUM, as the API has it, to what people write.
const UNITS = {
  1: "", Cel: "°C", K: "K", deg: "°", "rad/s": "rad/s", "m/s2": "m/s²", uT: "µT", us: "µs",
  "mm/s": "mm/s", "/s": "/s", "/min": "/min", "{step}": "", "{satellite}": "", "{packet}": "",
  "{process}": "", "{inode}": "", "{cycle}": "", "kW.h": "kWh", "W.h": "Wh", "mg/m3": "mg/m³",
  "ug/m3": "µg/m³", m3: "m³", m2: "m²", "dB[SPL]": "dB", "[ppm]": "ppm", "[ppb]": "ppb",
};
const PREFIXES = ["", "k", "M", "G", "T", "P"];
const isBytes = (unit) => unit === "By" || unit === "By/s";

function unitText(unit) {
  if (unit === undefined || unit === null) return "";
  return UNITS[unit] ?? (unit.startsWith("{") ? unit.slice(1, unit.indexOf("}")) : plain(unit));
}

/** Digits after the point so that a number has about `significant` of them. */
function digitsFor(value, significant = 3) {
  const size = Math.abs(value);
  if (size === 0 || !Number.isFinite(size)) return 0;
  return Math.min(6, Math.max(0, significant - 1 - Math.floor(Math.log10(size))));
}

function scaledBytes(value) {
  const power = Math.min(5, Math.max(0, Math.floor(Math.log10(Math.max(1, Math.abs(value))) / 3)));
  return { scaled: value / 1000 ** power, prefix: PREFIXES[power] };
}

export const format = {
  /**
   * A number and its unit as two texts: `{ number: "6.1", unit: "GB" }`. Among values as large as
   * `scale` it has no more digits than these.
   */
  parts(value, unit, scale) {
    const { number, unit: name } = format.signed(value, unit, scale);
    return { number: number.replace("-", "−"), unit: name };
  },

  signed(value, unit, scale) {
    if (value === null || value === undefined || Number.isNaN(value)) return { number: "–", unit: "" };
    if (isBytes(unit)) {
      const { scaled, prefix } = scaledBytes(value);
      const digits = prefix === "" || Math.abs(scaled) >= 100 ? 0 : 1;
      return { number: numberFormat(digits, digits > 0).format(scaled), unit: `${prefix}B${unit.slice(2)}` };
    }
    if (unit === "%") return { number: numberFormat(1, true).format(value), unit: "%" };
    if (unit === "Cel") return { number: numberFormat(1, true).format(value), unit: "°C" };
    if (unit === "hPa") return { number: numberFormat(1, true).format(value), unit: "hPa" };
    if (unit === "deg" && Math.abs(value) <= 180) {
      return { number: numberFormat(5, false).format(value), unit: "°" };
    }
    const digits = Number.isInteger(value) ? 0 : digitsFor(scale ?? value);
    return { number: numberFormat(digits, false).format(value), unit: unitText(unit) };
  },

  /** A number with its UCUM unit, as people write it: "6.1 GB", "21.0 °C"; "–" where there is none. */
  number(value, unit, scale) {
    const parts = format.parts(value, unit, scale);
    return parts.unit === "" ? parts.number
      : parts.number + (parts.unit === "°" || parts.unit.startsWith("/") ? "" : NNBSP) + parts.unit;
  },

  /** A value at an axis whose values are `step` apart, as short as possible. */
  tick(value, unit, step) {
    if (isBytes(unit)) {
      const { scaled, prefix } = scaledBytes(value);
      return `${numberFormat(2, false).format(scaled)}${NNBSP}${prefix}B${unit.slice(2)}`;
    }
    const shown = unitText(unit);
    // 2.5 needs a digit more than 2.
    const power = Math.floor(Math.log10(step) + 1e-9);
    const digits = Math.min(6, Math.max(0, -power + (Math.round((step / 10 ** power) * 10) % 10 === 0 ? 0 : 1)));
    const number = numberFormat(digits, false).format(value).replace("-", "−");
    return shown === "" ? number : number + (shown === "°" || shown.startsWith("/") ? "" : NNBSP) + shown;
  },

  /** A value of a field of a sensor: numbers with unit, states and texts as they are. */
  value(value, field) {
    if (value === null || value === undefined) return "–";
    if (typeof value === "number") return format.number(value, field?.unit);
    return plain(value);
  },

  unit: unitText,
  count: (value) => numberFormat(0, false).format(value),
  percent: (share) => numberFormat(share > 0 && share < 0.1 ? 1 : 0, false).format(share * 100) + `${NNBSP}%`,
  bytes: (value) => format.number(value, "By"),

  /** A length of time in its two largest units: "12 min", "6 h 4 min". */
  duration(ms) {
    if (ms === null || ms === undefined || Number.isNaN(ms)) return "–";
    const abs = Math.abs(ms);
    if (abs < 1000) return numberFormat(abs < 10 ? 1 : 0, false).format(ms) + `${NNBSP}ms`;
    if (abs < 10_000 && abs % 1000 !== 0) return numberFormat(1, false).format(ms / 1000) + `${NNBSP}s`;
    const units = [[864e5, "d"], [36e5, "h"], [6e4, "min"], [1e3, "s"]];
    let at = units.findIndex(([size]) => abs >= size);
    const [size, name] = units[at];
    const first = Math.floor(abs / size);
    let said = `${first}${NNBSP}${name}`;
    const next = units[++at];
    if (next && first < 10 && name !== "min") {
      const rest = Math.floor((abs - first * size) / next[0]);
      if (rest > 0) said += ` ${rest}${NNBSP}${next[1]}`;
    }
    return said;
  },

  /** A duration of the API, such as "30d", as people write it: "30 d". */
  period(code) {
    const match = /^(\d+)(us|ms|s|m|h|d|w|mo)$/.exec(String(code));
    if (match?.[2] === "d" && match[1] % 365 === 0) return `${match[1] / 365}${NNBSP}y`;
    return match ? `${match[1]}${NNBSP}${match[2] === "m" ? "min" : match[2]}` : plain(code);
  },

  /** How long ago, up to an hour: "14 min ago"; the clock time after. */
  age(t, now = Date.now()) {
    const age = Math.max(0, now - t);
    if (age < 36e5) return text.shell.ago(format.duration(Math.max(1, Math.round(age / 1000)) * 1000));
    return format.time(t, now);
  },

  /** A time as short as can be: the clock today, the date and the clock before. */
  time(t, now = Date.now()) {
    const date = new Date(t);
    if (date.toDateString() === new Date(now).toDateString()) return clockFormat(date);
    if (Math.abs(now - t) > 300 * 864e5) return dateFormat(date);
    return `${dayFormat(date)}, ${clockFormat(date)}`;
  },

  clock: secondFormat,
  exactClock: fractionFormat,
  moment: momentFormat,
  date: dateFormat,
  longDate: longDateFormat,
};

/** A `<time>` element with the exact moment as its title. */
export function timeOf(t, shown = format.time(t)) {
  return h("time", { datetime: new Date(t).toISOString(), title: format.moment(t) }, shown);
}

// --- Session and calls ------------------------------------------------------------------------

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

function address(path, query, at) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const one of [value].flat()) {
      if (one !== undefined && one !== null && one !== false) parameters.append(name, one === true ? "" : one);
    }
  }
  const rest = parameters.toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
  return at + path + (rest === "" ? "" : `?${rest}`);
}

/**
 * Calls the API of the host.
 * @param {string} path below /api/v1, such as "/sensors/cpu"
 * @param {{query?: object, method?: string, json?: any, body?: BodyInit, headers?: object,
 *   signal?: AbortSignal, raw?: boolean, at?: string}} [options] `raw` resolves with the `Response`;
 *   `at` is what precedes the path instead of /api/v1
 * @returns {Promise<any>} the parsed JSON; `null` if the answer is empty. Rejects with `ApiError`
 *   if the host refuses, with `TypeError` if it does not respond.
 */
export async function api(path, options = {}) {
  const { query, json, headers = {}, signal, raw = false, at = API } = options;
  const sent = { Authorization: `Bearer ${token}`, ...headers };
  if (json !== undefined) sent["Content-Type"] = "application/json";
  const used = token;
  const answer = await fetch(address(path, query, at), {
    method: options.method ?? (json !== undefined || options.body !== undefined ? "POST" : "GET"),
    headers: sent, body: json === undefined ? options.body : JSON.stringify(json), signal,
    cache: "no-store", credentials: "omit", redirect: "error",
  });
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
  localStorage.removeItem(ASKED_KEY);
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

/** Redeems the launch code in the address, if there is one. Whether it failed. */
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

// --- The live stream --------------------------------------------------------------------------

const STATES = new Set(["sensors", "requests", "runs", "access", "storage", "state"]);
const CHANNEL = "nervous-stream";
const PING_MS = 20_000; // tabs say that they are there
const GONE_MS = 100_000; // timers of hidden tabs run once a minute

/**
 * One stream for everything, shared by all tabs: browsers allow six connections to an origin. The tab
 * that holds a lock connects and passes the events on; when it is closed, the next one continues.
 */
class Live {
  /** `name`: connecting, live, retrying or stopped; `since` when; `retryAt` when it tries again. */
  state = { name: "stopped", since: Date.now() };
  /** The problems of sensors that may not be read, by sensor. */
  refused = new Map();

  #handlers = new Map();
  #watched = new Map();
  #latest = new Map();
  #lastID = null;
  #attempt = 0;
  #controller = null;
  #timer = null;
  #silence = null;
  #ping = null;
  #isStopped = true;
  #isQuiet = false;
  #streamed = "";
  #hiddenAt = null;
  // Between tabs
  #tab = Math.random().toString(36).slice(2);
  #channel = null;
  #lock = null; // ends the wait for the lock, or gives it back
  #isLeader = false;
  #others = new Map(); // of the leader: what other tabs follow

  constructor() {
    document.addEventListener("visibilitychange", () => this.#visibility());
    addEventListener("online", () => this.retry());
    // A page that waits in the browser's cache holds no connection.
    addEventListener("pagehide", () => this.#isStopped || this.#leave());
    addEventListener("pageshow", (event) => {
      if (!event.persisted || this.#isStopped) return;
      this.#join();
      this.#emit("resync");
    });
  }

  /**
   * Calls `handler` with the data of each event: sample, gap, damage, refused, sensors, requests,
   * runs, notification, access, storage, state (of this stream), and resync, when samples were missed and
   * pages are reloaded. `sensors`, `requests`, `runs`, `access`, `storage` and `state` are repeated to a new handler.
   * @returns {() => void} ends it
   */
  on(event, handler) {
    const handlers = this.#handlers.get(event) ?? new Set();
    this.#handlers.set(event, handlers);
    handlers.add(handler);
    const last = event === "state" ? this.state : this.#latest.get(event);
    if (STATES.has(event) && last !== undefined) {
      queueMicrotask(() => handlers.has(handler) && handler(last));
    }
    return () => handlers.delete(handler);
  }

  /** Adds sensors ("*" for all) to the stream until the returned function is called. */
  watch(sensors) {
    for (const sensor of sensors) this.#watched.set(sensor, (this.#watched.get(sensor) ?? 0) + 1);
    this.#schedule(20);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      for (const sensor of sensors) {
        const left = this.#watched.get(sensor) - 1;
        if (left === 0) this.#watched.delete(sensor); else this.#watched.set(sensor, left);
      }
      this.#schedule(1000);
    };
  }

  /** The newest data of an event that is repeated to new handlers. */
  latest(event) { return this.#latest.get(event); }

  start() {
    this.#isStopped = false;
    this.#join();
  }

  stop() {
    this.#isStopped = true;
    this.#leave();
    this.#latest.clear();
    this.#lastID = null;
    this.#set("stopped");
  }

  /** Connects now instead of later. */
  retry() {
    if (this.#isStopped || this.state.name === "live") return;
    if (this.#isLeader) this.#connect(); else this.#post({ kind: "retry" });
  }

  // --- Between tabs

  #join() {
    this.#attempt = 0;
    if (this.state.name !== "live") this.#set("connecting");
    if (!navigator.locks || !globalThis.BroadcastChannel) return this.#lead();
    this.#channel = new BroadcastChannel(CHANNEL);
    this.#channel.onmessage = ({ data }) => this.#heard(data);
    this.#ping = setInterval(() => this.#post({ kind: "want", sensors: this.#own() }), PING_MS);
    const waiting = new AbortController();
    this.#lock = () => waiting.abort();
    this.#post({ kind: "want", sensors: this.#own(), isNew: true });
    navigator.locks.request(CHANNEL, { signal: waiting.signal }, () => {
      if (waiting.signal.aborted) return undefined;
      this.#lead();
      return new Promise((resolve) => { this.#lock = resolve; });
    }).catch(() => {});
  }

  #leave() {
    this.#post({ kind: "bye" });
    this.#end();
    clearInterval(this.#ping);
    this.#lock?.();
    this.#lock = null;
    this.#isLeader = false;
    this.#others.clear();
    this.#channel?.close();
    this.#channel = null;
  }

  #lead() {
    this.#isLeader = true;
    this.#post({ kind: "who" });
    // The other tabs say first what they follow, so that one connection is enough.
    this.#timer = setTimeout(() => this.#connect(), this.#lastID === null ? 0 : 50);
  }

  #post(message) { this.#channel?.postMessage({ ...message, tab: this.#tab }); }

  #heard(message) {
    if (this.#isLeader) {
      if (message.kind === "want") {
        this.#others.set(message.tab, { sensors: message.sensors, at: Date.now() });
        if (message.isNew) {
          this.#post({ kind: "hello", to: message.tab, state: this.#sent(), latest: [...this.#latest],
            refused: [...this.refused] });
        }
        this.#schedule(20);
      } else if (message.kind === "bye") {
        this.#others.delete(message.tab);
        this.#schedule(1000);
      } else if (message.kind === "retry") this.retry();
      return;
    }
    if (message.kind === "who") this.#post({ kind: "want", sensors: this.#own() });
    else if (message.kind === "event") this.#deliver(message.id, message.event, message.data);
    else if (message.kind === "state") this.#take(message.state);
    else if (message.kind === "hello" && message.to === this.#tab) {
      this.refused = new Map(message.refused);
      for (const [event, data] of message.latest) this.#deliver(undefined, event, data);
      this.#take(message.state);
    }
  }

  /** The state without the error, which cannot be sent. */
  #sent() {
    const { error, ...state } = this.state;
    return state;
  }

  #take(state) {
    if (state.name === "connecting") this.refused.clear();
    this.state = state;
    this.#emit("state", state);
  }

  // --- The connection of the leader

  #end() {
    clearTimeout(this.#timer);
    clearTimeout(this.#silence);
    this.#timer = null;
    this.#controller?.abort();
    this.#controller = null;
  }

  #set(name, more = {}) {
    const since = this.state.name === name || (name === "connecting" && this.state.name === "retrying")
      ? this.state.since : Date.now();
    this.state = { name, since, ...more };
    if (this.#isLeader) this.#post({ kind: "state", state: this.#sent() });
    this.#emit("state", this.state);
  }

  #emit(event, data) {
    for (const handler of this.#handlers.get(event) ?? []) {
      try {
        handler(data);
      } catch (error) {
        reportError(error);
      }
    }
  }

  /** What this tab follows: nothing while it is hidden for long. */
  #own() { return this.#isQuiet ? [] : [...this.#watched.keys()]; }

  #sensors() {
    const all = new Set(this.#own());
    for (const [tab, { sensors, at }] of this.#others) {
      if (Date.now() - at > GONE_MS) this.#others.delete(tab);
      else sensors.forEach((sensor) => all.add(sensor));
    }
    return all.has("*") ? ["*"] : [...all].sort();
  }

  /** Reconnects if other sensors are watched than streamed. */
  #schedule(delay) {
    if (this.#isStopped) return;
    if (!this.#isLeader) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#post({ kind: "want", sensors: this.#own() }), delay);
      return;
    }
    if (this.state.name === "retrying" || (this.state.name === "connecting" && this.#controller === null)) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#sensors().join() !== this.#streamed) this.#connect();
    }, delay);
  }

  #visibility() {
    if (this.#isStopped) return;
    if (document.hidden) {
      this.#hiddenAt = Date.now();
      setTimeout(() => {
        if (!document.hidden || this.#isStopped) return;
        this.#isQuiet = true;
        this.#schedule(0);
      }, HIDDEN_MS);
      return;
    }
    const wasQuiet = this.#isQuiet;
    this.#isQuiet = false;
    if (wasQuiet && (!this.#isLeader || Date.now() - this.#hiddenAt > REPLAY_MS)) {
      this.#lastID = null;
      this.#emit("resync");
    }
    if (this.state.name === "live") this.#schedule(0); else this.retry();
  }

  async #connect() {
    this.#end();
    const controller = this.#controller = new AbortController();
    const sensors = this.#sensors();
    this.#streamed = sensors.join();
    if (this.state.name !== "live") {
      this.#set(this.state.name === "retrying" ? "retrying" : "connecting", { retryAt: null });
    }
    this.#listenForSilence(controller);
    try {
      const answer = await api("/stream", {
        query: {
          sensors: sensors.length > 0 ? sensors.join(",") : undefined,
          newest: true, list: true, requests: true, runs: true, notices: true, access: true, storage: true,
        },
        headers: this.#lastID === null ? {} : { "Last-Event-ID": this.#lastID },
        signal: controller.signal, raw: true,
      });
      this.refused.clear();
      this.#attempt = 0;
      this.#set("live");
      await this.#read(answer.body, controller);
      throw new TypeError("The stream ended.");
    } catch (error) {
      if (this.#controller !== controller || this.#isStopped) return;
      this.#end();
      const delay = RETRY_MS[Math.min(this.#attempt++, RETRY_MS.length - 1)];
      this.#set("retrying", { retryAt: Date.now() + delay, error });
      this.#timer = setTimeout(() => this.#connect(), delay);
    }
  }

  #listenForSilence(controller) {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => controller.abort(new TypeError("The host is silent.")), SILENCE_MS);
  }

  async #read(body, controller) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "", event = {};
    for (;;) {
      const { done, value } = await reader.read();
      if (done || controller.signal.aborted) return;
      this.#listenForSilence(controller);
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      for (const line of lines) {
        if (line === "") {
          this.#received(event);
          event = {};
        } else if (line[0] !== ":") {
          const at = line.indexOf(":");
          event[line.slice(0, at)] = line.slice(line[at + 1] === " " ? at + 2 : at + 1);
        }
      }
    }
  }

  #received({ id, event, data }) {
    const value = data === undefined ? undefined : JSON.parse(data);
    if (this.#others.size > 0) this.#post({ kind: "event", id, event, data: value });
    this.#deliver(id, event, value);
  }

  #deliver(id, event, data) {
    // While no sensor is streamed, the last sample that was seen stays the place to resume at.
    if (id !== undefined && !(this.#isLeader && this.#streamed === "")) this.#lastID = id;
    if (data === undefined) return;
    if (STATES.has(event)) this.#latest.set(event, data);
    if (event === "refused") this.refused.set(data.sensor, data.problem);
    this.#emit(event, data);
  }
}

export const live = new Live();

// --- The frame: theme, host, notices ----------------------------------------------------------

const main = document.getElementById("main");
const page = document.getElementById("page");
const notices = document.getElementById("notices");
const hostLine = document.querySelector(".rail .host");
const themeButton = document.querySelector(".rail .theme");

function setTheme(theme) {
  const names = Object.keys(text.shell.themes);
  const chosen = names.includes(theme) ? theme : "system";
  if (chosen === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
  themeButton.querySelector("span").textContent = text.shell.themes[chosen];
  themeButton.onclick = () => {
    const next = names[(names.indexOf(chosen) + 1) % names.length];
    if (next === "system") localStorage.removeItem(THEME_KEY); else localStorage.setItem(THEME_KEY, next);
    setTheme(next);
  };
}

function showHost() {
  const { name } = live.state;
  const sensors = live.latest("sensors")?.items;
  hostLine.hidden = name === "stopped";
  const b = h("b", location.host);
  if (name !== "live" || sensors === undefined) {
    const said = name === "retrying" ? text.shell.notResponding : text.shell.connecting;
    return fill(hostLine, b, h("span", { class: `state ${name === "retrying" ? "bad" : ""}` },
      name === "retrying" && icon("warn"), said));
  }
  const count = sensors.filter((sensor) => sensor.available && sensor.level !== "off").length;
  fill(hostLine, b, h("span", { class: "state live" },
    count > 0 ? text.shell.collecting(count) : text.shell.notCollecting));
}

// The strip of a lost connection: after 2 s, so that a restart of the host is not an alarm.
let downStrip = null, downTimer = null;

function showConnection(state) {
  showHost();
  clearInterval(downTimer);
  if (state.name === "live" || state.name === "stopped") {
    downStrip?.remove();
    downStrip = null;
    return;
  }
  if (state.name !== "retrying") return;
  const update = () => {
    if (Date.now() - state.since < 1500 && downStrip === null) return;
    if (downStrip === null) {
      downStrip = h("section", { class: "question down" }, icon("warn"),
        h("p", { role: "status" }, h("strong", `${text.shell.hostDown}. `),
          text.shell.notResponded(format.clock(state.since))),
        h("span", { class: "small" }),
        button(text.shell.retry, () => live.retry(), { sign: "retry" }));
      notices.append(downStrip);
    }
    const left = Math.ceil((state.retryAt - Date.now()) / 1000);
    downStrip.querySelector("span").textContent
      = state.retryAt && left > 0 ? text.shell.retryingIn(left) : text.shell.retrying;
  };
  update();
  downTimer = setInterval(update, 500);
}

// --- Permission requests ----------------------------------------------------------------------

let requestCount = 0, pageTitle = "", requestStrip = null, requestTimer = null;
const requestStatus = h("p", { role: "status" });

/** Sets the title of the page; the number of requests precedes it. */
export function setTitle(title) {
  pageTitle = title;
  document.title = text.shell.title(title, requestCount);
}

function showRequests(items) {
  requestCount = items.length;
  if (pageTitle !== "") setTitle(pageTitle);
  const count = document.querySelector(".rail .count");
  count.hidden = items.length === 0;
  fill(count, unseen(text.shell.requests), items.length);
  clearInterval(requestTimer);
  if (items.length === 0) {
    requestStrip?.remove();
    requestStrip = null;
    return;
  }
  const [first] = items;
  const key = `${first.client} ${first.privilege} ${items.length}`;
  if (requestStrip?.dataset.key !== key) {
    requestStrip?.remove();
    requestStrip = h("section", { class: "question", "aria-label": text.request.label, dataset: { key } },
      icon("question"), requestStatus, h("span", { class: "small waits" }),
      button(text.request.review, () => review(first), { kind: "main" }));
    notices.prepend(requestStrip);
    // The region is in the document before its text changes, so that the change is announced.
    setTimeout(() => fill(requestStatus, h("strong", text.request.asks(first.client, first.privilege)),
      items.length > 1 && ` ${text.request.more(items.length - 1)}`));
  }
  const waits = requestStrip.querySelector(".waits");
  const tick = () => { waits.textContent = text.request.waiting(format.duration(Math.max(1, Math.floor((Date.now() - first.asked) / 1000)) * 1000)); };
  tick();
  requestTimer = setInterval(tick, 1000);
}

/** Opens the dialog that answers a request. */
export async function review(request) {
  const { openRequest } = await import("./requests.js");
  openRequest(request);
}

// --- Router -----------------------------------------------------------------------------------

const ROUTES = [
  [/^\/$/, "overview", async () => overview],
  [/^\/sensors\/(?<id>[^/]+)$/, "overview", () => import("./sensor.js").then((m) => m.default)],
  [/^\/apps(?:\/(?<app>[^/]+))?$/, "apps", () => import("./apps.js").then((m) => m.default)],
  [/^\/activity$/, "activity", () => import("./activity.js").then((m) => m.default)],
  [/^\/sessions(?:\/(?<id>[^/]+))?$/, "sessions", () => import("./sessions.js").then((m) => m.default)],
  [/^\/machine$/, "machine", () => import("./machine.js").then((m) => m.default)],
];

let leaving = new AbortController();
let shownPath = null;

function leave() {
  leaving.abort();
  leaving = new AbortController();
}

/** Shows another page of the dashboard, as a click at a link does. */
export function go(path, { replace = false } = {}) {
  history[replace ? "replaceState" : "pushState"](null, "", path);
  return show();
}

async function show({ isFirst = false } = {}) {
  if (token === null) return;
  leave();
  const { signal } = leaving;
  shownPath = location.pathname + location.search;
  const path = location.pathname.length > 1 ? location.pathname.replace(/\/$/, "") : location.pathname;
  const route = ROUTES.find(([pattern]) => pattern.test(path));
  for (const link of document.querySelectorAll(".rail [data-place]")) {
    if (link.dataset.place === route?.[1]) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  // The content before stays until the new one is there; after 300 ms a sentence says so.
  const spinner = setTimeout(() => {
    if (!signal.aborted) {
      fill(page, h("section", { class: "panel empty", "aria-busy": "true" },
        h("span", { class: "wait", "aria-hidden": "true" }), h("h2", text.shell.loading)));
    }
  }, SPINNER_MS);
  const target = h("div", { class: "page" });
  try {
    if (!route) throw new ApiError(404, { code: "not-found", detail: text.shell.noPage });
    const params = Object.fromEntries(Object.entries(path.match(route[0]).groups ?? {})
      .map(([name, value]) => [name, value === undefined ? undefined : decodeURIComponent(value)]));
    const module = await route[2]();
    if (signal.aborted) return;
    const title = typeof module.title === "function" ? module.title(params) : module.title;
    setTitle(title);
    page.removeAttribute("aria-busy");
    const shown = module.show(target, { params, query: new URLSearchParams(location.search), signal });
    // A page that fills its element before its first await is shown at once.
    if (target.childElementCount > 0) place(target, spinner, isFirst);
    await shown;
    if (!signal.aborted) place(target, spinner, isFirst);
  } catch (error) {
    if (signal.aborted || token === null) return clearTimeout(spinner);
    if (!(error instanceof ApiError)) reportError(error);
    if (!route) setTitle(text.shell.noPage);
    fill(target, failure(error, () => show()));
    // It is the whole page, so its title is that of the page.
    const heading = target.querySelector("h2");
    heading.replaceWith(h("h1", { class: "same" }, [...heading.childNodes]));
    place(target, spinner, isFirst);
    // A page that could not be loaded is shown as soon as the host responds.
    const stop = live.on("state", ({ name }) => {
      if (name !== "live" || !(error instanceof TypeError)) return;
      stop();
      if (!signal.aborted) show();
    });
    signal.addEventListener("abort", stop);
  }
}

function place(target, spinner, isFirst) {
  clearTimeout(spinner);
  if (target.parentNode === page) return;
  fill(page, target);
  if (isFirst) return;
  scrollTo(0, 0);
  const heading = target.querySelector("h1");
  if (heading === null) return main.focus({ preventScroll: true });
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

/** What failed and what to do, as a panel. */
export function failure(error, retry) {
  const isDown = error instanceof TypeError && live.state.name !== "live";
  return emptyState("warn", isDown ? text.shell.hostDown : text.shell.failedPage,
    h("p", isDown ? text.shell.shownLater : plain(error.message)),
    error.fix && h("p", { class: "small" }, plain(error.fix)),
    h("p", retry && button(text.shell.retry, retry, { sign: "retry" }), " ",
      h("a", { class: "button plain", href: "/" }, text.shell.backToOverview)));
}

/** Writes what the page shows into its address, so that a reload shows it again. */
export function remember(query) {
  const rest = new URLSearchParams(query).toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
  history.replaceState(null, "", location.pathname + (rest === "" ? "" : `?${rest}`));
  shownPath = location.pathname + location.search;
}

addEventListener("popstate", () => {
  if (location.pathname + location.search !== shownPath) show();
});

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (!link || event.defaultPrevented || event.button !== 0 || link.target || link.download
    || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const url = new URL(link.href);
  if (url.origin !== location.origin || token === null) return;
  if (url.pathname === location.pathname && url.hash !== "") return;
  if (!ROUTES.some(([pattern]) => pattern.test(url.pathname))) return;
  event.preventDefault();
  go(url.pathname + url.search + url.hash);
});

// --- Sensors: what every page knows of them -----------------------------------------------------

/** The numeric field of a sensor that says most, by kind; otherwise the first. */
const MAIN_FIELDS = {
  memory: "used", disk: "writeRate", network: "rxRate", filesystem: "usedPercent",
  location: "accuracy", satellites: "used",
};

const kindOf = (id) => id.split(".", 1)[0];
export const isNumeric = (field) => field.kind === "number" || field.kind === "integer";
const sensorLink = (id) => `/sensors/${encodeURIComponent(id)}`;

/** The field that a sensor is shown by; undefined if it has no numbers. */
export function mainField(sensor) {
  const numeric = sensor.fields.filter(isNumeric);
  return numeric.find(({ name }) => name === MAIN_FIELDS[kindOf(sensor.id)]) ?? numeric[0];
}

/** Bounds of the axis of a field: percentages from 0 to 100, amounts from 0, others as seen. */
export function boundsOf(field, sensor) {
  if (field.unit === "%") return { floor: 0, ceiling: 100 };
  const isAmount = isBytes(field.unit) || field.unit === "/s" || field.unit?.startsWith("{")
    || ["load", "light", "location", "noise"].includes(kindOf(sensor.id));
  return isAmount ? { floor: 0 } : {};
}

/** Whether a sensor's newest sample is so old that another should have come. */
export const isLate = (newest, interval) =>
  newest !== undefined && Date.now() - newest > Math.max(10_000, 3 * (interval ?? 60_000));

// --- Overview ---------------------------------------------------------------------------------

const HOUR_MS = 36e5, WINDOW_MS = 6e4;
const LIVE_MS = 15 * 60_000; // a tile that shows no more has every sample since the page was opened
const TILES = ["cpu", "memory", "network", "disk"];
const TILE_MS = [1, 2, 5, 10, 15, 30, 60].map((n) => n * WINDOW_MS);
const MOST_OF = 32; // sensors in one call of /stats
const TOGETHER_MS = 150; // the list of sensors waits so long for their last hour, to be drawn once
const NEWEST_MS = 1500; // the newest sample of a sensor is asked for if the stream has not sent it by then

/** The last hour of one field in windows of a minute, and its newest sample. */
class Recent {
  t = []; v = []; max = [];
  points = new Points(LIVE_MS / 1000);
  newest = undefined; value = undefined; sample = null; interval = undefined;
  #sum = 0; #count = 0; #window = 0;

  /** @param {object} item of /stats @param {object} field */
  load(item, field) {
    const columns = item[field.name] ?? {};
    let most = 0;
    item.from.forEach((from, i) => {
      const mean = columns.mean?.[i] ?? null;
      if (mean === null) return;
      this.t.push(from + WINDOW_MS / 2);
      this.v.push(mean);
      this.max.push(columns.max?.[i] ?? mean);
      most = Math.max(most, columns.count?.[i] ?? 0);
    });
    if (most > 0) this.interval = WINDOW_MS / most;
  }

  take(sample, field) {
    if (this.newest !== undefined && sample.t < this.newest) return;
    [this.newest, this.sample] = [sample.t, sample];
    const value = field === undefined ? undefined : sample[field.name];
    this.value = value;
    if (typeof value !== "number") return;
    this.points.push(sample.t, value);
    const window = Math.floor(sample.t / WINDOW_MS);
    if (window !== this.#window) [this.#window, this.#sum, this.#count] = [window, 0, 0];
    const isNew = this.#count === 0;
    this.#sum += value;
    this.#count++;
    // The last point moves with the newest sample until its minute is over.
    if (isNew) {
      const isFirst = this.t.length > 0 && sample.t - this.t.at(-1) < WINDOW_MS / 2;
      if (isFirst) [this.t, this.v, this.max].forEach((list) => list.pop());
      this.t.push(sample.t);
      this.v.push(value);
      this.max.push(value);
    } else {
      this.t[this.t.length - 1] = sample.t;
      this.v[this.v.length - 1] = this.#sum / this.#count;
      this.max[this.max.length - 1] = Math.max(this.max.at(-1), value);
    }
    while (this.t.length > 0 && this.t[0] < sample.t - HOUR_MS - WINDOW_MS) {
      [this.t, this.v, this.max].forEach((list) => list.shift());
    }
  }

  /** The curve of a tile that shows so many milliseconds. */
  curve(length) {
    if (length > LIVE_MS || this.points.length === 0) return { t: this.t, v: this.v, gap: undefined };
    const { t, v } = this.points, before = this.t.filter((one) => one < t[0] - WINDOW_MS / 2).length;
    return { t: [...this.t.slice(0, before), ...t], v: [...this.v.slice(0, before), ...v],
      gap: before > 0 ? 4 * WINDOW_MS : undefined };
  }

  get mean() { return this.v.reduce((sum, v) => sum + v, 0) / this.v.length; }
}

/** The last hour of sensors, in one call for up to 32 of them: a promise of their statistics by name. */
async function lastHour(asked, signal) {
  const from = Math.floor((Date.now() - HOUR_MS) / WINDOW_MS) * WINDOW_MS, found = new Map();
  for (let at = 0; at < asked.length; at += MOST_OF) {
    const of = asked.slice(at, at + MOST_OF).map(([id, field]) => `${id}:${field}`);
    const { items } = await api("/stats", { signal, query: { of, from, every: "1m", fn: "mean,max,count", digits: 5 } });
    items.forEach((item, i) => found.set(of[i], item));
  }
  return found;
}

/** What was shown last is asked for before the list of sensors is there. */
function early(signal) {
  let asked = [];
  try {
    asked = JSON.parse(localStorage.getItem(ASKED_KEY) ?? "[]").slice(0, MOST_OF);
  } catch {
    localStorage.removeItem(ASKED_KEY);
  }
  return asked.length > 0 ? lastHour(asked, signal).catch(() => new Map()) : Promise.resolve(new Map());
}

const overview = {
  title: text.overview.title,

  show(target, { signal }) {
    const begun = early(signal); // before anything else, because the charts wait for it
    const recents = new Map(), rows = new Map(), charts = new Set(), tiles = [];
    const group = new ChartGroup();
    let sensors = null, hasHistory = false, dirtyTimer = null, shownKey = "";
    const counts = h("span");
    const tilePanel = h("section", { class: "panel tiles", "aria-label": text.overview.live, hidden: true });
    const body = h("tbody");
    const search = h("input", { type: "search", placeholder: text.overview.find,
      on: { input: () => filter() } });
    const none = h("p", { class: "inset quiet", hidden: true, role: "status" });
    const missing = h("div");
    const columns = text.overview.columns;
    const head = (name, kind) => h("th", { scope: "col", class: kind }, name);
    const table = h("table", { class: "roomy" }, h("thead", h("tr", head(columns.sensor),
      head(columns.now, "number"), head(columns.hour), head(columns.updated, "middle"),
      head(columns.level, "wide"), head(columns.readers, "widest"))), body);
    const pending = () => h("p", { class: "small quiet" }, text.shell.loading);
    const running = h("ul", { class: "lines" }, h("li", pending()));
    const accessed = h("ul", { class: "lines" }, h("li", pending()));
    const host = h("div", { class: "inset stack" }, pending());
    const panel = (id, title, content, ...links) => h("section", { class: "panel", "aria-labelledby": id },
      h("header", h("h2", { id }, title), links), content);

    fill(target,
      h("div", { class: "head" },
        h("div", h("h1", text.overview.title), h("p", timeOf(Date.now(), format.longDate(Date.now())), counts)),
        h("div", { class: "actions" }, button(text.shell.lock, lock, { sign: "lock" }),
          h("a", { class: "button", href: "/apps#install" }, icon("add"), text.overview.install))),
      tilePanel,
      h("div", { class: "with-aside" },
        h("section", { class: "panel", "aria-labelledby": "sensors" },
          h("header", h("h2", { id: "sensors" }, text.overview.sensors),
            h("label", unseen(text.overview.find), search)), table, none, missing),
        h("aside", { class: "stack", "aria-label": text.overview.aside },
          panel("running", text.overview.running, running, h("a", { href: "/apps" }, text.overview.allApps)),
          panel("accessed", text.overview.accessed, accessed, h("a", { href: "/activity" }, text.overview.activity)),
          panel("host", text.overview.host, host, h("a", { href: "/machine" }, text.overview.machine)))));

    /** Whether the sensor has a sample. */
    const isRead = (sensor) => sensor.newest !== undefined || recent(sensor.id).t.length > 0;
    const recent = (id) => recents.get(id) ?? recents.set(id, new Recent()).get(id);

    /** One redraw for all samples that arrive together. */
    function dirty() {
      dirtyTimer ??= setTimeout(() => {
        dirtyTimer = null;
        if (!document.hidden) refresh();
      }, 80);
    }

    function build() {
      const active = sensors.filter((sensor) => sensor.available && sensor.level !== "off");
      const off = sensors.filter((sensor) => sensor.available && sensor.level === "off");
      const absent = sensors.filter((sensor) => !sensor.available);
      counts.textContent = ` · ${text.overview.counts(active.length, off.length, absent.length)}`;
      const key = JSON.stringify([sensors.map(({ id, level, available, title }) => [id, level, available, title]), hasHistory]);
      if (key === shownKey) return refresh();
      shownKey = key;
      for (const chart of charts) chart.remove();
      charts.clear();
      rows.clear();
      const rank = (sensor) => (sensor.level === "off" ? 100 : (TILES.indexOf(kindOf(sensor.id)) + 1) || 50);
      const shown = [...active, ...off].sort((a, b) => rank(a) - rank(b));
      body.replaceChildren(...shown.map(row));
      if (shown.length === 0) {
        fill(body, h("tr", h("td", { colspan: 6, class: "quiet" }, text.overview.noSensors)));
      }
      buildTiles(active);
      buildMissing(absent);
      showReaders();
      filter();
      refresh();
    }

    function row(sensor) {
      const field = mainField(sensor);
      const made = { sensor, field, now: h("td", { class: "number" }), updated: h("td", { class: "middle" }),
        narrow: h("span", { class: "narrow small" }), readers: h("td", { class: "widest" }, "–"), chart: null };
      const spark = h("td", { class: "spark" });
      if (field !== undefined && sensor.level !== "off") {
        const canvas = h("canvas", { "aria-hidden": "true" });
        spark.append(canvas);
        made.series = { name: field.name, t: [], v: [], live: true, width: 1.25 };
        made.chart = new Chart(canvas, { bare: true, series: [made.series], from: 0, to: 1,
          floor: boundsOf(field, sensor).floor });
        charts.add(made.chart);
      }
      made.element = h("tr", h("th", { scope: "row" }, h("a", { href: sensorLink(sensor.id) }, plain(sensor.title)),
        " ", h("span", { class: "id" }, plain(sensor.id)), made.narrow),
      made.now, spark, made.updated, h("td", { class: "wide" }, text.levels[sensor.level] ?? plain(sensor.level)), made.readers);
      rows.set(sensor.id, made);
      return made.element;
    }

    function buildTiles(active) {
      const numeric = active.filter((sensor) => mainField(sensor) !== undefined);
      const busiest = (kind) => numeric.filter((sensor) => kindOf(sensor.id) === kind)
        .sort((a, b) => (recent(b.id).mean || 0) - (recent(a.id).mean || 0))[0];
      const chosen = TILES.map(busiest).filter(Boolean);
      for (const sensor of numeric) {
        if (chosen.length >= 4) break;
        if (!chosen.includes(sensor)) chosen.push(sensor);
      }
      tiles.length = 0;
      tilePanel.hidden = chosen.length === 0;
      fill(tilePanel, chosen.map((sensor) => {
        const field = mainField(sensor), title = text.overview.tiles[kindOf(sensor.id)] ?? plain(sensor.title);
        const figure = h("span", "–"), unit = h("small"), detail = h("p", { class: "small quiet detail" });
        const canvas = h("canvas");
        const series = { name: field.name, unit: field.unit, t: [], v: [], live: true, area: true };
        const bounds = boundsOf(field, sensor);
        const chart = new Chart(canvas, { label: text.overview.tile(title), series: [series], follow: HOUR_MS,
          ...bounds, format: (v, u, step) => (step === undefined ? format.number(v, u) : format.tick(v, u, step)),
          group, readout: detail, brief: true, fixed: true });
        series.area = bounds.floor === 0;
        charts.add(chart);
        tiles.push({ sensor, field, figure, unit, detail, series, chart });
        return h("article", { class: "tile" }, h("h2", h("a", { href: sensorLink(sensor.id) }, title)),
          h("p", { class: "figure" }, figure, unit), detail, canvas);
      }));
    }

    function buildMissing(absent) {
      const isOpen = missing.querySelector("details")?.open ?? false;
      if (absent.length === 0) return fill(missing);
      const { name, why, how } = text.overview.missing.columns;
      fill(missing, h("details", { open: isOpen }, h("summary", text.overview.missing.title(absent.length)),
        h("table", h("thead", h("tr", head(name), head(why), head(how, "middle"))),
          h("tbody", absent.map((sensor) => h("tr",
            h("th", { scope: "row" }, h("a", { href: sensorLink(sensor.id) }, plain(sensor.title))),
            h("td", plain(sensor.unavailable?.reason ?? "–")),
            h("td", { class: "middle" }, plain(sensor.unavailable?.remedy ?? "–"))))))));
    }

    function filter() {
      const sought = search.value.trim().toLocaleLowerCase();
      let found = 0;
      for (const { sensor, element } of rows.values()) {
        element.hidden = !`${sensor.title} ${sensor.id}`.toLocaleLowerCase().includes(sought);
        if (!element.hidden) found++;
      }
      none.hidden = found > 0 || rows.size === 0;
      none.textContent = none.hidden ? "" : text.overview.notFound(search.value.trim());
    }

    const said = (element, words) => { if (element.textContent !== words) element.textContent = words; };

    /** Values, ages and curves of what is shown already. */
    function refresh() {
      const now = Date.now();
      for (const made of rows.values()) {
        const { sensor, field } = made, data = recent(sensor.id);
        const newest = data.newest ?? sensor.newest, isOff = sensor.level === "off";
        const late = !isOff && isLate(newest, data.interval ?? sensor.interval?.current) && (data.newest !== undefined || sensor.stale !== false);
        const problem = live.refused.get(sensor.id);
        const value = field === undefined ? stateOf(sensor, data.sample) : data.value;
        made.now.classList.toggle("quiet", late || isOff || value === undefined);
        said(made.now, value === undefined || value === null ? ((hasHistory && !isRead(sensor)) || isOff ? text.noData : "–")
          : (kindOf(sensor.id) === "location" ? "±\u202f" : "") + format.value(value, field));
        age(made, { isOff, problem, newest, late, now });
        if (made.chart === null) continue;
        [made.series.t, made.series.v] = [data.t, data.v];
        made.series.live = !late;
        made.chart.set({ from: now - HOUR_MS, to: now });
      }
      // A host that collects for less than an hour fills the tiles with what there is.
      const oldest = Math.min(...tiles.map(({ sensor }) => recent(sensor.id).t[0] ?? now));
      const length = TILE_MS.find((most) => now - oldest <= most) ?? HOUR_MS;
      for (const { sensor, field, figure, unit, detail, series, chart } of tiles) {
        const data = recent(sensor.id), parts = format.parts(data.value, field.unit);
        const late = isLate(data.newest ?? sensor.newest, data.interval);
        figure.parentNode.classList.toggle("quiet", late);
        said(figure, parts.number);
        said(unit, parts.unit);
        Object.assign(series, data.curve(length), { live: !late });
        if (chart.range.follow !== length) chart.set({ follow: length });
        chart.options.rest = tileDetail(sensor, field, data);
        if (group.at === null) said(detail, chart.options.rest);
        chart.update();
      }
    }

    function stateOf(sensor, sample) {
      const field = sensor.fields[0];
      return sample === null || field === undefined ? undefined : sample[field.name];
    }

    function age(made, { isOff, problem, newest, late, now }) {
      const words = problem ? text.overview.notReadable : isOff ? text.levels.off
        : newest === undefined ? text.overview.never : format.age(newest, now);
      const kind = problem ? "bad" : late ? "warn" : isOff ? "quiet" : "";
      if (made.age === words + kind) return;
      const isSame = made.ageKind === kind && made.words !== undefined;
      [made.age, made.ageKind] = [words + kind, kind];
      if (isSame) return made.words.forEach((node) => { node.data = words; });
      made.words = [];
      const state = () => {
        const node = document.createTextNode(words);
        made.words.push(node);
        return h("span", { class: `state ${kind}` }, kind === "bad" ? icon("refused") : kind === "warn" ? icon("stale") : null, node);
      };
      fill(made.updated, state());
      fill(made.narrow, kind === "bad" || kind === "warn" ? state() : null);
    }

    function tileDetail(sensor, field, { sample, t, v, max }) {
      const say = (name) => format.number(sample?.[name], sensor.fields.find((f) => f.name === name)?.unit);
      const kind = kindOf(sensor.id);
      if (sample && kind === "memory" && sample.total) return text.overview.details.memory(say("total"));
      if (sample && kind === "network" && "txRate" in sample) return text.overview.details.network(say("txRate"));
      if (sample && kind === "disk" && "readRate" in sample) return text.overview.details.disk(say("readRate"));
      if (t.length === 0) return hasHistory ? text.noData : "";
      const mean = v.reduce((sum, one) => sum + one, 0) / v.length;
      return text.overview.details.other(format.number(mean, field.unit), format.number(Math.max(...max), field.unit));
    }

    /** The sensors of a list that have a last hour, each with its field. */
    const wanted = () => sensors.filter((sensor) => sensor.available && sensor.level !== "off" && mainField(sensor))
      .map((sensor) => [sensor.id, mainField(sensor).name]);

    /** Fills the charts with the last hour. */
    async function load(begun = Promise.resolve(new Map())) {
      if (sensors === null) return;
      const rows = setTimeout(build, hasHistory ? 0 : TOGETHER_MS);
      try {
        const found = await begun, asked = wanted();
        const missing = asked.filter((one) => !found.has(one.join(":")));
        if (missing.length > 0) for (const [key, item] of await lastHour(missing, signal)) found.set(key, item);
        if (signal.aborted) return;
        for (const [id, name] of asked) take(id, found.get(`${id}:${name}`));
        localStorage.setItem(ASKED_KEY, JSON.stringify(asked));
      } catch {
        // The rows are shown without their last hour.
      } finally {
        clearTimeout(rows);
      }
      if (signal.aborted) return;
      hasHistory = true;
      shownKey = "";
      build();
      // When the first charts are on the screen, for measurements of this page.
      requestAnimationFrame(() => setTimeout(() => performance.mark("nervous-first-chart")));
      setTimeout(newest, NEWEST_MS);
    }

    function take(id, item) {
      if (item?.problem) live.refused.set(id, item.problem);
      const field = mainField(sensors.find((sensor) => sensor.id === id));
      if (!item || item.problem || !field) return;
      const before = recents.get(id), made = new Recent();
      made.load(item, field);
      if (before?.sample) made.take(before.sample, field);
      recents.set(id, made);
    }

    /** What the stream does not send: samples of computed sensors, and of all if it goes on for another tab. */
    function newest() {
      if (signal.aborted) return;
      for (const sensor of sensors) {
        const data = recent(sensor.id);
        if (!sensor.available || sensor.level === "off" || !isRead(sensor) || data.sample !== null) continue;
        api(`/sensors/${encodeURIComponent(sensor.id)}/latest`, { signal })
          .then((sample) => (data.take(sample, mainField(sensor)), dirty()), () => {});
      }
    }

    function showRunning({ items }) {
      const alive = items.filter((run) => run.state === "running" || run.state === "waiting");
      if (alive.length === 0) return fill(running, h("li", h("p", { class: "small quiet" }, text.overview.noRuns)));
      fill(running, alive.map((run) => {
        const before = showRunning.usage?.get(run.run), now = Date.now();
        const [since, used] = before ? [now - before.at, run.usage.cpu - before.cpu] : [now - run.started, run.usage.cpu];
        return h("li", h("p", h("a", { href: `/apps/${encodeURIComponent(run.app)}` }, plain(run.app)), h("br"),
          h("span", { class: "small quiet" }, text.overview.run(run.background, run.state, format.duration(now - run.started)))),
        h("p", { class: "end small" }, format.percent(Math.max(0, used / Math.max(1, since))), h("br"),
          h("span", { class: "quiet" }, format.bytes(run.usage.memory))));
      }));
      showRunning.usage = new Map(alive.map((run) => [run.run, { at: Date.now(), cpu: run.usage.cpu }]));
    }

    /** Who read what in the last minutes. */
    function showAccessed({ items }) {
      showReaders();
      const clients = items.slice(0, 6);
      fill(accessed, clients.length === 0 ? h("li", h("p", { class: "small quiet" }, text.overview.noAccess))
        : clients.map(({ client, samples, sensors: read, refused, refusals }) => h("li",
          h("p", plain(client), h("br"),
            h("span", { class: "small quiet" }, namesOf([...new Set([...read, ...refused])].map(plain)))),
          h("p", { class: "end small" },
            samples > 0 && [format.count(samples), h("br"), h("span", { class: "quiet" }, text.overview.samples(samples))],
            samples > 0 && refusals > 0 && h("br"),
            refusals > 0 && h("span", { class: "state bad" }, icon("refused"), text.overview.denied(format.count(refusals)))))));
    }

    /** Who read each sensor, in its row. */
    function showReaders() {
      const items = live.latest("access")?.items ?? [];
      for (const { sensor, readers } of rows.values()) {
        said(readers, namesOf(items.filter(({ sensors: read }) => read.includes(sensor.id)).map(({ client }) => plain(client))));
      }
    }

    /** The first names of a list, and how many more there are. */
    function namesOf(names) {
      return names.length === 0 ? "–" : text.overview.names(names.slice(0, 4).join(", "), Math.max(0, names.length - 4));
    }

    function showStorage({ bytes, budget, free }) {
      const share = h("meter", { id: "room", min: 0, max: budget ?? bytes + free, value: bytes });
      fill(host, h("div",
        h("p", { class: "small" }, h("label", { for: "room" }, budget
          ? text.overview.storage(format.bytes(bytes), format.bytes(budget)) : text.overview.unbounded(format.bytes(bytes)))), share,
        h("p", { class: "small quiet" }, text.overview.free(format.bytes(free)))),
      h("p", { class: "small" }, h("span", { class: "state good" }, icon("check"), text.overview.served(location.host))));
    }

    const stops = [
      live.watch(["*"]),
      live.on("sensors", ({ items }) => {
        const isFirst = sensors === null;
        sensors = items;
        if (isFirst) load(begun); else build();
      }),
      live.on("sample", (sample) => {
        const made = rows.get(sample.sensor);
        recent(sample.sensor).take(sample, made?.field);
        dirty();
      }),
      live.on("refused", dirty),
      live.on("runs", showRunning),
      live.on("access", showAccessed),
      live.on("storage", showStorage),
      live.on("resync", () => load()),
    ];
    const everySecond = setInterval(() => sensors !== null && !document.hidden && refresh(), 1000);
    signal.addEventListener("abort", () => {
      stops.forEach((stop) => stop());
      clearInterval(everySecond);
      clearTimeout(dirtyTimer);
      for (const chart of charts) chart.remove();
    });
  },
};

// --- Start ------------------------------------------------------------------------------------

async function start() {
  setTheme(localStorage.getItem(THEME_KEY));
  for (const link of document.querySelectorAll(".rail [data-place]")) {
    link.querySelector("span").textContent = text.shell.places[link.dataset.place];
  }
  const isUsed = await redeem();
  token = localStorage.getItem(SESSION_KEY);
  if (token === null) return locked(isUsed ? text.shell.linkUsed : undefined);
  document.querySelector(".rail nav").hidden = false;
  live.on("state", showConnection);
  live.on("sensors", showHost);
  live.on("requests", ({ items }) => showRequests(items));
  // Another tab was locked or unlocked.
  addEventListener("storage", (event) => {
    if (event.key === SESSION_KEY && event.newValue !== token) location.reload();
    if (event.key === THEME_KEY) setTheme(event.newValue);
  });
  // After the page has said which sensors it follows, so that one stream is enough.
  setTimeout(() => live.start());
  await show({ isFirst: true });
}

start();
