// A route as a picture: a line without tiles, with its start, via points and finish.

const SVG = "http://www.w3.org/2000/svg", WIDTH = 640, HEIGHT = 260, MARGIN = 24;
const METRES_PER_DEGREE = 111_195;

/** Points in metres east and north of the first; exact enough for a picture. */
export function plane(points) {
  const [origin] = points, scale = Math.cos((origin.latitude * Math.PI) / 180);
  return points.map(({ latitude, longitude }) => ({
    x: (((longitude - origin.longitude + 540) % 360) - 180) * scale * METRES_PER_DEGREE,
    y: (latitude - origin.latitude) * METRES_PER_DEGREE,
  }));
}

function shape(tag, attributes, text) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, `${value}`);
  if (text !== undefined) element.textContent = text;
  return element;
}

/** The picture of a route of at least two points. A pause has no line: a via point is the last before it. */
export function map(points) {
  const metres = plane(points), bounds = (values) => values.reduce(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
  const [west, east] = bounds(metres.map(({ x }) => x)), [south, north] = bounds(metres.map(({ y }) => y));
  const scale = Math.min((WIDTH - 2 * MARGIN) / Math.max(east - west, 1), (HEIGHT - 2 * MARGIN) / Math.max(north - south, 1));
  const places = metres.map(({ x, y }) => [
    WIDTH / 2 + (x - (west + east) / 2) * scale, HEIGHT / 2 - (y - (south + north) / 2) * scale]);
  const lines = [[]];
  places.forEach((place, at) => {
    lines.at(-1).push(place);
    if (points[at].isVia) lines.push([]);
  });
  const vias = points.filter(({ isVia }) => isVia).length;
  const circle = (kind, [cx, cy]) => shape("circle", { class: kind, cx: cx.toFixed(1), cy: cy.toFixed(1), r: 6 });
  const length = scaleLength(WIDTH / 5 / scale);
  const svg = shape("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "map", role: "img",
    "aria-label": `The route: ${points.length} points${vias > 0 ? `, ${vias} of them via points` : ""}`,
  });
  svg.append(
    ...lines.filter((line) => line.length > 1).map((line) => shape("polyline", {
      class: "way", points: line.map((place) => place.map((number) => number.toFixed(1)).join(",")).join(" ") })),
    ...places.filter((_, at) => points[at].isVia).map((place) => circle("via", place)),
    circle("start", places[0]), circle("finish", places.at(-1)),
    shape("line", { class: "scale", x1: 12, x2: 12 + length * scale, y1: HEIGHT - 12, y2: HEIGHT - 12 }),
    shape("text", { x: 12, y: HEIGHT - 18 }, length < 1000 ? `${length} m` : `${length / 1000} km`),
    shape("text", { x: WIDTH - 24, y: 20 }, "N ↑"));
  return svg;
}

/** The longest round length of at most so many metres: 1, 2 or 5 times a power of ten. */
function scaleLength(most) {
  const power = 10 ** Math.floor(Math.log10(most));
  return [5, 2, 1].map((factor) => factor * power).find((length) => length <= most) ?? power;
}
