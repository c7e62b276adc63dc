// Images are not drawn, but scripts read their sizes and wait for `load`.
import attributes from "domino/lib/attributes";
import { elements } from "domino/lib/htmlelts";

const { HTMLImageElement } = elements;
// The state of an image element: `turn` counts its loads.
const states = new WeakMap();

const stateOf = (image) => {
    if (!states.has(image)) states.set(image, { turn: 0, width: 0, height: 0, isDone: true });
    return states.get(image);
};

const text = (bytes, from, to) => String.fromCharCode(...bytes.subarray(from, to));
const big = (bytes, place, count) => {
    let number = 0;
    for (let index = 0; index < count; index++) number = number * 256 + bytes[place + index];
    return number;
};
const little = (bytes, place, count) => big([...bytes.subarray(place, place + count)].reverse(), 0, count);

// ISO/IEC 10918-1 B.2.2: the frame header, after any other segments.
function sizeOfJPEG(bytes) {
    for (let place = 2; place + 9 < bytes.length && bytes[place] === 0xff; ) {
        const marker = bytes[place + 1];
        const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
        if (isFrame) return [big(bytes, place + 7, 2), big(bytes, place + 5, 2)];
        place += 2 + big(bytes, place + 2, 2);
    }
    return null;
}

// RFC 9649.
function sizeOfWebP(bytes) {
    switch (text(bytes, 12, 16)) {
    case "VP8X": return [little(bytes, 24, 3) + 1, little(bytes, 27, 3) + 1];
    case "VP8L": {
        const bits = little(bytes, 21, 4);
        return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
    }
    case "VP8 ": return [little(bytes, 26, 2) & 0x3fff, little(bytes, 28, 2) & 0x3fff];
    default: return null;
    }
}

// Default size of an SVG without width and height: 300 by 150, or the ratio of its view box.
function sizeOfSVG(source) {
    const tag = /<svg\b[^>]*>/i.exec(source)?.[0];
    if (tag === undefined) return null;
    const number = (name) => {
        const found = new RegExp(`\\s${name}\\s*=\\s*["']\\s*([0-9.]+)(?:px)?\\s*["']`, "i").exec(tag);
        return found === null ? null : Math.round(+found[1]);
    };
    const [width, height] = [number("width"), number("height")];
    if (width !== null && height !== null) return [width, height];
    const view = /\sviewBox\s*=\s*["']([^"']*)["']/i.exec(tag)?.[1].trim().split(/[\s,]+/).map(Number);
    const ratio = view?.length === 4 && view[2] > 0 && view[3] > 0 ? view[2] / view[3] : null;
    if (width !== null) return [width, ratio === null ? 150 : Math.round(width / ratio)];
    if (height !== null) return [ratio === null ? 300 : Math.round(height * ratio), height];
    return ratio === null ? [300, 150] : [Math.round(Math.min(300, 150 * ratio)), Math.round(Math.min(150, 300 / ratio))];
}

/** Width and height of an image, or null for an unknown format. */
export function sizeOf(bytes) {
    if (bytes.length >= 24 && text(bytes, 0, 8) === "\x89PNG\r\n\x1a\n") return [big(bytes, 16, 4), big(bytes, 20, 4)];
    if (bytes.length >= 10 && /^GIF8[79]a/.test(text(bytes, 0, 6))) return [little(bytes, 6, 2), little(bytes, 8, 2)];
    if (bytes.length >= 4 && bytes[0] === 0xff && bytes[1] === 0xd8) return sizeOfJPEG(bytes);
    if (bytes.length >= 30 && text(bytes, 0, 4) === "RIFF" && text(bytes, 8, 12) === "WEBP") return sizeOfWebP(bytes);
    return sizeOfSVG(text(bytes, 0, Math.min(bytes.length, 4096)));
}

/**
 * Implements the loading of images.
 *
 * @returns `enable`, which starts the loading for a document; images of a document that is only parsed
 *   are not loaded.
 */
export function install(bridge) {
    let active = null;

    const finish = (image, state, turn, bytes) => {
        if (state.turn !== turn) return;
        const size = bytes === null ? null : sizeOf(bytes);
        state.isDone = true;
        [state.width, state.height] = size ?? [0, 0];
        bridge.dispatchTo(image, new bridge.Event(size === null ? "error" : "load"));
    };

    const load = (image, source) => {
        if (active === null || image.ownerDocument !== active) return;
        const state = stateOf(image);
        const turn = ++state.turn;
        state.width = state.height = 0;
        state.isDone = source === null;
        if (source === null) return;
        // Errors are reported asynchronously too, when handlers are set.
        bridge.bytesOf(source, active._documentBaseURL, (bytes) => finish(image, state, turn, bytes));
    };

    attributes.registerChangeHandler(HTMLImageElement, "src", (image, name, before, source) => load(image, source));
    // An image parsed from markup has its source from another document.
    HTMLImageElement.prototype._roothook = function () {
        if (stateOf(this).turn === 0 && this.hasAttribute("src")) load(this, this.getAttribute("src"));
    };
    const size = (name, natural) => ({
        get() {
            const given = Number.parseInt(this.getAttribute(name) ?? "", 10);
            return given >= 0 ? given : stateOf(this)[natural];
        },
        set(value) { this.setAttribute(name, String(Math.trunc(+value) || 0)); },
        enumerable: true, configurable: true,
    });
    const member = (get) => ({ get, enumerable: true, configurable: true });
    Object.defineProperties(HTMLImageElement.prototype, {
        width: size("width", "width"),
        height: size("height", "height"),
        naturalWidth: member(function () { return stateOf(this).width; }),
        naturalHeight: member(function () { return stateOf(this).height; }),
        complete: member(function () { return stateOf(this).isDone; }),
        currentSrc: member(function () { return stateOf(this).turn === 0 ? "" : this.src; }),
        decode: {
            value() {
                return new Promise((resolve, reject) => {
                    const settle = () => (stateOf(this).width > 0 ? resolve() : reject(
                        new bridge.DOMException("the image cannot be decoded", "EncodingError")));
                    if (this.complete) return settle();
                    for (const type of ["load", "error"]) this.addEventListener(type, settle, { once: true });
                });
            },
            writable: true, configurable: true,
        },
    });
    return { enable(document) { active = document; } };
}
