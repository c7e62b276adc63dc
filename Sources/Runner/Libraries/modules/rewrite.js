// Rewrites a module as the text of a function, with the same lines.
//
// The function's body is inside a `with`, whose object has the imported names as getters: they always
// have the current value of the exporting module, and uses of them need no change, except for calls: the
// callee's `this` would be that object. The body is nevertheless strict. It is a generator, which stops
// once before its first line: its functions are then hoisted and its other names are not yet initialised,
// so that modules can import one another in a cycle. Top-level `await` becomes `yield`, so that a module
// starts at once; only `for await` needs an async generator, which starts a little later.
import { parse as parseText } from "acorn";
import { simple } from "acorn-walk";

/** The replacement of `import` in `import(…)`. */
export const IMPORT = "__nervous_import__";
const META = "__nervous_meta__", DEFAULT = "__nervous_default__";
const EXPORT = "__nervous_export__", IMPORTS = "__nervous_imports__";

function parse(source, name, sourceType, line) {
    try {
        return parseText(source, {
            sourceType, ecmaVersion: "latest", allowHashBang: true, allowAwaitOutsideFunction: sourceType === "module",
        });
    } catch (error) {
        const { line: first, column } = error.loc ?? { line: 1, column: 0 };
        throw new SourceError(
            SyntaxError, error.message.replace(/ \(\d+:\d+\)$/, ""), name, first + line - 1, column + 1);
    }
}

/** A reason why a source cannot run, and its place. The app gets an error of `type`. */
export class SourceError {
    constructor(type, message, file, line, column) {
        Object.assign(this, { type, message, file, line, column });
    }
}

