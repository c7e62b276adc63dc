#!/usr/bin/env python3
"""Writes geodesics.json: reference distances for the tests of Nervous's geodesy.

Run with GeographicLib 2.0 for Python from this folder (Debian: python3-geographiclib):
python3 make_geodesic_fixtures.py
GeographicLib solves the inverse problem after Karney (2013), to some nanometres, everywhere.
"""

import json
import random

from geographiclib.geodesic import Geodesic

random.seed(20261121)
wgs84 = Geodesic.WGS84


def distance(a, b):
    return wgs84.Inverse(a[0], a[1], b[0], b[1])["s12"]


def pairs():
    named = {
        "the same place": ((55.67594, 12.56553), (55.67594, 12.56553)),
        "Copenhagen to Aarhus": ((55.67594, 12.56553), (56.15674, 10.21076)),
        "Sydney to Santiago": ((-33.8688, 151.2093), (-33.4489, -70.6693)),
        "across the antimeridian": ((-16.5, 179.9999), (-16.5, -179.9999)),
        "both sides of the antimeridian": ((10, 180), (10, -180)),
        "pole to pole": ((90, 0), (-90, 0)),
        "pole to pole, other longitudes": ((90, 12), (-90, 77)),
        "a pole by two longitudes": ((90, 0), (90, 90)),
        "a pole and near it": ((90, 0), (89.9999, 120)),
        "over the pole": ((89.5, 10), (89.5, -170)),
        "around the south pole": ((-89.999, 0), (-89.999, 179)),
        "a quarter of the equator": ((0, 0), (0, 90)),
        "along the equator": ((0, -1), (0, 1)),
        "half of the equator": ((0, 0), (0, 179)),
        "as far along the equator as is shortest": ((0, 0), (0, 179.39)),
        "beyond it": ((0, 0), (0, 179.5)),
        "opposite on the equator": ((0, 0), (0, 180)),
        "opposite": ((30, 10), (-30, -170)),
        "almost opposite": ((30, 0), (-29.9, 179.8)),
        "almost opposite, east": ((0.5, 0), (-0.5, 179.7)),
        "Vincenty's example that does not converge": ((0, 0), (0.5, 179.7)),
        "a hair from opposite": ((-41.32, 174.81), (41.32 - 1e-7, -5.19 + 1e-7)),
        "ten metres north": ((55, 12), (55.0000898, 12)),
        "a millimetre": ((55, 12), (55.000000009, 12)),
        "equal latitudes, far": ((60, -170), (60, 5)),
    }
    found = [{"name": name, "from": a, "to": b, "metres": distance(a, b)}
             for name, (a, b) in named.items()]
    for kind in ("anywhere", "near", "almost opposite", "near a pole"):
        for number in range(60):
            lat, lon = random.uniform(-90, 90), random.uniform(-180, 180)
            if kind == "near a pole":
                lat = random.choice([-1, 1]) * (90 - 10 ** random.uniform(-6, 0))
            a, b = (lat, lon), (random.uniform(-90, 90), random.uniform(-180, 180))
            if kind == "near":
                size = 10 ** random.uniform(-7, -1)
                b = (max(-90, min(90, lat + random.uniform(-size, size))),
                     lon + random.uniform(-size, size))
            if kind == "almost opposite":
                size = 10 ** random.uniform(-9, 0)
                b = (max(-90, min(90, -lat + random.uniform(-size, size))),
                     lon + 180 + random.uniform(-size, size))
            b = (b[0], (b[1] + 180) % 360 - 180)
            found.append({"name": f"{kind} {number}", "from": a, "to": b,
                          "metres": distance(a, b)})
    return found


def tracks():
    def length(places):
        return sum(distance(a, b) for a, b in zip(places, places[1:]))

    circle = []
    for bearing in range(0, 361, 10):
        place = wgs84.Direct(55.7, 12.5, bearing, 1000)
        circle.append((place["lat2"], place["lon2"]))
    crossing = [(65 + i * 0.01, (179.9 + i * 0.02 + 180) % 360 - 180) for i in range(11)]
    polar = [(89 + i * 0.1 if i <= 10 else 91 - i * 0.1, 20 if i <= 10 else -160)
             for i in range(21)]
    # A straight line of steps that are ten metres long: its length is known without any geodesy.
    line = [(55.7, 12.5)]
    for number in range(1, 101):
        place = wgs84.Direct(55.7, 12.5, 63, 10 * number)
        line.append((place["lat2"], place["lon2"]))
    walk = [(55.7, 12.5)]
    for _ in range(500):
        place = wgs84.Direct(*walk[-1], random.uniform(0, 360), random.uniform(10, 60))
        walk.append((place["lat2"], place["lon2"]))
    named = {"a circle of one kilometre": circle, "across the antimeridian": crossing,
             "over the pole": polar, "a hundred times ten metres": line, "a random walk": walk}
    return [{"name": name, "places": places, "metres": length(places)}
            for name, places in named.items()]


with open("geodesics.json", "w") as file:
    json.dump({"pairs": pairs(), "tracks": tracks()}, file, separators=(",", ":"))
    file.write("\n")
