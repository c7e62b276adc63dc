// Elements of the page: made from texts, never from markup.
// A part of the module dashboard.js, which CResources/dashboard.c concatenates.

const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(["svg", "use", "path", "circle", "rect", "line", "g", "polyline", "polygon"]);
const PROPERTIES = new Set(["value", "checked", "disabled", "hidden", "selected", "indeterminate"]);

/**
 * Creates an element. Strings among the children become text nodes, never markup.
 * @param {string} tag an HTML name, or the name of an SVG shape
 * @param {object|null} [props] attributes; `class`, `dataset`, `on: {click: f}`
 * @param {...(Node|string|number|null|undefined|false|Array)} children
 * @returns {Element}
 */
export function h(tag, props, ...children) {
  const isProps = props !== null && typeof props === "object" && !Array.isArray(props)
    && !(props instanceof Node);
  if (!isProps && props !== null && props !== undefined) children.unshift(props);
  const element = SVG_TAGS.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(isProps ? props : {})) {
    if (value === null || value === undefined) continue;
    if (name === "on") {
      for (const [event, handler] of Object.entries(value)) element.addEventListener(event, handler);
    } else if (name === "dataset") Object.assign(element.dataset, value);
    else if (PROPERTIES.has(name) && name in element) element[name] = value;
    else if (value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...nodes(children));
  return element;
}

/** The nodes of children as `h` takes them. */
export function nodes(children) {
  return [children].flat(Infinity)
    .filter((child) => child !== null && child !== undefined && child !== false && child !== true)
    .map((child) => (child instanceof Node ? child : document.createTextNode(String(child))));
}

/** An icon of the sprite in index.html; hidden from screen readers. */
export function icon(name) {
  return h("svg", { class: "icon", "aria-hidden": "true" }, h("use", { href: `#icon-${name}` }));
}

/** Text that only screen readers say. */
export const unseen = (said) => h("span", { class: "unseen" }, said);

const UNSAFE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Untrusted text with invisible, reordering and control characters escaped, on one line. */
export function plain(untrusted) {
  return String(untrusted ?? "").replace(UNSAFE, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
}

/** Text of a package, marked as not written by the host: in italics and quotation marks. */
export const claim = (untrusted) => h("bdi", { class: "claim" }, plain(untrusted));

/** A button with an icon, if one is named. */
export function button(label, action, { kind = "", sign, ...props } = {}) {
  return h("button", { class: `button ${kind}`.trim(), type: "button", on: { click: action }, ...props },
    sign && icon(sign), label);
}

/** Replaces the children of an element. */
export const fill = (element, ...children) => (element.replaceChildren(...nodes(children)), element);

/** A panel that says one thing: an icon, a sentence, what to do next. */
export function emptyState(sign, title, ...rest) {
  return h("section", { class: "panel empty" }, icon(sign), h("h2", title), rest);
}
