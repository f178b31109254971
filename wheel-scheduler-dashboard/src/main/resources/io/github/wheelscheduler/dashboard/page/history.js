// How late runs have started, and how many there were, since the page was opened.
import {seconds} from './format.js';

/** Beyond so many points, two become one: the plot still begins where the page was opened. */
const MOST_POINTS = 900;

const RATE_OVER_SECONDS = 10;

/** Answers that come closer together add nothing. */
const APART_SECONDS = 0.5;

/** A gap that long breaks the line. */
const GAP_SECONDS = 75;

const byName = new Map();

/** Takes what an answer says of schedulers at an instant. */
export function add(schedulers, now, node) {
  const at = Date.parse(now) / 1000;
  for (const {name, lateness, counts} of schedulers) {
    const points = pointsOf(name);
    const last = points.at(-1);
    if (last && at < last.at + APART_SECONDS) {
      continue;
    }
    if (last && (at - last.at > GAP_SECONDS || last.node !== node)) {
      points.push({at: last.at + 0.001, node, p50: null, p99: null, fired: null});
    }
    points.push({at, node, p50: whole(lateness.p50), p99: whole(lateness.p99), fired: Number(counts.fired)});
    if (points.length > MOST_POINTS) {
      byName.set(name, halved(points));
    }
  }
}

/** The points of a scheduler or group, the oldest first. */
export function pointsOf(name) {
  if (!byName.has(name)) {
    byName.set(name, []);
  }
  return byName.get(name);
}

/** How many runs have started in a second, of late; null if that is not known yet. */
export function rateOf(name) {
  const points = pointsOf(name);
  const last = points.at(-1);
  const from = points.findLastIndex(point => point.fired === null) + 1;
  const first = points.slice(from).find(point => last.at - point.at <= RATE_OVER_SECONDS + 1);
  return first && first !== last ? Math.max(0, (last.fired - first.fired) / (last.at - first.at)) : null;
}

/** Both stages together; null if nothing ran. */
const whole = percentile => seconds(percentile.wheel) + seconds(percentile.queue) || null;

/** Two points as one, which keeps the worse of both. */
function halved(points) {
  return points.filter((_, at) => at % 2 === 1).map((point, at) => {
    const before = points[2 * at];
    const worse = key => (before[key] === null || point[key] === null ? before[key] ?? point[key] : Math.max(before[key], point[key]));
    return {...point, p50: worse('p50'), p99: worse('p99')};
  });
}
