// Answers of the weather server for Zurich, in its published format: https://openweathermap.org/current and
// https://openweathermap.org/forecast5. For tests.

/** `/weather`, metric. */
export const current = () => ({
  coord: { lon: 8.54, lat: 47.37 },
  weather: [{ id: 500, main: "Rain", description: "light rain", icon: "10d" }],
  base: "stations",
  main: { temp: 6.42, feels_like: 3.87, temp_min: 5.02, temp_max: 7.63, pressure: 1014, humidity: 87, sea_level: 1014, grnd_level: 961 },
  visibility: 10000, wind: { speed: 3.6, deg: 240, gust: 6.2 }, rain: { "1h": 0.41 }, clouds: { all: 75 }, dt: 1767600123,
  sys: { type: 2, id: 2019255, country: "CH", sunrise: 1767597157, sunset: 1767628203 },
  timezone: 3600, id: 2657896, name: "Zurich", cod: 200,
});

/** Temperature and condition of blocks of three hours: 40, from 2026-01-05T09:00:00Z. */
const BLOCKS = [
  [6.4, 500], [7.1, 500], [6.8, 501], [5.2, 804], [4.1, 803],
  [3.6, 802], [2.9, 801], [2.2, 800], [3.4, 800], [6.0, 800], [5.1, 800], [2.4, 801], [1.3, 803],
  [0.4, 600], [-0.6, 601], [-1.8, 600], [-1.2, 600], [0.3, 616], [-0.4, 600], [-2.1, 804], [-3.3, 804],
  [-4.0, 741], [-4.4, 741], [-4.9, 741], [-2.2, 741], [0.9, 800], [0.2, 800], [-2.0, 800], [-3.1, 800],
  [-3.5, 801], [-3.9, 802], [-4.1, 803], [-1.0, 803], [2.2, 803], [1.6, 804], [0.7, 500], [0.9, 500],
  [1.2, 500], [1.4, 501], [1.9, 501],
];
const START = 1767603600;
const NAMES = { 5: ["Rain", "rain", "10"], 6: ["Snow", "snow", "13"], 7: ["Fog", "fog", "50"], 8: ["Clouds", "clouds", "04"] };

/** `/forecast`, metric, of so many blocks. */
export const forecast = (count = BLOCKS.length) => ({
  cod: "200", message: 0, cnt: count,
  list: BLOCKS.slice(0, count).map(([temp, id], at) => {
    const dt = START + at * 10_800, [main, description, icon] = id === 800 ? ["Clear", "clear sky", "01"] : NAMES[Math.floor(id / 100)];
    const isDay = dt % 86_400 > 25_000 && dt % 86_400 < 56_000;
    return {
      dt, main: { temp, feels_like: temp - 2.4, temp_min: temp, temp_max: temp, pressure: 1015, sea_level: 1015, grnd_level: 962, humidity: 81, temp_kf: 0 },
      weather: [{ id, main, description, icon: `${icon}${isDay ? "d" : "n"}` }], clouds: { all: 60 }, wind: { speed: 2.9, deg: 235, gust: 5.1 },
      visibility: 10000, pop: 0.2, sys: { pod: isDay ? "d" : "n" }, dt_txt: new Date(dt * 1000).toISOString().slice(0, 19).replace("T", " "),
    };
  }),
  city: { id: 2657896, name: "Zurich", coord: { lat: 47.37, lon: 8.54 }, country: "CH", population: 341730, timezone: 3600, sunrise: 1767597157, sunset: 1767628203 },
});

/** The answer to a wrong key. */
export const unauthorized = () => ({ cod: 401, message: "Invalid API key. Please see https://openweathermap.org/faq#error401 for more info." });
