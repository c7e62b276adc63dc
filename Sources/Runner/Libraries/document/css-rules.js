// The objects of style sheets: rules, their lists, and sheets; after https://drafts.csswg.org/cssom/.
import { mediaQueries, supportsCondition } from "./css-conditions.js";
import { Declarations } from "./css-declarations.js";
import { text } from "./css-serialization.js";
import { componentValues, quoted, trimmed } from "./css-tokens.js";
import { styleOf } from "./inline-style.js";
import { add } from "./members.js";
import { compile, escapeIdentifier, Invalid } from "./selectors.js";

const dense = (values) => values.filter(({ type }) => type !== "space");

/**
 * The rules of a text: at-rules as `{ name, prelude, block }`, others as `{ prelude, block }`; within a block that may have
 * declarations, texts of these as `{ declarations }`. A block is a component value or null.
 */
function split(values, source, hasDeclarations) {
    const found = [], isBlock = ({ type, open }) => type === "block" && open === "{";
    const slice = (from, to) => (from === to ? "" : source.slice(values[from].start, values[to - 1].end));
    for (let at = 0; at < values.length;) {
        const { type, value } = values[at];
        if (type === "space" || type === "semicolon" || type === "comment") {
            at++;
            continue;
        }
        let end = at;
        if (type === "at") {
            while (end < values.length && values[end].type !== "semicolon" && !isBlock(values[end])) end++;
            found.push({ name: value, prelude: slice(at + 1, end).trim(), block: values[end] !== undefined && isBlock(values[end]) ? values[end] : null });
        } else {
            const isCustom = type === "ident" && value.startsWith("--") && values[values[at + 1]?.type === "space" ? at + 2 : at + 1]?.type === "colon";
            const ends = (one) => (hasDeclarations && one.type === "semicolon") || (isBlock(one) && !(isCustom && hasDeclarations));
            while (end < values.length && !ends(values[end])) end++;
            if (values[end] !== undefined && isBlock(values[end])) found.push({ prelude: slice(at, end).trim(), block: values[end] });
            else found.push(hasDeclarations ? { declarations: slice(at, end) } : { prelude: slice(at, end), block: null });
        }
        at = end + 1;
    }
    return found;
}

const contentOf = (block, source) => (block.values.length === 0 ? "" : source.slice(block.values[0].start, block.values.at(-1).end));

/** A selector list as it is written, with white space as usual; null if it is not valid. */
export function selectorText(written, isNested) {
    const plain = written.replace(/\/\*[^]*?(?:\*\/|$)/g, "").trim();
    try {
        if (compile(nested(plain, isNested ? ":root" : null)).length === 0) return null;
    } catch (error) {
        if (error instanceof Invalid) return null;
        throw error;
    }
    let shown = "", bracket = 0;
    for (const part of plain.match(/"(?:[^"\\]|\\[^])*(?:"|$)|'(?:[^'\\]|\\[^])*(?:'|$)|\\[^]|\s*[,>~]\s*|\s*\+\s*|\s+|[^]/g)) {
        if (part === "[") bracket++;
        else if (part === "]") bracket--;
        const mark = part.trim();
        if (part.startsWith("'")) shown += quoted(part.slice(1, -1));
        else if (bracket > 0 || part.startsWith("\"") || part.startsWith("\\")) shown += bracket > 0 && mark === "" ? "" : bracket > 0 && !/["\\]/.test(part[0]) ? mark : part;
        else if (mark === ",") shown += ", ";
        else if (mark === ">" || mark === "~" || (mark === "+" && !/\([^)]*n\s*$/i.test(shown))) shown += shown === "" ? `${mark} ` : ` ${mark} `;
        else if (mark === "+") shown += "+";
        else shown += mark === "" ? (/\($/.test(shown) ? "" : " ") : part;
    }
    return shown.replace(/ \)/g, ")").replace(/(::?)([a-z-]+)(?=$|[^\w(-])/gi, (all, colons, name) => (/^(?:before|after|first-line|first-letter)$/i.test(name) ? `::${name.toLowerCase()}` : `${colons}${name.toLowerCase()}`));
}

/** A selector with `&` replaced by its parent, which is also put before a selector without. */
// Rules within so many others do not count.
const levelLimit = 32;

// Each `&` stands for the selector of the enclosing rule, so selectors of nested rules can grow without bounds.
const sizeLimit = 1 << 14;
export function nested(written, parent) {
    if (parent === null) return written;
    const whole = `:is(${parent})`;
    let size = 0;
    const parts = splitList(written).map((one) => {
        const part = one.trim();
        const replaced = part.replace(/"(?:[^"\\]|\\[^])*(?:"|$)|'(?:[^'\\]|\\[^])*(?:'|$)|\\[^]|&/g, (all) => {
            size += all === "&" ? whole.length : 0;
            return all !== "&" ? all : size > sizeLimit ? "" : whole;
        });
        return replaced === part ? `${whole} ${part}` : replaced;
    });
    return size > sizeLimit || whole.length * parts.length > sizeLimit ? null : parts.join(", ");
}
function splitList(written) {
    const values = componentValues(written), parts = [];
    let start = 0;
    for (const { type, start: from, end } of values) {
        if (type !== "comma") continue;
        parts.push(written.slice(start, from));
        start = end;
    }
    return [...parts, written.slice(start)];
}

