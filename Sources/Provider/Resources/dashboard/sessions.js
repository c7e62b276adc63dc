// Sessions: recording, live values, the route on a map that is drawn here, elevation, files.

import { Chart, api, button as plainButton, emptyState, format, go, h, icon, plain, timeOf } from "./dashboard.js";
import { texts } from "./page-texts.js";
import { Route, routeMap } from "./route.js";
import { tileSet } from "./tiles.js";
import {
  button, every, figure, figures, foreign, isAbort, load, notice, pairs, panel, perform, save,
  stateWord, table, twoSteps, visible,
} from "./parts.js";

const words = texts.sessions;
const PAGE = 50;
/** The route of a session that is being recorded is read again at this interval. */
const ROUTE_MS = 15_000;
const RECONNECT_MS = 3000;

export default {
  title: words.title,
  async show(main, { params, signal }) {
    if (params?.id) await showSession(main, params.id, signal);
    else await showList(main, signal);
  },
};

const path = (id, rest = "") => `/sessions/${encodeURIComponent(id)}${rest}`;

/** What can be done with a session in its state, as `[step, label, icon]`. */
function stepsOf({ state, finished }) {
  if (finished) return [];
  if (state === "active") return [["pause", words.pause, "pause"], ["finish", words.finish, "stop"]];
  if (state === "paused") return [["resume", words.resume, "play"], ["finish", words.finish, "stop"]];
  return [["start", words.start, "play"]];
}

function stateOf({ state, finished, imported }) {
  if (imported) return stateWord("", "save", words.states.imported);
  if (finished) return stateWord("", "check", words.states.finished);
  if (state === "active") return h("span", { class: "state live" }, h("span", {}, words.states.active));
  if (state === "paused") return stateWord("warn", "pause", words.states.paused);
  return stateWord("", "stale", words.states.inactive);
}

// MARK: List

async function showList(main, signal) {
  const place = h("div", { class: "stack" });
  let [items, next, sensors] = [[], undefined, []];
  const read = async () => {
    const [page, all] = await Promise.all([
      api("/sessions", { query: { limit: PAGE }, signal }), api("/sensors", { signal }),
    ]);
    [items, next, sensors] = [page.items, page.next, all.items];
  };
  const reload = () => load(place, signal, words.theSessions, read, show);
  const show = () => {
    if (!items.length) return emptyState("sessions", words.none, h("p", {}, words.noneHint));
    const running = items.filter(({ state }) => state !== "inactive");
    return [
      ...running.map((session) => runningPanel(session, reload)),
      panel(words.all, {
        footer: next ? button(words.more, (event) => more(event.currentTarget), { kind: "plain" }) : undefined,
      }, table(words.all, words.columns, items.map(cells), "roomy")),
    ];
  };
  const more = (control) => {
    const line = notice();
    control.after(line);
    return perform(line, control, async () => {
      const page = await api("/sessions", { query: { limit: PAGE, cursor: next }, signal });
      items.push(...page.items);
      next = page.next;
      place.replaceChildren(...show());
    });
  };
  await read();
  place.append(...[show()].flat());
  main.replaceChildren(
    h("div", { class: "head" }, h("div", {}, h("h1", {}, words.title), h("p", {}, words.subtitle))),
    h("div", { class: "with-aside" }, place,
      h("aside", { class: "stack", "aria-label": words.record }, recordPanel(() => sensors, reload))));
}

function cells(session) {
  const from = session.spans[0]?.from ?? session.created;
  return [
    h("div", {}, h("a", { href: `/sessions/${encodeURIComponent(session.id)}` }, foreign(session.name, 120)),
      h("span", { class: "under" }, visible(session.sensors.join(", "), 160))),
    stateOf(session), timeOf(from), format.duration(session.elapsed),
    session.app ? foreign(session.app, 64) : words.you,
  ];
}

/** A session that is being recorded, with its steps. */
function runningPanel(session, changed) {
  const line = notice();
  return panel(words.recording, { action: stateOf(session) }, h("div", { class: "inset stack" },
    h("p", {}, h("a", { href: `/sessions/${encodeURIComponent(session.id)}` }, foreign(session.name, 120)),
      " ", h("span", { class: "quiet" }, words.since(format.time(session.spans[0]?.from ?? session.created)))),
    h("p", { class: "actions" }, steps(session, line, changed)), line));
}

