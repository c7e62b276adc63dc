// libs.js: the API of the earlier generations of nervousnet, for their apps, after jQuery and nervous.js
// in one file; the same in a browser and in a runner.
//
// Those apps call a host at http://localhost:8080; their calls go to the origin of the page instead,
// whatever its port.
(() => {
  "use strict";

  // --- Addresses ------------------------------------------------------------------------------

  const API = ["/nervousnet-api/", "/nervous-api/"];
  const PATHS = [
    ...API,
    "/nervousnet-axons/",
    "/nervousnet-axon-resources/",
    "/axon-res/",
    "/nervous-jsapps/",
    "/nervous-resources/",
  ];
  const HOSTS = ["localhost", "127.0.0.1", "[::1]"];

  const here = () => String(globalThis.document?.baseURI ?? globalThis.location);

  /** Maps a URL of the former host to this host; other URLs are unchanged. */
  function redirected(address) {
    let url;
    try {
      url = new URL(address, here());
    } catch {
      // The function that is called with it reports the error.
      return address;
    }
    const isHost = url.protocol === "http:" && HOSTS.includes(url.hostname);
    if (!isHost || !PATHS.some((path) => url.pathname.startsWith(path))) return address;
    return new URL(url.pathname + url.search, String(globalThis.location)).href;
  }

  const watched = new WeakMap();

  const { open } = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.open = function (method, address) {
    arguments[1] = redirected(`${address}`);
    Reflect.apply(open, this, arguments);
    if (!watched.has(this)) {
      let end = () => {};
      this.addEventListener("loadstart", () => { end = beginCall(watched.get(this)); });
      this.addEventListener("load", () => reportCall(this));
      this.addEventListener("loadend", () => end());
    }
    watched.set(this, arguments[1]);
  };

  const { fetch } = globalThis;
  globalThis.fetch = async function (input, init) {
    let call = input;
    if (!(input instanceof Request)) call = redirected(`${input}`);
    else if (redirected(input.url) !== input.url) call = new Request(redirected(input.url), input);
    const end = beginCall(call instanceof Request ? call.url : call);
    const response = await fetch(call, init).finally(end);
    if (response.status < 400 || subject(response.url) === null) return response;
    // The body is read here, so the app gets a copy.
    const text = await response.text();
    report(response.url, response.status, text);
    const { status, statusText, headers, url } = response;
    return Object.defineProperty(new Response(text, { status, statusText, headers }), "url", {
      value: url,
      configurable: true,
    });
  };

  // --- Failed calls ---------------------------------------------------------------------------

  // Nervousnet apps ignore failed calls, so the console says why a sensor has no values: once for each
  // sensor and reason, since they call again and again.

  const reported = new Set();
  const REPORTS = 256;

  /** What a URL of the API asks for, the name of a sensor or another path; `null` for other URLs. */
  function subject(address) {
    const url = new URL(address, here());
    const prefix = API.find((path) => url.pathname.startsWith(path));
    if (prefix === undefined || url.origin !== new URL(String(globalThis.location)).origin) return null;
    const path = url.pathname.slice(prefix.length);
    return path.match(/^raw-sensor-data\/(.*)/)?.[1] ?? url.searchParams.get("axon") ?? path;
  }

  function report(address, status, text) {
    const name = subject(address);
    if (name === null) return;
    let problem = {};
    try {
      problem = JSON.parse(text) ?? {};
    } catch {
      // Not a problem document: only the status is known.
    }
    const key = `${problem.code ?? status} ${name}`;
    if (reported.has(key) || reported.size >= REPORTS) return;
    reported.add(key);
    const reason = problem.detail ?? `The host answered ${status}.`;
    console.error([`The call for ${name} failed: ${reason}`, problem.fix].filter(Boolean).join(" "));
  }

  function reportCall(call) {
    if (call.status < 400) return;
    const { responseType } = call;
    const text =
      responseType === "" || responseType === "text"
        ? call.responseText
        : JSON.stringify(responseType === "json" ? call.response : null);
    report(watched.get(call), call.status, text);
  }

  // --- Calls that wait ------------------------------------------------------------------------

  // A page has no prompt: while calls wait for the owner's decision, it says so. In a headless run,
  // the prompt is in the terminal.

  const isHeadless = navigator.userAgent.startsWith("Nervous/");
  const NOTICE_MS = 700;
  const waiting = new Map();
  let notice = null;

  /** Notes a call of the API; returns a function that notes its end. */
  function beginCall(address) {
    const name = isHeadless ? null : subject(address);
    if (name === null) return () => {};
    const key = {};
    const timer = setTimeout(() => {
      waiting.set(key, name);
      showWaiting();
    }, NOTICE_MS);
    return () => {
      clearTimeout(timer);
      if (waiting.delete(key)) showWaiting();
    };
  }

  function showWaiting() {
    if (waiting.size === 0) {
      notice?.remove();
      notice = null;
      return;
    }
    if (notice === null) {
      notice = document.createElement("div");
      notice.setAttribute("role", "status");
      notice.style.cssText =
        "position:fixed;bottom:0;left:0;right:0;padding:.5em 1em;background:#333;color:#fff;z-index:99999";
      document.documentElement.append(notice);
    }
    const [app] = location.hostname.split(".");
    const names = [...new Set(waiting.values())].join(", ");
    notice.textContent =
      `Waiting for your decision about ${names}. Decide in the dashboard, or with: nervous run ${app}`;
  }

  // --- Pages ----------------------------------------------------------------------------------

  const controllers = new Map();
  const shown = [];

  // A page without its end tag has the following pages inside; hidden, it would hide them too.
  function separatePages() {
    let last = null;
    for (const page of [...document.querySelectorAll(".app-page")]) {
      const outer = page.parentNode?.closest?.(".app-page");
      // The pages before it are separated already, so none is inside another one.
      if (outer) outer.parentNode.insertBefore(page, (last ?? outer).nextSibling);
      last = page;
    }
  }

  function pageNamed(name) {
    separatePages();
    const pages = [...document.querySelectorAll(".app-page")];
    return pages.find((page) => page.getAttribute("data-page") === name);
  }

  function show(name, values) {
    const page = pageNamed(name);
    if (page === undefined) {
      // A script in the head runs before the pages are parsed.
      if (document.readyState === "loading") {
        document.addEventListener("DOMContentLoaded", () => show(name, values), { once: true });
        return;
      }
      throw new TypeError(`${name} is not a known page`);
    }
    for (const other of document.querySelectorAll(".app-page")) {
      if (other !== page) other.setAttribute("hidden", "");
    }
    page.removeAttribute("hidden");
    controllers.get(name)?.call(page, page, values ?? {});
  }

  const App = {
    /** Calls a function with the page and the value passed to it, each time the page is shown. */
    controller(name, body) {
      controllers.set(String(name), body);
    },

    /** Shows the page whose `data-page` is the name, and no other. */
    load(name, values) {
      show(String(name), values);
      shown.push({ name: String(name), values });
    },

    /** Shows the previous page, or the last one of this name. */
    back(name) {
      const last = shown.slice(0, -1).map((entry) => entry.name);
      const place = name === undefined ? last.length - 1 : last.lastIndexOf(String(name));
      if (place < 0) return;
      shown.length = place + 1;
      show(shown[place].name, shown[place].values);
    },
  };

  document.addEventListener("click", (event) => {
    const button = event.target?.closest?.("[data-target], [data-back]");
    if (!button) return;
    if (button.hasAttribute("data-back")) return App.back();
    const text = button.getAttribute("data-target-args");
    App.load(button.getAttribute("data-target"), text === null ? {} : JSON.parse(text));
  });

  // --- The host of the first generation -------------------------------------------------------

  async function read(path) {
    const response = await globalThis.fetch(`/nervous-api/${path}`);
    const answer = await response.json();
    if (!response.ok) throw new Error([answer.detail, answer.fix].filter(Boolean).join(" "));
    return answer;
  }

  // A promise with the methods of jQuery's promises.
  function answer(path) {
    const promise = read(path);
    const also = (settle) => (body) => {
      settle(body);
      return promise;
    };
    promise.done = also((body) => promise.then(body, () => {}));
    promise.fail = also((body) => promise.catch(body));
    promise.always = also((body) => promise.then(body, body));
    return promise;
  }

  const Nervous = {
    getJSAPIVersion: () => 0.1,
    /** Promise of `{ version }`. */
    getHWAPIVersion: () => answer("version"),
    /** Promise of `{ x, y, z }`, in radians per second. */
    getGyr: () => answer("gyr/getGyr"),
    /** Promise of `{ x, y, z }`, in metres per second squared. */
    getAcc: () => answer("acc/getAcc"),
  };

  // --- Globals --------------------------------------------------------------------------------

  for (const [name, value] of Object.entries({ App, Nervous })) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }

  // Libraries of other servers do not load: log which, and continue.
  globalThis.addEventListener?.(
    "error",
    ({ target }) => {
      const address = target?.localName === "script" ? target.src : undefined;
      if (address) console.warn(`${address} is not part of the app and was not loaded.`);
    },
    true,
  );
})();
