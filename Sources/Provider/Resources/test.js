// test.js: the test library of JSApps. `nervous test` runs it before a test's own file, in the confined
// process of the app; `plan` selects the test.
//
// It captures the built-ins that it needs before the app can change them.
(function (plan) {
  "use strict";

  const API = "/api/test";
  const LONGEST_TIMER = 0x7fffffff;
  const UNITS = { us: 0.001, ms: 1, s: 1000, m: 60e3, h: 3600e3, d: 86400e3 };
  const { close, fetch, setTimeout, XMLHttpRequest, performance } = globalThis;
  const { stringify } = JSON;
  const tests = [];

  // --- The host -------------------------------------------------------------------------------

  async function ask(method, path, json) {
    const content = json === undefined ? {}
      : { body: stringify(json), headers: { "Content-Type": "application/json" } };
    const response = await fetch(API + path, { method, ...content });
    if (response.status === 204) return undefined;
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.detail);
    return answer;
  }

  function milliseconds(span) {
    if (typeof span === "number" && span >= 0) return span;
    const parts = /^(\d+)(us|ms|s|m|h|d)$/.exec(span);
    if (parts === null) throw new TypeError(`${show(span)} is not a duration such as "10s" or "5m"`);
    return parts[1] * UNITS[parts[2]];
  }

  const clock = Object.freeze({
    /** Advances the time: milliseconds, or a span such as "10s", "5m", "2h", "1d". */
    async advance(span) {
      for (let rest = milliseconds(span); rest > 0; rest -= LONGEST_TIMER) {
        await new Promise((resolve) => setTimeout(resolve, Math.min(rest, LONGEST_TIMER)));
      }
      // Other work that is due at this moment comes first.
      await new Promise((resolve) => setTimeout(resolve, 0));
    },
    /** The time, in milliseconds since 1970. */
    now: () => performance.timeOrigin + performance.now(),
  });

  const sensors = Object.freeze({
    /** Sets fields of a sensor from now on: sensors.set("battery", { level: 5 }). */
    set: (id, values) => ask("PUT", `/sensors/${encodeURIComponent(id)}`, values),
    /** Resets a sensor to the scenario. */
    reset: (id) => ask("DELETE", `/sensors/${encodeURIComponent(id)}`),
    /** Switches the scenario: still, walk, ride, drive, battery-day, room, vibration. */
    play: (scenario) => ask("PUT", "/scenario", { scenario }),
  });

  const decide = (privilege, decision) => ask("PUT", "/permissions", { privilege, decision });
  const permissions = Object.freeze({
    /** The owner's decisions, about "sensor:cpu", "sensor:cpu:stats", "storage" and so on. */
    allow: (privilege) => decide(privilege, "allow"),
    deny: (privilege) => decide(privilege, "deny"),
    statistics: (privilege) => decide(privilege, "stats"),
  });

  const health = Object.freeze({
    /** Sets a characteristic, as the owner does: health.set("date-of-birth", "1984-02-29"). */
    set: (type, value) => ask("PUT", `/health/characteristics/${encodeURIComponent(type)}`, { value }),
    /** Removes a characteristic. */
    unset: (type) => ask("DELETE", `/health/characteristics/${encodeURIComponent(type)}`),
    /** Saves samples that are not of the app: health.add({ type: "heart-rate", value: 61 }). */
    add: async (samples) => (await ask("POST", "/health/samples", [samples].flat())).items,
    /** Saves a workout that is not of the app: health.addWorkout({ activity, start, end, samples }). */
    addWorkout: (workout) => ask("POST", "/health/workouts", workout),
  });

  // --- The app --------------------------------------------------------------------------------

  let isStarted = false, areErrorsSeen = false;
  const app = Object.freeze({
    /** Starts the app as a run does; resolves when it waits for the first time. */
    async start() {
      if (isStarted) return;
      isStarted = true;
      await ask("POST", "/start");
    },
    /** Starts the app unless it runs, and advances the time; resolves to its recorded actions. */
    async run(span = 0) {
      await this.start();
      await clock.advance(span);
      return this.result();
    },
    /**
     * The recorded actions of the app: `lines` of its console ({ text, level, t }), uncaught `errors`
     * ({ message, place, t }), samples that it `published` by sensor, `notifications`, `calls`
     * ({ method, path, status, t }), and its exit code as `exit`, or null.
     */
    async result() {
      const { errors, ...rest } = await ask("GET", "/result");
      // A test that reads the errors expects them; otherwise they fail it.
      return Object.defineProperty(rest, "errors", {
        enumerable: true,
        get() { areErrorsSeen = true; return errors; },
      });
    },
  });

  // `nervous.exit` must not end the test: the app stops, and its later output is ignored.
  const ending = { toString: () => "the app has ended" };
  globalThis.close = function close(code = 0) {
    const call = new XMLHttpRequest();
    call.open("POST", `${API}/exit`, false);
    call.setRequestHeader("Content-Type", "application/json");
    call.send(stringify({ code: Number(code) || 0 }));
    throw ending;
  };
  globalThis.addEventListener("error", (event) => {
    if (event.error === ending) event.preventDefault();
  });
  globalThis.addEventListener("unhandledrejection", (event) => {
    if (event.reason === ending) event.preventDefault();
  });

  // --- Assertions -----------------------------------------------------------------------------

  class AssertionError extends Error {
    constructor(message, details = {}) {
      super(message);
      this.name = "AssertionError";
      Object.assign(this, details);
    }
  }

  function show(value, depth = 3) {
    if (typeof value === "string") return stringify(value);
    if (typeof value === "bigint") return `${value}n`;
    if (typeof value === "function") return `[function ${value.name || "without a name"}]`;
    if (typeof value !== "object" || value === null) return Object.is(value, -0) ? "-0" : String(value);
    if (value instanceof Error) return `${value.name}: ${value.message}`;
    if (value instanceof Date) return `Date ${Number.isNaN(+value) ? "invalid" : value.toISOString()}`;
    if (value instanceof RegExp) return String(value);
    if (depth === 0) return Array.isArray(value) ? "[…]" : "{…}";
    const inner = (item) => show(item, depth - 1);
    const bounded = (parts) => (parts.length > 100 ? [...parts.slice(0, 100), "…"] : parts).join(", ");
    if (value instanceof Set) return `Set {${bounded([...value].map(inner))}}`;
    if (value instanceof Map) {
      return `Map {${bounded([...value].map(([key, item]) => `${inner(key)}: ${inner(item)}`))}}`;
    }
    if (Array.isArray(value) || ArrayBuffer.isView(value)) return `[${bounded(Array.from(value, inner))}]`;
    return `{${bounded(Object.keys(value).map((key) => `${key}: ${inner(value[key])}`))}}`;
  }

  // The path of the first difference, such as ".items[2].name"; null if the values are equal.
  function difference(actual, expected, path = "", pairs = []) {
    if (Object.is(actual, expected)) return null;
    const areObjects = [actual, expected].every((value) => typeof value === "object" && value !== null);
    if (!areObjects || Object.getPrototypeOf(actual) !== Object.getPrototypeOf(expected)) return path;
    if (pairs.some(([one, other]) => one === actual && other === expected)) return null;
    const inner = [...pairs, [actual, expected]];
    if (actual instanceof Date) return Object.is(+actual, +expected) ? null : path;
    if (actual instanceof RegExp) return String(actual) === String(expected) ? null : path;
    if (actual instanceof Error && actual.message !== expected.message) return `${path}.message`;
    if (actual instanceof Map) {
      if (actual.size !== expected.size) return `${path}.size`;
      for (const [key, item] of expected) {
        if (!actual.has(key)) return `${path}.get(${show(key)})`;
        const found = difference(actual.get(key), item, `${path}.get(${show(key)})`, inner);
        if (found !== null) return found;
      }
      return null;
    }
    if (actual instanceof Set) {
      const isSame = actual.size === expected.size && [...expected].every((item) =>
        actual.has(item) || [...actual].some((other) => difference(other, item, "", inner) === null));
      return isSame ? null : path;
    }
    const isList = Array.isArray(actual) || ArrayBuffer.isView(actual);
    if (isList && actual.length !== expected.length) return `${path}.length`;
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      const place = isList ? `${path}[${key}]` : `${path}.${key}`;
      if (!Object.hasOwn(actual, key) || !Object.hasOwn(expected, key)) return place;
      const found = difference(actual[key], expected[key], place, inner);
      if (found !== null) return found;
    }
    return null;
  }

  function fail(message, standard, actual, expected, at) {
    throw new AssertionError(message ?? standard, { actual: show(actual), expected: show(expected), at });
  }

  // Whether an error matches: a pattern of the message, a class, members, or a function.
  function check(error, expected, message) {
    if (expected === undefined) return error;
    let isExpected;
    if (expected instanceof RegExp) {
      isExpected = expected.test(String(error?.message ?? error));
    } else if (typeof expected === "function") {
      isExpected = expected.prototype !== undefined && error instanceof expected
        || !(expected === Error || expected.prototype instanceof Error) && expected(error) === true;
    } else {
      isExpected = Object.keys(expected).every((key) => difference(error?.[key], expected[key]) === null);
    }
    if (!isExpected) fail(message, "another error was thrown", error, expected);
    return error;
  }

  function ok(value, message) {
    if (!value) fail(message, "the value is not true", value, true);
  }
  const assert = Object.freeze(Object.assign((value, message) => ok(value, message), {
    ok,
    equal(actual, expected, message) {
      if (!Object.is(actual, expected)) fail(message, "the values are not equal", actual, expected);
    },
    notEqual(actual, expected, message) {
      if (Object.is(actual, expected)) fail(message, "the values are equal", actual, expected);
    },
    deepEqual(actual, expected, message) {
      const at = difference(actual, expected);
      if (at !== null) fail(message, "the values are not equal", actual, expected, at);
    },
    match(text, pattern, message) {
      if (!pattern.test(text)) fail(message, "the text does not match", text, pattern);
    },
    throws(body, expected, message) {
      let error;
      try {
        body();
      } catch (thrown) {
        error = { thrown };
      }
      if (error === undefined) fail(message, "nothing was thrown", undefined, expected);
      return check(error.thrown, expected, message);
    },
    async rejects(body, expected, message) {
      let error;
      try {
        await (typeof body === "function" ? body() : body);
      } catch (thrown) {
        error = { thrown };
      }
      if (error === undefined) fail(message, "nothing was thrown", undefined, expected);
      return check(error.thrown, expected, message);
    },
    fail(message = "it failed") { throw new AssertionError(message); },
  }));

  // --- The tests ------------------------------------------------------------------------------

  function test(name, body) {
    if (typeof body !== "function") throw new TypeError(`the test ${show(name)} is not a function`);
    tests.push({ name: String(name), body });
  }
  test.skip = (name) => { tests.push({ name: String(name), body: null }); };

  // The first stack frame outside the host and this file.
  function placeOf(error) {
    const stack = typeof error?.stack === "string" ? error.stack : "";
    for (const line of stack.split("\n")) {
      const parts = /^(?:.*?@)?(.+):(\d+):(\d+)$/.exec(line);
      if (parts !== null && !parts[1].startsWith("nervous:") && parts[1] !== "nervous.js") {
        return `${parts[1]}:${parts[2]}:${parts[3]}`;
      }
    }
    return null;
  }

  function described(error) {
    if (!(error instanceof Error)) {
      return { message: `thrown: ${show(error)}`, place: placeOf(error) };
    }
    if (!(error instanceof AssertionError)) {
      return { message: `${error.name}: ${error.message}`, place: placeOf(error) };
    }
    const { message, actual, expected, at } = error;
    return { message, place: placeOf(error), actual, expected, at };
  }

  async function perform({ body }) {
    let failure = null;
    try {
      await body();
    } catch (error) {
      failure = described(error);
    }
    const { errors } = await ask("GET", "/result");
    if (failure === null && errors.length > 0 && !areErrorsSeen) {
      failure = { message: `the app did not catch ${errors[0].message}`, place: errors[0].place };
    }
    return failure;
  }

  async function begin() {
    const chosen = tests.filter(({ name }) => plan.filter === null || name.includes(plan.filter));
    const report = { total: chosen.length, name: null, status: null, failure: null, milliseconds: 0 };
    const current = chosen[plan.index];
    if (current !== undefined) {
      const start = performance.now();
      report.name = current.name;
      // The result if the test does not continue.
      await ask("POST", "/report", { ...report, status: "begun" });
      report.failure = current.body === null ? null : await perform(current);
      report.status = current.body === null ? "skipped" : report.failure === null ? "ok" : "failed";
      report.milliseconds = performance.now() - start;
    }
    await ask("POST", "/report", report);
    close(0);
  }

  // A test file is the body of a function: declarations of the app do not hide these names.
  globalThis.nervousTests = (file) => {
    delete globalThis.nervousTests;
    file(test, assert, app, sensors, clock, permissions, health);
  };
  Object.assign(globalThis, { test, assert, app, sensors, clock, permissions, health });
  setTimeout(begin, 0);
})
