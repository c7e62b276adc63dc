// The one stream of events, which all tabs share.
// A part of the module dashboard.js, which CResources/dashboard.c concatenates.

const SILENCE_MS = 40_000; // the host sends at least a comment every 15 s
const RETRY_MS = [1000, 2000, 4000, 8000, 15_000];
const HIDDEN_MS = 20_000; // a hidden page follows no sensors after this time
const REPLAY_MS = 5 * 60_000; // after a longer pause pages are reloaded instead of replaying samples
const STATES = new Set(["sensors", "requests", "runs", "access", "storage", "state"]);
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
    this.#channel = new BroadcastChannel(STREAM_KEY);
    this.#channel.onmessage = ({ data }) => this.#heard(data);
    this.#ping = setInterval(() => this.#post({ kind: "want", sensors: this.#own() }), PING_MS);
    this.#post({ kind: "want", sensors: this.#own(), isNew: true });
    this.#seekLock();
  }

  /** Becomes the leader as soon as no other tab is. */
  async #seekLock() {
    const waiting = new AbortController();
    this.#lock = () => waiting.abort();
    const early = begun.stream;
    begun.stream = null;
    const taken = await early;
    if (taken && waiting.signal.aborted) {
      taken.controller.abort();
      return taken.release();
    }
    if (taken) {
      this.#lock = taken.release;
      return this.#lead(taken);
    }
    if (waiting.signal.aborted) return;
    navigator.locks.request(STREAM_KEY, { signal: waiting.signal }, () => {
      if (waiting.signal.aborted) return undefined;
      this.#lead();
      return new Promise((resolve) => { this.#lock = resolve; });
    }).catch(() => {});
  }

  #leave() {
    this.#post({ kind: "bye" });
    this.#end();
    clearInterval(this.#ping);
    // Before the next leader makes its own.
    if (this.#isLeader) localStorage.removeItem(LEADER_KEY);
    this.#isLeader = false;
    this.#lock?.();
    this.#lock = null;
    this.#others.clear();
    this.#channel?.close();
    this.#channel = null;
  }

  /** @param {object} [taken] the stream that begin.js began */
  #lead(taken) {
    this.#isLeader = true;
    localStorage.setItem(LEADER_KEY, this.#tab);
    this.#post({ kind: "who" });
    if (taken) return this.#connect(taken);
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

  async #connect(taken) {
    this.#end();
    const sensors = this.#sensors();
    if (taken && sensors.join() !== "*") {
      taken.controller.abort();
      taken = undefined;
    }
    const controller = this.#controller = taken?.controller ?? new AbortController();
    this.#streamed = sensors.join();
    if (this.state.name !== "live") {
      this.#set(this.state.name === "retrying" ? "retrying" : "connecting", { retryAt: null });
    }
    this.#listenForSilence(controller);
    try {
      const answer = await api("/stream", {
        query: streamQuery(sensors), answer: taken?.answer,
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
    // While no sensor is streamed, the position to resume from stays that of the last sample that was seen.
    if (id !== undefined && !(this.#isLeader && this.#streamed === "")) this.#lastID = id;
    if (data === undefined) return;
    if (STATES.has(event)) this.#latest.set(event, data);
    if (event === "refused") this.refused.set(data.sensor, data.problem);
    this.#emit(event, data);
  }
}

export const live = new Live();
