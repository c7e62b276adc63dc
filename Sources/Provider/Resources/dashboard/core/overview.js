// The overview: live values, every sensor with its last hour, what runs, and what was read lately.
// A part of the module dashboard.js, which CResources/dashboard.c concatenates.

const TILES = ["cpu", "memory", "network", "disk"];
const TILE_MS = [1, 2, 5, 10, 15, 30, 60].map((n) => n * WINDOW_MS);
const TOGETHER_MS = 250; // the list of sensors waits so long for their last hour, to be drawn once
const NEWEST_MS = 1500; // the newest sample of a sensor is asked for if the stream has not sent it by then

const overview = {
  title: text.overview.title,

  show(target, { signal }) {
    const hour = lastHourEarly(signal); // before anything else, because the charts wait for it
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
        chart.options.placeholder = tileDetail(sensor, field, data);
        if (group.at === null) said(detail, chart.options.placeholder);
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
    async function load(hour = Promise.resolve(new Map())) {
      if (sensors === null) return;
      const rows = setTimeout(build, hasHistory ? 0 : TOGETHER_MS), asked = wanted();
      try {
        const found = await hour, missing = asked.map((one) => one.join(":")).filter((one) => !found.has(one));
        if (missing.length > 0) for (const [key, item] of await lastHour(missing, signal)) found.set(key, item);
        if (signal.aborted) return;
        for (const [id, name] of asked) take(id, found.get(`${id}:${name}`));
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

    /** Samples that the stream does not send: of computed sensors, and of all if it began for another tab. */
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
        if (isFirst) load(hour); else build();
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
