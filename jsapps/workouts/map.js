// A route as a drawing, without tiles: a net of round distances, the way in red, a ring at the start and a
// square at the finish. The picture is as large as the way, in its own pixels.

import { shape } from "./drawing.js";
import { distance } from "./route.js";

const EDGE = 28, NETS_M = [50, 100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 100_000, 500_000], NET_PX = 48, LEAST_M = 60;

/** Positions in metres east and north of the middle of all of them. */
export function plane(segments) {
  const all = segments.flat();
  // Longitudes continue beyond the antimeridian, from the first position on.
  const origin = all[0]?.longitude ?? 0;
  const turn = (longitude) => ((longitude - origin + 540) % 360) - 180;
  const bounds = (values) => values.reduce(([low, high], one) => [Math.min(low, one), Math.max(high, one)], [Infinity, -Infinity]);
  const [west, east] = bounds(all.map(({ longitude }) => turn(longitude)));
  const [south, north] = bounds(all.map(({ latitude }) => latitude));
  const middle = { latitude: (south + north) / 2, longitude: (west + east) / 2 };
  // Metres of a thousandth of a degree at the middle.
  const along = distance(middle, { ...middle, longitude: middle.longitude + 0.001 }) * 1000;
  const up = distance({ ...middle, latitude: middle.latitude - 0.0005 }, { ...middle, latitude: middle.latitude + 0.0005 }) * 1000;
  return {
    width: (east - west) * along, height: (north - south) * up,
    segments: segments.map((points) => points.map(({ latitude, longitude }) => ({
      x: (turn(longitude) - middle.longitude) * along, y: (latitude - middle.latitude) * up,
    }))),
  };
}

/** The round length of the net that suits a scale in pixels a metre. */
export const netOf = (scale) => NETS_M.find((metres) => metres * scale >= NET_PX) ?? NETS_M.at(-1);

const lengthText = (metres) => (metres < 1000 ? `${metres} m` : `${metres / 1000} km`);

/**
 * Draws the segments into an `svg`, instead of what it shows. `isLive` marks the newest position as such.
 * Without points the picture is empty.
 */
export function draw(svg, segments, { width = 640, height = 320, isLive = false } = {}) {
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const points = segments.flat();
  if (points.length === 0) {
    svg.replaceChildren();
    return;
  }
  const flat = plane(segments);
  const scale = Math.min((width - 2 * EDGE) / Math.max(flat.width, LEAST_M), (height - 2 * EDGE) / Math.max(flat.height, LEAST_M));
  const at = ({ x, y }) => [width / 2 + x * scale, height / 2 - y * scale];
  const net = netOf(scale), lines = [];
  for (let x = (width / 2) % (net * scale); x < width; x += net * scale) lines.push(shape("line", { class: "net", x1: x, x2: x, y1: 0, y2: height }));
  for (let y = (height / 2) % (net * scale); y < height; y += net * scale) lines.push(shape("line", { class: "net", x1: 0, x2: width, y1: y, y2: y }));
  const ways = flat.segments.filter(({ length }) => length > 0).map((way) =>
    shape("polyline", { class: "way", points: way.map((point) => at(point).map((number) => number.toFixed(1)).join(",")).join(" ") }));
  const line = flat.segments.flat();
  const [start, finish] = [at(line[0]), at(line.at(-1))];
  // The words stand apart where start and finish are one place.
  const isClose = Math.hypot(start[0] - finish[0], start[1] - finish[1]) < 40;
  svg.replaceChildren(
    ...lines, ...ways,
    shape("circle", { class: "start", cx: start[0], cy: start[1], r: 6 }),
    shape("rect", { class: "finish", x: finish[0] - 5, y: finish[1] - 5, width: 10, height: 10 }),
    word("Start", start, width, isClose ? -12 : 4), word(isLive ? "Now" : "Finish", finish, width, isClose ? 20 : 4),
    shape("text", { x: 8, y: height - 8 }, `Net: ${lengthText(net)}`), shape("text", { x: width - 28, y: 18 }, "N ↑"));
}

function word(text, [x, y], width, down) {
  const isLeft = x > width - 70;
  return shape("text", { x: x + (isLeft ? -10 : 10), y: y + down, "text-anchor": isLeft ? "end" : "start" }, text);
}
