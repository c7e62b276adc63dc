"use strict";

// Shows what instruments outside this machine tell. The person declares a sensor for each, and the
// instrument, or a small program beside it, publishes samples to it over HTTP. Their fields are not
// known here: whatever the sensor was declared with is shown, with its units.

const INSTRUMENTS = [
  {
    sensor: "weather",
    title: "Weather station",
    fields: ["temperature:Cel", "humidity:%", "pressure:hPa", "windSpeed:m/s"],
  },
  { sensor: "geiger", title: "Geiger counter", fields: ["rate:/min", "dose:uSv/h"] },
  { sensor: "seismograph", title: "Seismograph", fields: ["velocity:um/s"] },
  { sensor: "door", title: "Door", fields: ["door::state", "lock::state", "battery:%"] },
];

const time = (milliseconds) => new Date(milliseconds).toTimeString().slice(0, 8);

function number(value) {
  return Number.isInteger(value) ? `${value}` : `${Number(value.toPrecision(6))}`;
}

/** One reading in words, such as "temperature 21.5 Cel, humidity 40 %". */
function words(sample, fields) {
  const parts = fields
    .filter(({ name }) => sample[name] !== undefined && sample[name] !== null)
    .map(({ name, unit }) => {
      const value = typeof sample[name] === "number" ? number(sample[name]) : sample[name];
      return unit === undefined || unit === "1" ? `${name} ${value}` : `${name} ${value} ${unit}`;
    });
  return parts.length > 0 ? parts.join(", ") : "an empty reading";
}

/** The sensor of an instrument as the host describes it; null where nobody has declared it. */
async function find({ sensor }) {
  try {
    return await nervous.sensor(sensor).describe();
  } catch (error) {
    if (error.problem === "unknown-sensor") return null;
    throw error;
  }
}

function tellHowToAdd({ sensor, title, fields }) {
  console.log(`${title}: missing, there is no sensor named ${sensor}. To add it:`);
  console.log(`  nervous sensors add ${sensor} ${fields.map((field) => `--field ${field}`).join(" ")}`);
}

/** Says what was measured last; an instrument may have said nothing yet. */
async function showNewest({ sensor, title }, { fields }) {
  try {
    const newest = await nervous.sensor(sensor).latest();
    console.log(`${title}: ${time(newest.t)}  ${words(newest, fields)}`);
  } catch (error) {
    if (error.problem !== "no-samples") throw error;
    console.log(`${title}: there, and nothing has come from it yet.`);
  }
}

/** Shows every reading as it comes, until the run ends. */
async function follow(instrument, description) {
  const { sensor, title } = instrument;
  try {
    await showNewest(instrument, description);
    const onOpen = () => console.log(`${title}: listening.`);
    for await (const sample of nervous.sensor(sensor).stream({ onOpen })) {
      console.log(`${title}: ${time(sample.t)}  ${words(sample, description.fields)}`);
    }
  } catch (error) {
    // The other instruments are shown nevertheless.
    if (error.name !== "NotAllowedError") throw error;
    console.log(`${title}: not shown. ${error.message}`);
  }
}

async function main() {
  const found = await Promise.all(INSTRUMENTS.map(find));
  const present = INSTRUMENTS.map((instrument, index) => [instrument, found[index]]);
  const missing = present.filter(([, description]) => description === null);
  for (const [instrument] of missing) tellHowToAdd(instrument);
  if (missing.length > 0) {
    console.log("An instrument publishes to its sensor over HTTP: see this app's README.md.");
  }
  await Promise.all(
    present
      .filter(([, description]) => description !== null)
      .map(([instrument, description]) => follow(instrument, description)),
  );
}

main();
