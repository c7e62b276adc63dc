// Icons by name, as lines on a square of 24; they scale with the text. A name that is not known is a placeholder.

const SVG = "http://www.w3.org/2000/svg";
const CLOUD = "M7 16a4 4 0 0 1 0-8 5.5 5.5 0 0 1 10.5-1A4.5 4.5 0 0 1 17 16z";

const PATHS = {
  sun: "M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM12 1.5v2M12 20.5v2M1.5 12h2M20.5 12h2M4.6 4.6 6 6M18 18l1.4 1.4M4.6 19.4 6 18M18 6l1.4-1.4",
  cloud: "M7 18.5a4.5 4.5 0 0 1 0-9 6 6 0 0 1 11.5-1A5 5 0 0 1 17.5 18.5z",
  rain: `${CLOUD}M8 18.5 7 21.5M12.5 18.5l-1 3M17 18.5l-1 3`,
  snow: `${CLOUD}M8 19v.01M12 19v.01M16 19v.01M10 22v.01M14 22v.01`,
  thunderstorm: `${CLOUD}M13 13l-2.5 4h3.5l-2.5 5`,
  fog: "M4 8h16M2 12h17M5 16h17M4 20h12",
  home: "M3 11.5 12 4l9 7.5M5.5 9.5V20h13V9.5M10 20v-5.5h4V20",
  thermometer: "M14 14.5V5a2 2 0 0 0-4 0v9.5a4.5 4.5 0 1 0 4 0zM12 9v8",
  lock: "M5 11h14v10H5zM8 11V7.5a4 4 0 0 1 8 0V11M12 15v2.5",
  unlock: "M5 11h14v10H5zM8 11V7a4 4 0 0 1 7.6-1.8M12 15v2.5",
  refresh: "M20 11a8 8 0 1 0-1.5 5.5M20.5 4v7h-7",
  expand: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  placeholder: "M4 4h3M10.5 4h3M17 4h3v3M20 10.5v3M20 17v3h-3M13.5 20h-3M7 20H4v-3M4 13.5v-3M4 7V4M9.5 9.5a2.5 2.5 0 1 1 2.5 3V14M12 17v.01",
};

/** The names that there are. */
export const names = Object.freeze(Object.keys(PATHS));

/** An icon; with a `label` it is an image for screen readers, otherwise decoration. */
export function icon(name, label) {
  const known = Object.hasOwn(PATHS, name) ? name : "placeholder";
  const svg = document.createElementNS(SVG, "svg"), path = document.createElementNS(SVG, "path");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", `icon ${known}`);
  path.setAttribute("d", PATHS[known]);
  svg.append(path);
  if (label === undefined) svg.setAttribute("aria-hidden", "true");
  else {
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", label);
  }
  return svg;
}
