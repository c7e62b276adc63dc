
// The picture of a chart: axes, lines, bands and gaps, and over it the crosshair and the selection.
// A part of charts.js, which CResources/dashboard.c concatenates.

/** Paints a chart on its canvas. */
class Picture {
  #canvas; #context;
  #view = null; // what was painted last
  #plot = { left: 0, right: 0, top: 0, bottom: 0 };
  #axes = [];
  #kx = 0; // pixels a millisecond
  #base = null; // a copy of the picture without crosshair and selection, while one of them is shown; otherwise null

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.#canvas = canvas;
    this.#context = canvas.getContext("2d");
  }

  /** The rectangle of the lines, in CSS pixels, without the labels of the axes. */
  get plot() { return this.#plot; }

  /** The position of a time in what was painted last, in CSS pixels. */
  x(t) { return this.#plot.left + (t - this.#view.from) * this.#kx; }

  /**
   * Paints everything except the crosshair and the selection.
   * @param {{width: number, height: number, from: number, to: number, shown: Series[],
   *   options: ChartOptions, texts: typeof TEXTS}} view
   */
  paint(view) {
    this.#view = view;
    const c = this.#context, ratio = devicePixelRatio || 1;
    const [width, height] = [Math.round(view.width * ratio), Math.round(view.height * ratio)];
    if (this.#canvas.width !== width || this.#canvas.height !== height) {
      [this.#canvas.width, this.#canvas.height] = [width, height];
    }
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, view.width, view.height);
    c.lineJoin = "round";
    c.font = `11px ${Picture.#fontOf(this.#canvas)}`;
    const { bare } = view.options;
    this.#plot = bare
      ? { left: 1, right: view.width - 4, top: 4, bottom: view.height - 4 }
      : { left: 0, right: view.width, top: TOP, bottom: view.height - BOTTOM };
    this.#scale();
    const { left, right, top, bottom } = this.#plot;
    this.#kx = (right - left) / (view.to - view.from);
    if (!bare) this.#grid();
    c.save();
    c.beginPath();
    c.rect(left - 1, top - 5, right - left + 6, bottom - top + 10);
    c.clip();
    for (const stretch of view.options.damaged ?? []) this.#hatch(stretch);
    if (!bare) this.#gaps();
    view.shown.forEach((series, i) => this.#series(series, i));
    c.restore();
    this.#base = null;
  }

  /**
   * Paints the crosshair, or the selection, over a copy of the picture; removes them if both are null.
   * @param {number|null} at a time
   * @param {[number, number]|null} selection two times
   */
  cover(at, selection) {
    const c = this.#context;
    if (this.#view === null) return;
    if (at === null && selection === null) {
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
    if (selection !== null) {
      const [a, b] = selection.map((t) => Math.min(right, Math.max(left, this.x(t))));
      c.fillStyle = this.#color("--series-1");
      c.globalAlpha = 0.12;
      c.fillRect(Math.min(a, b), top, Math.abs(b - a), bottom - top);
      c.globalAlpha = 1;
      for (const x of [a, b]) c.fillRect(Math.round(x), top, 1, bottom - top);
      return;
    }
    const x = this.x(at);
    if (x < left - 1 || x > right + 1) return;
    c.fillStyle = this.#color("--edge");
    c.fillRect(Math.round(x), top, 1, bottom - top);
    for (const { series, i } of closest(this.#view.shown, at)) {
      if (i === null) continue;
      const { t, v, shift } = dataOf(series), axis = this.#axisOf(series);
      if (axis) this.#dot(this.x(t[i] + shift), this.#y(axis, v[i]), this.#colorOf(series));
    }
  }

  /** Paints the picture without crosshair. */
  #restore() {
    const c = this.#context;
    c.save();
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    c.drawImage(this.#base, 0, 0);
    c.restore();
  }

  static #font = new WeakMap();
  static #fontOf(canvas) {
    let font = Picture.#font.get(canvas);
    if (font === undefined) Picture.#font.set(canvas, font = getComputedStyle(canvas).fontFamily);
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
    return this.#color(series.color ?? `--series-${1 + (this.#view.options.series.indexOf(series) % 6)}`);
  }

  /** The axis for the unit of a series; `undefined` for a third unit, whose series are not drawn. */
  #axisOf(series) { return this.#axes.find((axis) => axis.unit === series.unit); }

  #y(axis, v) {
    const { top, bottom } = this.#plot;
    return bottom - ((v - axis.low) / (axis.high - axis.low)) * (bottom - top);
  }

  /** Makes an axis for each of the first two units; it spans the values in the visible time range. */
  #scale() {
    const { from, to, shown, options, texts } = this.#view, { bare, floor, ceiling } = options;
    this.#axes = [];
    for (const series of shown) {
      let axis = this.#axes.find(({ unit }) => unit === series.unit);
      if (axis === undefined) {
        if (this.#axes.length === 2) continue;
        this.#axes.push(axis = { unit: series.unit, low: Infinity, high: -Infinity });
      }
      const { t, v } = dataOf(series);
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
      axis.labels = values.map((v) => (axis.isEmpty ? "" : formatted(v, axis.unit, step, options, texts)));
      const room = Math.ceil(Math.max(...axis.labels.map((l) => this.#context.measureText(l).width))) + 16;
      if (i === 0) this.#plot.right -= room; else this.#plot.left += room;
    });
  }

  #grid() {
    const { from, to, width } = this.#view, c = this.#context, { left, right, top, bottom } = this.#plot;
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
      const x = Math.round(this.x(t)), half = c.measureText(label).width / 2;
      c.fillStyle = isStrong ? this.#color("--hatch") : grid;
      c.fillRect(x, top, 1, bottom - top + 4);
      if (x - half < left || x + half > width || x - half < end + 8) continue;
      c.fillStyle = isStrong ? strong : ink;
      c.fillText(label, x, bottom + 12);
      end = x + half;
    }
    c.textAlign = "left";
  }

  #ticks(from, to, width) {
    const { axis } = this.#view.options;
    if (axis === undefined) return timeTicks(from, to, width);
    const { values, step } = valueTicks(from, to, width / 84);
    return values.filter((x) => x >= from && x <= to)
      .map((x) => ({ t: x, label: axis.format(x, step), strong: false }));
  }

  #series(series, index) {
    const { from, to } = this.#view, c = this.#context, { t, v, shift } = dataOf(series), axis = this.#axisOf(series);
    if (t.length === 0 || !axis) return;
    const first = Math.max(0, indexOf(t, from - 2 * shift) - 1);
    const end = Math.min(t.length, indexOf(t, to) + 1);
    const color = this.#colorOf(series);
    const longestInterval = longestIntervalOf(series, t);
    c.strokeStyle = c.fillStyle = color;
    c.lineWidth = series.width ?? 1.5;
    const isBanded = index === 0 && series.every !== undefined;
    if (isBanded || series.area) {
      const noLower = [], band = isBanded && series.deviation ? bandOf(series) : null;
      for (const [i, j] of stretches(t, v, first, end, longestInterval)) {
        if (series.area) this.#ribbon(t, shift, v, noLower, i, j, axis, 0.1);
        if (isBanded && series.min) this.#ribbon(t, shift, series.max, series.min, i, j, axis, 0.12);
        if (band) this.#ribbon(t, shift, band.upper, band.lower, i, j, axis, 0.22);
      }
    }
    const scale = (this.#plot.bottom - this.#plot.top) / (axis.high - axis.low);
    line(c, t, v, first, end, longestInterval, this.x(0) + shift * this.#kx, this.#kx,
      this.#plot.bottom + axis.low * scale, -scale, devicePixelRatio || 1);
    if (!series.live) return;
    for (let i = t.length - 1; i >= first; i--) {
      if (!isNumber(v[i])) continue;
      if (t[i] >= from && t[i] <= to) this.#dot(this.x(t[i] + shift), this.#y(axis, v[i]), color);
      break;
    }
  }

  /** Fills the area between two lists of values; if `lower` is empty, down to the lower end of the axis. */
  #ribbon(t, shift, upper, lower, first, last, axis, alpha) {
    const c = this.#context, reachesFloor = lower.length === 0;
    const dense = Math.max(1, Math.floor((last - first) / (2 * this.#view.width * (devicePixelRatio || 1))));
    c.globalAlpha = alpha;
    c.beginPath();
    if (dense > 1) {
      // Groups of `dense` samples, at most about half a pixel wide: the upper edge follows the greatest value of
      // each group, the lower edge its least.
      for (let i = first; i <= last; i += dense) {
        const [, high] = extent(upper, i, Math.min(last + 1, i + dense), Infinity, -Infinity);
        c.lineTo(this.x(t[i] + shift), this.#y(axis, high));
      }
      for (let i = first + Math.floor((last - first) / dense) * dense; i >= first; i -= dense) {
        const [low] = reachesFloor ? [axis.low]
          : extent(lower, i, Math.min(last + 1, i + dense), Infinity, -Infinity);
        c.lineTo(this.x(t[i] + shift), this.#y(axis, low));
      }
    } else {
      for (let i = first; i <= last; i++) c.lineTo(this.x(t[i] + shift), this.#y(axis, upper[i] ?? NaN));
      if (reachesFloor) {
        c.lineTo(this.x(t[last] + shift), this.#plot.bottom);
        c.lineTo(this.x(t[first] + shift), this.#plot.bottom);
      } else for (let i = last; i >= first; i--) c.lineTo(this.x(t[i] + shift), this.#y(axis, lower[i] ?? NaN));
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

  /**
   * Writes the text `noData` into each gap of the first series that is wide enough, except where samples are
   * damaged: those ranges are hatched.
   */
  #gaps() {
    const { from, to, options, texts, shown: [series] } = this.#view;
    const c = this.#context, { t, v, shift } = series ? dataOf(series) : { t: [], v: [], shift: 0 };
    const isDamaged = (a, b) => options.damaged?.some((s) => s.from < b && s.to > a);
    const first = Math.max(0, indexOf(t, from - 2 * shift) - 1), end = Math.min(t.length, indexOf(t, to) + 1);
    const longestInterval = series ? longestIntervalOf(series, t) : Infinity;
    const name = (a, b) => {
      const [left, right] = [this.x(Math.max(a, from)), this.x(Math.min(b, to))];
      if (right - left < 72 || isDamaged(a, b)) return;
      c.fillText(texts.noData, (left + right) / 2, this.#plot.bottom - 10);
    };
    c.fillStyle = this.#color("--ink-3");
    c.textAlign = "center";
    let last = null;
    for (const [i, j] of stretches(t, v, first, end, longestInterval)) {
      if (last !== null || t[i] > from) name(last ?? from, t[i]);
      last = t[j] + 2 * shift;
    }
    const now = options.axis === undefined ? Math.min(to, Date.now()) : to;
    if (last === null) name(from, now);
    else if (now - last > Math.max(longestInterval === Infinity ? 0 : longestInterval, 2 * shift)) name(last, now);
    c.textAlign = "left";
  }

  #hatch({ from, to }) {
    const c = this.#context, { top, bottom } = this.#plot;
    const left = Math.max(this.#plot.left, this.x(from ?? this.#view.from));
    const right = Math.min(this.#plot.right, Math.max(this.x(to ?? this.#view.to), left + 2));
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
}
