
// Pointer, wheel and keys.
// A part of charts.js, which CResources/dashboard.c concatenates.

/**
 * What a chart does for its input. Times are those of the range shown.
 * @typedef {object} ChartActions
 * @property {() => {from: number, to: number, follow: number|null}} range the range shown
 * @property {() => {left: number, right: number}} plot where the lines are, in CSS pixels
 * @property {() => number|null} at the time under the crosshair
 * @property {(at: number|null) => void} read moves the crosshair; null removes it
 * @property {(times: [number, number]|null) => void} select marks a stretch; null removes the mark
 * @property {(from: number, to: number, isFinal: boolean) => void} choose shows another range; unless it
 *   is final, more of the same gesture may follow
 * @property {() => void} remember keeps the range before a gesture for `back`
 * @property {(range: {from: number, to: number, follow: number|null}) => void} finish ends a gesture that
 *   began at a range
 * @property {() => boolean} back shows the range before
 */

/** Turns the events of a canvas into actions of its chart. */
class Input {
  #canvas; #actions; #isFixed;
  #pointers = new Map(); // their positions by identifier
  #press = null; // the gesture that began with a press
  #selection = null;
  #lastX = null; // where the pointer is

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {ChartActions} actions
   * @param {{isFixed: () => boolean, signal: AbortSignal}} options
   */
  constructor(canvas, actions, { isFixed, signal }) {
    [this.#canvas, this.#actions, this.#isFixed] = [canvas, actions, isFixed];
    canvas.style.touchAction = "pan-y";
    const on = (name, handler, more) => canvas.addEventListener(name, handler.bind(this), { signal, ...more });
    on("pointermove", this.#moved);
    on("pointerdown", this.#pressed);
    on("pointerup", this.#released);
    on("pointercancel", this.#cancelled);
    on("pointerleave", () => {
      this.#lastX = null;
      if (this.#press === null) actions.read(null);
    });
    on("keydown", this.#keyed);
    if (isFixed()) return;
    on("wheel", this.#wheeled, { passive: false });
    on("dblclick", () => actions.back());
  }

  /** The time under the pointer; null if the pointer is not on the chart. */
  get time() { return this.#lastX === null ? null : this.#timeAt(this.#lastX); }

  #timeAt(x) {
    const { left, right } = this.#actions.plot(), { from, to } = this.#actions.range();
    return from + (Math.min(right, Math.max(left, x)) - left) / (right - left) * (to - from);
  }

  /** The duration of so many pixels, in milliseconds. */
  #duration(pixels) {
    const { left, right } = this.#actions.plot(), { from, to } = this.#actions.range();
    return pixels / (right - left) * (to - from);
  }

  #select(times) {
    this.#selection = times;
    this.#actions.select(times);
  }

  #pressed(event) {
    this.#pointers.set(event.pointerId, event.offsetX);
    if (event.button !== 0) return;
    const isTouch = event.pointerType === "touch", range = this.#actions.range();
    if (isTouch && this.#pointers.size === 2) {
      const [a, b] = this.#pointers.values();
      this.#press = { kind: "pinch", range, apart: Math.max(8, Math.abs(a - b)), middle: this.#timeAt((a + b) / 2) };
      return;
    }
    this.#canvas.setPointerCapture(event.pointerId);
    const kind = isTouch || this.#isFixed() ? "read" : event.shiftKey ? "move" : "select";
    this.#press = { kind, x: event.offsetX, t: this.#timeAt(event.offsetX), range, isDrag: false };
    if (isTouch) this.#actions.read(this.#press.t);
  }

  #moved(event) {
    const press = this.#press, x = event.offsetX, { choose, read } = this.#actions;
    if (this.#pointers.has(event.pointerId)) this.#pointers.set(event.pointerId, x);
    this.#lastX = x;
    if (press?.kind === "pinch" && this.#pointers.size === 2) {
      const [a, b] = this.#pointers.values(), { from, to } = press.range, { left, right } = this.#actions.plot();
      const length = (to - from) * press.apart / Math.max(8, Math.abs(a - b));
      const share = ((a + b) / 2 - left) / (right - left);
      return choose(press.middle - share * length, press.middle + (1 - share) * length, false);
    }
    if (press === null || press.kind === "read") return read(this.#timeAt(x));
    if (!press.isDrag && Math.abs(x - press.x) < DRAG) return;
    press.isDrag = true;
    if (press.kind === "move") {
      const by = this.#duration(press.x - x);
      return choose(press.range.from + by, press.range.to + by, false);
    }
    this.#select([press.t, this.#timeAt(x)]);
  }

  #released(event) {
    const press = this.#press;
    this.#pointers.delete(event.pointerId);
    this.#press = null;
    if (press === null) return;
    if (press.kind === "select" && press.isDrag) {
      const [a, b] = this.#selection.toSorted((p, q) => p - q);
      this.#select(null);
      this.#actions.choose(a, b, true);
    } else if ((press.kind === "move" && press.isDrag) || press.kind === "pinch") {
      this.#actions.finish(press.range);
    }
    if (event.pointerType === "touch" && this.#pointers.size === 0) {
      this.#lastX = null;
      this.#actions.read(null);
    }
  }

  #cancelled(event) {
    this.#pointers.delete(event.pointerId);
    this.#press = null;
    this.#actions.read(null);
    this.#select(null);
  }

  #wheeled(event) {
    if (event.deltaY === 0 && event.deltaX === 0) return;
    event.preventDefault();
    const { from, to } = this.#actions.range(), unit = event.deltaMode === 1 ? 30 : 1;
    this.#actions.remember();
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) {
      const by = this.#duration((event.deltaX || event.deltaY) * unit);
      return this.#actions.choose(from + by, to + by, false);
    }
    this.#zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY * unit * 0.002))), this.#timeAt(event.offsetX));
  }

  #zoom(factor, about) {
    const { from, to, follow } = this.#actions.range();
    // About the end of a following chart it goes on following.
    if (follow !== null && about >= to - (to - from) * 0.02) about = to;
    this.#actions.choose(about - (about - from) * factor, about + (to - about) * factor, false);
  }

  #keyed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { range, plot, at, read, choose, remember, back } = this.#actions;
    const { left, right } = plot(), { from, to } = range(), isFixed = this.#isFixed(), length = to - from;
    const x = at() === null ? right : left + (at() - from) / length * (right - left);
    const moves = { ArrowLeft: -length / 10, ArrowRight: length / 10, PageUp: -length, PageDown: length };
    const places = { ArrowLeft: x - 4, ArrowRight: x + 4, PageUp: x - 40, PageDown: x + 40, Home: left, End: right };
    const { key } = event;
    if (key === "Escape") {
      if (at() === null && this.#selection === null) return;
      read(null);
      this.#select(null);
    } else if (event.shiftKey && key in moves && !isFixed) {
      remember();
      choose(from + moves[key], to + moves[key], false);
    } else if (key in places) {
      read(this.#timeAt(places[key]));
    } else if ((key === "+" || key === "=" || key === "-") && !isFixed) {
      remember();
      this.#zoom(key === "-" ? 1.5 : 1 / 1.5, at() ?? to);
    } else if (key === "Backspace" && !isFixed) back();
    else return;
    event.preventDefault();
  }
}
