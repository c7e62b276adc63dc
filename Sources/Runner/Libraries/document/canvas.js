// The 2D context of a canvas without pixels: it keeps its state, transformations and paths as the standard says,
// estimates the width of text, and draws nothing. What would need pixels is transparent, and a note says so once.
import { elements } from "domino/lib/htmlelts";
import { add } from "./members.js";

const defaults = {
    fillStyle: "#000000", strokeStyle: "#000000", lineWidth: 1, lineCap: "butt", lineJoin: "miter", miterLimit: 10,
    lineDashOffset: 0, font: "10px sans-serif", textAlign: "start", textBaseline: "alphabetic", direction: "ltr",
    globalAlpha: 1, globalCompositeOperation: "source-over", shadowBlur: 0, shadowColor: "rgba(0, 0, 0, 0)",
    shadowOffsetX: 0, shadowOffsetY: 0, imageSmoothingEnabled: true, imageSmoothingQuality: "low", filter: "none",
    letterSpacing: "0px", wordSpacing: "0px", fontKerning: "auto",
};
const choices = {
    lineCap: ["butt", "round", "square"], lineJoin: ["bevel", "miter", "round"], direction: ["ltr", "rtl", "inherit"],
    textAlign: ["start", "end", "left", "right", "center"],
    textBaseline: ["top", "hanging", "middle", "alphabetic", "ideographic", "bottom"],
};
const positive = new Set(["lineWidth", "miterLimit"]);

