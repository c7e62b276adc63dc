
// The chart: its range, its input, its picture, and what it shows as a table.
// A part of charts.js, which dashboard.c puts together.

/** A chart of one or several time series on a canvas. */
export class Chart {
  /** All charts that are not removed. @type {Set<Chart>} */
  static all = new Set();

  #canvas; #context; #options; #texts; #group;
  #width = 0; #height = 0; #isSeen = true; #isPaused = false; #pausedAt = 0;
  #range = { from: 0, to: 1, follow: null };
  #past = []; // ranges before, for a double click
  #plot = { left: 0, right: 0, top: 0, bottom: 0 };
  #axes = [];
  #kx = 0; // pixels a millisecond
  #base = null; // the picture without crosshair, while there is one
  #pointers = new Map(); #press = null; #selection = null; #settle = null;
  #stop = new AbortController();
  #lastX = null; // where the pointer is

  /**
   * @param {HTMLCanvasElement} canvas its size comes from CSS
   * @param {ChartOptions} options
   */
  constructor(canvas, options) {
    this.#canvas = canvas;
    this.#context = canvas.getContext("2d");
    this.#options = { series: [], ...options };
    this.#texts = { ...TEXTS, ...options.texts };
    this.#group = options.group ?? new ChartGroup();
    this.#group.charts.add(this);
    if (sight === null) observe();
    byCanvas.set(canvas, this);
    Chart.all.add(this);
    this.#takeRange(options);
    if (!options.bare) this.#listen();
    if (options.readout && options.rest) options.readout.textContent = options.rest;
    sizes.observe(canvas);
    sight.observe(canvas);
  }