/**
 * Makes the interfaces. `changed(sheet)` is called when a script has changed a sheet, `load(href, sheet)` imports one,
 * `medium()` gives the features of the medium.
 */
export function install(bridge, { changed, load, medium }) {
    const error = (name, message) => { throw new bridge.DOMException(message, name); };
    const key = {};
    const make = (Kind, state) => {
        const object = new Kind(key);
        states.set(object, state);
        return object;
    };
    const states = new WeakMap(), at = (object) => {
        const state = states.get(object);
        if (state === undefined) throw new TypeError("Illegal invocation");
        return state;
    };
    const guard = (given) => { if (given !== key) throw new TypeError("Illegal constructor"); };

    class CSSRule { constructor(given) { guard(given); } }
    class CSSRuleList { constructor(given) { guard(given); } }
    class MediaList { constructor(given) { guard(given); } }
    class StyleSheet { constructor(given) { guard(given); } }
    class StyleSheetList { constructor(given) { guard(given); } }
    class CSSGroupingRule extends CSSRule {}
    class CSSStyleRule extends CSSGroupingRule {}
    class CSSConditionRule extends CSSGroupingRule {}
    class CSSMediaRule extends CSSConditionRule {}
    class CSSSupportsRule extends CSSConditionRule {}
    class CSSContainerRule extends CSSConditionRule {}
    class CSSLayerBlockRule extends CSSGroupingRule {}
    class CSSLayerStatementRule extends CSSRule {}
    class CSSScopeRule extends CSSGroupingRule {}
    class CSSStartingStyleRule extends CSSGroupingRule {}
    class CSSImportRule extends CSSRule {}
    class CSSNamespaceRule extends CSSRule {}
    class CSSFontFaceRule extends CSSRule {}
    class CSSPageRule extends CSSGroupingRule {}
    class CSSKeyframesRule extends CSSRule {}
    class CSSKeyframeRule extends CSSRule {}
    class CSSCounterStyleRule extends CSSRule {}
    class CSSPropertyRule extends CSSRule {}
    class CSSNestedDeclarations extends CSSRule {}
    class CSSStyleSheet extends StyleSheet {
        constructor(options = {}) {
            if (options === key) {
                super(key);
                return;
            }
            super(key);
            const { media = "", disabled = false, baseURL } = options ?? {};
            states.set(this, { rules: [], media: null, isDisabled: Boolean(disabled), isConstructed: true, title: null, base: baseURL });
            at(this).media = mediaList(typeof media === "string" ? media : media.mediaText, this);
        }
    }
    const kinds = {
        CSSRule, CSSRuleList, MediaList, StyleSheet, StyleSheetList, CSSStyleSheet, CSSGroupingRule, CSSStyleRule, CSSConditionRule, CSSMediaRule,
        CSSSupportsRule, CSSContainerRule, CSSLayerBlockRule, CSSLayerStatementRule, CSSScopeRule, CSSStartingStyleRule, CSSImportRule, CSSNamespaceRule,
        CSSFontFaceRule, CSSPageRule, CSSKeyframesRule, CSSKeyframeRule, CSSCounterStyleRule, CSSPropertyRule, CSSNestedDeclarations,
    };
    for (const Kind of Object.values(kinds)) bridge.tag(Kind);
    const types = { STYLE_RULE: 1, CHARSET_RULE: 2, IMPORT_RULE: 3, MEDIA_RULE: 4, FONT_FACE_RULE: 5, PAGE_RULE: 6, MARGIN_RULE: 9, NAMESPACE_RULE: 10,
        KEYFRAMES_RULE: 7, KEYFRAME_RULE: 8, COUNTER_STYLE_RULE: 11, SUPPORTS_RULE: 12, FONT_FEATURE_VALUES_RULE: 14 };
    for (const object of [CSSRule, CSSRule.prototype]) {
        for (const [name, value] of Object.entries(types)) Object.defineProperty(object, name, { value, enumerable: true });
    }
    const numbers = new Map([[CSSStyleRule, 1], [CSSImportRule, 3], [CSSMediaRule, 4], [CSSFontFaceRule, 5], [CSSPageRule, 6], [CSSKeyframesRule, 7],
        [CSSKeyframeRule, 8], [CSSNamespaceRule, 10], [CSSCounterStyleRule, 11], [CSSSupportsRule, 12]]);

    // Lists whose members are also properties.
    const indexed = (Kind, members, more = {}) => {
        const list = make(Kind, { members, ...more });
        const proxy = new Proxy(list, {
            get(target, name) {
                if (typeof name === "string" && /^\d+$/.test(name)) return members()[name];
                return Reflect.get(target, name, proxy);
            },
            has: (target, name) => (typeof name === "string" && /^\d+$/.test(name) ? +name < members().length : Reflect.has(target, name)),
            ownKeys: (target) => [...members().keys()].map(String).concat(Reflect.ownKeys(target)),
            getOwnPropertyDescriptor: (target, name) => (typeof name === "string" && /^\d+$/.test(name)
                ? members()[name] && { value: members()[name], enumerable: true, configurable: true } : Reflect.getOwnPropertyDescriptor(target, name)),
        });
        states.set(proxy, states.get(list));
        return proxy;
    };
    for (const Kind of [CSSRuleList, StyleSheetList]) {
        add(Kind.prototype, {
            get length() { return at(this).members().length; },
            item(index) { return at(this).members()[index >>> 0] ?? null; },
            *[Symbol.iterator]() { yield* at(this).members(); },
        });
    }

    function mediaList(written, owner) {
        const state = { queries: mediaQueries(`${written}`), owner };
        const list = indexed(MediaList, () => state.queries.map((query) => query.text), { state });
        return list;
    }
    add(MediaList.prototype, {
        get mediaText() { return at(this).state.queries.map((query) => query.text).join(", "); },
        set mediaText(written) {
            at(this).state.queries = mediaQueries(`${written ?? ""}`);
            touch(at(this).state.owner);
        },
        get length() { return at(this).state.queries.length; },
        item(index) { return at(this).state.queries[index >>> 0]?.text ?? null; },
        appendMedium(medium) {
            const [query] = mediaQueries(`${medium}`), { state } = at(this);
            if (query === undefined || state.queries.some((one) => one.text === query.text)) return;
            state.queries.push(query);
            touch(state.owner);
        },
        deleteMedium(medium) {
            const [query] = mediaQueries(`${medium}`), { state } = at(this), left = state.queries.filter((one) => one.text !== query?.text);
            if (left.length === state.queries.length) error("NotFoundError", "there is no such medium");
            state.queries = left;
            touch(state.owner);
        },
        toString() { return this.mediaText; },
        *[Symbol.iterator]() { yield* at(this).state.queries.map((query) => query.text); },
    });
    const matches = (list, media) => list === null || at(list).state.queries.length === 0 || at(list).state.queries.some((query) => query.matches(media));

    const sheetOf = (rule) => {
        for (let owner = rule; owner !== null && owner !== undefined; owner = at(owner).parent ?? at(owner).sheet) if (owner instanceof StyleSheet) return owner;
        return null;
    };
    const touch = (owner) => {
        const sheet = owner instanceof StyleSheet ? owner : sheetOf(owner);
        if (sheet === null) return;
        changed(sheet);
        if (at(sheet).ownerRule) touch(at(sheet).ownerRule);
    };
    const ruleList = (owner) => at(owner).list ??= indexed(CSSRuleList, () => at(owner).rules);
    const styleFor = (rule) => at(rule).style ??= styleOf({
        rule, read: () => at(rule).block, write(block) {
            at(rule).block = block;
            touch(rule);
        },
    });
    const link = (rule, parent, sheet) => {
        const state = at(rule);
        state.parent = parent;
        state.sheet = sheet;
        return rule;
    };

    // --- Parsing.

    const grouping = { media: CSSMediaRule, supports: CSSSupportsRule, container: CSSContainerRule, layer: CSSLayerBlockRule, scope: CSSScopeRule, "starting-style": CSSStartingStyleRule };
    const layerName = /^[^\s.,;(){}"']+(?:\.[^\s.,;(){}"']+)*$/;
    const isLayer = (written) => layerName.test(written) && componentValues(written).every(({ type, value }) => type === "ident" || (type === "delim" && value === "."))
        && !/^(?:initial|inherit|unset|revert|revert-layer|default)$/i.test(written);

    function address(value) {
        if (value?.type === "string" || value?.type === "url") return value.value;
        return value?.type === "function" && value.name === "url" && value.values.length === 1 && value.values[0].type === "string" ? value.values[0].value : null;
    }

    function importRule(prelude) {
        const values = trimmed(componentValues(prelude)), href = address(values[0]);
        if (href === null) return null;
        let rest = trimmed(values.slice(1)), layer = null, condition = null;
        if (rest[0]?.type === "ident" && rest[0].value.toLowerCase() === "layer") {
            layer = "";
            rest = trimmed(rest.slice(1));
        } else if (rest[0]?.type === "function" && rest[0].name === "layer") {
            const name = text(rest[0].values, undefined, { keepsCase: true });
            if (isLayer(name)) {
                layer = name;
                rest = trimmed(rest.slice(1));
            }
        }
        if (rest[0]?.type === "function" && rest[0].name === "supports") {
            condition = prelude.slice(rest[0].start + 9, rest[0].end - 1);
            rest = trimmed(rest.slice(1));
        }
        const rule = make(CSSImportRule, { href, layer, condition, imported: undefined });
        at(rule).media = mediaList(rest.length === 0 ? "" : prelude.slice(rest[0].start), rule);
        return rule;
    }

    function namespaceRule(prelude) {
        const values = dense(componentValues(prelude)), prefix = values[0]?.type === "ident" ? values.shift().value : "";
        const uri = values.length === 1 ? address(values[0]) : null;
        return uri === null ? null : make(CSSNamespaceRule, { prefix, uri });
    }

    const keyOf = (written) => {
        const parts = written.split(",").map((part) => part.trim().toLowerCase()).map((part) => (part === "from" ? "0%" : part === "to" ? "100%" : part));
        const isValid = parts.every((part) => /^\+?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?%$/.test(part) && parseFloat(part) <= 100);
        return isValid ? parts.map((part) => `${+parseFloat(part).toFixed(6)}%`).join(", ") : null;
    };
    function keyframe(found, source) {
        const name = found.name === undefined && found.block ? keyOf(found.prelude) : null;
        return name === null ? null : make(CSSKeyframeRule, { name, block: Declarations.parse(contentOf(found.block, source)) });
    }

    // A rule of a text, or null; `isNested` in a style rule.
    function ruleOf(found, source, isNested) {
        const { name, prelude, block } = found;
        const inner = (hasDeclarations) => (rule) => {
            at(rule).rules = rulesOf(block.values, source, hasDeclarations, rule, hasDeclarations || isNested);
            return rule;
        };
        const body = () => Declarations.parse(contentOf(block, source));
        if (name === undefined) {
            const selector = block === null ? null : selectorText(prelude, isNested);
            if (selector === null) return null;
            const rule = make(CSSStyleRule, { selector, block: new Declarations(), rules: [], isNested });
            return styleBody(rule, block.values, source);
        }
        if (name === "layer" && block === null) {
            const names = prelude.split(",").map((one) => one.trim());
            return names.every(isLayer) ? make(CSSLayerStatementRule, { names }) : null;
        }
        if (name === "import") return block === null && !isNested ? importRule(prelude) : null;
        if (name === "namespace") return block === null && !isNested ? namespaceRule(prelude) : null;
        if (block === null) return null;
        if (name in grouping) {
            if (name === "supports" && supportsCondition(prelude) === null) return null;
            if (name === "layer" && prelude !== "" && !isLayer(prelude)) return null;
            const rule = make(grouping[name], { prelude, rules: [], isNested });
            if (name === "media") at(rule).media = mediaList(prelude, rule);
            return inner(isNested)(rule);
        }
        if (name === "font-face") return make(CSSFontFaceRule, { block: body() });
        if (name === "page") return make(CSSPageRule, { selector: prelude, block: body(), rules: [] });
        if (/^(?:-webkit-)?keyframes$/.test(name)) {
            const [value, ...more] = dense(componentValues(prelude));
            if (more.length > 0 || (value?.type !== "ident" && value?.type !== "string")) return null;
            const rule = make(CSSKeyframesRule, { name: value.value, rules: [] });
            at(rule).rules = split(block.values, source, false).map((one) => keyframe(one, source)).filter((one) => one !== null).map((one) => link(one, rule, null));
            return rule;
        }
        if (name === "counter-style") return make(CSSCounterStyleRule, { name: prelude, source: contentOf(block, source) });
        if (name === "property") return prelude.startsWith("--") ? make(CSSPropertyRule, { name: prelude, source: contentOf(block, source) }) : null;
        return null;
    }

    // The first declarations of a style rule are its own; those after a nested rule are a rule.
    function styleBody(rule, values, source) {
        const parts = split(values, source, true);
        let first = 0;
        while (first < parts.length && parts[first].declarations !== undefined) first++;
        at(rule).block = Declarations.parse(parts.slice(0, first).map((part) => part.declarations).join(";"));
        at(rule).rules = grouped(parts.slice(first), source, rule, true);
        return rule;
    }
    function grouped(parts, source, parent, isNested) {
        const rules = [];
        let texts = [];
        const flush = () => {
            const block = Declarations.parse(texts.join(";"));
            texts = [];
            if (block.names.length > 0) rules.push(link(make(CSSNestedDeclarations, { block }), parent, null));
        };
        for (const part of parts) {
            if (part.declarations !== undefined) {
                texts.push(part.declarations);
                continue;
            }
            flush();
            const rule = ruleOf(part, source, isNested);
            if (rule !== null && !(rule instanceof CSSImportRule) && !(rule instanceof CSSNamespaceRule)) rules.push(link(rule, parent, null));
        }
        flush();
        return rules;
    }
    const rulesOf = (values, source, hasDeclarations, parent, isNested) => grouped(split(values, source, hasDeclarations), source, parent, isNested);

    function topRules(source, sheet, allowsImports) {
        const rules = [];
        let stage = 0;
        for (const part of split(componentValues(source), source, false)) {
            const rule = ruleOf(part, source, false);
            if (rule === null) continue;
            const own = rule instanceof CSSImportRule ? 0 : rule instanceof CSSNamespaceRule ? 1 : rule instanceof CSSLayerStatementRule && stage === 0 ? 0 : 2;
            if (own < stage || (rule instanceof CSSImportRule && !allowsImports)) continue;
            stage = own;
            rules.push(link(rule, null, sheet));
        }
        return rules;
    }

    // --- Changes.

    const oneRule = (written, isNested) => {
        const source = `${written}`, parts = split(componentValues(source), source, false);
        return parts.length === 1 ? ruleOf(parts[0], source, isNested) : null;
    };
    function insert(owner, written, index, sheet) {
        const { rules } = at(owner), place = index >>> 0, isTop = owner instanceof StyleSheet;
        const isNested = !isTop && (owner instanceof CSSStyleRule || at(owner).isNested === true);
        let rule = oneRule(written, isNested);
        if (rule === null && isNested) {
            const block = Declarations.parse(`${written}`);
            if (block.names.length > 0) rule = make(CSSNestedDeclarations, { block });
        }
        if (rule === null) error("SyntaxError", "that is not a rule");
        if (place > rules.length) error("IndexSizeError", `there are only ${rules.length} rules`);
        const rank = (one) => (one instanceof CSSImportRule ? 0 : one instanceof CSSNamespaceRule ? 1 : one instanceof CSSLayerStatementRule ? -1 : 2);
        if (isTop) {
            if (rule instanceof CSSImportRule && at(owner).isConstructed) error("SyntaxError", "a constructed style sheet imports no others");
            const own = rank(rule), after = rules.slice(place).map(rank), before = rules.slice(0, place).map(rank);
            if (own >= 0 && (before.some((one) => one > own) || (own === 2 && after.some((one) => one === 0 || one === 1)) || (own === 1 && after.includes(0)))) {
                error("HierarchyRequestError", "a rule of this kind cannot be here");
            }
            if (own === 1 && rules.some((one) => rank(one) === 2 || one instanceof CSSLayerStatementRule)) error("InvalidStateError", "a namespace cannot be declared after other rules");
        } else if (rule instanceof CSSImportRule || rule instanceof CSSNamespaceRule) error("HierarchyRequestError", "a rule of this kind cannot be here");
        rules.splice(place, 0, link(rule, isTop ? null : owner, sheet));
        touch(owner);
        return place;
    }
    function remove(owner, index) {
        const { rules } = at(owner), place = index >>> 0, rule = rules[place];
        if (rule === undefined) error("IndexSizeError", `there are only ${rules.length} rules`);
        if (rule instanceof CSSNamespaceRule && rules.some((one) => !(one instanceof CSSImportRule || one instanceof CSSNamespaceRule || one instanceof CSSLayerStatementRule))) {
            error("InvalidStateError", "a namespace cannot be removed while there are other rules");
        }
        rules.splice(place, 1);
        link(rule, null, null);
        touch(owner);
    }

    // --- Members.

    const bodyOf = (block, rules) => {
        const own = block?.text ?? "", inner = (rules ?? []).map((one) => one.cssText);
        if (inner.length === 0) return own === "" ? "{ }" : `{ ${own} }`;
        return `{\n${[...own === "" ? [] : [own], ...inner].map((line) => `  ${line}`).join("\n")}\n}`;
    };
    const blockOf = (rules) => (rules.length === 0 ? "{\n}" : `{\n${rules.map((one) => `  ${one.cssText}`).join("\n")}\n}`);
    add(CSSRule.prototype, {
        get type() { return [...numbers].find(([Kind]) => Object.getPrototypeOf(this) === Kind.prototype)?.[1] ?? 0; },
        get cssText() { return ""; },
        set cssText(value) {},
        get parentRule() { return at(this).parent ?? null; },
        get parentStyleSheet() { return sheetOf(this); },
    });
    const texts = (Kind, write) => Object.defineProperty(Kind.prototype, "cssText", { get() { return write(at(this), this); }, set() {}, enumerable: true, configurable: true });
    texts(CSSStyleRule, ({ selector, block, rules }) => `${selector} ${bodyOf(block, rules)}`);
    texts(CSSMediaRule, ({ rules }, rule) => `@media ${rule.media.mediaText}${rule.media.length === 0 ? "" : " "}${blockOf(rules)}`);
    texts(CSSSupportsRule, ({ prelude, rules }) => `@supports ${prelude} ${blockOf(rules)}`);
    texts(CSSContainerRule, ({ prelude, rules }) => `@container ${prelude} ${blockOf(rules)}`);
    texts(CSSLayerBlockRule, ({ prelude, rules }) => `@layer ${prelude}${prelude === "" ? "" : " "}${blockOf(rules)}`);
    texts(CSSScopeRule, ({ prelude, rules }) => `@scope ${prelude}${prelude === "" ? "" : " "}${blockOf(rules)}`);
    texts(CSSStartingStyleRule, ({ rules }) => `@starting-style ${blockOf(rules)}`);
    texts(CSSLayerStatementRule, ({ names }) => `@layer ${names.join(", ")};`);
    texts(CSSNamespaceRule, ({ prefix, uri }) => `@namespace ${prefix}${prefix === "" ? "" : " "}url(${quoted(uri)});`);
    texts(CSSImportRule, ({ href, layer, condition }, rule) => `@import ${[`url(${quoted(href)})`, ...layer === null ? [] : [layer === "" ? "layer" : `layer(${layer})`],
        ...condition === null ? [] : [`supports(${condition})`], ...rule.media.length === 0 ? [] : [rule.media.mediaText]].join(" ")};`);
    texts(CSSFontFaceRule, ({ block }) => `@font-face ${bodyOf(block)}`);
    texts(CSSPageRule, ({ selector, block }) => `@page ${selector}${selector === "" ? "" : " "}${bodyOf(block)}`);
    texts(CSSKeyframesRule, ({ name, rules }) => `@keyframes ${escapeIdentifier(name)} { ${rules.map((one) => `\n  ${one.cssText}`).join("")}\n}`);
    texts(CSSKeyframeRule, ({ name, block }) => `${name} ${bodyOf(block)}`);
    texts(CSSCounterStyleRule, ({ name, source }) => `@counter-style ${name} { ${source.trim()} }`);
    texts(CSSPropertyRule, ({ name, source }) => `@property ${name} { ${source.trim()} }`);
    texts(CSSNestedDeclarations, ({ block }) => block.text);

    const groups = {
        get cssRules() { return ruleList(this); },
        insertRule(rule, index = 0) { return insert(this, rule, index, null); },
        deleteRule(index) { remove(this, index); },
    };
    add(CSSGroupingRule.prototype, groups);
    for (const Kind of [CSSStyleRule, CSSFontFaceRule, CSSPageRule, CSSKeyframeRule, CSSNestedDeclarations]) {
        add(Kind.prototype, { get style() { return styleFor(this); }, set style(value) { this.style.cssText = value; } });
    }
    add(CSSStyleRule.prototype, {
        get selectorText() { return at(this).selector; },
        set selectorText(written) {
            const selector = selectorText(`${written}`, at(this).isNested);
            if (selector === null) return;
            at(this).selector = selector;
            touch(this);
        },
    });
    add(CSSPageRule.prototype, { get selectorText() { return at(this).selector; }, set selectorText(written) { at(this).selector = `${written}`; } });
    add(CSSConditionRule.prototype, { get conditionText() { return at(this).media === undefined ? at(this).prelude : this.media.mediaText; } });
    const media = { get media() { return at(this).media; }, set media(value) { at(this).media.mediaText = value; } };
    for (const Kind of [CSSMediaRule, CSSImportRule]) add(Kind.prototype, media);
    add(CSSMediaRule.prototype, { get matches() { return matches(at(this).media, medium()); } });
    add(CSSSupportsRule.prototype, { get matches() { return supportsCondition(at(this).prelude) === true; } });
    add(CSSLayerBlockRule.prototype, { get name() { return at(this).prelude; } });
    add(CSSLayerStatementRule.prototype, { get nameList() { return Object.freeze([...at(this).names]); } });
    add(CSSNamespaceRule.prototype, { get namespaceURI() { return at(this).uri; }, get prefix() { return at(this).prefix; } });
    add(CSSImportRule.prototype, {
        get href() { return at(this).href; },
        get layerName() { return at(this).layer; },
        get supportsText() { return at(this).condition; },
        get styleSheet() { return imported(this); },
    });
    function imported(rule) {
        const state = at(rule);
        if (state.imported === undefined) {
            state.imported = null;
            const parent = sheetOf(rule), found = parent === null || (state.condition !== null && importSupports(state.condition) !== true) ? null : load(state.href, parent);
            if (found !== null) state.imported = makeSheet(found.text, { href: found.href, media: rule.media, ownerRule: rule, parent, title: null });
        }
        return state.imported;
    }
    const importSupports = (condition) => supportsCondition(condition) ?? supportsCondition(`(${condition})`);
    add(CSSKeyframesRule.prototype, {
        get name() { return at(this).name; },
        set name(value) { at(this).name = `${value}`; },
        get cssRules() { return ruleList(this); },
        get length() { return at(this).rules.length; },
        appendRule(written) {
            const source = `${written}`, parts = split(componentValues(source), source, false), rule = parts.length === 1 ? keyframe(parts[0], source) : null;
            if (rule === null) return;
            at(this).rules.push(link(rule, this, null));
            touch(this);
        },
        deleteRule(written) {
            const { rules } = at(this), rule = this.findRule(written);
            if (rule === null) return;
            rules.splice(rules.indexOf(rule), 1);
            link(rule, null, null);
            touch(this);
        },
        findRule(written) {
            const name = keyOf(`${written}`);
            return at(this).rules.findLast((one) => at(one).name === name) ?? null;
        },
        *[Symbol.iterator]() { yield* at(this).rules; },
    });
    for (let index = 0; index < 32; index++) {
        Object.defineProperty(CSSKeyframesRule.prototype, index, { configurable: true, get() { return at(this).rules[index]; } });
    }
    add(CSSKeyframeRule.prototype, {
        get keyText() { return at(this).name; },
        set keyText(written) {
            const name = keyOf(`${written}`);
            if (name === null) error("SyntaxError", "that is not the place of a key frame");
            at(this).name = name;
            touch(this);
        },
    });
    const described = (state, name) => new RegExp(`(?:^|;)\\s*${name}\\s*:\\s*([^;]*)`, "i").exec(state.source)?.[1].trim();
    add(CSSCounterStyleRule.prototype, { get name() { return at(this).name; } });
    add(CSSPropertyRule.prototype, {
        get name() { return at(this).name; },
        get syntax() { return described(at(this), "syntax")?.replace(/^["']|["']$/g, "") ?? ""; },
        get inherits() { return described(at(this), "inherits") === "true"; },
        get initialValue() { return described(at(this), "initial-value") ?? null; },
    });

    add(StyleSheet.prototype, {
        get type() { return "text/css"; },
        get href() { return at(this).href ?? null; },
        get ownerNode() { return at(this).owner?.(this) ?? null; },
        get parentStyleSheet() { return at(this).parent ?? null; },
        get title() { return at(this).owner?.(this)?.getAttribute("title") || null; },
        get media() { return at(this).media; },
        set media(value) { at(this).media.mediaText = value; },
        get disabled() { return at(this).isDisabled; },
        set disabled(value) {
            at(this).isDisabled = Boolean(value);
            touch(this);
        },
    });
    const replaced = (sheet, written) => {
        for (const rule of at(sheet).rules) link(rule, null, null);
        at(sheet).rules.splice(0, Infinity, ...topRules(`${written}`, sheet, false));
        touch(sheet);
    };
    const replaceable = (sheet) => {
        if (!at(sheet).isConstructed) error("NotAllowedError", "only a constructed style sheet can be replaced");
        if (at(sheet).isLocked) error("NotAllowedError", "the style sheet is being replaced");
    };
    const unlocked = (sheet) => { if (at(sheet).isLocked) error("NotAllowedError", "the style sheet is being replaced"); };
    add(CSSStyleSheet.prototype, {
        get ownerRule() { return at(this).ownerRule ?? null; },
        get cssRules() { return ruleList(this); },
        get rules() { return ruleList(this); },
        insertRule(rule, index = 0) {
            if (arguments.length === 0) throw new TypeError("insertRule needs an argument");
            unlocked(this);
            return insert(this, rule, index, this);
        },
        deleteRule(index) {
            unlocked(this);
            remove(this, index);
        },
        addRule(selector = "undefined", block = "undefined", index = undefined) {
            this.insertRule(`${selector} { ${block} }`, index ?? at(this).rules.length);
            return -1;
        },
        removeRule(index = 0) { this.deleteRule(index); },
        replaceSync(written) {
            replaceable(this);
            replaced(this, written);
        },
        replace(written) {
            return new Promise((resolve, reject) => {
                replaceable(this);
                at(this).isLocked = true;
                Promise.resolve().then(() => {
                    at(this).isLocked = false;
                    replaced(this, written);
                    resolve(this);
                }).catch(reject);
            });
        },
    });

    /** A sheet of a text; `owner` gives the element that it belongs to, if any. */
    function makeSheet(source, { owner, href = null, media, ownerRule = null, parent = null }) {
        const sheet = make(CSSStyleSheet, { rules: [], isDisabled: false, isConstructed: false, owner, href, ownerRule, parent, media: null });
        at(sheet).media = typeof media === "object" ? media : mediaList(media ?? "", sheet);
        at(sheet).rules = topRules(source, sheet, true);
        return sheet;
    }

    // The style rules of a sheet that apply, with their layers: calls `take(selector, block, layer)`.
    function eachRule(sheet, media, take, layer = null, depth = 0) {
        const { rules, isDisabled, media: own } = at(sheet);
        if (isDisabled || !matches(own, media) || depth > 8) return;
        const walk = (list, parent, within, level = 0) => {
            if (level > levelLimit) return;
            for (const rule of list) {
                const state = at(rule);
                const inner = (name) => [...within ?? [], ...name === "" ? [`anonymous ${layerNumber(rule)}`] : name.split(".")];
                if (rule instanceof CSSStyleRule) {
                    const selector = nested(state.selector, parent);
                    if (selector === null) continue;
                    take({ selector, block: state.block, layer: within });
                    walk(state.rules, selector, within, level + 1);
                } else if (rule instanceof CSSNestedDeclarations) {
                    if (parent !== null) take({ selector: parent, block: state.block, layer: within });
                } else if (rule instanceof CSSMediaRule) {
                    if (matches(state.media, media)) walk(state.rules, parent, within, level + 1);
                } else if (rule instanceof CSSSupportsRule) {
                    if (supportsCondition(state.prelude) === true) walk(state.rules, parent, within, level + 1);
                } else if (rule instanceof CSSLayerBlockRule) {
                    take({ layer: inner(state.prelude) });
                    walk(state.rules, parent, inner(state.prelude), level + 1);
                } else if (rule instanceof CSSLayerStatementRule) {
                    for (const name of state.names) take({ layer: inner(name) });
                } else if (rule instanceof CSSImportRule) {
                    const other = imported(rule);
                    if (other === null) continue;
                    const named = state.layer === null ? within : inner(state.layer);
                    if (named !== within) take({ layer: named });
                    eachRule(other, media, take, named, depth + 1);
                }
            }
        };
        walk(rules, null, layer);
    }
    const layerNumbers = new WeakMap();
    let layers = 0;
    const layerNumber = (rule) => {
        if (!layerNumbers.has(rule)) layerNumbers.set(rule, layers++);
        return layerNumbers.get(rule);
    };
    return { kinds, makeSheet, eachRule, list: (members) => indexed(StyleSheetList, members), isSheet: (value) => value instanceof CSSStyleSheet,
        textOf: (sheet) => (at(sheet).isDisabled ? "" : at(sheet).rules.map((rule) => rule.cssText).join("\n")) };
}