function steps(session, line, changed) {
  return stepsOf(session).map(([step, label, sign], place) => {
    const control = plainButton(label, () => perform(line, control, async () => {
      await api(path(session.id, `/${step}`), { method: "POST" });
      await changed();
    }), { sign, kind: place === 0 ? "main" : "" });
    return control;
  });
}

/** The form that creates and starts a session. */
function recordPanel(sensors, changed) {
  const line = notice();
  const name = h("input", { type: "text", autocomplete: "off", maxlength: "200", required: true });
  name.value = words.nameOf(format.time(Date.now()));
  const all = sensors().filter(({ available, newest }) => available || newest !== undefined);
  const boxes = all.map(({ id, title }) => {
    const input = h("input", { type: "checkbox", value: id });
    input.checked = /^(location|steps|altitude)(\.|$)/.test(id);
    return { input, label: h("label", { class: "check" }, input, " ", h("span", {}, foreign(title, 60),
      " ", h("span", { class: "id" }, id))) };
  });
  const start = h("button", { class: "button main", type: "submit" }, icon("play"), words.start);
  const form = h("form", {
    class: "inset stack record",
    on: {
      submit: (event) => {
        event.preventDefault();
        perform(line, start, async () => {
          const chosen = boxes.filter(({ input }) => input.checked).map(({ input }) => input.value);
          if (!chosen.length) throw { status: 0, detail: words.noSensors };
          const session = await api("/sessions", {
            method: "POST", json: { name: name.value.trim() || words.unnamed, sensors: chosen },
          });
          await api(path(session.id, "/start"), { method: "POST" });
          await changed();
          line.done(words.started);
        });
      },
    },
  }, h("label", {}, words.name, h("br", {}), name),
  h("fieldset", { class: "only" }, h("legend", {}, words.sensors), boxes.map(({ label }) => label)),
  all.some(({ id }) => /^location(\.|$)/.test(id)) ? [] : h("p", { class: "small quiet" }, words.noLocation),
  line, h("p", { class: "actions" }, start));
  return panel(words.record, {}, form);
}

// MARK: One session

async function showSession(main, id, signal) {
  const session = await api(path(id), { signal });
  const page = new SessionPage(main, session, signal);
  await page.start();
}

class SessionPage {
  #main;
  #session;
  #signal;
  #line = notice();
  #head = h("div", { class: "head" });
  #figures = h("div", { class: "panel" });
  #place = h("div", { class: "stack" });
  #aside = h("aside", { class: "stack", "aria-label": words.about });
  #live;
  #route;
  #tiles = null; // what there is of map tiles
  #chart;