/** Replaces parts of a text; removed parts leave their line ends, and spaces before what follows them. */
class Changes {
    #source; #list = [];
    constructor(source) { this.#source = source; }
    replace(start, end, text = "") {
        const lines = this.#source.slice(start, end).split(/\r\n|[\n\r\u2028\u2029]/);
        const last = lines.at(-1).length - (lines.length > 1 ? 0 : text.length);
        this.#list.push({ start, end, text: text + "\n".repeat(lines.length - 1) + " ".repeat(Math.max(0, last)) });
    }
    insert(at, text) { this.#list.push({ start: at, end: at, text }); }
    toString() {
        let result = "", at = 0;
        for (const { start, end, text } of this.#list.sort((one, other) => one.start - other.start || one.end - other.end)) {
            result += this.#source.slice(at, start) + text;
            at = end;
        }
        return result + this.#source.slice(at);
    }
}

function boundNames(pattern, found = []) {
    switch (pattern?.type) {
    case "Identifier": found.push(pattern.name); break;
    case "ObjectPattern": for (const item of pattern.properties) boundNames(item.value ?? item.argument, found); break;
    case "ArrayPattern": for (const item of pattern.elements) boundNames(item, found); break;
    case "AssignmentPattern": boundNames(pattern.left, found); break;
    case "RestElement": boundNames(pattern.argument, found); break;
    }
    return found;
}

const nameOf = (node) => (node.type === "Literal" ? node.value : node.name);

// `import(x)` becomes a call that also passes the module.
function replaceImports(tree, changes, base) {
    simple(tree, {
        ImportExpression(node) { changes.replace(node.start, node.source.start, `${IMPORT}(${base}, `); },
        MetaProperty(node) {
            if (node.meta.name === "import") changes.replace(node.start, node.end, META);
        },
    });
}

/** Where a text that begins with a parenthesis would continue the previous statement. */
function statementStarts(tree) {
    const starts = new Set([...tree.body.map((node) => node.start)]);
    const add = ({ body }) => { for (const node of body) starts.add(node.start); };
    simple(tree, {
        BlockStatement: add, StaticBlock: add,
        SwitchCase({ consequent }) { add({ body: consequent }); },
    });
    return starts;
}

/** Calls an imported function without the object of the imports as `this`. */
function detachCalls(tree, imports, starts, changes) {
    const detach = (callee) => {
        if (callee.type !== "Identifier" || !imports.has(callee.name)) return;
        changes.insert(callee.start, `${starts.has(callee.start) ? ";" : ""}(0, `);
        changes.insert(callee.end, ")");
    };
    simple(tree, {
        CallExpression(node) { detach(node.callee); },
        TaggedTemplateExpression(node) { detach(node.tag); },
    });
}

/** The top-level `await`s of a module, and whether it has `for await`. */
function waits(tree) {
    const found = { awaits: [], loops: false };
    const visit = (node) => {
        if (node === null || typeof node !== "object") return;
        if (Array.isArray(node)) return node.forEach(visit);
        if (typeof node.type !== "string" || /Function/.test(node.type) || node.type === "StaticBlock") return;
        if (node.type === "PropertyDefinition" || node.type === "MethodDefinition") {
            if (node.computed) visit(node.key);
            return;
        }
        if (node.type === "AwaitExpression") found.awaits.push(node);
        if (node.type === "ForOfStatement" && node.await) found.loops = true;
        Object.values(node).forEach(visit);
    };
    visit(tree.body);
    return found;
}

function replaceAwaits(awaits, starts, changes) {
    for (const { start, end } of awaits) {
        changes.replace(start, start + "await".length, `${starts.has(start) ? ";" : ""}(yield (`);
        changes.insert(end, "))");
    }
}

/**
 * Rewrites a module as a factory, and lists its imports and exports.
 *
 * @returns `text`, a function of the imports, `import.meta`, the implementation of `import()` and a function
 *   that takes the getters of the exports, and the length of its `head`; `isAsync`, whether it has top-level
 *   await, and `isGenerator`, whether it waits by `yield`; `requests`, the first place of each specifier;
 *   `imports`, by local name; `locals`, by exported name; `indirect`, names exported from other modules;
 *   `stars`, modules of `export *`.
 */
export function rewrite(source, name, line) {
    const tree = parse(source, name, "module", line), changes = new Changes(source);
    let naming = "";
    const requests = new Map(), imports = new Map(), locals = new Map(), indirect = new Map(), stars = [];
    const { awaits, loops } = waits(tree), starts = statementStarts(tree);
    if (!loops) replaceAwaits(awaits, starts, changes);
    for (const node of tree.body) {
        const request = node.source?.value;
        if (request !== undefined && !requests.has(request)) requests.set(request, placeOf(source, node.start, line));
        switch (node.type) {
        case "ImportDeclaration":
            for (const item of node.specifiers) {
                const wanted = { ImportDefaultSpecifier: "default", ImportNamespaceSpecifier: "*" }[item.type] ?? nameOf(item.imported);
                imports.set(item.local.name, { request, name: wanted });
            }
            changes.replace(node.start, node.end, ";");
            break;
        case "ExportAllDeclaration":
            if (node.exported === null) stars.push(request);
            else indirect.set(nameOf(node.exported), { request, name: "*" });
            changes.replace(node.start, node.end, ";");
            break;
        case "ExportDefaultDeclaration": {
            const { declaration } = node, { type, id } = declaration;
            const isNamed = /^(?:Function|Class)Declaration$/.test(type) && id !== null;
            locals.set("default", isNamed ? id.name : DEFAULT);
            if (isNamed) changes.replace(node.start, declaration.start);
            else if (type === "FunctionDeclaration") {
                changes.replace(node.start, declaration.start);
                insertName(declaration, source, changes);
                naming = `Object.defineProperty(${DEFAULT}, "name", { value: "default", configurable: true }); `;
            } else nameDefault(node, source, changes);
            break;
        }
        case "ExportNamedDeclaration":
            if (node.declaration !== null) {
                const made = node.declaration.declarations ?? [node.declaration];
                for (const item of made) for (const local of boundNames(item.id)) locals.set(local, local);
                changes.replace(node.start, node.declaration.start);
                break;
            }
            for (const item of node.specifiers) {
                const exported = nameOf(item.exported), local = nameOf(item.local);
                if (request !== undefined) indirect.set(exported, { request, name: local });
                else locals.set(exported, local);
            }
            changes.replace(node.start, node.end, ";");
        }
    }
    // A name that is imported and exported is an indirect export.
    for (const [exported, local] of locals) {
        const origin = imports.get(local);
        if (origin === undefined) continue;
        locals.delete(exported);
        indirect.set(exported, origin);
    }
    replaceImports(tree, changes, `${META}.url`);
    if (imports.size > 0) detachCalls(tree, imports, starts, changes);
    const isAsync = loops || awaits.length > 0;
    const getters = [...locals].map(([exported, local]) => `${JSON.stringify(exported)}: () => ${local}`).join(", ");
    const head = `(function (${IMPORTS}, ${META}, ${IMPORT}, ${EXPORT}) { with (${IMPORTS}) { return `
        + `${loops ? "async " : ""}function* () { "use strict"; ${naming}${EXPORT}({ __proto__: null, ${getters} }); yield; `;
    const body = String(changes).replace(/^#!/, "//");
    return {
        text: `${head}${body}\n} } })`, head: head.length, isAsync, isGenerator: !loops, requests, imports, locals,
        indirect, stars,
    };
}

/** The line and column of an offset. */
function placeOf(source, offset, first) {
    const lines = source.slice(0, offset).split(/\r\n|[\n\r\u2028\u2029]/);
    return { line: first + lines.length - 1, column: lines.at(-1).length + 1 };
}

// `export default function () {}` declares a function that is hoisted, so it needs a name.
function insertName(declaration, source, changes) {
    const head = /^(?:async\s+)?function\s*\*?/.exec(source.slice(declaration.start, declaration.end))[0];
    changes.insert(declaration.start + head.length, ` ${DEFAULT} `);
}

// A member named `default` gives its name to an anonymous function or class.
function nameDefault(node, source, changes) {
    const comment = String.raw`\/\*[^]*?\*\/|\/\/[^\n\r\u2028\u2029]*`;
    const head = new RegExp(`^export(?:\\s|${comment})*default`).exec(source.slice(node.start, node.end))[0];
    changes.replace(node.start, node.start + head.length, `const ${DEFAULT} = ({ default: `);
    const end = source[node.end - 1] === ";" ? node.end - 1 : node.end;
    changes.insert(end, " }).default;");
}

/** The text of a script with a URL, with `import` replaced by `IMPORT`. */
export function rewriteScript(source, name, line, address) {
    const changes = new Changes(source);
    replaceImports(parse(source, name, "script", line), changes, JSON.stringify(address));
    return String(changes);
}

/** Why a text is not a valid script, as a `SourceError`; `null` if it is one. */
export function fault(source, name, line) {
    try {
        parse(source, name, "script", line);
        return null;
    } catch (error) {
        return error;
    }
}
