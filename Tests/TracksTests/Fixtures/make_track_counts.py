#!/usr/bin/env python3
"""Writes track-counts.tsv: what other programs read in public files of tracks.

Run from this folder with the folder of the files, and with fitdecode (0.10) where Python finds it:
python3 make_track_counts.py FOLDER > track-counts.tsv

FOLDER has copies of these repositories, of which only the files of tracks are read: dtcooper/python-fitparse,
GoldenCheetah/GoldenCheetah, GPSBabel/gpsbabel, OpenTracksApp/OpenTracks, georust/gpx, jenetics/jpx, muktihari/fit,
placemark/togeojson, polyvertex/fitdecode, tkrajina/gpxpy, tormoder/fit, viking-gps/viking and
vkurup/python-tcxparser. XML is read by expat, JSON by Python, FIT by fitdecode.

A row has the file's name and size in bytes, the number of track points with a valid position, and the sum of their
latitudes and longitudes in degrees. Files that these readers refuse have no row.
"""

import json
import pathlib
import sys
import warnings
import xml.etree.ElementTree as ElementTree

import fitdecode

warnings.simplefilter("ignore")


def degrees(latitude, longitude):
    """The sum of two texts or numbers; None unless they are a position."""
    try:
        latitude, longitude = float(latitude), float(longitude)
    except (TypeError, ValueError):
        return None
    if not (-90 <= latitude <= 90 and -180 <= longitude <= 180):
        return None
    return latitude + longitude


def local(element):
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def inner(element, *names):
    """The elements at a path of local names."""
    found = [element]
    for name in names:
        found = [child for parent in found for child in parent if local(child) == name]
    return found


def gpx(data):
    root = ElementTree.fromstring(data)
    for point in inner(root, "trk", "trkseg", "trkpt") + inner(root, "rte", "rtept"):
        yield degrees(point.get("lat"), point.get("lon"))


def tcx(data):
    for element in ElementTree.fromstring(data).iter():
        if local(element) == "Trackpoint":
            texts = [
                [found.text for found in inner(element, "Position", name)] or [None]
                for name in ("LatitudeDegrees", "LongitudeDegrees")
            ]
            yield degrees(texts[0][0], texts[1][0])


def kml(data):
    """Without files that have points with times, which can be a track or not."""
    root = ElementTree.fromstring(data)
    for placemark in root.iter():
        if local(placemark) != "Placemark":
            continue
        names = [local(element) for element in placemark.iter()]
        if "Point" in names and ("TimeStamp" in names or "TimeSpan" in names):
            raise ValueError("points with times")
        for element in placemark.iter():
            if local(element) == "LineString":
                for text in inner(element, "coordinates"):
                    for part in (text.text or "").split():
                        numbers = part.split(",") + [None]
                        yield degrees(numbers[1], numbers[0])
            if local(element) == "Track":
                for text in inner(element, "coord"):
                    numbers = (text.text or "").split() + [None, None]
                    yield degrees(numbers[1], numbers[0])


def lines(geometry):
    kind = (geometry or {}).get("type")
    if kind == "LineString":
        return [geometry["coordinates"]]
    if kind == "MultiLineString":
        return geometry["coordinates"]
    if kind == "GeometryCollection":
        return [line for part in geometry["geometries"] for line in lines(part)]
    return []


def geojson(data):
    document = json.loads(data)
    for feature in document.get("features", [document]):
        for line in lines(feature.get("geometry", feature)):
            for point in line:
                yield degrees(point[1], point[0])


def fit(data):
    with fitdecode.FitReader(
        data, check_crc=fitdecode.CrcCheck.DISABLED, error_handling=fitdecode.ErrorHandling.IGNORE
    ) as reader:
        try:
            for frame in reader:
                if frame.frame_type != fitdecode.FIT_FRAME_DATA or frame.name != "record":
                    continue
                values = {field.name: field.raw_value for field in frame.fields if field.field}
                place = [values.get("position_lat"), values.get("position_long")]
                # Two zeros stand for no position.
                if None not in place and any(place):
                    yield degrees(place[0] * 180 / 2**31, place[1] * 180 / 2**31)
        except (fitdecode.FitError, ValueError):
            # The records before the damage count.
            return


READERS = {".gpx": gpx, ".tcx": tcx, ".kml": kml, ".geojson": geojson, ".fit": fit}


def main():
    rows = set()
    for path in pathlib.Path(sys.argv[1]).rglob("*"):
        reader = READERS.get(path.suffix.lower())
        if reader is None or not path.is_file():
            continue
        data = path.read_bytes()
        try:
            sums = [number for number in reader(data) if number is not None]
        except (ElementTree.ParseError, fitdecode.FitError, ValueError) as error:
            print(f"{path}: {error}", file=sys.stderr)
            continue
        rows.add((path.name, len(data), len(sums), round(sum(sums), 4)))
    for row in sorted(rows):
        print(*row, sep="\t")


if __name__ == "__main__":
    main()
