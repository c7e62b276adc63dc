
// The chart: its options, its range, its crosshair, and what it shows as a table.
// A part of charts.js, which CResources/dashboard.c concatenates.

/** A chart of one or several time series on a canvas. */
export class Chart {
  /** All charts that are not removed. @type {Set<Chart>} */
  static all = new Set();

  #canvas; #options; #texts; #group; #picture;
  #input = null; // a sparkline has none
  #width = 0; #height = 0; #isSeen = true; #isPaused = false; #pausedAt = 0;
  #range = { from: 0, to: 1, follow: null };
  #past = []; // ranges before, for a double click
  #selection = null; #settle = null;
  #stop = new AbortController();

  /**
   * @param {HTMLCanvasElement} canvas its size comes from CSS
   * @param {ChartOptions} options
   */
  constructor(canvas, options) {
    this.#canvas = canvas;
    this.#picture = new Picture(canvas);
    this.#options = { series: [], ...options };
    this.#texts = { ...TEXTS, ...options.texts };
    this.#group = options.group ?? new ChartGroup();
    this.#group.charts.add(this);
    if (sight === null) observe();
    byCanvas.set(canvas, this);
    Chart.all.add(this);
    this.#takeRange(options);
    if (!options.bare) this.#listen();
    if (options.readout && options.placeholder) options.readout.textContent = options.placeholder;
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

  /** What is shown, for the picture and for sentences. */
  get #view() {
    const { from, to } = this.range, [options, texts] = [this.#options, this.#texts];
    return { width: this.#width, height: this.#height, from, to, shown: this.#shown(), options, texts };
  }

  /** Draws now. */
  draw() {
    dirty.delete(this);
    if (!this.#isSeen || this.#width === 0) return;
    this.#picture.paint(this.#view);
    if (this.#options.bare) return;
    this.#cover();
    if (!this.#canvas.hasAttribute("aria-valuetext")) this.#describe();
  }

  // --- Crosshair and selection

  #cover() { this.#picture.cover(this.#group.at, this.#selection); }

  /** Moves the crosshair of all charts of the group; null takes it away. */
  #read(at) {
    if (at === this.#group.at) return;
    this.#group.at = at;
    for (const chart of this.#group.charts) {
      chart.#cover();
      chart.#say(chart === this);
      chart.#options.onread?.(at);
    }
  }

  #say(isMine) {
    const { at } = this.#group, { readout, placeholder = "" } = this.#options;
    const text = at === null ? placeholder : sentenceAt(at, this.#view);
    if (readout && readout.textContent !== text) readout.textContent = text;
    if (!isMine) return;
    if (at === null) return this.#describe();
    this.#canvas.setAttribute("aria-valuenow", String(Math.round(at)));
    this.#canvas.setAttribute("aria-valuetext", text);
  }

  /** Marks a stretch of time, and names it in the readout; null removes the mark. */
  #select(times) {
    this.#selection = times;
    if (times === null) this.#group.at = null;
    this.#cover();
    const { readout, axis } = this.#options;
    if (times === null || !readout) return;
    const [from, to] = times.toSorted((a, b) => a - b), format = axis ? axis.format : timeFormats().moment.format;
    readout.textContent = `${format(from)} – ${format(to)}`;
  }

  /** Describes the chart to screen readers while there is no crosshair. */
  #describe() {
    const { from, to } = this.range, canvas = this.#canvas;
    canvas.setAttribute("aria-valuemin", String(Math.round(from)));
    canvas.setAttribute("aria-valuemax", String(Math.round(to)));
    canvas.setAttribute("aria-valuenow", String(Math.round(to)));
    canvas.setAttribute("aria-valuetext", summaryOf(this.#view));
  }

  #listen() {
    const canvas = this.#canvas, { signal } = this.#stop;
    canvas.setAttribute("role", "slider");
    canvas.tabIndex = 0;
    if (this.#options.label) canvas.ariaLabel = this.#options.label;
    canvas.setAttribute("aria-valuenow", "0");
    canvas.addEventListener("focus", () => this.#group.at === null && this.#describe(), { signal });
    canvas.addEventListener("blur", () => this.#read(null), { signal });
    this.#input = new Input(canvas, {
      range: () => this.range,
      plot: () => this.#picture.plot,
      at: () => this.#group.at,
      read: (at) => this.#read(at),
      select: (times) => this.#select(times),
      choose: (from, to, isFinal) => this.#choose(from, to, isFinal),
      remember: () => this.#remember(),
      finish: (range) => {
        this.#past.push(range);
        this.#settled();
      },
      back: () => this.back(),
    }, { isFixed: () => Boolean(this.#options.fixed), signal });
  }

  // --- Ranges chosen by hand

  /** Stores the range before a series of wheel turns or key presses, for `back`. */
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
    const { time = null } = this.#input ?? {};
    if (time !== null) {
      // The crosshair stays below the pointer.
      this.draw();
      this.#read(this.#input.time);
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
    return tableOf(this.#shown().map((series) => ({ series, ...dataOf(series) })), this.range, limit);
  }

  /** The visible samples or windows as CSV (RFC 4180), oldest first, with times in RFC 3339. */
  csv() { return csvOf(this.table(), this.#options.axis !== undefined); }
}
