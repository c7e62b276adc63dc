// The members of the window other than its document. Dialogs are logged and answered with no, since there
// is no user; navigation is logged and not performed.
const note = (line) => host.console(3, line);

define("window", globalObject);
define("self", globalObject);
define("top", globalObject);
define("parent", globalObject);
define("frames", globalObject);
define("opener", null);
define("name", "");
define("closed", false);
define("origin", "");
define("isSecureContext", true);
define("innerWidth", 1024);
define("innerHeight", 768);
define("outerWidth", 1024);
define("outerHeight", 768);
define("devicePixelRatio", 1);
define("screen", { width: 1024, height: 768, availWidth: 1024, availHeight: 768, colorDepth: 24 });
for (const name of ["scrollX", "scrollY", "pageXOffset", "pageYOffset"]) define(name, 0);
for (const name of ["scroll", "scrollTo", "scrollBy", "focus", "blur", "print", "stop"]) {
    define(name, { [name]() {} }[name]);
}

define("alert", function alert(message = "") { host.console(1, text(message)); });
define("confirm", function confirm(message = "") {
    note(`${text(message)} [no user to confirm: answered no]`);
    return false;
});
define("prompt", function prompt(message = "") {
    note(`${text(message)} [no user to answer: no answer]`);
    return null;
});
define("open", function open(address = "") {
    const target = text(address);
    if (parseURL(target, baseRecord) === null) {
        throw new $DOMException(`${quote(target)} is not a valid URL`, "SyntaxError");
    }
    note(`The app wanted to open ${quote(target)}; a headless run opens no other page.`);
    return null;
});
define("matchMedia", function matchMedia(query) {
    const list = new EventTarget();
    hide(list, "matches", matches(/^\s*(?:all|screen|)\s*$/, text(query)));
    hide(list, "media", text(query));
    hide(list, "addListener", function addListener(callback) { this.addEventListener("change", callback); });
    hide(list, "removeListener", function removeListener(callback) { this.removeEventListener("change", callback); });
    return list;
});

const agent = "Nervous/0.1 (headless)";
define("navigator", freeze({
    userAgent: agent, appName: "Netscape", appVersion: agent, appCodeName: "Mozilla", product: "Gecko",
    platform: "Linux x86_64", vendor: "", language: "en-US", languages: freeze(["en-US"]),
    onLine: true, cookieEnabled: false, hardwareConcurrency: 1, maxTouchPoints: 0, webdriver: false,
    doNotTrack: null, javaEnabled() { return false; }, vibrate() { return false; },
}));

// The host's first script assigns `location`. Afterwards only the fragment can change.
let isPlaced = false;

function goTo(value) {
    const record = parseURL(text(value), baseRecord);
    if (record === null) throw new $DOMException(`${quote(text(value))} is not a valid URL`, "SyntaxError");
    const before = writeURL(baseRecord), after = writeURL(record);
    if (writeURL(record, false) !== writeURL(baseRecord, false) || record.fragment === null) {
        if (after !== before) {
            note(`The app wanted to go to ${quote(after)}; a headless run stays on its page.`);
        }
        return;
    }
    baseRecord = record;
    if (after !== before) startTimer(() => dispatchTo(globalObject, new Event("hashchange")), [], 0, false, false);
}

class Location {
    constructor(key) { if (key !== creation) throw new $TypeError("Illegal constructor"); }
    get href() { return writeURL(baseRecord); }
    set href(value) { goTo(value); }
    assign(value) { goTo(value); }
    replace(value) { goTo(value); }
    reload() { note("The app wanted to load its page again; a headless run does not."); }
    toString() { return writeURL(baseRecord); }
}
for (const name of ["origin", "protocol", "host", "hostname", "port", "pathname", "search", "hash"]) {
    setProperty(Location.prototype, name, {
        __proto__: null, enumerable: true, configurable: true,
        get() { return new $URL(writeURL(baseRecord))[name]; },
        set(value) {
            const url = new $URL(writeURL(baseRecord));
            url[name] = value;
            // An empty fragment is a place in the page, too.
            goTo(name === "hash" && url.hash === "" ? `${url.href}#` : url.href);
        },
    });
}
{
    const location = new Location(creation);
    setProperty(globalObject, "location", {
        __proto__: null, enumerable: true, configurable: true,
        get: () => location,
        set(value) {
            if (isPlaced) return goTo(value);
            const record = parseURL(text(value), baseRecord);
            if (record === null) throw new $TypeError(`${quote(text(value))} is not a valid URL`);
            baseRecord = record;
            isPlaced = true;
            globalObject.origin = location.origin;
        },
    });
}

class History {
    #state = null; #length = 1;
    get length() { return this.#length; }
    get state() { return this.#state; }
    get scrollRestoration() { return "auto"; }
    set scrollRestoration(value) {}
    pushState(state, title, url) {
        this.replaceState(state, title, url);
        this.#length++;
    }
    replaceState(state, title, url) {
        if (url !== undefined && url !== null) {
            const record = parseURL(text(url), baseRecord);
            if (record === null || new $URL(writeURL(record)).origin !== new $URL(writeURL(baseRecord)).origin) {
                throw new $DOMException(`${quote(text(url))} is not of this origin`, "SecurityError");
            }
            baseRecord = record;
        }
        this.#state = state;
    }
    back() {}
    forward() {}
    go() {}
}
define("Location", Location);
define("History", History);
define("history", new History());
