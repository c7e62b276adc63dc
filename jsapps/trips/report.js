// A report of a trip: what the form must contain, what becomes of the route, and the published form in which it
// is sent. Nothing here knows how reports are stored.

/** A route of more points is thinned, so that a report stays below the megabyte that a call may have. */
export const MOST_POINTS = 10_000;
const LONGEST_TEXT = 1000;

/** The fields of the form in their order, and what is missing if one is empty. */
const REQUIRED = [
  ["date", "Enter the date of the trip."],
  ["purpose", "Enter the purpose of the trip."],
  ["placement", "Choose a placement."],
  ["rate", "Choose a rate."],
];

/**
 * What keeps a form from being sent, as sentences by field; empty if nothing does.
 *
 * @param form `date` as YYYY-MM-DD, `purpose`, `placement` and `rate` as ids, `remark`, `metres`
 * @param choices the `placements` and `rates` of the account
 */
export function problemsOf(form, { placements, rates }) {
  const problems = {};
  for (const [field, sentence] of REQUIRED) {
    if (`${form[field] ?? ""}`.trim() === "") problems[field] = sentence;
  }
  if (!problems.date && !isDate(form.date)) problems.date = "Enter the date as year, month and day.";
  if (!problems.placement && !placements.some(({ id }) => id === form.placement)) {
    problems.placement = "This placement no longer exists. Choose another.";
  }
  if (!problems.rate && !rates.some(({ id }) => id === form.rate)) {
    problems.rate = "This rate is no longer valid. Choose another.";
  }
  for (const field of ["purpose", "remark"]) {
    if (`${form[field] ?? ""}`.length > LONGEST_TEXT) problems[field] = `Use at most ${LONGEST_TEXT} characters.`;
  }
  if (form.metres === undefined || kilometreText(form.metres) === "0.0") problems.kilometres = "Enter the kilometres, such as 12.5.";
  return problems;
}

function isDate(text) {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!match) return false;
  const [year, month, day] = match.slice(1).map(Number), date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/** Metres of typed kilometres, with a point or a comma; undefined if the text is no length of a trip. */
export function metresOf(text) {
  const trimmed = text.trim().replace(",", ".");
  if (!/^\d{1,5}(\.\d{1,3})?$/.test(trimmed)) return undefined;
  const metres = Math.round(Number(trimmed) * 1000);
  return metres > 0 ? metres : undefined;
}

/** Kilometres with one decimal: "12.3". */
export const kilometreText = (metres) => (Math.round(metres / 100) / 10).toFixed(1);

/**
 * The points of a route as the host returns it, in the order of the trip.
 *
 * @returns {{ latitude: number, longitude: number, isVia: boolean }[]}
 */
export function pointsOf({ features }) {
  const [feature] = features;
  if (feature === undefined) return [];
  const { geometry: { type, coordinates }, properties } = feature;
  const lines = type === "LineString" ? [coordinates] : coordinates;
  return lines.flatMap((line, number) => {
    const pauses = new Set(properties.via?.[number] ?? []);
    return line.map(([longitude, latitude], at) => ({ latitude, longitude, isVia: pauses.has(at) }));
  });
}

/**
 * At most `most` points: the ends and via points, and others at equal distances in the list.
 */
export function thinned(points, most = MOST_POINTS) {
  if (points.length <= most) return points;
  const kept = points.filter(({ isVia }, at) => isVia || at === 0 || at === points.length - 1).length;
  const step = Math.ceil(points.length / Math.max(1, most - kept));
  return points.filter(({ isVia }, at) => isVia || at === 0 || at === points.length - 1 || at % step === 0);
}

/** Degrees with a decimal point in every locale, without an exponent, with seven decimals at most. */
export function coordinateText(degrees) {
  const text = degrees.toFixed(7).replace(/\.?0+$/, "");
  return text === "-0" ? "0" : text;
}

const two = (number) => String(Math.trunc(Math.abs(number))).padStart(2, "0");

/** A date of the form at the local time of day of `t`, with the offset: "2026-01-05T14:23:21.000+01:00". */
export function dateTimeText(date, t) {
  const [year, month, day] = date.split("-").map(Number), of = new Date(t);
  const at = new Date(year, month - 1, day, of.getHours(), of.getMinutes(), of.getSeconds());
  const offset = -at.getTimezoneOffset();
  const zone = `${offset < 0 ? "-" : "+"}${two(offset / 60)}:${two(offset % 60)}`;
  return `${date}T${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.000${zone}`;
}

/** The local date of a time: "2026-01-05". */
export function dayText(t) {
  const date = new Date(t);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/**
 * A report from a form and a route. Kilometres that were entered have no points.
 *
 * @throws {RangeError} for a route of one point
 */
export function reportOf(form, { uuid, t, source, points }) {
  const route = source === "manual" ? [] : thinned(points);
  if (route.length === 1) throw new RangeError("A route has no point, or at least two.");
  return {
    uuid, date: dateTimeText(form.date, t), purpose: form.purpose.trim(), remark: form.remark.trim(),
    placement: form.placement, rate: form.rate, startsAtHome: form.startsAtHome, endsAtHome: form.endsAtHome,
    metres: form.metres, source, points: route,
  };
}

/**
 * A report in the published form: the user's id, and these fields only. No times or accuracies of points, no
 * sensor and no session leave the machine. `FourKmRule` is always false: a rule of Danish municipalities that
 * this app does not have.
 */
export function encoded(report, { guid, profile }) {
  return {
    DriveReport: {
      Uuid: report.uuid, Date: report.date, Purpose: report.purpose, ManualEntryRemark: report.remark,
      EmploymentId: report.placement, RateId: report.rate, ProfileId: profile,
      StartsAtHome: report.startsAtHome, EndsAtHome: report.endsAtHome, FourKmRule: false, HomeToBorderDistance: 0,
      route: {
        TotalDistance: Number(kilometreText(report.metres)),
        GPSCoordinates: report.points.map(({ latitude, longitude, isVia }) => ({
          Latitude: coordinateText(latitude), Longitude: coordinateText(longitude), IsViaPoint: isVia,
        })),
      },
    },
    Authorization: { GuId: guid },
  };
}
