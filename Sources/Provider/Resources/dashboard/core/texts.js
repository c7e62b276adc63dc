// All texts of the owner's first page, and those that every page has, as whole sentences: one object a page, functions
// where a text has parameters. A translation is this file, sensor-texts.js, page-texts.js and TEXTS of charts/settings.js
// in another language.
// A part of the module dashboard.js, which CResources/dashboard.c concatenates.

const plural = (count, one, many) => (count === 1 ? one : many(count));

/** What a privilege gives, as the end of "… requests ". */
function asked(privilege) {
  const [kind, rest] = split(privilege);
  switch (kind) {
    case "sensor":
      if (rest.endsWith(":stats")) return `access to statistics of ${rest.slice(0, -6)}`;
      if (rest.endsWith(":write")) return `to publish samples of ${rest.slice(0, -6)}`;
      return `access to every sample of ${rest}`;
    case "identity": return "an identifier of this machine";
    case "storage": return "to store data on this machine";
    case "notify": return "to send you messages";
    case "sessions": return rest === "write" ? "to record and change sessions" : "to read all sessions";
    case "health":
      if (rest.endsWith(":write")) return `to save health data: ${rest.slice(0, -6)}`;
      return `to read health data: ${rest}`;
    case "net": return `to call ${rest}`;
    default: return privilege;
  }
}

/** The kind of a privilege, and what follows the first colon. */
function split(privilege) {
  const at = privilege.indexOf(":");
  return at < 0 ? [privilege, ""] : [privilege.slice(0, at), privilege.slice(at + 1)];
}

export const text = {
  shell: {
    product: "Nervous",
    title: (page, requests) => (requests > 0 ? `(${requests}) ` : "") + `${page} · Nervous`,
    places: {
      overview: "Overview", apps: "Apps", activity: "Activity", sessions: "Sessions",
      alerts: "Alerts", machine: "Machine",
    },
    themes: { system: "Theme: system", light: "Theme: light", dark: "Theme: dark" },
    requests: "Requests: ",
    collecting: (count) => plural(count, "Collecting 1 sensor", (n) => `Collecting ${n} sensors`),
    notCollecting: "Not collecting",
    connecting: "Connecting …",
    notResponding: "Not responding",
    ago: (age) => `${age} ago`,
    loading: "Loading …",
    failedPage: "This page cannot be shown",
    retry: "Retry now",
    noPage: "There is no page at this address",
    backToOverview: "Go to the overview",
    notResponded: (time) => `No response since ${time}. Showing data from then.`,
    shownLater: "This page is shown as soon as the host responds.",
    retryingIn: (seconds) => `Retrying in ${seconds} s.`,
    retrying: "Retrying …",
    hostDown: "Host not responding",
    locked: "This page is locked",
    lockedHow: "Open it from a terminal on this machine. The link works once; "
      + "this browser stays signed in until you lock it or the host stops.",
    lockedCommand: "nervous open",
    linkUsed: "This link was used already or has expired. Make a new one in a terminal on this machine.",
    lock: "Lock this page",
  },
  request: {
    asks: (client, privilege) => `${client} requests ${asked(privilege)}.`,
    waiting: (age) => `Waiting for your answer for ${age}.`,
    more: (count) => plural(count, "1 more request is waiting.", (n) => `${n} more requests are waiting.`),
    review: "Review request",
    label: "Permission requests",
  },
  /** What a privilege gives, without who: "every sample of cpu". */
  privilege: asked,
  /** The terms of a grant as a list of phrases; `unit` of the precision, if there is one. */
  terms(terms, format, unit) {
    const said = [];
    if (terms.access === "stats") said.push("statistics only");
    else if (terms.access === "write") said.push("may publish");
    else if (terms.rate === undefined) said.push("every sample");
    if (terms.only !== undefined) said.push(`only ${terms.only.join(" and ")}`);
    if (terms.rate !== undefined) {
      said.push(terms.rate === 1 ? "one sample a second"
        : terms.rate > 1 ? `${format.number(terms.rate)} samples a second`
          : `one sample every ${format.duration(1000 / terms.rate)}`);
    }
    if (terms.precision !== undefined) said.push(`rounded to ${format.number(terms.precision)}${unit ? `\u202f${format.unit(unit)}` : ""}`);
    if (terms.history !== undefined) said.push(`of the last ${format.period(terms.history)}`);
    if (terms.background === false) said.push("only while its page is open");
    if (terms.expires !== undefined) said.push(`until ${format.time(terms.expires)}`);
    return said.join(", ");
  },
  noData: "no data",
  levels: { off: "off", low: "low", medium: "medium", high: "high", auto: "auto" },
  overview: {
    title: "Overview",
    counts: (active, off, missing) => [`${active} ${active === 1 ? "sensor" : "sensors"} active`,
      off > 0 && `${off} off`, missing > 0 && `${missing} not available`].filter(Boolean).join(", "),
    install: "Install an app",
    live: "Live, last hour",
    tile: (title) => `${title}, last hour`,
    tiles: { cpu: "Processor", memory: "Memory", network: "Network", disk: "Disk" },
    details: {
      memory: (total) => `of ${total}`,
      network: (sent) => `received; ${sent} sent`,
      disk: (read) => `written; ${read} read`,
      other: (mean, greatest) => `mean ${mean} · max ${greatest}`,
    },
    sensors: "Sensors",
    find: "Find a sensor",
    notFound: (sought) => `No sensor is named “${sought}”.`,
    noSensors: "No sensor is active on this machine.",
    columns: {
      sensor: "Sensor", now: "Now", hour: "Last hour", updated: "Updated", level: "Level",
      readers: "Read by",
    },
    never: "no sample yet",
    notReadable: "not readable",
    missing: {
      title: (count) => plural(count, "1 sensor not available: reason and how to enable it",
        (n) => `${n} sensors not available: reasons and how to enable them`),
      columns: { name: "Missing", why: "Why", how: "How to enable" },
    },
    aside: "Apps, access and host",
    running: "Running now",
    allApps: "All apps",
    noRuns: "No app is running.",
    run: (isBackground, state, time) => (state === "waiting" ? `waiting for its next start, ${time}`
      : isBackground ? `in the background, ${time}` : `in the foreground, ${time}`),
    accessed: "Access, last 15 min",
    activity: "Activity",
    noAccess: "No app or program has read a sensor in the last 15 minutes.",
    samples: (count) => plural(count, "sample", () => "samples"),
    names: (names, more) => (more > 0 ? `${names} and ${more} more` : names),
    denied: (count) => `${count} denied`,
    host: "Host",
    machine: "Machine",
    storage: (used, budget) => `Sample storage: ${used} of ${budget}`,
    unbounded: (used) => `Sample storage: ${used}`,
    free: (free) => `${free} are free on this disk.`,
    served: (host) => `Everything on this page comes from ${host}.`,
  },
};
