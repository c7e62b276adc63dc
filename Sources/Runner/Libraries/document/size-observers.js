// ResizeObserver and IntersectionObserver of a page without layout, where every size is zero: each target is
// reported once, as browsers do when its observation begins, and never again, since nothing changes its size.

export function install(bridge, styles) {
    const check = (callback, target) => {
        if (target === undefined && typeof callback !== "function") throw new TypeError("the callback is not a function");
        if (target !== undefined && (typeof target !== "object" || target?.nodeType !== 1)) throw new TypeError("the target is not an Element");
    };

    /** What both share: the targets, and one later call with those that were added. */
    class Reports {
        #observer; #callback; #entryOf; #targets = new Set(); #waiting = new Set(); #isQueued = false;
        constructor(observer, callback, entryOf) {
            this.#observer = observer;
            this.#callback = callback;
            this.#entryOf = entryOf;
        }
        add(target) {
            if (this.#targets.has(target)) return;
            this.#targets.add(target);
            this.#waiting.add(target);
            if (this.#isQueued) return;
            this.#isQueued = true;
            bridge.later(() => {
                this.#isQueued = false;
                const entries = this.take();
                if (entries.length > 0) bridge.call(this.#callback, this.#observer, [entries, this.#observer]);
            });
        }
        remove(target) {
            this.#targets.delete(target);
            this.#waiting.delete(target);
        }
        clear() {
            this.#targets.clear();
            this.#waiting.clear();
        }
        take() {
            const entries = [...this.#waiting].map(this.#entryOf);
            this.#waiting.clear();
            return entries;
        }
    }

    class ResizeObserver {
        #reports;
        constructor(callback) {
            check(callback);
            this.#reports = new Reports(this, callback, (target) => {
                const size = Object.freeze([{ inlineSize: 0, blockSize: 0 }]);
                return {
                    target, contentRect: target.getBoundingClientRect(), borderBoxSize: size, contentBoxSize: size,
                    devicePixelContentBoxSize: size,
                };
            });
        }
        observe(target) {
            check(undefined, target ?? null);
            this.#reports.add(target);
        }
        unobserve(target) { this.#reports.remove(target); }
        disconnect() { this.#reports.clear(); }
    }

    // All that is rendered counts as visible: there is no scrolling.
    class IntersectionObserver {
        #reports; #options;
        constructor(callback, options = {}) {
            check(callback);
            const thresholds = [options.threshold ?? 0].flat().map(Number);
            if (thresholds.some((number) => !(number >= 0 && number <= 1))) throw new RangeError("a threshold is between 0 and 1");
            this.#options = { root: options.root ?? null, rootMargin: options.rootMargin ?? "0px 0px 0px 0px", thresholds: Object.freeze(thresholds.sort((a, b) => a - b)) };
            this.#reports = new Reports(this, callback, (target) => {
                styles.begin();
                const isIntersecting = styles.isRendered(target), box = target.getBoundingClientRect();
                return {
                    target, isIntersecting, intersectionRatio: isIntersecting ? 1 : 0, boundingClientRect: box,
                    intersectionRect: box, rootBounds: null, time: bridge.global.performance.now(),
                };
            });
        }
        get root() { return this.#options.root; }
        get rootMargin() { return this.#options.rootMargin; }
        get thresholds() { return this.#options.thresholds; }
        observe(target) {
            check(undefined, target ?? null);
            this.#reports.add(target);
        }
        unobserve(target) { this.#reports.remove(target); }
        disconnect() { this.#reports.clear(); }
        takeRecords() { return this.#reports.take(); }
    }
    for (const kind of [ResizeObserver, IntersectionObserver]) bridge.tag(kind);
    return { ResizeObserver, IntersectionObserver };
}
