// nervous.js: the API of the host for JSApps; the same file in a browser and in a runner.
//
//     const { mean, stddev } = await nervous.sensor("cpu").stats({ last: "10m", fields: ["busy"] });
//     for await (const sample of nervous.sensor("cpu").stream()) { … }
//
// Calls go to the HTTP API of the host on this origin; the host forwards calls to other servers that
// the owner allows. Every call accepts a `signal`. A refusal rejects with a DOMException named
// NotAllowedError with the members `privilege` (which is missing), `fix` (what to ask the owner for)
// and, in a page, `settings` (the URL of the dashboard's page where the owner can change it).
(() => {
  "use strict";

  const API = "/api/v1";
  const RECONNECT_MS = 1000;
  const REQUERY_MS = 1000;
  const VIEW_MS = 10_000;
  const PAGE = 10000;
  const LONGEST_VALUE = 1 << 20;
  // The maximum number of sensors of one stream, and of samples that are kept for a slow reader.
  const MOST_SENSORS = 64;
  const LONGEST_QUEUE = 500;
  // Each sample of several sensors begins with the name of its sensor.
  const SAMPLE_PREFIX = '{"sensor":"';
  const NAMES = {
    401: "NotAllowedError",
    403: "NotAllowedError",
    404: "NotFoundError",
    408: "TimeoutError",
    409: "InvalidStateError",
    413: "QuotaExceededError",
    422: "DataError",
    400: "DataError",
    429: "QuotaExceededError",
    502: "NetworkError",
    503: "NotReadableError",
    504: "TimeoutError",
    507: "QuotaExceededError",
  };

  // A runner creates its document only when an app uses it.
  const isHeadless = navigator.userAgent.startsWith("Nervous/");

  // A page that loads libs.js has loaded this already.
  if (globalThis.nervous !== undefined) return;

  // --- Identity -------------------------------------------------------------------------------

  // Calls of a runner are identified by its socket. A page exchanges the single-use code in its URL
  // for a token, before any later script runs. The token stays in this closure, ends with the page,
  // and is added to all calls of the page to its host.
  let refusal = null;
  let isLaunched = false;
  const request = isHeadless ? (...call) => fetch(...call) : identify();

  // Built-ins are captured now: a script that replaces them later must not receive the token.
  function identify() {
    const token = redeem();
    isLaunched = token !== null;
    const { apply, construct } = Reflect;
    const { fetch, Headers, Request, URL, XMLHttpRequest, String } = globalThis;
    const { addEventListener, dispatchEvent } = EventTarget.prototype;
    if (token === null) return (...call) => apply(fetch, globalThis, call);
    const getter = (type, name) => {
      const { get } = Object.getOwnPropertyDescriptor(type.prototype, name);
      return (object) => apply(get, object, []);
    };
    const { startsWith } = String.prototype;
    const { open, send, setRequestHeader } = XMLHttpRequest.prototype;
    const { set } = Headers.prototype;
    const [originOf, pathOf] = [getter(URL, "origin"), getter(URL, "pathname")];
    const [addressOf, headersOf] = [getter(Request, "url"), getter(Request, "headers")];
    const base = getter(Node, "baseURI");
    const { origin } = location;
    const value = `Bearer ${token}`;
    const beginsWith = (text, prefix) => apply(startsWith, text, [prefix]);
    const absolute = (address) => construct(URL, [address, base(document)]);

    function isCall(address) {
      const url = absolute(address);
      if (originOf(url) !== origin) return false;
      const begins = (prefix) => beginsWith(pathOf(url), prefix);
      return begins("/api/") || begins("/nervous-api/") || begins("/nervousnet-api/");
    }

    // Whether a URL is that of another server, which the host calls for the page.
    function isElsewhere(address) {
      const place = originOf(absolute(address));
      return place !== origin && (beginsWith(place, "http://") || beginsWith(place, "https://"));
    }

    // The header is set on an object that other scripts of the page cannot reach.
    function authorized(input, init) {
      const call = construct(Request, [input, init]);
      if (isCall(addressOf(call))) apply(set, headersOf(call), ["Authorization", value]);
      return apply(fetch, globalThis, [call]);
    }

    globalThis.fetch = async function (input, init) {
      const call = construct(Request, [input, init]);
      if (!isElsewhere(addressOf(call))) return authorized(call);
      try {
        return await reach(call);
      } catch (error) {
        throw plainFailure(error, addressOf(call));
      }
    };

    // An XMLHttpRequest whose calls to other servers go through the host. A refusal by the host looks
    // like a network error, as in any browser.
    class PageRequest extends XMLHttpRequest {
      #wish = null;
      #isAsync = true;
      #answer = null;
      #isRefused = false;

      constructor() {
        super();
        // The first listener: it keeps the host's refusals from the others.
        apply(addEventListener, this, ["load", (event) => this.#check(event)]);
      }

      open(method, address) {
        // Read once, since a getter could return another value the second time.
        const text = `${address}`;
        arguments[1] = text;
        this.#wish = null;
        this.#answer = null;
        this.#isRefused = false;
        this.#isAsync = arguments.length < 3 || Boolean(arguments[2]);
        if (isElsewhere(text)) {
          const url = absolute(text);
          url.hash = "";
          this.#wish = { url: url.href, method: methodNamed(method), headers: {} };
          arguments[0] = "POST";
          arguments[1] = FETCH;
        }
        apply(open, this, arguments);
        if (isCall(arguments[1])) apply(setRequestHeader, this, ["Authorization", value]);
      }

      setRequestHeader(name, text) {
        const isBodys = `${name}`.toLowerCase() === "content-type";
        if (this.#wish === null || isBodys) return apply(setRequestHeader, this, [name, text]);
        const [[key, added]] = new Headers([[name, text]]);
        const before = this.#wish.headers[key];
        this.#wish.headers[key] = before === undefined ? added : `${before}, ${added}`;
      }

      send(body = null) {
        const wish = this.#wish;
        if (wish === null) return apply(send, this, [body]);
        apply(setRequestHeader, this, ["Nervous-Request", ascii(wish)]);
        const isBare = wish.method === "GET" || wish.method === "HEAD";
        apply(send, this, [isBare ? null : body]);
        if (this.#isAsync) return;
        this.#check(null);
        if (this.#isRefused) throw new DOMException(`Failed to load ${wish.url}`, "NetworkError");
      }

      // The response of the other server; null until it arrives, or if there is none.
      #reply() {
        if (this.#wish === null || this.#answer !== null || super.readyState < 2) return this.#answer;
        const text = super.getResponseHeader("Nervous-Answer");
        return (this.#answer = text === null ? null : JSON.parse(text));
      }

      #check(event) {
        if (this.#wish === null || this.#reply() !== null || this.#isRefused) return;
        this.#isRefused = true;
        let problem = {};
        try {
          problem = JSON.parse(super.responseText);
        } catch {
          // The response has another type.
        }
        plainFailure(problemError(problem, super.status), this.#wish.url);
        if (event === null) return;
        event.stopImmediatePropagation();
        apply(dispatchEvent, this, [new ProgressEvent("error")]);
      }

      get status() {
        return this.#wish === null ? super.status : (this.#reply()?.status ?? 0);
      }

      get statusText() {
        return this.#wish === null ? super.statusText : "";
      }

      get responseURL() {
        return this.#wish === null ? super.responseURL : (this.#reply()?.url ?? "");
      }

      get response() {
        const isText = super.responseType === "" || super.responseType === "text";
        if (this.#wish === null || this.#reply() !== null) return super.response;
        return isText ? "" : null;
      }

      get responseText() {
        return this.#wish === null || this.#reply() !== null ? super.responseText : "";
      }

      getResponseHeader(name) {
        if (this.#wish === null) return super.getResponseHeader(name);
        return this.#reply()?.headers[`${name}`.toLowerCase()] ?? null;
      }

      getAllResponseHeaders() {
        if (this.#wish === null) return super.getAllResponseHeaders();
        const fields = Object.entries(this.#reply()?.headers ?? {});
        return fields.map(([name, text]) => `${name}: ${text}\r\n`).join("");
      }
    }
    Object.defineProperty(PageRequest, "name", { value: "XMLHttpRequest" });
    globalThis.XMLHttpRequest = PageRequest;
    return async (input, init) => authorized(input, init);
  }

  // The page of the owner's dashboard about this app.
  function dashboardPage() {
    const [app] = location.hostname.split(".");
    return `http://localhost:${location.port || 80}/apps/${app}`;
  }

  // Synchronously, so that even the page's first call has the token.
  function redeem() {
    const code = new URLSearchParams(location.hash.slice(1)).get("launch");
    if (code === null) return null;
    history.replaceState(null, "", location.pathname + location.search);
    // The host's proof that it served this page, and no other program that listened at its address.
    const proof = document.querySelector("meta[name=nervous-page]");
    proof?.remove();
    const call = new XMLHttpRequest();
    call.open("POST", `${API}/launch`, false);
    call.setRequestHeader("Content-Type", "application/json");
    call.send(JSON.stringify({ code, page: proof?.content ?? "" }));
    const answer = JSON.parse(call.responseText);
    if (call.status === 201) return answer.token;
    console.error(answer.detail, answer.fix ?? "");
    refusal = problemError(answer, call.status);
    // The link was used or has expired: the owner opens the page again in the dashboard.
    location.replace(`${dashboardPage()}#reopen`);
    return null;
  }

  // --- Calls ----------------------------------------------------------------------------------

  async function failure(response) {
    let problem = {};
    try {
      problem = await response.json();
    } catch {
      // Not a problem document: only the status is known.
    }
    return problemError(problem, response.status);
  }

  function problemError(problem, status) {
    const message = problem.detail ?? `The host answered ${status}.`;
    const error = new DOMException(message, NAMES[status] ?? "OperationError");
    for (const key of ["privilege", "fix", "settings", "used", "limit"]) {
      if (problem[key] !== undefined) Object.defineProperty(error, key, { value: problem[key] });
    }
    Object.defineProperty(error, "problem", { value: problem.code ?? `http-${status}` });
    return error;
  }

  async function call(
    path,
    { query = {}, headers = {}, signal, method, body, json, keepalive = false } = {},
  ) {
    if (refusal !== null) throw refusal;
    const parameters = new URLSearchParams();
    for (const [key, value] of Object.entries(query)) {
      for (const item of key === "where" ? [value].flat() : [value]) {
        if (item !== undefined) parameters.append(key, String(item));
      }
    }
    const text = parameters.toString();
    const all = { ...headers };
    if (json !== undefined) all["Content-Type"] = "application/json";
    const response = await request(API + path + (text === "" ? "" : `?${text}`), {
      headers: all,
      signal,
      keepalive,
      ...(method === undefined ? {} : { method, body }),
      ...(json === undefined ? {} : { method: "POST", body: JSON.stringify(json) }),
    });
    if (!response.ok) throw await failure(response);
    return response;
  }

  // --- Other servers --------------------------------------------------------------------------

  const FETCH = `${API}/fetch`;

  // JSON in ASCII, for a header field.
  function ascii(value) {
    const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
    return JSON.stringify(value).replace(/[^\x20-\x7e]/g, escaped);
  }

  function methodNamed(method) {
    const known = `${method}`.toUpperCase();
    return /^(DELETE|GET|HEAD|OPTIONS|POST|PUT)$/.test(known) ? known : `${method}`;
  }

  // Calls another server through the host. Rejects with the problem if there is no response.
  async function reach(input, init) {
    const wanted = new Request(input, init);
    const url = wanted.url.replace(/#[^]*$/, "");
    const wish = { url, method: wanted.method, headers: Object.fromEntries(wanted.headers) };
    const bytes = await wanted.arrayBuffer();
    const response = await call("/fetch", {
      method: "POST",
      headers: { "Nervous-Request": ascii(wish) },
      body: bytes.byteLength === 0 ? undefined : bytes,
      signal: wanted.signal,
    });
    const { status, url: place, redirected, headers } = JSON.parse(
      response.headers.get("Nervous-Answer"),
    );
    const isEmpty = [204, 205, 304].includes(status);
    if (isEmpty) await response.arrayBuffer();
    const answer = new Response(isEmpty ? null : response.body, { status, headers });
    const facts = { url: place, redirected, type: "cors" };
    for (const [key, value] of Object.entries(facts)) {
      Object.defineProperty(answer, key, { value, configurable: true });
    }
    return answer;
  }

  // The error that a page gets for a failed call; the console has the details.
  function plainFailure(error, address) {
    if (error?.problem === undefined) return error;
    const reason = [error.message, error.fix].filter(Boolean).join(" ");
    console.error(`A call to ${new URL(address).origin} failed: ${reason}`);
    return new TypeError("Failed to fetch");
  }

  // An error like those of the host, for an invalid response.
  function fault(problem, message, name) {
    const error = new DOMException(message, name);
    Object.defineProperty(error, "problem", { value: problem });
    return error;
  }

  const net = Object.freeze({
    /** Like `fetch`, with detailed errors: `error.problem`, `error.privilege`, `error.fix`. */
    fetch(input, init) {
      return reach(input, init);
    },

    /**
     * Fetches a JSON object. Also rejects for a status other than 2xx (`http-404`), for invalid JSON
     * (`bad-json`) and for JSON that is not an object (`not-an-object`).
     */
    async object(input, init) {
      const response = await reach(input, init);
      const { origin } = new URL(response.url);
      if (!response.ok) {
        throw fault(`http-${response.status}`, `${origin} answers ${response.status}.`, "DataError");
      }
      let value;
      try {
        value = JSON.parse(await response.text());
      } catch {
        throw fault("bad-json", `What ${origin} answers is no JSON.`, "DataError");
      }
      if (typeof value !== "object" || value === null || Array.isArray(value)) {
        throw fault("not-an-object", `What ${origin} answers is JSON and no object.`, "DataError");
      }
      return value;
    },
  });

  async function get(path, options) {
    return (await call(path, options)).json();
  }

  // `last: "10m"` is short for `from: "-10m"`; dates become milliseconds.
  function range({ last, from, to } = {}) {
    const moment = (time) => (time instanceof Date ? time.getTime() : time);
    return { from: last === undefined ? moment(from) : `-${last}`, to: moment(to) };
  }

  // `access` is "raw" by default, of health data "read".
  function privilegeOf({ name, access, origin, type }) {
    if (name === "net" && origin !== undefined) return `net:${origin}`;
    if (name === "health") return `health:${type}${access === "write" ? ":write" : ""}`;
    if (["identity", "net", "storage", "notify"].includes(name)) return name;
    if (name === "sessions") return access === "write" ? "sessions:write" : "sessions";
    return `sensor:${name}${access === undefined || access === "raw" ? "" : `:${access}`}`;
  }

  function list(names) {
    return names === undefined ? undefined : [names].flat().join(",");
  }

  // --- Sensors --------------------------------------------------------------------------------

  class Sensor {
    #path;

    constructor(id) {
      this.id = String(id);
      this.#path = `/sensors/${encodeURIComponent(this.id)}`;
      Object.freeze(this);
    }

    /** Title, fields with units, availability, collection level and this app's access. */
    describe({ signal } = {}) {
      return get(this.#path, { signal });
    }

    /** The newest sample: `{ t, field: value, … }`, `t` in milliseconds since 1970. */
    latest({ signal } = {}) {
      return get(`${this.#path}/latest`, { signal });
    }

    /**
     * Samples as an array, the oldest first.
     * Options: last | from, to · limit (1000) · order "asc" | "desc" · fields · where · signal.
     */
    async samples(options = {}) {
      const limit = options.limit ?? 1000;
      const query = {
        ...range(options),
        order: options.order,
        fields: list(options.fields),
        where: options.where,
      };
      const found = [];
      let cursor;
      do {
        const size = Math.min(PAGE, limit - found.length);
        const page = await get(`${this.#path}/samples`, {
          query: { ...query, limit: size, cursor },
          signal: options.signal,
        });
        found.push(...page.items);
        cursor = page.next;
      } while (cursor !== undefined && found.length < limit);
      return found;
    }

    /**
     * Statistics of a range. Options: last | from, to · fn · fields · where · every · zone · signal.
     *
     * Without `every`: an object with `count`, `coverage` (0 to 1) and a member for each statistic,
     * which is a number if one field was requested, otherwise an object by field. With `every`: an
     * array of such objects, with `from` and `to`. With `zone`, the IANA name of a time zone, days,
     * weeks and months (`1d`, `1w`, `1mo`) are those of its calendar.
     */
    async stats(options = {}) {
      const answer = await get(`${this.#path}/stats`, {
        query: {
          ...range(options),
          fn: list(options.fn),
          fields: list(options.fields),
          where: options.where,
          every: options.every,
          zone: options.zone,
        },
        signal: options.signal,
      });
      const windows = answer.items.map((window) => {
        const result = {
          from: window.from,
          to: window.to,
          count: window.count ?? null,
          coverage: window.coverage ?? null,
        };
        for (const name of answer.fn) {
          if (name === "count") continue;
          const byField = answer.fields.map((field) => [field.name, window.values[field.name][name]]);
          result[name] = byField.length === 1 ? byField[0][1] : Object.fromEntries(byField);
        }
        return result;
      });
      return options.every === undefined ? windows[0] : windows;
    }

    /**
     * Publishes a sample, `{ field: value, … }` with every field of the sensor, or an array of them,
     * all or none. `t` is milliseconds since 1970, a Date or RFC 3339; now by default.
     * With a `key`, a batch that is repeated within 24 hours is stored once.
     * Resolves to `{ accepted, last }`. Needs write access.
     */
    async publish(samples, { key, signal } = {}) {
      const plain = (sample) =>
        sample.t instanceof Date ? { ...sample, t: sample.t.getTime() } : sample;
      const response = await call(`${this.#path}/samples`, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          ...(key === undefined ? {} : { "Idempotency-Key": String(key) }),
        },
        body: JSON.stringify(Array.isArray(samples) ? samples.map(plain) : plain(samples)),
        signal,
      });
      return response.json();
    }

    /**
     * Live samples, as an async iterator that reconnects automatically: it continues after the last
     * sample, and no sample is lost or repeated. Throws when permission ends; ends without an error
     * when the loop is left or `signal` aborts.
     *
     * `onOpen` is called after each connection; `onGap` with `{ after, through, reason }` if samples
     * were removed ("gone") or are older than the grant's history ("history"); `onDamage` with a list
     * of ranges `{ from, to }` of damaged samples. All live samples of an app share one connection.
     */
    async *stream({ signal, ...options } = {}) {
      if (signal?.aborted) return;
      const reader = new LiveReader(this.id, options);
      const end = () => reader.abort();
      signal?.addEventListener("abort", end);
      const leave = subscribe(reader);
      try {
        for (let text = await reader.next(); text !== null; text = await reader.next()) {
          yield JSON.parse(text);
        }
      } finally {
        signal?.removeEventListener("abort", end);
        leave();
      }
    }

    /**
     * Calls a function with each live sample, until the returned function is called or `signal` aborts.
     * The options are those of `stream`, and `onError`, which is called with the error that ended it.
     */
    watch(onSample, { signal, ...options } = {}) {
      if (typeof onSample !== "function") throw new TypeError("the callback is not a function");
      if (signal?.aborted) return () => {};
      const leave = subscribe(new LiveWatcher(this.id, onSample, options));
      const stop = () => {
        signal?.removeEventListener("abort", stop);
        leave();
      };
      signal?.addEventListener("abort", stop);
      return stop;
    }
  }

  // --- Live samples ---------------------------------------------------------------------------

  // Someone who gets the live samples of a sensor.
  class Subscriber {
    isOpen = false;
    // The sequence number of the last sample that it has, or that it begins after.
    last = undefined;
    // Whether it misses samples because its queue was full.
    isBehind = false;

    constructor(name, options) {
      this.name = name;
      this.options = options;
    }

    get isFull() {
      return false;
    }
  }

  // Calls functions as the samples arrive.
  class LiveWatcher extends Subscriber {
    constructor(name, onSample, options) {
      super(name, options);
      this.onSample = onSample;
    }

    // All watchers of a sensor get the same object.
    take(sample) {
      invoke(this.onSample, sample.value);
    }

    tell(name, value) {
      invoke(this.options[name], value);
    }

    fail(error) {
      invoke(this.options.onError ?? reportError, error);
    }
  }

  // Keeps samples until they are taken.
  class LiveReader extends Subscriber {
    #items = [];
    #wake = null;
    #onRoom = null;

    get isFull() {
      return this.#items.length >= LONGEST_QUEUE;
    }

    // Called once, when all that is kept was taken.
    onRoom(callback) {
      this.#onRoom = callback;
    }

    take(sample) {
      this.#add({ text: sample.text });
    }

    // In the order of the samples.
    tell(name, value) {
      this.#add({ name, value });
    }

    fail(error) {
      this.#add({ error });
    }

    abort() {
      this.#items = [];
      this.#add({ text: null });
    }

    // The JSON of the next sample; null at the end.
    async next() {
      for (;;) {
        while (this.#items.length === 0) {
          const tell = this.#onRoom;
          this.#onRoom = null;
          tell?.();
          await new Promise((resolve) => (this.#wake = resolve));
        }
        const item = this.#items.shift();
        if (item.error !== undefined) throw item.error;
        if (item.name === undefined) return item.text;
        invoke(this.options[item.name], item.value);
      }
    }

    #add(item) {
      this.#items.push(item);
      this.#wake?.();
      this.#wake = null;
    }
  }

  // One connection for the live samples of many sensors: a browser opens at most six to a host. It is
  // reopened when sensors are added or removed; each subscriber then continues at its own position.
  class LiveConnection {
    // The subscribers of each sensor.
    #feeds = new Map();
    // The sensors of the open stream.
    #opened = new Set();
    // All samples up to this sequence number were received.
    #position;
    #attempt = null;
    #isRunning = false;
    #isRefreshing = false;
    #wake = null;

    get size() {
      return this.#feeds.size;
    }

    has(name) {
      return this.#feeds.has(name);
    }

    add(subscriber) {
      const { name } = subscriber;
      const feed = this.#feeds.get(name) ?? new Set();
      this.#feeds.set(name, feed.add(subscriber));
      if (!this.#opened.has(name)) return this.#refresh();
      subscriber.last = this.#position;
      subscriber.isOpen = true;
      queueMicrotask(() => feed.has(subscriber) && subscriber.tell("onOpen"));
    }

    remove(subscriber) {
      const feed = this.#feeds.get(subscriber.name);
      if (!feed?.delete(subscriber)) return;
      this.#resume();
      if (feed.size > 0) return;
      this.#feeds.delete(subscriber.name);
      this.#refresh();
    }

    // Opens the connection for the current sensors, once for all changes of a task.
    #refresh() {
      if (this.#isRefreshing) return;
      this.#isRefreshing = true;
      queueMicrotask(() => {
        this.#isRefreshing = false;
        this.#attempt?.abort();
        this.#resume();
        if (!this.#isRunning && this.size > 0) this.#run();
      });
    }

    async #run() {
      this.#isRunning = true;
      try {
        while (this.size > 0) await this.#follow();
      } catch (error) {
        const all = [...this.#feeds.values()].flatMap((feed) => [...feed]);
        this.#feeds.clear();
        for (const subscriber of all) subscriber.fail(error);
      } finally {
        this.#isRunning = false;
        this.#opened.clear();
        if (this.size > 0) this.#refresh();
        else connections.delete(this);
      }
    }

    // Follows one stream to its end. Rejects with an error that is not temporary.
    async #follow() {
      const { signal } = (this.#attempt = new AbortController());
      const sensors = this.#list();
      // All subscribers are behind.
      if (sensors === "") return this.#pause(signal);
      let hasOpened = false;
      try {
        const headers = { Accept: "text/event-stream" };
        const response = await call("/stream", { query: { sensors }, headers, signal });
        let twins = [];
        for await (const event of events(response)) {
          if (signal.aborted) break;
          hasOpened = true;
          if (event.type === "sample" && event.id === undefined) {
            // The sensor has two names, and the next event has the id of both.
            twins.push(event);
            continue;
          }
          for (const twin of twins) this.#take({ ...twin, id: event.id });
          twins = [];
          this.#take(event);
          await this.#makeRoom(signal);
        }
      } catch (error) {
        const isTemporary = error instanceof TypeError || error.problem === "busy";
        if (!signal.aborted && !isTemporary) throw error;
      } finally {
        this.#settle();
      }
      if (signal.aborted) return;
      for (const feed of this.#feeds.values()) for (const one of feed) one.isOpen = false;
      // The host cannot be reached: retry.
      if (!hasOpened) await pause(RECONNECT_MS, signal);
    }

    // Notes how far the subscribers have got when a stream has ended.
    #settle() {
      for (const name of this.#opened) {
        for (const subscriber of this.#feeds.get(name) ?? []) {
          if (subscriber.isOpen && !subscriber.isBehind) {
            subscriber.last = Math.max(subscriber.last, this.#position);
          }
        }
      }
      this.#opened.clear();
    }

    // The sensors, each with the position at which its samples continue.
    #list() {
      const items = [];
      for (const [name, feed] of this.#feeds) {
        const present = [...feed].filter((subscriber) => !subscriber.isBehind);
        if (present.length === 0) continue;
        const known = present.map(({ last }) => last).filter((last) => last !== undefined);
        items.push(known.length === 0 ? name : `${name}@${Math.min(...known)}`);
      }
      return items.join(",");
    }

    #take({ type, id, data }) {
      const sequence = id === undefined ? undefined : Number(id);
      if (type === "sample") {
        const end = data.indexOf('"', SAMPLE_PREFIX.length);
        const name = data.slice(SAMPLE_PREFIX.length, end);
        const sample = new LiveSample(`{${data.slice(end + 2)}`);
        this.#each(name, (subscriber) => {
          if (subscriber.isBehind || !(sequence > subscriber.last)) return;
          subscriber.last = sequence;
          subscriber.take(sample);
        });
      } else if (type === "open") {
        const { after, sensors } = JSON.parse(data);
        for (const name of sensors) {
          this.#opened.add(name);
          this.#each(name, (subscriber) => {
            subscriber.last ??= after;
            if (subscriber.isOpen) return;
            subscriber.isOpen = true;
            subscriber.tell("onOpen");
          });
        }
      } else if (type === "gap") {
        const { sensor, ...gap } = JSON.parse(data);
        this.#each(sensor, (subscriber) => {
          if (!subscriber.isBehind && gap.through > subscriber.last) subscriber.tell("onGap", gap);
        });
      } else if (type === "damage") {
        const { sensor, damaged } = JSON.parse(data);
        this.#each(sensor, (subscriber) => subscriber.tell("onDamage", damaged));
      } else if (type === "refused") {
        const { sensor, problem } = JSON.parse(data);
        const error = problemError(problem, problem.status);
        const feed = this.#feeds.get(sensor) ?? [];
        this.#feeds.delete(sensor);
        this.#opened.delete(sensor);
        for (const subscriber of feed) subscriber.fail(error);
        if (this.size === 0) this.#refresh();
      } else if (type === "problem") {
        const problem = JSON.parse(data);
        throw problemError(problem, problem.status);
      }
      if (sequence !== undefined) this.#position = sequence;
    }

    // A callback may remove other subscribers.
    #each(name, body) {
      const feed = this.#feeds.get(name) ?? new Set();
      for (const subscriber of [...feed]) if (feed.has(subscriber)) body(subscriber);
    }

    // A slow reader does not delay the others: it misses samples, and gets them when it has taken those
    // that it has. While all are slow, the host waits.
    async #makeRoom(signal) {
      const present = [...this.#feeds.values()]
        .flatMap((feed) => [...feed])
        .filter((subscriber) => !subscriber.isBehind);
      const full = present.filter((subscriber) => subscriber.isFull);
      if (full.length === 0) return;
      if (full.length === present.length) {
        for (const reader of full) reader.onRoom(() => this.#resume());
        return this.#pause(signal);
      }
      for (const reader of full) {
        reader.isBehind = true;
        reader.onRoom(() => {
          reader.isBehind = false;
          this.#refresh();
        });
      }
    }

    #pause(signal) {
      if (signal.aborted) return undefined;
      return new Promise((resolve) => (this.#wake = resolve));
    }

    #resume() {
      this.#wake?.();
      this.#wake = null;
    }
  }

  // A sample that is parsed when it is used.
  class LiveSample {
    #value;

    constructor(text) {
      this.text = text;
    }

    get value() {
      return (this.#value ??= JSON.parse(this.text));
    }
  }

  const connections = new Set();

  // Adds a subscriber. Returns a function that removes it.
  function subscribe(subscriber) {
    const { name } = subscriber;
    if (!/^[^,@*]+$/.test(name)) {
      const detail = `${JSON.stringify(name)} is not a sensor's name.`;
      const error = problemError({ detail, code: "not-found" }, 404);
      let isAwaited = true;
      queueMicrotask(() => isAwaited && subscriber.fail(error));
      return () => (isAwaited = false);
    }
    const all = [...connections];
    const connection =
      all.find((one) => one.has(name)) ??
      all.find((one) => one.size < MOST_SENSORS) ??
      new LiveConnection();
    connections.add(connection);
    connection.add(subscriber);
    return () => connection.remove(subscriber);
  }

  // An error that a callback throws is reported as uncaught and does not affect the caller.
  function invoke(callback, value) {
    try {
      callback?.(value);
    } catch (error) {
      reportError(error);
    }
  }

  function pause(milliseconds, signal) {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      signal.addEventListener("abort", done);
      if (signal.aborted) done();
    });
  }

  // The events of a text/event-stream, parsed as in the HTML Standard.
  async function* events(response) {
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    let buffer = "";
    let event = { data: [] };
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        buffer += decoder.decode(value, { stream: true });
        const lines = buffer.split("\n");
        buffer = lines.pop();
        for (const line of lines) {
          if (line === "") {
            if (event.data.length > 0) {
              yield { type: event.type ?? "message", id: event.id, data: event.data.join("\n") };
            } else if (event.id !== undefined) {
              yield { type: "place", id: event.id };
            }
            event = { data: [] };
            continue;
          }
          const colon = line.indexOf(":");
          if (colon === 0) continue;
          const name = colon < 0 ? line : line.slice(0, colon);
          const text = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
          if (name === "data") event.data.push(text);
          if (name === "event") event.type = text;
          if (name === "id") event.id = text;
        }
      }
    } finally {
      await reader.cancel().catch(() => {});
    }
  }

  // --- Storage --------------------------------------------------------------------------------

  // A URL cannot contain these keys: they would mean another path.
  function storagePath(key) {
    const text = String(key);
    if (["", ".", ".."].includes(text)) {
      throw new DOMException(`${JSON.stringify(text)} is no key.`, "DataError");
    }
    if (!text.isWellFormed()) throw new DOMException("A key must be well-formed.", "DataError");
    return `/storage/${encodeURIComponent(text)}`;
  }

  const storage = Object.freeze({
    /** The value of a key; undefined if there is none. */
    async get(key, { signal } = {}) {
      const path = storagePath(key);
      let response;
      try {
        response = await call(path, { signal });
      } catch (error) {
        if (error instanceof DOMException && error.problem === "not-found") return undefined;
        throw error;
      }
      const type = response.headers.get("Content-Type") ?? "";
      if (type.startsWith("application/json")) return response.json();
      if (type.startsWith("text/")) return response.text();
      return new Uint8Array(await response.arrayBuffer());
    },

    /**
     * Stores a JSON value of at most 1 MiB; an app can store 10 MiB. Rejects with a QuotaExceededError,
     * with `used` and `limit`, if the storage is full; the previous value is kept then.
     */
    async set(key, value, { signal } = {}) {
      const body = JSON.stringify(value);
      if (body === undefined) throw new DOMException("JSON has no such value.", "DataError");
      const bytes = new TextEncoder().encode(body);
      if (bytes.length > LONGEST_VALUE) {
        throw new DOMException("A value has at most 1 MiB as JSON.", "QuotaExceededError");
      }
      const headers = { "Content-Type": "application/json" };
      await call(storagePath(key), { method: "PUT", headers, body: bytes, signal });
    },

    async remove(key, { signal } = {}) {
      await call(storagePath(key), { method: "DELETE", signal });
    },

    /** All keys, in the order of their UTF-8. */
    async keys({ signal } = {}) {
      return (await get("/storage", { signal })).items.map((item) => item.key);
    },

    /** Removes all keys; `localStorage` and `indexedDB` are kept. */
    async clear({ signal } = {}) {
      await call("/storage", { method: "DELETE", signal });
    },

    /** `{ used, limit }` in bytes of keys and values, including `localStorage` and `indexedDB` of headless runs. */
    async usage({ signal } = {}) {
      const { used, limit } = await get("/storage", { signal });
      return { used, limit };
    },
  });

  // --- Sessions -------------------------------------------------------------------------------

  const sessionPath = (id) => `/sessions/${encodeURIComponent(String(id))}`;

  const step =
    (name) =>
    async (id, { signal } = {}) =>
      (await call(`${sessionPath(id)}/${name}`, { method: "POST", signal })).json();

  const sessions = Object.freeze({
    /** The sessions, the newest first: all with "sessions", those of this app with "sessions:write". */
    async list({ limit = 100, signal } = {}) {
      const found = [];
      let cursor;
      do {
        const query = { limit: Math.min(1000, limit - found.length), cursor };
        const page = await get("/sessions", { query, signal });
        found.push(...page.items);
        cursor = page.next;
      } while (cursor !== undefined && found.length < limit);
      return found;
    },

    /** One session: its name, sensors, state and active intervals (`spans`). */
    get(id, { signal } = {}) {
      return get(sessionPath(id), { signal });
    },

    /** Creates a session of sensors that the app may use; it is not started. */
    async create({ id, name, description, sensors, signal }) {
      const json = { id, name, description, sensors: [sensors].flat() };
      return (await call("/sessions", { json, signal })).json();
    },

    /** Changes `name`, `description`, before the start `sensors`, or `distance` in metres. */
    async update(id, { name, description, sensors, distance, signal }) {
      const body = JSON.stringify({ name, description, sensors, distance });
      const headers = { "Content-Type": "application/json" };
      return (await call(sessionPath(id), { method: "PATCH", headers, body, signal })).json();
    },

    /** Deletes a session; its samples are kept. */
    async remove(id, { signal } = {}) {
      await call(sessionPath(id), { method: "DELETE", signal });
    },

    start: step("start"),
    pause: step("pause"),
    resume: step("resume"),
    finish: step("finish"),

    /** The route as GeoJSON, of a location sensor whose samples the app may read. */
    route(id, { sensor, signal } = {}) {
      return get(`${sessionPath(id)}/route`, { query: { sensor }, signal });
    },

    /** The samples of one of its sensors, the oldest first; `sensor` if it has several. */
    async samples(id, { sensor, signal } = {}) {
      const headers = { Accept: "application/json" };
      return (await get(`${sessionPath(id)}/samples`, { query: { sensor }, headers, signal })).items;
    },

    /** What the session measures, once per second until it is finished, as an async iterator. */
    async *live(id, { signal } = {}) {
      const headers = { Accept: "text/event-stream" };
      const response = await call(`${sessionPath(id)}/live`, { headers, signal });
      for await (const { type, data } of events(response)) {
        if (type === "live") yield JSON.parse(data);
        if (type !== "problem") continue;
        const problem = JSON.parse(data);
        throw problemError(problem, problem.status);
      }
    },
  });

  // --- Health store ---------------------------------------------------------------------------

  // A time as the host takes it: a Date becomes milliseconds.
  const moment = (time) => (time instanceof Date ? time.getTime() : time);

  const plainSample = (sample) => ({
    ...sample,
    start: moment(sample.start),
    end: moment(sample.end),
  });

  // The time zone of the app, in which the texts of workouts are.
  const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

  // The items of a list, of which the host returns pages.
  async function pages(path, { limit, signal, ...query }) {
    const found = [];
    let cursor;
    do {
      const size = Math.min(PAGE, limit - found.length);
      const page = await get(path, { query: { ...query, limit: size, cursor }, signal });
      found.push(...page.items);
      cursor = page.next;
    } while (cursor !== undefined && found.length < limit);
    return found;
  }

  const WALKED = "distance-walking-running";
  // What a label of the sensor "activity" is as a workout. What is not known to be something else is a
  // walk; standing still and being driven are not.
  const ACTIVITIES = new Map(
    Object.entries({
      running: { activity: "running", distance: WALKED },
      cycling: { activity: "cycling", distance: "distance-cycling" },
      driving: { activity: "driving", distance: undefined },
      stationary: { activity: "other", distance: undefined },
    }),
  );

  const health = Object.freeze({
    /** Every type of health data that the host knows, with its units or values. */
    async types({ signal } = {}) {
      return (await get("/health/types", { signal })).items;
    },

    /** A text, or for "height" a number in metres; undefined if the owner has set none. */
    async characteristic(type, { signal } = {}) {
      try {
        return (await get(`/health/characteristics/${encodeURIComponent(type)}`, { signal })).value;
      } catch (error) {
        if (error instanceof DOMException && error.problem === "not-found") return undefined;
        throw error;
      }
    },

    /**
     * Samples of a quantity or category, the newest first.
     * Options: last | from, to · limit (100) · order "desc" | "asc" · unit · own · signal.
     */
    samples(type, { limit = 100, order, unit, own, signal, ...when } = {}) {
      return pages("/health/samples", { type, ...range(when), order, unit, own, limit, signal });
    },

    /** Saves a sample, `{ type, value, unit, start, end, key, metadata }`, or several, all or none. */
    async save(samples, { signal } = {}) {
      const json = [samples].flat().map(plainSample);
      return (await (await call("/health/samples", { json, signal })).json()).items;
    },

    /**
     * Saves a workout, `{ activity, start, end, duration, samples, key, metadata }`, and its samples, or
     * nothing. With a `key`, saving the same again stores it once.
     */
    async saveWorkout(workout, { signal } = {}) {
      const json = {
        ...workout,
        start: moment(workout.start),
        end: moment(workout.end),
        samples: (workout.samples ?? []).map(plainSample),
      };
      const query = { zone: ownZone() };
      return (await call("/health/workouts", { query, json, signal })).json();
    },

    /** Saves a correlation, `{ type, start, samples, key, metadata }`, and its samples, or nothing. */
    async saveCorrelation(correlation, { signal } = {}) {
      const json = {
        ...correlation,
        start: moment(correlation.start),
        samples: correlation.samples.map(plainSample),
      };
      return (await call("/health/correlations", { json, signal })).json();
    },

    /**
     * Workouts, the newest first; by default at most 10 of the last 7 days.
     * Options: last | from, to · limit · activity · own · zone · signal.
     */
    workouts({ limit = 10, activity, own, zone = ownZone(), signal, ...when } = {}) {
      return pages("/health/workouts", { ...range(when), activity, own, zone, limit, signal });
    },

    /** A workout with its samples of the types that the app may read. */
    workout(id, { zone = ownZone(), signal } = {}) {
      return get(`/health/workouts/${encodeURIComponent(String(id))}`, { query: { zone }, signal });
    },

    /** Correlations such as "blood-pressure" with their samples, the newest first. */
    correlations(type, { limit = 100, order, own, signal, ...when } = {}) {
      return pages("/health/correlations", { type, ...range(when), order, own, limit, signal });
    },

    /** Deletes a sample, workout or correlation that this app saved; of the last two also their samples. */
    async remove(id, { signal } = {}) {
      await call(`/health/objects/${encodeURIComponent(String(id))}`, { method: "DELETE", signal });
    },

    /** The activity and the type of the distance of a workout, for a label of the sensor "activity". */
    activityOf(label) {
      const { activity, distance } =
        ACTIVITIES.get(String(label)) ?? { activity: "walking", distance: WALKED };
      return { activity, distance };
    },
  });

  // --- Permissions ----------------------------------------------------------------------------

  async function stateOf(asked, signal) {
    const privilege = encodeURIComponent(privilegeOf(asked));
    return (await get(`/permissions/${privilege}`, { signal })).state;
  }

  // A permission, as in the W3C's Permissions. While it has a listener for "change", it polls the host
  // once per second.
  class PermissionStatus extends EventTarget {
    #asked;
    #state;
    #handler = null;
    #listeners = new Set();
    #timer = null;

    constructor(asked, state) {
      super();
      this.#asked = asked;
      this.#state = state;
    }

    get name() {
      return this.#asked.name;
    }

    get access() {
      return this.#asked.access;
    }

    get origin() {
      return this.#asked.origin;
    }

    get type() {
      return this.#asked.type;
    }

    get state() {
      return this.#state;
    }

    get onchange() {
      return this.#handler;
    }

    set onchange(value) {
      if (this.#handler !== null) this.removeEventListener("change", this.#handler);
      this.#handler = typeof value === "function" ? value : null;
      if (this.#handler !== null) this.addEventListener("change", this.#handler);
    }

    addEventListener(type, callback, options) {
      super.addEventListener(type, callback, options);
      if (String(type) !== "change" || !callback || options?.signal?.aborted) return;
      this.#listeners.add(callback);
      const leave = () => this.removeEventListener(type, callback, options);
      options?.signal?.addEventListener("abort", leave);
      if (options?.once) super.addEventListener(type, leave, { once: true });
      this.#timer ??= setTimeout(() => this.#look(), REQUERY_MS);
    }

    removeEventListener(type, callback, options) {
      super.removeEventListener(type, callback, options);
      if (String(type) === "change") this.#listeners.delete(callback);
      if (this.#listeners.size > 0) return;
      clearTimeout(this.#timer);
      this.#timer = null;
    }

    toJSON() {
      const { name, access, origin, type, state } = this;
      return { name, access, origin, type, state };
    }

    async #look() {
      let state = this.#state;
      try {
        state = await stateOf(this.#asked);
      } catch (error) {
        // Stop if the token has ended; other errors may be temporary.
        if (error.name === "NotAllowedError") state = "denied";
      }
      if (this.#listeners.size === 0) return;
      this.#timer = setTimeout(() => this.#look(), REQUERY_MS);
      if (state === this.#state) return;
      this.#state = state;
      this.dispatchEvent(new Event("change"));
    }
  }

  // --- The object that apps see ---------------------------------------------------------------

  const nervous = Object.freeze({
    version: "1.0",

    /** The sensors about which the owner has decided for this app. */
    async sensors({ signal } = {}) {
      return (await get("/sensors", { signal })).items;
    },

    sensor(id) {
      return new Sensor(id);
    },

    /**
     * Analyses fields such as "cpu.busy"; null if there is too little data.
     * Options: last | from, to · where · every · join { method, within } · parameters · signal.
     *
     *     const { clusters } = await nervous.analyze("k-means", ["cpu.busy", "memory.used"],
     *       { last: "1h", every: "10s", parameters: { k: 3 } });
     */
    async analyze(analysis, inputs, options = {}) {
      const { where, every, join, parameters, signal } = options;
      const json = {
        analysis: String(analysis),
        inputs: [inputs].flat().map(String),
        ...range(options),
        where: where === undefined ? undefined : [where].flat(),
        every,
        join,
        parameters,
      };
      return (await (await call("/analyze", { json, signal })).json()).result;
    },

    /**
     * Makes up to 100 calls at once, and resolves to their answers { status, headers, body }, in their order:
     *
     *     const [cpu] = await nervous.batch([{ path: "/api/v1/sensors/cpu/latest" }]);
     */
    async batch(calls, { signal } = {}) {
      const response = await call("/batch", { json: { calls: [...calls] }, signal });
      return (await response.json()).items;
    },

    /** The values that the app stores; other apps cannot read them. */
    storage,

    /** Workouts, trips and measurements. */
    sessions,

    /** What apps measure about the owner, with a permission for each type. */
    health,

    /**
     * Sends a message to the owner, with the app's name; at most 10 per minute. A later message with
     * the same `tag` replaces this one. With `unlessViewed` it is omitted while a page of the app is
     * visible, or a terminal watches the run.
     */
    async notify(title, { body, tag, unlessViewed, signal } = {}) {
      const text = (value) => (value === undefined ? undefined : String(value));
      const json = {
        title: String(title),
        body: text(body),
        tag: text(tag),
        unlessViewed: unlessViewed === undefined ? undefined : Boolean(unlessViewed),
      };
      await call("/notifications", { json, signal });
    },

    /** Calls to other servers, which the owner allows. */
    net,

    permissions: Object.freeze({
      /**
       * The permission for a privilege: `state` is "granted", "denied" or "prompt"; the event "change"
       * reports changes. `name` is a sensor, or "identity", "storage", "notify", "sessions" (`access`
       * "write" to record them), "net" with an `origin` such as "https://api.example.org", or "health"
       * with a `type` such as "heart-rate" (`access` "write" to save it).
       */
      async query({ name, access, origin, type, signal }) {
        const asked = { name: String(name), access, origin, type };
        return new PermissionStatus(asked, await stateOf(asked, signal));
      },

      /**
       * Requests a declared privilege, and waits for a while for the owner's decision; `state` is
       * "prompt" if there is none.
       */
      async request({ name, access, origin, type, signal }) {
        const asked = { name: String(name), access, origin, type };
        const json = { privilege: privilegeOf(asked) };
        const answer = await (await call("/permissions/request", { json, signal })).json();
        return new PermissionStatus(asked, answer.state);
      },

      /** All decisions about this app, with their terms. */
      async list({ signal } = {}) {
        return (await get("/me", { signal })).privileges;
      },
    }),

    /**
     * Shows where to change the permissions of this app: the owner's dashboard in a new tab, or, in a
     * headless run, the command on the console. Returns `{ command, url }`; `url` is null without a
     * browser.
     */
    openSettings() {
      const [app] = location.hostname.split(".");
      const command = `nervous permissions ${app}`;
      if (isHeadless) {
        console.info(`Change what this app may do with: ${command}`);
        return { command, url: null };
      }
      const url = dashboardPage();
      globalThis.open(url, "_blank", "noopener");
      return { command, url };
    },

    /** Ends a headless run; no effect in a browser. */
    exit(code = 0) {
      if (isHeadless) globalThis.close(code);
    },
  });

  Object.defineProperty(globalThis, "nervous", { value: nervous, enumerable: true });

  // --- Visibility -----------------------------------------------------------------------------

  // Reports to the host that the page is visible, so that messages of a run can be omitted. A report
  // is valid for half a minute.
  async function tellView(visible) {
    const headers = { "Content-Type": "application/json" };
    const body = JSON.stringify({ visible });
    try {
      // Sent even while the page is closed.
      await call("/view", { method: "PUT", headers, body, keepalive: true });
    } catch (error) {
      // Stop if the token has ended; other errors may be temporary.
      if (["invalid-token", "missing-token"].includes(error.problem)) clearInterval(viewing);
    }
  }

  const isSeen = () => document.visibilityState === "visible";
  let viewing;
  if (isLaunched) {
    viewing = setInterval(() => isSeen() && tellView(true), VIEW_MS);
    if (isSeen()) tellView(true);
    document.addEventListener("visibilitychange", () => tellView(isSeen()));
    addEventListener("pagehide", () => tellView(false));
  }
})();
