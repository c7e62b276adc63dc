// Rewrites a module as the text of a function, with the same lines.
//
// The function's body is inside a `with`, whose object has the imported names as getters: they always
// have the current value of the exporting module, and uses of them need no change. It is nevertheless
// strict. It stops once before its first line: its functions are then hoisted and its other names are not
// yet initialised, so that modules can import one another in a cycle.
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
        const made = new SyntaxError(error.message.replace(/ \(\d+:\d+\)$/, ""));
        const place = { sourceURL: name, line: (error.loc?.line ?? 1) + line - 1, column: (error.loc?.column ?? 0) + 1 };
        for (const [key, value] of Object.entries(place)) Object.defineProperty(made, key, { value, configurable: true });
        throw made;
    }
}

/** Replaces parts of a text; removed parts leave their line ends. */
class Changes {
    #source; #list = [];
    constructor(source) { this.#source = source; }
    replace(start, end, text = "") {
        const lines = this.#source.slice(start, end).replace(/[^\n\r\u2028\u2029]+/g, "");
        this.#list.push({ start, end, text: text + lines });
    }
    toString() {
        let result = "", at = 0;
        for (const { start, end, text } of this.#list.sort((one, other) => one.start - other.start)) {
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

/** Whether a module has top-level await. */
function waits(tree) {
    const visit = (node) => {
        if (node === null || typeof node !== "object") return false;
        if (Array.isArray(node)) return node.some(visit);
        if (typeof node.type !== "string") return false;
        if (node.type === "AwaitExpression" || (node.type === "ForOfStatement" && node.await)) return true;
        if (/Function/.test(node.type)) return false;
        if (node.type === "PropertyDefinition" || node.type === "MethodDefinition") return node.computed && visit(node.key);
        if (node.type === "StaticBlock") return false;
        return Object.values(node).some(visit);
    };
    return visit(tree.body);
}

/**
 * Rewrites a module as a factory, and lists its imports and exports.
 *
 * @returns `text`, a function of the imports, `import.meta`, the implementation of `import()` and a function
 *   that takes the getters of the exports; `requests`, specifiers; `imports`, by local name; `locals`, by
 *   exported name; `indirect`, names exported from other modules; `stars`, modules of `export *`.
 */
export function rewrite(source, name, line) {
    const tree = parse(source, name, "module", line), changes = new Changes(source);
    const requests = new Set(), imports = new Map(), locals = new Map(), indirect = new Map(), stars = [];
    for (const node of tree.body) {
        const request = node.source?.value;
        if (request !== undefined) requests.add(request);
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
            const { declaration } = node;
            const isDeclared = /^(?:Function|Class)Declaration$/.test(declaration.type);
            locals.set("default", isDeclared ? declaration.id?.name ?? DEFAULT : DEFAULT);
            if (!isDeclared) {
                changes.replace(node.start, declaration.start, `const ${DEFAULT} = `);
            } else {
                changes.replace(node.start, declaration.start);
                if (declaration.id === null) insertName(declaration, source, changes);
            }
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
    const isAsync = waits(tree);
    const getters = [...locals].map(([exported, local]) => `${JSON.stringify(exported)}: () => ${local}`).join(", ");
    const head = `(function (${IMPORTS}, ${META}, ${IMPORT}, ${EXPORT}) { with (${IMPORTS}) { return `
        + `${isAsync ? "async " : ""}function* () { "use strict"; ${EXPORT}({ __proto__: null, ${getters} }); yield; `;
    const body = String(changes).replace(/^#!/, "//");
    return {
        text: `${head}${body}\n} } })`, isAsync, requests: [...requests], imports, locals, indirect, stars,
    };
}

// `export default function () {}` declares a function that is hoisted, so it needs a name.
function insertName(declaration, source, changes) {
    const head = /^(?:async\s+)?function\s*\*?|^class/.exec(source.slice(declaration.start, declaration.end))[0];
    const end = declaration.start + head.length;
    changes.replace(end, end, ` ${DEFAULT} `);
}

/** The text of a script with a URL, with `import` replaced by `IMPORT`. */
export function rewriteScript(source, name, line, address) {
    const changes = new Changes(source);
    replaceImports(parse(source, name, "script", line), changes, JSON.stringify(address));
    return String(changes);
}