export function install(bridge) {
    const { HTMLCanvasElement } = elements;
    let hasNoted = false;
    const note = () => {
        if (hasNoted) return;
        hasNoted = true;
        bridge.note("A canvas has no pixels in a headless run: what is drawn is not kept, and images of it are transparent.");
    };
    const unsupported = (message) => { throw new bridge.DOMException(message, "IndexSizeError"); };

    class ImageData {
        constructor(first, second, third) {
            const isData = typeof first === "object";
            const [width, height] = isData ? [second, third ?? first.length / 4 / second] : [first, second];
            if (!(width >= 1 && height >= 1)) unsupported("an image has at least one pixel");
            if (isData && first.length !== 4 * Math.trunc(width) * Math.trunc(height)) unsupported("the data has another size");
            Object.defineProperties(this, {
                width: { value: Math.trunc(width), enumerable: true }, height: { value: Math.trunc(height), enumerable: true },
                data: { value: isData ? first : new Uint8ClampedArray(4 * Math.trunc(width) * Math.trunc(height)), enumerable: true },
            });
        }
        get colorSpace() { return "srgb"; }
    }
    class CanvasGradient {
        addColorStop(offset) {
            if (!(offset >= 0 && offset <= 1)) unsupported("an offset is between 0 and 1");
        }
    }
    class CanvasPattern { setTransform() {} }

    /** The points of a path, which only tests of what is inside of it use. */
    class Path2D {
        _parts = [];
        /** What maps the points that are added, as in `setTransform`. */
        _matrix = [1, 0, 0, 1, 0, 0];
        _at(x, y) {
            const [a, b, c, d, e, f] = this._matrix;
            return [a * x + c * y + e, b * x + d * y + f];
        }
        constructor(path) { if (path instanceof Path2D) this._parts = path._parts.map((part) => [...part]); }
        _to(x, y) { (this._parts.at(-1) ?? this._begin(x, y)).push([+x, +y]); }
        _begin(x, y) {
            this._parts.push([[+x, +y]]);
            return this._parts.at(-1);
        }
        addPath(path) { this._parts.push(...path._parts.map((part) => [...part])); }
        moveTo(x, y) { this._begin(...this._at(+x, +y)); }
        lineTo(x, y) { this._to(...this._at(+x, +y)); }
        closePath() {
            const first = this._parts.at(-1)?.[0];
            if (first !== undefined) {
                this._to(...first);
                this._begin(...first);
            }
        }
        rect(x, y, width, height) {
            this.moveTo(x, y);
            for (const point of [[x + width, y], [x + width, y + height], [x, y + height]]) this.lineTo(...point);
            this.closePath();
        }
        roundRect(x, y, width, height) { this.rect(x, y, width, height); }
        quadraticCurveTo(cx, cy, x, y) { this.bezierCurveTo(cx, cy, cx, cy, x, y); }
        bezierCurveTo(...list) {
            const [[ax, ay], [bx, by], [x, y]] = [0, 2, 4].map((at) => this._at(+list[at], +list[at + 1]));
            const [sx, sy] = this._parts.at(-1)?.at(-1) ?? [ax, ay];
            for (let step = 1; step <= 8; step++) {
                const t = step / 8, u = 1 - t;
                this._to(u ** 3 * sx + 3 * u * u * t * ax + 3 * u * t * t * bx + t ** 3 * x, u ** 3 * sy + 3 * u * u * t * ay + 3 * u * t * t * by + t ** 3 * y);
            }
        }
        arc(x, y, radius, start, end, isReverse = false) {
            if (radius < 0) unsupported("the radius is negative");
            this.ellipse(x, y, radius, radius, 0, start, end, isReverse);
        }
        arcTo(ax, ay, bx, by, radius) {
            if (radius < 0) unsupported("the radius is negative");
            this.lineTo(ax, ay);
        }
        ellipse(x, y, rx, ry, rotation, start, end, isReverse = false) {
            if (rx < 0 || ry < 0) unsupported("a radius is negative");
            const full = 2 * Math.PI, turn = isReverse ? start - end : end - start;
            const sweep = turn >= full ? full : ((turn % full) + full) % full;
            for (let step = 0; step <= 16; step++) {
                const angle = start + (isReverse ? -1 : 1) * sweep * step / 16;
                const [px, py] = [rx * Math.cos(angle), ry * Math.sin(angle)];
                this.lineTo(x + px * Math.cos(rotation) - py * Math.sin(rotation), y + px * Math.sin(rotation) + py * Math.cos(rotation));
            }
        }
        _contains(x, y, rule) {
            let winding = 0, crossings = 0;
            for (const part of this._parts) {
                for (let at = 0; at < part.length; at++) {
                    const [ax, ay] = part[at], [bx, by] = part[(at + 1) % part.length];
                    if ((ay > y) === (by > y) || x >= (bx - ax) * (y - ay) / (by - ay) + ax) continue;
                    winding += by > ay ? 1 : -1;
                    crossings++;
                }
            }
            return rule === "evenodd" ? crossings % 2 === 1 : winding !== 0;
        }
    }

    class CanvasRenderingContext2D {
        #canvas; #state; #stack = []; #path = new Path2D();
        constructor(key, canvas) {
            if (key !== bridge) throw new TypeError("Illegal constructor");
            this.#canvas = canvas;
            this.reset();
        }
        static state(context) { return context.#state; }
        get canvas() { return this.#canvas; }
        reset() {
            this.#state = { ...defaults, dash: [], matrix: [1, 0, 0, 1, 0, 0] };
            this.#stack = [];
            this.#path = new Path2D();
        }
        isContextLost() { return false; }
        save() { if (this.#stack.length < 4096) this.#stack.push({ ...this.#state, matrix: [...this.#state.matrix] }); }
        restore() { this.#state = this.#stack.pop() ?? this.#state; }
        // Transformations.
        transform(a, b, c, d, e, f) {
            const [p, q, r, s, t, u] = this.#state.matrix;
            this.#state.matrix = [p * a + r * b, q * a + s * b, p * c + r * d, q * c + s * d, p * e + r * f + t, q * e + s * f + u];
        }
        setTransform(a = 1, b = 0, c = 0, d = 1, e = 0, f = 0) {
            this.#state.matrix = typeof a === "object" ? [a.a ?? 1, a.b ?? 0, a.c ?? 0, a.d ?? 1, a.e ?? 0, a.f ?? 0] : [a, b, c, d, e, f].map(Number);
        }
        resetTransform() { this.setTransform(); }
        getTransform() {
            const [a, b, c, d, e, f] = this.#state.matrix;
            return { a, b, c, d, e, f, is2D: true, isIdentity: a === 1 && b === 0 && c === 0 && d === 1 && e === 0 && f === 0 };
        }
        translate(x, y) { this.transform(1, 0, 0, 1, +x, +y); }
        scale(x, y) { this.transform(+x, 0, 0, +y, 0, 0); }
        rotate(angle) { this.transform(Math.cos(angle), Math.sin(angle), -Math.sin(angle), Math.cos(angle), 0, 0); }
        // Paths, in the coordinates of the canvas.
        beginPath() { this.#path = new Path2D(); }
        closePath() { this.#path.closePath(); }
        isPointInPath(...list) {
            if (!(list[0] instanceof Path2D)) return this.#path._contains(+list[0], +list[1], list[2] ?? "nonzero");
            // A given path is transformed now, so the point is transformed back.
            const path = list.shift(), [a, b, c, d, e, f] = this.#state.matrix, size = a * d - b * c;
            const [x, y] = [list[0] - e, list[1] - f];
            return size !== 0 && path._contains((d * x - c * y) / size, (a * y - b * x) / size, list[2] ?? "nonzero");
        }
        isPointInStroke() { return false; }
        static add(context, name, list) {
            context.#path._matrix = context.#state.matrix;
            context.#path[name](...list);
        }
        // Text, whose width is an estimate from the size of the font.
        measureText(text) {
            const size = Number.parseFloat(/([\d.]+)px/.exec(this.#state.font)?.[1] ?? "10"), width = 0.55 * size * [...`${text}`].length;
            return {
                width, actualBoundingBoxLeft: 0, actualBoundingBoxRight: width, actualBoundingBoxAscent: 0.75 * size,
                actualBoundingBoxDescent: 0.2 * size, fontBoundingBoxAscent: 0.9 * size, fontBoundingBoxDescent: 0.2 * size,
            };
        }
        setLineDash(list) { if ([...list].every((number) => number >= 0)) this.#state.dash = list.length % 2 === 1 ? [...list, ...list] : [...list]; }
        getLineDash() { return [...this.#state.dash]; }
        createLinearGradient() { return new CanvasGradient(); }
        createRadialGradient(ax, ay, ar, bx, by, br) {
            if (ar < 0 || br < 0) unsupported("a radius is negative");
            return new CanvasGradient();
        }
        createConicGradient() { return new CanvasGradient(); }
        createPattern() { return new CanvasPattern(); }
        createImageData(width, height) { return typeof width === "object" ? new ImageData(width.width, width.height) : new ImageData(Math.abs(width), Math.abs(height)); }
        getImageData(x, y, width, height) {
            note();
            return new ImageData(Math.abs(width), Math.abs(height));
        }
        getContextAttributes() { return { alpha: true, colorSpace: "srgb", desynchronized: false, willReadFrequently: false }; }
    }
    const { state, add: addToPath } = CanvasRenderingContext2D;
    delete CanvasRenderingContext2D.state;
    delete CanvasRenderingContext2D.add;
    const { prototype } = CanvasRenderingContext2D;
    for (const name of ["moveTo", "lineTo", "rect", "roundRect", "quadraticCurveTo", "bezierCurveTo", "arc", "arcTo", "ellipse"]) {
        add(prototype, { [name](...list) {
            if (list.some((value) => typeof value === "number" && !Number.isFinite(value))) return;
            addToPath(this, name, list);
        } });
    }
    // These would only change pixels.
    for (const name of [
        "fill", "stroke", "clip", "fillRect", "strokeRect", "clearRect", "fillText", "strokeText", "drawImage", "putImageData",
        "drawFocusIfNeeded",
    ]) {
        add(prototype, { [name]() {} });
    }
    for (const [name, initial] of Object.entries(defaults)) {
        Object.defineProperty(prototype, name, {
            enumerable: true, configurable: true,
            get() { return state(this)[name]; },
            set(value) {
                const kind = typeof initial;
                if (kind === "number") {
                    const number = +value;
                    const isAllowed = Number.isFinite(number) && (!positive.has(name) || number > 0)
                        && (name !== "globalAlpha" || (number >= 0 && number <= 1)) && (name !== "shadowBlur" || number >= 0);
                    if (isAllowed) state(this)[name] = number;
                } else if (kind === "boolean") state(this)[name] = !!value;
                else if (/Style$/.test(name) && (value instanceof CanvasGradient || value instanceof CanvasPattern)) state(this)[name] = value;
                else if (choices[name] === undefined || choices[name].includes(value)) state(this)[name] = `${value}`;
            },
        });
    }
    const contexts = new WeakMap();
    const side = (name, initial) => ({
        get() {
            const text = this.getAttribute(name) ?? "";
            return /^[ \t\n\f\r]*\+?\d/.test(text) ? Number.parseInt(text, 10) : initial;
        },
        set(value) {
            const number = value >>> 0;
            this.setAttribute(name, String(number > 0x7fffffff ? initial : number));
            contexts.get(this)?.reset();
        },
        enumerable: true, configurable: true,
    });
    Object.defineProperties(HTMLCanvasElement.prototype, { width: side("width", 300), height: side("height", 150) });
    add(HTMLCanvasElement.prototype, {
        getContext(kind) {
            if (`${kind}` !== "2d") return null;
            if (!contexts.has(this)) contexts.set(this, new CanvasRenderingContext2D(bridge, this));
            return contexts.get(this);
        },
        toDataURL() {
            note();
            return "data:,";
        },
        toBlob(callback) {
            note();
            bridge.later(() => bridge.call(callback, undefined, [null]));
        },
    });
    const globals = { CanvasRenderingContext2D, CanvasGradient, CanvasPattern, ImageData, Path2D };
    for (const kind of Object.values(globals)) bridge.tag(kind);
    return globals;
}