  constructor(main, session, signal) {
    this.#main = main;
    this.#session = session;
    this.#signal = signal;
    signal.addEventListener("abort", () => this.#chart?.remove(), { once: true });
  }

  get #id() { return this.#session.id; }
  get #isRunning() { return this.#session.state !== "inactive"; }
  get #hasLocation() { return this.#session.sensors.some((id) => /^location(\.|$)/.test(id)); }

  async start() {
    this.#show();
    await this.#readRoute();
    this.#main.replaceChildren(this.#head, this.#line, this.#figures,
      h("div", { class: "with-aside" }, this.#place, this.#aside));
    this.#follow();
    every(ROUTE_MS, this.#signal, () => {
      if (this.#isRunning) this.#readRoute();
    });
  }

  async #reload() {
    this.#session = await api(path(this.#id), { signal: this.#signal });
    this.#show();
    await this.#readRoute();
  }

  #show() {
    const { name, spans, created, sensors, description } = this.#session;
    const from = spans[0]?.from ?? created, to = spans.at(-1)?.to;
    this.#head.replaceChildren(
      h("div", {},
        h("a", { class: "back", href: "/sessions" }, icon("back"), words.title),
        h("h1", {}, foreign(name, 200)),
        h("p", {}, words.range(format.time(from), to && format.time(to)), " · ", visible(sensors.join(", "), 200)),
        description ? h("p", { class: "small" }, foreign(description, 1000)) : []),
      h("div", { class: "actions" }, steps(this.#session, this.#line, () => this.#reload()),
        this.#isRunning ? [] : twoSteps(words.remove, words.removeAsks, words.removeDoes, () => this.#remove())));
    this.#showFigures();
    this.#showAside();
  }

  async #remove() {
    await api(path(this.#id), { method: "DELETE" });
    go("/sessions");
  }

  // MARK: Figures

  /** Follows the live values; a session that has ended sends its last ones. */
  async #follow() {
    while (!this.#signal.aborted) {
      // A hidden page leaves its connection to others: a browser has six to the host.
      const hidden = new AbortController();
      const hide = () => { if (document.hidden) hidden.abort(); };
      document.addEventListener("visibilitychange", hide);
      try {
        if (document.hidden) await shown();
        const signal = AbortSignal.any([this.#signal, hidden.signal]);
        const answer = await api(path(this.#id, "/live"), { raw: true, signal });
        for await (const { data } of events(answer.body)) {
          if (this.#signal.aborted) return;
          const live = JSON.parse(data);
          if (live.t === undefined) continue;
          const hasChanged = this.#live && live.state !== this.#live.state;
          this.#live = live;
          this.#showFigures();
          if (hasChanged) await this.#reload();
          if (live.finished) return;
        }
      } catch (error) {
        if (this.#signal.aborted || error.status) return;
      } finally {
        document.removeEventListener("visibilitychange", hide);
      }
      if (!this.#isRunning) return;
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
    }
  }

  #showFigures() {
    const live = this.#live, route = this.#route;
    const metres = this.#session.distance ?? live?.distance ?? route?.distance;
    const elapsed = live?.elapsed ?? this.#session.elapsed;
    const items = [[words.time, clockLength(elapsed)]];
    if (metres !== undefined) items.unshift([words.distance, figure(lengthText(metres))]);
    if (this.#isRunning && live?.pace !== undefined) {
      items.push([words.paceNow, figure(paceText(live.pace * 1000)), live.activity && visible(live.activity, 40)]);
    } else if (metres >= 100) items.push([words.pace, figure(paceText(elapsed / metres))]);
    if (live?.steps !== undefined) items.push([words.steps, format.count(live.steps)]);
    if (route?.ascent !== undefined) items.push([words.ascent, figure(lengthText(route.ascent))]);
    if (live?.floors !== undefined) items.push([words.floors, format.count(live.floors)]);
    if (route?.warnings.includes("signalLost")) items.push([words.signal, stateWord("warn", "warn", words.signalLost)]);
    if (route?.warnings.includes("jump")) items.push([words.points, stateWord("warn", "warn", words.jump)]);
    this.#figures.replaceChildren(figures(items));
  }

  // MARK: Route

  async #readRoute() {
    if (!this.#hasLocation) {
      if (!this.#place.hasChildNodes()) {
        this.#place.replaceChildren(emptyState("sessions", words.noRoute, h("p", {}, words.noRouteHint)));
      }
      return;
    }
    try {
      const found = await api(path(this.#id, "/route"), { signal: this.#signal });
      this.#route = new Route(found);
      this.#tiles = await tileSet();
      if (this.#signal.aborted) return;
    } catch (error) {
      if (isAbort(error) || this.#signal.aborted) return;
      this.#line.failed(error);
      return;
    }
    this.#showRoute();
    this.#showFigures();
    this.#showAside();
  }

  #showRoute() {
    const route = this.#route;
    if (route.points.length < 2) {
      this.#place.replaceChildren(emptyState("sessions",
        route.isManual ? words.manual : words.noPoints,
        h("p", {}, route.isManual ? words.manualHint : words.noPointsHint)));
      return;
    }
    const map = routeMap(route, this.#tiles, this.#signal);
    this.#chart?.remove();
    this.#chart = undefined;
    const content = [panel(words.route, { action: h("p", { class: "small quiet" }, words.drawnHere) }, map.element,
      this.#tiles?.attribution && h("p", { class: "inset small quiet" }, words.tiles(plain(this.#tiles.attribution.trim()))))];
    if (route.hasAltitude) {
      this.#chart = elevation(route, map);
      content.push(this.#chart.element);
    }
    this.#place.replaceChildren(...content);
  }

  // MARK: Aside

  #showAside() {
    this.#aside.replaceChildren(...[this.#splits(), this.#timeline(), this.#files()].flat());
  }

  #splits() {
    const splits = this.#route?.splits ?? [];
    if (!splits.length) return [];
    const hasAltitude = this.#route.hasAltitude;
    const columns = words.splitColumns.slice(0, hasAltitude ? 3 : 2);
    return panel(words.kilometres, {}, table(words.kilometres, columns, splits.map((split) => [
      split.isWhole ? String(split.number) : words.rest(format.number(Math.round(split.metres / 10) / 100)),
      split.pace === undefined ? "–" : paceClock(split.pace),
      ...(hasAltitude ? [signed(split.climb)] : []),
    ])));
  }

  #timeline() {
    const { spans, state, finished, app, imported } = this.#session;
    const end = spans.at(-1)?.to;
    const pauses = spans.slice(1).map((span, place) =>
      words.pausedFor(format.time(spans[place].to), format.duration(span.from - spans[place].to)));
    return panel(words.timeline, {}, h("div", { class: "inset" }, pairs(
      [words.state, stateOf(this.#session)],
      [words.startedAt, spans[0] ? timeOf(spans[0].from, format.clock(spans[0].from)) : words.notStarted],
      [words.paused, pauses.length ? pauses.map((pause) => h("div", {}, pause))
        : state === "paused" ? words.now : words.never],
      [words.finished, finished && end ? timeOf(end, format.clock(end)) : words.notFinished],
      [words.retention, imported ? words.keptWithSession : words.keptWithSamples],
      [words.recordedBy, app ? foreign(app, 64) : words.you],
    )));
  }

  /** Files of the route and of each sensor's samples. */
  #files() {
    const line = notice();
    const name = (kind) => `${this.#id}.${kind}`;
    const file = (label, rest, query, fileName) => {
      const control = plainButton(label, () => perform(line, control, async () => {
        const answer = await api(path(this.#id, rest), { query, raw: true, signal: this.#signal });
        save(fileName, await answer.blob());
        line.done(words.saved(fileName));
      }), { sign: "save" });
      return control;
    };
    const route = this.#hasLocation
      ? [["GPX", "gpx"], ["GeoJSON", "geojson"], ["SVG", "svg"]].map(([label, format]) =>
        file(label, "/route", { format }, name(format))) : [];
    const samples = this.#session.sensors.map((sensor) =>
      file(words.csvOf(visible(sensor, 64)), "/samples", { format: "csv", sensor }, `${this.#id}-${sensor}.csv`));
    return panel(words.files, {}, h("div", { class: "inset stack" },
      h("div", { class: "actions" }, route, samples), line));
  }
}

/** Resolves when the page is visible. */
const shown = () => new Promise((resolve) => {
  const look = () => {
    if (document.hidden) return;
    document.removeEventListener("visibilitychange", look);
    resolve();
  };
  document.addEventListener("visibilitychange", look);
});

/** The events of a stream of Server-Sent Events. */
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let [rest, event] = ["", {}];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (line === "") {
        if (event.data !== undefined) yield event;
        event = {};
      } else if (line[0] !== ":") {
        const at = line.indexOf(":");
        event[line.slice(0, at)] = line.slice(at + 1).trimStart();
      }
    }
  }
}

// MARK: Words of lengths and paces

/** Metres below a kilometre, kilometres with two decimals above. */
function lengthText(metres) {
  const shown = (value, digits) => new Intl.NumberFormat(undefined, {
    minimumFractionDigits: digits, maximumFractionDigits: digits,
  }).format(value);
  return metres < 1000 ? `${shown(metres, 0)}\u202fm` : `${shown(metres / 1000, 2)}\u202fkm`;
}

/** A round length at an axis. */
const tick = (metres) => (metres < 1000 && metres > 0
  ? lengthText(metres) : `${format.number(metres / 1000)}\u202fkm`);

/** A length of time as a stopwatch shows it. */
function clockLength(milliseconds) {
  const seconds = Math.round(milliseconds / 1000), two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** @param pace seconds for a kilometre */
const paceClock = (pace) => clockLength(pace * 1000);
const paceText = (pace) => `${paceClock(pace)}\u202f/km`;
const signed = (metres) => `${metres < 0 ? "−" : "+"}\u202f${format.count(Math.abs(Math.round(metres)))}\u202fm`;

// MARK: Elevation

/** The height along a route; reading it shows the place on the map. */
function elevation(route, map) {
  const { points } = route;
  const canvas = h("canvas", {});
  const readout = h("output", { class: "readout" }, words.elevationHint);
  const length = points.at(-1).metres;
  const chart = new Chart(canvas, {
    label: words.elevationLabel, from: 0, to: length, fixed: true, readout, placeholder: words.elevationHint,
    axis: { format: (metres, step) => (step ? tick(metres) : lengthText(metres)) },
    format: (metres) => `${format.count(Math.round(metres))}\u202fm`,
    series: [{
      name: words.elevation, unit: "m", gap: Infinity,
      t: points.map(({ metres }) => metres), v: points.map(({ altitude }) => altitude),
    }],
    onread: (metres) => map.mark(metres === null ? undefined : route.at(metres)),
  });
  return {
    element: panel(words.elevation, { action: readout }, h("div", { class: "chart low" }, canvas)),
    remove: () => chart.remove(),
  };
}
