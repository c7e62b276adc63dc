// How the console shows nodes: an element as its tag, without its content.
import Node from "domino/lib/Node";

const longest = 200;

function shown(node) {
    switch (node.nodeType) {
    case 1: {
        const tag = node.cloneNode(false).outerHTML, end = `</${node.nodeName.toLowerCase()}>`;
        if (!tag.endsWith(end) || node.firstChild === null) return tag;
        return `${tag.slice(0, -end.length)}…${end}`;
    }
    case 3: return `#text ${JSON.stringify(node.data.slice(0, longest))}`;
    case 8: return `<!--${node.data.slice(0, longest)}-->`;
    default: return node.nodeName;
    }
}

export function install({ hooks }) {
    hooks.textOf = (value) => {
        if (!(value instanceof Node)) return undefined;
        const text = shown(value);
        return text.length > longest ? `${text.slice(0, longest)}…` : text;
    };
}
