"use strict";

// Shows live samples of instruments outside this machine. The owner declares a sensor for each, and the
// instrument, or a small program for it, publishes samples over HTTP. The app shows any fields that the
// sensor was declared with, and their units. A name such as "weather" is that of a kind: it refers to
// "weather.station" if that is the only weather station.

const INSTRUMENTS = [
  {
    sensor: "weather",
    title: "Weather station",
    fields: ["temperature:Cel", "humidity:%", "pressure:hPa", "windSpeed:m/s"],
  },
  { sensor: "radiation", title: "Geiger counter", fields: ["rate:/min", "dose:uSv/h"] },
  {
    sensor: "accelerometer.seismograph",
    title: "Seismograph",
    fields: ["x:m/s2", "y:m/s2", "z:m/s2"],
  },
  { sensor: "door", title: "Door", fields: ["door::state", "lock::state", "battery:%"] },
];

const time = (milliseconds) => new Date(milliseconds).toTimeString().slice(0, 8);

function number(value) {
  return Number.isInteger(value) ? `${value}` : `${Number(value.toPrecision(6))}`;
}

/** A sample as text, such as "temperature 21.5 Cel, humidity 40 %". */
function text(sample, fields) {
  const parts = fields
    .filter(({ name }) => sample[name] !== undefined && sample[name] !== null)
    .map(({ name, unit }) => {
      const value = typeof sample[name] === "number" ? number(sample[name]) : sample[name];
      return unit === undefined || unit === "1" ? `${name} ${value}` : `${name} ${value} ${unit}`;
    });
  return parts.length > 0 ? parts.join(", ") : "an empty sample";
}

/**
 * The description of the sensor of an instrument; null if it is not declared, undefined if several
 * sensors have its kind and none was chosen.
 */
async function find({ sensor, title }) {
  try {
    return await nervous.sensor(sensor).describe();
  } catch (error) {
    if (error.problem === "unknown-sensor") return null;
    if (error.problem !== "several-sensors") throw error;
    console.log(`${title}: not shown. ${error.message}`, error.fix ?? "");
    return undefined;
  }
}

function printHowToAdd({ sensor, title, fields }) {
  console.log(`${title}: missing, because no sensor is named ${sensor}. To add it:`);
  console.log(`  nervous sensors add ${sensor} ${fields.map((field) => `--field ${field}`).join(" ")}`);
}

/** Shows the newest sample; there may be none yet. */
async function showNewest({ sensor, title }, { fields }) {
  try {
    const newest = await nervous.sensor(sensor).latest();
    console.log(`${title}: ${time(newest.t)}  ${text(newest, fields)}`);
  } catch (error) {
    if (error.problem !== "no-samples") throw error;
    console.log(`${title}: no samples yet.`);
  }
}

/** Shows each sample as it arrives, until the run ends. */
async function follow(instrument, description) {
  const { sensor, title } = instrument;
  try {
    await showNewest(instrument, description);
    const onOpen = () => console.log(`${title}: listening.`);
    for await (const sample of nervous.sensor(sensor).stream({ onOpen })) {
      console.log(`${title}: ${time(sample.t)}  ${text(sample, description.fields)}`);
    }
  } catch (error) {
    // Other instruments are still shown.
    if (error.name !== "NotAllowedError") throw error;
    console.log(`${title}: not shown. ${error.message}`, error.fix ?? "");
  }
}

async function main() {
  const found = await Promise.all(INSTRUMENTS.map(find));
  const present = INSTRUMENTS.map((instrument, index) => [instrument, found[index]]);
  const missing = present.filter(([, description]) => description === null);
  for (const [instrument] of missing) printHowToAdd(instrument);
  if (missing.length > 0) {
    console.log("An instrument publishes to its sensor over HTTP: see this app's README.md.");
  }
  await Promise.all(
    present
      .filter(([, description]) => Boolean(description))
      .map(([instrument, description]) => follow(instrument, description)),
  );
}

main();
