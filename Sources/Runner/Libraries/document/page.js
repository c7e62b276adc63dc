// A page: its document, and its scripts in the order of a browser.
import attributes from "domino/lib/attributes";
import HTMLParser from "domino/lib/HTMLParser";
import { elements } from "domino/lib/htmlelts";
import { lower } from "./members.js";

const scriptTypes = /^(?:(?:text|application)\/(?:x-)?(?:java|ecma)script|text\/(?:jscript|livescript|javascript1\.[0-5]))$/i;

// The type of a script, after https://html.spec.whatwg.org/#prepare-the-script-element; of those of old pages, too.
function typeOf(script) {
    const type = script.getAttribute("type"), language = script.getAttribute("language");
    if (type === "" || (type === null && (language ?? "") === "")) return "text/javascript";
    return type === null ? `text/${language}` : type.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, "");
}

export class Page {
    #bridge; #html; #name; #parser; #parsed; #declare; #settle;
    /** The offset where parsing continues, and the end of the last inline script that was located. */
    #position = 0; #scriptEnd = 0;
    /** Parser-blocking scripts, deferred scripts, and scripts added later. */
    #blocking = []; #deferred = [];
    #isParsing = false; #hasParsed = false; #isComplete = false;
    #scriptsRun = true;

    /**
     * `parsed` is called with the document when it has been parsed, `declare` with each template of a shadow root, and
     * `settle` before the page is complete.
     */
    constructor(bridge, html, name, parsed, declare, settle) {
        this.#bridge = bridge;
        this.#parsed = parsed;
        this.#declare = declare;
        this.#settle = settle;
        this.#html = html.replace(/\r\n?/g, "\n");
        this.#name = name;
        this.#parser = new HTMLParser(bridge.address());
        this.document = this.#parser.document();
        this.document.defaultView = bridge.global;
        // The address follows `history.replaceState`.
        Object.defineProperty(this.document, "_address", { configurable: true, get: () => bridge.address() });
        // domino counts modifications only after parsing; counting starts here, so that live lists follow changes that
        // scripts make during parsing.
        this.document.modclock = 1;
        this.#watchStack();
        const page = this;
        elements.HTMLScriptElement.prototype._roothook = function () { page.#rooted(this); };
        attributes.registerChangeHandler(elements.HTMLScriptElement, "src", (script) => { if (script.rooted) page.#rooted(script); });
        Object.defineProperty(this.document, "_isParsing", { get: () => page.#isParsing });
        Object.defineProperty(this.document, "write", { value: (...texts) => this.#write(texts.join("")) });
        Object.defineProperty(this.document, "writeln", { value: (...texts) => this.#write(`${texts.join("")}\n`) });
        Object.defineProperty(this.document, "currentScript", { value: null, writable: true });
    }

    parseWithoutScripts() {
        this.#scriptsRun = false;
        this.#parse(this.#html, true);
        this.#hasParsed = true;
        return this.document;
    }

    /** Performs the next step; each script is a separate turn. */
    step() {
        const script = this.#blocking.shift();
        if (script !== undefined) {
            this.#run(script);
        } else if (!this.#hasParsed) {
            this.#parsePiece();
        } else if (this.document.readyState === "loading") {
            this.#enter("interactive");
        } else if (this.#deferred.length > 0) {
            this.#run(this.#deferred.shift());
        } else if (!this.#isComplete) {
            this.complete();
        }
        return !this.#isComplete || this.#blocking.length > 0;
    }

    complete() {
        if (this.#isComplete) return;
        this.#isComplete = true;
        const { document } = this, { Event, global } = this.#bridge;
        if (document.readyState === "loading") this.#enter("interactive");
        this.#bridge.dispatchTo(document, new Event("DOMContentLoaded", { bubbles: true }));
        this.#settle();
        this.#enter("complete");
        this.#bridge.dispatchTo(global, new Event("load"));
        this.#bridge.dispatchTo(global, new this.#bridge.events.PageTransitionEvent("pageshow"));
    }

    markup() {
        const { doctype, documentElement } = this.document;
        const head = doctype === null ? "" : `<!DOCTYPE ${doctype.name}>\n`;
        return head + (documentElement?.outerHTML ?? "");
    }

    #enter(state) {
        this.document.readyState = state;
        if (state === "interactive") this.#parsed(this.document);
        this.#bridge.dispatchTo(this.document, new this.#bridge.Event("readystatechange"));
    }

    /** Parses up to the end of the next script, which finds the document as parsed so far. */
    #parsePiece() {
        const ending = /<\/script[\s/]*>/gi;
        ending.lastIndex = this.#position;
        const found = ending.exec(this.#html);
        const end = found === null ? this.#html.length : ending.lastIndex;
        const piece = this.#html.slice(this.#position, end);
        this.#position = end;
        this.#hasParsed = end === this.#html.length;
        this.#parse(piece, this.#hasParsed);
    }

    #parse(text, isEnd) {
        const wasParsing = this.#isParsing, { document } = this;
        this.#isParsing = true;
        // At the end, domino's parser would dispatch its own `load` event to the window, and it resets `modclock` to 1.
        const { modclock } = document;
        if (isEnd) document.defaultView = null;
        try {
            this.#parser.parse(text, isEnd);
        } finally {
            this.#isParsing = wasParsing;
            document.defaultView = this.#bridge.global;
            document.modclock = Math.max(modclock, document.modclock) + 1;
        }
    }

    #write(text) {
        if (this.#hasParsed) {
            this.#bridge.note("document.write is ignored after the page has been parsed.");
            return;
        }
        this.#parse(text, false);
    }

    // At the end tag of a script, the parser pops the script element from its stack of open elements.
    #watchStack() {
        const page = this;
        const { prototype } = HTMLParser.ElementStack;
        const pop = prototype.pop;
        prototype.pop = function () {
            const { top } = this;
            pop.call(this);
            if (top instanceof elements.HTMLScriptElement && top.ownerDocument === page.document) {
                page.#prepare(top, true);
            }
        };
        const { popTag } = prototype;
        prototype.popTag = function (tag) {
            const template = tag === "template" ? this.elements.findLast((element) => element.localName === "template") : undefined;
            popTag.call(this, tag);
            if (template?.ownerDocument === page.document && /^(?:open|closed)$/i.test(template.getAttribute("shadowrootmode") ?? "")) page.#declare(template);
        };
    }

    #rooted(script) {
        // A script of another document was parsed for `innerHTML` and never runs.
        if (script.ownerDocument !== this.document) script._hasStarted = true;
        else if (!this.#isParsing) this.#prepare(script, false);
    }

    #prepare(script, isOfParser) {
        if (script._hasStarted || (isOfParser && !this.#scriptsRun)) return;
        const type = typeOf(script);
        const isModule = lower(type) === "module";
        if (!isModule && (!scriptTypes.test(type) || (script.hasAttribute("nomodule") && isOfParser))) return;
        const source = script.getAttribute("src");
        if (source === null && script.text === "") return;
        script._hasStarted = true;
        const entry = { script, source, isModule, line: 1 };
        if (source === null && isOfParser) entry.line = this.#lineOf(script.text);
        const waits = isModule || (source !== null && (script.hasAttribute("defer") || script.hasAttribute("async")));
        if (!isOfParser) {
            if (source === null && !isModule) this.#run(entry);
            else this.#bridge.later(() => this.#run(entry));
        } else if (waits) {
            this.#deferred.push(entry);
        } else {
            this.#blocking.push(entry);
        }
    }

    #lineOf(text) {
        const place = this.#html.indexOf(text, this.#scriptEnd);
        if (place < 0) return 1;
        this.#scriptEnd = place + text.length;
        return this.#html.slice(0, place).split("\n").length;
    }

    #run({ script, source, isModule, line }) {
        const { document } = this, bridge = this.#bridge;
        const before = document.currentScript;
        document.currentScript = isModule ? null : script;
        let isLoaded = true;
        try {
            if (source === null) {
                bridge.run(script.text, this.#name, line, isModule, document._documentBaseURL);
            } else {
                isLoaded = bridge.runFrom(source, document._documentBaseURL, isModule);
            }
        } finally {
            document.currentScript = before;
        }
        if (source !== null) bridge.dispatchTo(script, new bridge.Event(isLoaded ? "load" : "error"));
    }
}
