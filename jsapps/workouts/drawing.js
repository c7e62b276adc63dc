// Drawings as SVG: a shape, and the icons of activities.

const SVG = "http://www.w3.org/2000/svg";

export function shape(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, `${value}`);
  element.append(...children);
  return element;
}

const WHEELS = [[6, 16, 4], [18, 16, 4]];
const ICONS = {
  walking: { circles: [[12.5, 4, 2]], path: "M12 8v6l-3 7M12 14l3 3 1 4M12 9l-3 2-1 3M12 9l3 3 2 1" },
  running: { circles: [[14.5, 4, 2]], path: "M13 8l-3 6 4 2.5V21M9.5 15.5L7.5 19H4M13 8l3.5 3.5H20M13 8L8.5 9 7 12" },
  cycling: { circles: WHEELS, path: "M6 16l4-7h5l3 7M10 9l4 7M8 6h3M15 9l-1-4h3" },
  driving: { circles: [[7.5, 17, 2], [16.5, 17, 2]], path: "M5.5 17H3v-4l3-6h10l3 5 2 1v4h-2.5M9.5 17h5M5 12h13" },
  stationary: { circles: [[12, 4, 2]], path: "M12 8v7M12 15l-2 6M12 15l2 6M12 9l-3 5M12 9l3 5" },
};
const OTHER = { circles: [[12, 12, 9]], path: "M12 7v5l3 3" };

/** The icon of an activity; decoration, since the word stands beside it. */
export function icon(label) {
  const { circles, path } = Object.hasOwn(ICONS, label) ? ICONS[label] : OTHER;
  return shape("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true", "data-icon": Object.hasOwn(ICONS, label) ? label : "other" },
    ...circles.map(([cx, cy, r]) => shape("circle", { cx, cy, r })), shape("path", { d: path }));
}

/** The size of a drawing in pixels of the page; a headless run has none. */
export function sizeOf(svg, width, height) {
  const box = svg.getBoundingClientRect();
  return box.width > 0 ? { width: box.width, height: box.height } : { width, height };
}
