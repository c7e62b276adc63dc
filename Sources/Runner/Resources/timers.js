// Timers, microtasks and the monotonic clock. The process stores the deadlines, this script the callbacks.
const timers = new $Map();
let lastTimer = 0;

function startTimer(callback, list, delay, repeats, background) {
    if (typeof callback !== "function") throw new $TypeError("the callback is not a function");
    const number = +delay;
    const wait = number > 0 ? min(trunc(number), 0x7fffffff) : 0;
    const id = ++lastTimer;
    const timer = { callback, list, period: repeats ? max(wait, 1) : 0 };
    ask(host.setTimer, id, max(wait, timer.period), background ? 1 : 0);
    mapSet(timers, id, timer);
    return id;
}

function stopTimer(id) {
    const number = +id;
    if (mapDelete(timers, number)) host.clearTimer(number);
}

function fireTimer(id) {
    const timer = mapGet(timers, id);
    if (timer === undefined) return;
    if (timer.period === 0) mapDelete(timers, id);
    callApp(timer.callback, globalObject, timer.list);
    if (timer.period > 0 && mapHas(timers, id)) host.setTimer(id, timer.period, 0);
}

// What is due when the microtasks of the present turn have run.
let turnEnd = null;
function onNextTurn(callback) { turnEnd = callback; }
function endTurn() {
    const callback = turnEnd;
    turnEnd = null;
    callback();
}

// `await undefined` uses nothing that the app could have changed.
async function runSoon(callback) {
    await undefined;
    callApp(callback, undefined, []);
}

// A string is evaluated as a script.
function asCallback(value) {
    return typeof value === "function" ? value : () => ask(host.evaluate, text(value), "", 1);
}

define("setTimeout", function setTimeout(callback, delay, ...list) {
    return startTimer(asCallback(callback), list, delay, false, false);
});
define("setInterval", function setInterval(callback, delay, ...list) {
    return startTimer(asCallback(callback), list, delay, true, false);
});
// Frames have numbers of their own: an app may give any number to `clearTimeout`.
const frameTimers = new $Map();
let lastFrame = 0;
define("requestAnimationFrame", function requestAnimationFrame(callback) {
    if (typeof callback !== "function") throw new $TypeError("the callback is not a function");
    const id = ++lastFrame;
    mapSet(frameTimers, id, startTimer(() => {
        mapDelete(frameTimers, id);
        callback(host.now());
    }, [], 16, false, false));
    return id;
});
define("cancelAnimationFrame", function cancelAnimationFrame(id) {
    const number = +id, timer = mapGet(frameTimers, number);
    if (timer === undefined) return;
    mapDelete(frameTimers, number);
    stopTimer(timer);
});
// A run is idle when what is due has been done.
define("requestIdleCallback", function requestIdleCallback(callback) {
    if (typeof callback !== "function") throw new $TypeError("the callback is not a function");
    return startTimer(() => {
        const end = host.now() + 50;
        callback({ didTimeout: false, timeRemaining: () => max(0, end - host.now()) });
    }, [], 1, false, false);
});
define("cancelIdleCallback", function cancelIdleCallback(id) { stopTimer(id); });
define("clearTimeout", function clearTimeout(id) { stopTimer(id); });
define("clearInterval", function clearInterval(id) { stopTimer(id); });
define("queueMicrotask", function queueMicrotask(callback) {
    if (typeof callback !== "function") throw new $TypeError("the callback is not a function");
    runSoon(callback);
});
const performanceClock = {
    now() { return host.now(); },
    timeOrigin: $Date.now() - host.now(),
    toJSON() { return { timeOrigin: this.timeOrigin }; },
};
define("performance", performanceClock);

// The engine's random numbers would be the same in all processes that are forked from one. It opens the
// random device when the first is drawn.
Math.random();
const poolSize = 128, pool = new Float64Array(poolSize), poolBytes = new $Uint8Array(pool.buffer);
let drawn = poolSize;
hide(Math, "random", function random() {
    if (drawn === poolSize) {
        host.randomDoubles(poolBytes);
        drawn = 0;
    }
    return pool[drawn++];
});

// Called in the process that executes the run, which may be a fork of the one that evaluated these scripts.
function beginRun() {
    performanceClock.timeOrigin = $Date.now() - host.now();
    drawn = poolSize;
}

// Switches to the virtual time of the host, starting at `origin`, and to random numbers from the host's
// seed. `Intl` continues to use the machine's clock for default dates.
function followHost(origin) {
    const { construct } = Reflect;
    const wallTime = () => origin + floor(host.now());
    const HostDate = new $Proxy($Date, {
        __proto__: null,
        apply: () => text(new $Date(wallTime())),
        construct: (target, list, self) =>
            construct(target, list.length === 0 ? [wallTime()] : list, self),
    });
    hide($Date, "now", function now() { return wallTime(); });
    hide($Date.prototype, "constructor", HostDate);
    define("Date", HostDate);
    performanceClock.timeOrigin = origin;
    const drawn = new $Uint8Array(7);
    hide(Math, "random", function random() {
        host.random(drawn);
        let number = drawn[0] >> 3;
        for (let index = 1; index < 7; index++) number = number * 256 + drawn[index];
        return number / 0x20000000000000;
    });
}