  get options() { return this.#options; }
  get canvas() { return this.#canvas; }

  /** The range shown; `follow` is its length if it ends now. */
  get range() {
    const { from, to, follow } = this.#range;
    if (follow === null) return { from, to, follow };
    const now = this.#isPaused ? this.#pausedAt : Date.now();
    return { from: now - follow, to: now, follow };
  }

  /** Changes options and redraws. @param {Partial<ChartOptions>} changes */
  set(changes) {
    Object.assign(this.#options, changes);
    if ("from" in changes || "to" in changes || "follow" in changes) this.#takeRange(changes);
    if ("texts" in changes) this.#texts = { ...TEXTS, ...changes.texts };
    if ("label" in changes) this.#canvas.ariaLabel = changes.label;
    this.update();
  }

  /** Draws with the next frame; call it when samples have arrived. */
  update() {
    dirty.add(this);
    frame ??= requestAnimationFrame(flush);
  }

  /** Stops a chart with `follow` at the present time, or lets it go on. */
  pause(isPaused = true) {
    this.#pausedAt = Date.now();
    this.#isPaused = isPaused;
    this.#tick();
    this.update();
  }

  get isPaused() { return this.#isPaused; }

  /** Shows another range as if the person had chosen it; double click and Backspace go back. */
  zoom(from, to) { this.#choose(from, to, true); }

  /** Shows the range before the last that was chosen by hand. */
  back() {
    const before = this.#past.pop();
    if (before === undefined) return false;
    this.#range = before;
    this.#tick();
    this.#chosen();
    return true;
  }

  /** Ends all work for this chart. */
  remove() {
    this.#stop.abort();
    clearTimeout(this.#settle);
    following.delete(this);
    dirty.delete(this);
    Chart.all.delete(this);
    this.#group.charts.delete(this);
    byCanvas.delete(this.#canvas);
    sight.unobserve(this.#canvas);
    sizes.unobserve(this.#canvas);
    if (following.size === 0) ticker = clearInterval(ticker) ?? null;
  }

  seen(isSeen) {
    this.#isSeen = isSeen;
    if (isSeen) this.update();
  }

  sized({ width, height }) {
    if (width === this.#width && height === this.#height) return;
    [this.#width, this.#height] = [width, height];
    // At once: a canvas whose size changes is empty until it is drawn.
    if (width > 0) this.draw();
  }

  #takeRange({ from, to, follow }) {
    if (follow !== undefined && follow !== null) this.#range = { from: 0, to: 0, follow };
    else if (from !== undefined && to !== undefined) this.#range = { from, to, follow: null };
    this.#past = [];
    this.#tick();
  }

  /** Following charts move once a second. */
  #tick() {
    if (this.#range.follow === null || this.#isPaused) following.delete(this);
    else following.add(this);
    if (following.size > 0) ticker ??= setInterval(() => following.forEach((chart) => chart.update()), SECOND);
    else ticker = clearInterval(ticker) ?? null;
  }

  #shown() { return this.#options.series.filter((s) => !s.hidden); }

  /** The times and values of a series, and how far a window's point is from its beginning. */
  #data(series) {
    const { t = [], v = [] } = series.points ?? series;
    return { t, v, shift: (series.every ?? 0) / 2 };
  }

  // --- Painting

  /** Draws now. */
  draw() {
    dirty.delete(this);
    if (!this.#isSeen || this.#width === 0) return;
    const c = this.#context, ratio = devicePixelRatio || 1;
    const [width, height] = [Math.round(this.#width * ratio), Math.round(this.#height * ratio)];
    if (this.#canvas.width !== width || this.#canvas.height !== height) {
      [this.#canvas.width, this.#canvas.height] = [width, height];
    }
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, this.#width, this.#height);
    c.lineJoin = "round";
    c.font = `11px ${Chart.#fontOf(this.#canvas)}`;
    const { from, to } = this.range, { bare } = this.#options;
    this.#plot = bare
      ? { left: 1, right: this.#width - 4, top: 4, bottom: this.#height - 4 }
      : { left: 0, right: this.#width, top: TOP, bottom: this.#height - BOTTOM };
    this.#scale(from, to);
    this.#kx = (this.#plot.right - this.#plot.left) / (to - from);
    if (!bare) this.#grid(from, to);
    c.save();
    c.beginPath();
    c.rect(this.#plot.left - 1, this.#plot.top - 5, this.#plot.right - this.#plot.left + 6, this.#plot.bottom - this.#plot.top + 10);
    c.clip();
    for (const stretch of this.#options.damaged ?? []) this.#hatch(stretch);
    if (!bare) this.#gaps(from, to);
    this.#shown().forEach((series, i) => this.#series(series, i, from, to));
    c.restore();
    this.#base = null;
    if (!bare) this.#over();
    if (!bare && !this.#canvas.hasAttribute("aria-valuetext")) this.#describe();
  }

  static #font = new WeakMap();
  static #fontOf(canvas) {
    let font = Chart.#font.get(canvas);
    if (font === undefined) Chart.#font.set(canvas, font = getComputedStyle(canvas).fontFamily);
    return font;
  }

  /** A colour of the theme, as the canvas understands it. */
  #color(name) {
    if (!name.startsWith("--")) return name;
    let color = colors.get(name);
    if (color === undefined) {
      const [light, dark] = COLORS[name] ?? ["#777", "#888"];
      this.#canvas.style.color = `var(${name}, light-dark(${light}, ${dark}))`;
      color = getComputedStyle(this.#canvas).color;
      this.#canvas.style.color = "";
      colors.set(name, color);
    }
    return color;
  }

  #colorOf(series) {
    return this.#color(series.color ?? `--series-${1 + (this.#options.series.indexOf(series) % 6)}`);
  }

  #x(t) { return this.#plot.left + (t - this.range.from) * this.#kx; }

  /** A series of a third unit has none, and is not drawn. */
  #axisOf(series) { return this.#axes.find((axis) => axis.unit === series.unit); }

  #y(axis, v) {
    const { top, bottom } = this.#plot;
    return bottom - ((v - axis.low) / (axis.high - axis.low)) * (bottom - top);
  }

  /** One axis for each of at most two units, over what the range contains. */
  #scale(from, to) {
    const { bare, floor, ceiling } = this.#options;
    this.#axes = [];
    for (const series of this.#shown()) {
      let axis = this.#axes.find(({ unit }) => unit === series.unit);
      if (axis === undefined) {
        if (this.#axes.length === 2) continue;
        this.#axes.push(axis = { unit: series.unit, low: Infinity, high: -Infinity });
      }
      const { t, v } = this.#data(series);
      const first = Math.max(0, indexOf(t, from - (series.every ?? 0)) - 1);
      const end = Math.min(t.length, indexOf(t, to) + 1);
      [axis.low, axis.high] = extent(series.min ?? v, first, end, axis.low, axis.high);
      [axis.low, axis.high] = extent(series.max ?? v, first, end, axis.low, axis.high);
    }
    if (this.#axes.length === 0) this.#axes.push({ low: Infinity, high: -Infinity });
    this.#axes.forEach((axis, i) => {
      if (i === 0) {
        axis.low = Math.min(axis.low, floor ?? axis.low);
        axis.high = Math.max(axis.high, ceiling ?? axis.high);
      }
      if (axis.low > axis.high) [axis.low, axis.high, axis.isEmpty] = [floor ?? 0, ceiling ?? 1, true];
      if (axis.low === axis.high) {
        const pad = Math.abs(axis.low) * 0.05 || 1;
        axis.high += pad;
        if (axis.low !== (floor ?? NaN)) axis.low -= pad;
      }
      if (bare) return;
      const { values, step } = i === 0 ? valueTicks(axis.low, axis.high, (this.#plot.bottom - this.#plot.top) / 52)
        : sameTicks(axis.low, axis.high, this.#axes[0].ticks.length - 1);
      Object.assign(axis, { ticks: values, step, low: values[0], high: values.at(-1) });
      axis.labels = values.map((v) => (axis.isEmpty ? "" : this.#format(v, axis.unit, step)));
      const room = Math.ceil(Math.max(...axis.labels.map((l) => this.#context.measureText(l).width))) + 16;
      if (i === 0) this.#plot.right -= room; else this.#plot.left += room;
    });
  }

  #format(value, unit, step) {
    return isNumber(value) ? (this.#options.format ?? defaultFormat)(value, unit, step) : this.#texts.noData;
  }

  #grid(from, to) {
    const c = this.#context, { left, right, top, bottom } = this.#plot;
    const grid = this.#color("--grid"), ink = this.#color("--ink-3"), strong = this.#color("--ink-2");
    c.textBaseline = "middle";
    this.#axes.forEach((axis, i) => {
      c.textAlign = i === 0 ? "left" : "right";
      axis.ticks.forEach((v, k) => {
        const y = Math.round(this.#y(axis, v));
        c.fillStyle = grid;
        if (i === 0) c.fillRect(left, y, right - left, 1);
        c.fillStyle = ink;
        c.fillText(axis.labels[k], i === 0 ? right + 8 : left - 8, Math.max(y + 0.5, 6));
      });
    });
    c.textAlign = "center";
    let end = -Infinity;
    for (const { t, label, strong: isStrong } of this.#ticks(from, to, right - left)) {
      const x = Math.round(this.#x(t)), half = c.measureText(label).width / 2;
      c.fillStyle = isStrong ? this.#color("--hatch") : grid;
      c.fillRect(x, top, 1, bottom - top + 4);
      if (x - half < left || x + half > this.#width || x - half < end + 8) continue;
      c.fillStyle = isStrong ? strong : ink;
      c.fillText(label, x, bottom + 12);
      end = x + half;
    }
    c.textAlign = "left";
  }

  #ticks(from, to, width) {
    const { axis } = this.#options;
    if (axis === undefined) return timeTicks(from, to, width);
    const { values, step } = valueTicks(from, to, width / 84);
    return values.filter((x) => x >= from && x <= to)
      .map((x) => ({ t: x, label: axis.format(x, step), strong: false }));
  }

  #series(series, index, from, to) {
    const c = this.#context, { t, v, shift } = this.#data(series), axis = this.#axisOf(series);
    if (t.length === 0 || !axis) return;
    const first = Math.max(0, indexOf(t, from - 2 * shift) - 1);
    const end = Math.min(t.length, indexOf(t, to) + 1);
    const color = this.#colorOf(series);
    const most = gapOf(series, t);
    c.strokeStyle = c.fillStyle = color;
    c.lineWidth = series.width ?? 1.5;
    const isBanded = index === 0 && series.every !== undefined;
    if (isBanded || series.area) {
      const ground = { length: 0 }, band = isBanded && series.deviation ? bandOf(series) : null;
      for (const [i, j] of stretches(t, v, first, end, most)) {
        if (series.area) this.#ribbon(t, shift, v, ground, i, j, axis, 0.1);
        if (isBanded && series.min) this.#ribbon(t, shift, series.max, series.min, i, j, axis, 0.12);
        if (band) this.#ribbon(t, shift, band.upper, band.lower, i, j, axis, 0.22);
      }
    }
    const scale = (this.#plot.bottom - this.#plot.top) / (axis.high - axis.low);
    line(c, t, v, first, end, most, this.#x(0) + shift * this.#kx, this.#kx,
      this.#plot.bottom + axis.low * scale, -scale, devicePixelRatio || 1);
    if (!series.live) return;
    for (let i = t.length - 1; i >= first; i--) {
      if (!isNumber(v[i])) continue;
      if (t[i] >= from && t[i] <= to) this.#dot(this.#x(t[i] + shift), this.#y(axis, v[i]), color);
      break;
    }
  }

  /** Fills between two columns; without a lower one down to the floor of the axis. */
  #ribbon(t, shift, upper, lower, first, last, axis, alpha) {
    const c = this.#context, isGround = lower.length === 0;
    const dense = Math.max(1, Math.floor((last - first) / (2 * this.#width * (devicePixelRatio || 1))));
    c.globalAlpha = alpha;
    c.beginPath();
    if (dense > 1) {
      // A column of pixels at a time, at its greatest and its least value.
      for (let i = first; i <= last; i += dense) {
        const [, high] = extent(upper, i, Math.min(last + 1, i + dense), Infinity, -Infinity);
        c.lineTo(this.#x(t[i] + shift), this.#y(axis, high));
      }
      for (let i = first + Math.floor((last - first) / dense) * dense; i >= first; i -= dense) {
        const [low] = isGround ? [axis.low]
          : extent(lower, i, Math.min(last + 1, i + dense), Infinity, -Infinity);
        c.lineTo(this.#x(t[i] + shift), this.#y(axis, low));
      }
    } else {
      for (let i = first; i <= last; i++) c.lineTo(this.#x(t[i] + shift), this.#y(axis, upper[i] ?? NaN));
      if (isGround) {
        c.lineTo(this.#x(t[last] + shift), this.#plot.bottom);
        c.lineTo(this.#x(t[first] + shift), this.#plot.bottom);
      } else for (let i = last; i >= first; i--) c.lineTo(this.#x(t[i] + shift), this.#y(axis, lower[i] ?? NaN));
    }
    c.fill();
    c.globalAlpha = 1;
  }

  #dot(x, y, color) {
    const c = this.#context;
    for (const [radius, fill] of [[4.5, this.#color("--surface")], [3, color]]) {
      c.fillStyle = fill;
      c.beginPath();
      c.arc(x, y, radius, 0, 7);
      c.fill();
    }
  }

  /** Names each gap of the first series that has room for a word; what is damaged is hatched. */
  #gaps(from, to) {
    const [series] = this.#shown();
    const c = this.#context, { t, v, shift } = series ? this.#data(series) : { t: [], v: [], shift: 0 };
    const isDamaged = (a, b) => this.#options.damaged?.some((s) => s.from < b && s.to > a);
    const first = Math.max(0, indexOf(t, from - 2 * shift) - 1), end = Math.min(t.length, indexOf(t, to) + 1);
    const most = series ? gapOf(series, t) : Infinity;
    const name = (a, b) => {
      const [left, right] = [this.#x(Math.max(a, from)), this.#x(Math.min(b, to))];
      if (right - left < 72 || isDamaged(a, b)) return;
      c.fillText(this.#texts.noData, (left + right) / 2, this.#plot.bottom - 10);
    };
    c.fillStyle = this.#color("--ink-3");
    c.textAlign = "center";
    let last = null;
    for (const [i, j] of stretches(t, v, first, end, most)) {
      if (last !== null || t[i] > from) name(last ?? from, t[i]);
      last = t[j] + 2 * shift;
    }
    const now = this.#options.axis === undefined ? Math.min(to, Date.now()) : to;
    if (last === null) name(from, now);
    else if (now - last > Math.max(most === Infinity ? 0 : most, 2 * shift)) name(last, now);
    c.textAlign = "left";
  }

  #hatch({ from, to }) {
    const c = this.#context, { top, bottom } = this.#plot;
    const left = Math.max(this.#plot.left, this.#x(from ?? this.range.from));
    const right = Math.min(this.#plot.right, Math.max(this.#x(to ?? this.range.to), left + 2));
    if (right <= left) return;
    c.save();
    c.beginPath();
    c.rect(left, top, right - left, bottom - top);
    c.clip();
    c.strokeStyle = this.#color("--hatch");
    c.lineWidth = 1;
    c.beginPath();
    for (let x = left - (bottom - top); x < right; x += 6) {
      c.moveTo(x, bottom);
      c.lineTo(x + bottom - top, top);
    }
    c.stroke();
    c.restore();
  }

  // --- Crosshair and selection, over a copy of the picture

  #over() {
    const { at } = this.#group, c = this.#context;
    if (at === null && this.#selection === null) {
      if (this.#base !== null) this.#restore();
      this.#base = null;
      return;
    }
    if (this.#base === null) {
      this.#base = document.createElement("canvas");
      [this.#base.width, this.#base.height] = [this.#canvas.width, this.#canvas.height];
      this.#base.getContext("2d").drawImage(this.#canvas, 0, 0);
    } else this.#restore();
    const { left, right, top, bottom } = this.#plot;
    if (this.#selection !== null) {
      const [a, b] = this.#selection.map((t) => Math.min(right, Math.max(left, this.#x(t))));
      c.fillStyle = this.#color("--series-1");
      c.globalAlpha = 0.12;
      c.fillRect(Math.min(a, b), top, Math.abs(b - a), bottom - top);
      c.globalAlpha = 1;
      for (const x of [a, b]) c.fillRect(Math.round(x), top, 1, bottom - top);
      return;
    }
    const x = this.#x(at);
    if (x < left - 1 || x > right + 1) return;
    c.fillStyle = this.#color("--edge");
    c.fillRect(Math.round(x), top, 1, bottom - top);
    for (const { series, i } of this.#under(at)) {
      if (i === null) continue;
      const { t, v, shift } = this.#data(series), axis = this.#axisOf(series);
      if (axis) this.#dot(this.#x(t[i] + shift), this.#y(axis, v[i]), this.#colorOf(series));
    }
  }

  #restore() {
    const c = this.#context;
    c.save();
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    c.drawImage(this.#base, 0, 0);
    c.restore();
  }

  /** The sample of each series that is closest to a time; null in a gap. */
  #under(at) {
    return this.#shown().map((series) => {
      const { t, v, shift } = this.#data(series);
      if (t.length === 0) return { series, i: null };
      let i = Math.min(t.length - 1, indexOf(t, at - shift));
      if (i > 0 && at - shift - t[i - 1] < t[i] - (at - shift)) i--;
      const most = series.every ?? gapOf(series, t);
      const isFar = t.length > 1 && Math.abs(t[i] + shift - at) > most;
      return { series, i: isFar || !isNumber(v[i]) ? null : i };
    });
  }

  /** Moves the crosshair of all charts of the group; null takes it away. */
  #read(at) {
    if (at === this.#group.at) return;
    this.#group.at = at;
    for (const chart of this.#group.charts) {
      chart.#over();
      chart.#say(chart === this);
      chart.#options.onread?.(at);
    }
  }

  #say(isMine) {
    const { at } = this.#group, { readout, rest = "" } = this.#options;
    const text = at === null ? rest : this.#sentence(at);
    if (readout && readout.textContent !== text) readout.textContent = text;
    if (!isMine) return;
    if (at === null) return this.#describe();
    this.#canvas.setAttribute("aria-valuenow", String(Math.round(at)));
    this.#canvas.setAttribute("aria-valuetext", text);
  }

  #sentence(at) {
    const under = this.#under(at), { axis } = this.#options;
    // The time of the sample itself, where one series has one.
    const own = under.length === 1 && under[0].i !== null ? this.#data(under[0].series).t[under[0].i] : at;
    const { from, to } = this.range, named = timeFormats();
    if (this.#options.brief) {
      return [axis ? axis.format(own) : named.second.format(own), ...under.map(({ series, i }) =>
        this.#format(i === null ? null : this.#data(series).v[i], series.unit))].join(" · ");
    }
    const when = axis ? axis.format(own) : (to - from < MINUTE ? named.exact : named.moment).format(own);
    const said = under.map(({ series, i }) => {
      const { v } = this.#data(series);
      if (i === null) return this.#texts.value(series.name, this.#texts.noData);
      const say = (value) => this.#format(value, series.unit);
      return series.every && series.min
        ? this.#texts.window(series.name, say(v[i]), say(series.min[i]), say(series.max[i]))
        : this.#texts.value(series.name, say(v[i]));
    });
    return [when, ...said].join(" · ");
  }

  /** Describes the chart to screen readers while there is no crosshair. */
  #describe() {
    const { from, to } = this.range;
    const said = this.#shown().map((series) => {
      const { t, v } = this.#data(series);
      const [first, end] = [indexOf(t, from - (series.every ?? 0)), indexOf(t, to)];
      const [low] = extent(series.min ?? v, first, end, Infinity, -Infinity);
      const [, high] = extent(series.max ?? v, first, end, Infinity, -Infinity);
      let last = end - 1;
      while (last >= first && !isNumber(v[last])) last--;
      return last < first ? null : this.#texts.summary(series.name, this.#format(v[last], series.unit),
        this.#format(low, series.unit), this.#format(high, series.unit));
    }).filter(Boolean);
    const canvas = this.#canvas;
    canvas.setAttribute("aria-valuemin", String(Math.round(from)));
    canvas.setAttribute("aria-valuemax", String(Math.round(to)));
    canvas.setAttribute("aria-valuenow", String(Math.round(to)));
    canvas.setAttribute("aria-valuetext",
      `${said.length > 0 ? said.join("; ") : this.#texts.empty}. ${this.#texts.keys}.`);
  }

  // --- Pointer, wheel and keys

  #listen() {
    const canvas = this.#canvas, { signal } = this.#stop;
    canvas.setAttribute("role", "slider");
    canvas.tabIndex = 0;
    if (this.#options.label) canvas.ariaLabel = this.#options.label;
    canvas.setAttribute("aria-valuenow", "0");
    canvas.style.touchAction = "pan-y";
    const on = (name, handler, more) => canvas.addEventListener(name, handler.bind(this), { signal, ...more });
    on("pointermove", this.#moved);
    on("pointerdown", this.#pressed);
    on("pointerup", this.#released);
    on("pointercancel", this.#cancelled);
    on("pointerleave", () => {
      this.#lastX = null;
      if (this.#press === null) this.#read(null);
    });
    on("focus", () => this.#group.at === null && this.#describe());
    on("blur", () => this.#read(null));
    on("keydown", this.#keyed);
    if (this.#options.fixed) return;
    on("wheel", this.#wheeled, { passive: false });
    on("dblclick", () => this.back());
  }

  #timeAt(x) {
    const { left, right } = this.#plot;
    return this.range.from + (Math.min(right, Math.max(left, x)) - left) / this.#kx;
  }

  #pressed(event) {
    this.#pointers.set(event.pointerId, event.offsetX);
    if (event.button !== 0) return;
    const isTouch = event.pointerType === "touch";
    if (isTouch && this.#pointers.size === 2) {
      const [a, b] = this.#pointers.values();
      this.#press = { kind: "pinch", range: this.range, apart: Math.max(8, Math.abs(a - b)),
        middle: this.#timeAt((a + b) / 2) };
      return;
    }
    this.#canvas.setPointerCapture(event.pointerId);
    const kind = isTouch || this.#options.fixed ? "read" : event.shiftKey ? "move" : "select";
    this.#press = { kind, x: event.offsetX, t: this.#timeAt(event.offsetX), range: this.range, isDrag: false };
    if (isTouch) this.#read(this.#press.t);
  }

  #moved(event) {
    const press = this.#press, x = event.offsetX;
    if (this.#pointers.has(event.pointerId)) this.#pointers.set(event.pointerId, x);
    this.#lastX = x;
    if (press?.kind === "pinch" && this.#pointers.size === 2) {
      const [a, b] = this.#pointers.values(), { from, to } = press.range;
      const length = (to - from) * press.apart / Math.max(8, Math.abs(a - b));
      const share = ((a + b) / 2 - this.#plot.left) / (this.#plot.right - this.#plot.left);
      return this.#choose(press.middle - share * length, press.middle + (1 - share) * length, false);
    }
    if (press === null || press.kind === "read") return this.#read(this.#timeAt(x));
    if (!press.isDrag && Math.abs(x - press.x) < DRAG) return;
    press.isDrag = true;
    if (press.kind === "move") {
      const by = (press.x - x) / this.#kx;
      return this.#choose(press.range.from + by, press.range.to + by, false);
    }
    this.#selection = [press.t, this.#timeAt(x)];
    this.#over();
    const { readout } = this.#options;
    if (readout) {
      const [a, b] = this.#selection.toSorted((p, q) => p - q), { axis } = this.#options;
      const format = axis ? axis.format : timeFormats().moment.format;
      readout.textContent = `${format(a)} – ${format(b)}`;
    }
  }

  #released(event) {
    const press = this.#press;
    this.#pointers.delete(event.pointerId);
    this.#press = null;
    if (press === null) return;
    if (press.kind === "select" && press.isDrag) {
      const [a, b] = this.#selection.toSorted((p, q) => p - q);
      this.#selection = null;
      this.#group.at = null;
      this.#choose(a, b, true);
    } else if ((press.kind === "move" && press.isDrag) || press.kind === "pinch") {
      this.#past.push(press.range);
      this.#settled();
    }
    if (event.pointerType === "touch" && this.#pointers.size === 0) {
      this.#lastX = null;
      this.#read(null);
    }
  }

  #cancelled(event) {
    this.#pointers.delete(event.pointerId);
    this.#press = this.#selection = null;
    this.#read(null);
    this.#over();
  }

  #wheeled(event) {
    if (event.deltaY === 0 && event.deltaX === 0) return;
    event.preventDefault();
    const { from, to } = this.range, unit = event.deltaMode === 1 ? 30 : 1;
    this.#remember();
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) {
      const by = ((event.deltaX || event.deltaY) * unit) / this.#kx;
      return this.#choose(from + by, to + by, false);
    }
    this.#zoomBy(Math.exp(Math.max(-1, Math.min(1, event.deltaY * unit * 0.002))), this.#timeAt(event.offsetX));
  }

  #zoomBy(factor, about) {
    const { from, to, follow } = this.range;
    // About the end of a following chart it goes on following.
    if (follow !== null && about >= to - (to - from) * 0.02) about = to;
    this.#choose(about - (about - from) * factor, about + (to - about) * factor, false);
  }

  #keyed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { left, right } = this.#plot, { from, to } = this.range, isFixed = this.#options.fixed;
    const at = this.#group.at === null ? right : this.#x(this.#group.at);
    const length = to - from;
    const moves = { ArrowLeft: -length / 10, ArrowRight: length / 10, PageUp: -length, PageDown: length };
    const places = { ArrowLeft: at - 4, ArrowRight: at + 4, PageUp: at - 40, PageDown: at + 40, Home: left, End: right };
    const { key } = event;
    if (key === "Escape") {
      if (this.#group.at === null && this.#selection === null) return;
      this.#selection = null;
      this.#read(null);
    } else if (event.shiftKey && key in moves && !isFixed) {
      this.#remember();
      this.#choose(from + moves[key], to + moves[key], false);
    } else if (key in places) {
      this.#read(this.#timeAt(Math.min(right, Math.max(left, places[key]))));
    } else if ((key === "+" || key === "=" || key === "-") && !isFixed) {
      this.#remember();
      this.#zoomBy(key === "-" ? 1.5 : 1 / 1.5, this.#group.at ?? to);
    } else if (key === "Backspace" && !isFixed) this.back();
    else return;
    event.preventDefault();
  }

  // --- Ranges chosen by hand

  /** Puts the range before a series of turns or keys where `back` finds it. */
  #remember() {
    if (this.#settle === null) this.#past.push({ ...this.#range });
  }

  #choose(from, to, isFinal) {
    if (isFinal) this.#past.push({ ...this.#range });
    const { shortest = 10, longest = 100 * 365 * DAY, from: first = -Infinity, to: last }
      = this.#options.limits ?? {};
    const end = last ?? (this.#options.axis ? Infinity : Date.now());
    let length = Math.min(longest, Math.max(shortest, to - from), end - first);
    const middle = (from + to) / 2;
    [from, to] = to - from === length ? [from, to] : [middle - length / 2, middle + length / 2];
    if (to > end) [from, to] = [end - length, end];
    if (from < first) [from, to] = [first, first + length];
    const isNow = this.#range.follow !== null && end - to < length * 0.001 && last === undefined;
    const range = isNow ? { from: 0, to: 0, follow: length } : { from, to, follow: null };
    for (const chart of this.#group.range ? this.#group.charts : [this]) {
      chart.#range = { ...range };
      chart.#tick();
      chart.update();
    }
    if (this.#lastX !== null) {
      // The crosshair stays below the pointer.
      this.draw();
      this.#read(this.#timeAt(this.#lastX));
    }
    if (isFinal) this.#chosen(); else this.#settled();
  }

  #settled() {
    clearTimeout(this.#settle);
    this.#settle = setTimeout(() => {
      this.#settle = null;
      this.#chosen();
    }, SETTLE_MS);
  }

  #chosen() {
    for (const chart of this.#group.range ? this.#group.charts : [this]) {
      if (chart !== this) chart.#range = { ...this.#range };
      chart.update();
    }
    this.#options.onrange?.(this.range);
  }

  // --- What is shown, as a table

  /**
   * The visible samples or windows, newest first.
   * @param {{limit?: number}} [options]
   * @returns {{columns: {name: string, unit?: string, series: string, statistic?: string}[],
   *   rows: {t: number, to?: number, values: (number|null)[]}[], total: number}}
   */
  table({ limit = Infinity } = {}) {
    return tableOf(this.#shown().map((series) => ({ series, ...this.#data(series) })), this.range, limit);
  }

  /** The visible samples or windows as CSV (RFC 4180), oldest first, with times in RFC 3339. */
  csv() { return csvOf(this.table(), this.#options.axis !== undefined); }
}
