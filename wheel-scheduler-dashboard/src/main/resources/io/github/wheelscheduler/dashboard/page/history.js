// How late runs have started, and how many there were, while the page is open.
import {seconds} from './format.js';

/** An hour at one a second; the oldest go then. */
const MOST_POINTS = 3600;

const RATE_OVER_SECONDS = 10;

const APART_SECONDS = 0.5;

const GAP_SECONDS = 75;

const byName = new Map();

let process = null, latest = 0;

/** Takes what an answer says of schedulers at an instant; forgets what another process said, or a later clock. */
export function add(schedulers, now, started) {
  const at = Date.parse(now) / 1000;
  if (started !== process || at < latest - GAP_SECONDS) {
    byName.clear();
  }
  [process, latest] = [started, at];
  for (const {name, lateness, counts} of schedulers) {
    const points = pointsOf(name);
    const last = points.at(-1);
    if (last && at < last.at + APART_SECONDS) {
      continue;
    }
    if (last && at - last.at > GAP_SECONDS) {
      points.push({at: last.at + 0.001, p50: null, p99: null, fired: null});
    }
    points.push({at, p50: whole(lateness.p50), p99: whole(lateness.p99), fired: Number(counts.fired)});
    if (points.length > MOST_POINTS) {
      points.shift();
    }
  }
}

export function pointsOf(name) {
  if (!byName.has(name)) {
    byName.set(name, []);
  }
  return byName.get(name);
}

/** How many runs have started in a second, of late. */
export function rateOf(name) {
  const points = pointsOf(name);
  const last = points.at(-1);
  const from = points.findLastIndex(point => point.fired === null) + 1;
  const first = points.slice(from).find(point => last.at - point.at <= RATE_OVER_SECONDS + 1);
  return first && first !== last ? Math.max(0, (last.fired - first.fired) / (last.at - first.at)) : null;
}

/** Both stages together; null if nothing ran. */
const whole = percentile => seconds(percentile.wheel) + seconds(percentile.queue) || null;
