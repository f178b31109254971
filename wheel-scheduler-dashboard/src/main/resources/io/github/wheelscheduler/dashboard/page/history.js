// How late runs have started, and how many there were, since the page was opened.
import {seconds} from './format.js';

/** Beyond so many points, two become one: the plot still begins where the page was opened. */
const MOST_POINTS = 900;

const RATE_OVER_SECONDS = 10;

/** Answers that come closer together add nothing. */
const APART_SECONDS = 0.5;

/** A gap that long breaks the line. */
const GAP_SECONDS = 75;

export class History {
  #byName = new Map();

  /** Takes what an answer says of schedulers at an instant. */
  add(schedulers, now, node) {
    const at = Date.parse(now) / 1000;
    for (const scheduler of schedulers) {
      const points = this.of(scheduler.name);
      const last = points.at(-1);
      if (last && at < last.at + APART_SECONDS) {
        continue;
      }
      if (last && (at - last.at > GAP_SECONDS || last.node !== node)) {
        points.push({at: last.at + 0.001, node, p50: null, p99: null, fired: null});
      }
      points.push({
        at,
        node,
        p50: whole(scheduler.lateness?.p50),
        p99: whole(scheduler.lateness?.p99),
        fired: Number(scheduler.counts.fired)
      });
      if (points.length > MOST_POINTS) {
        points.splice(0, points.length, ...halved(points));
      }
    }
  }

  /** The points of a scheduler or group, the oldest first. */
  of(name) {
    if (!this.#byName.has(name)) {
      this.#byName.set(name, []);
    }
    return this.#byName.get(name);
  }

  /** How many runs have started in a second, of late; null if that is not known yet. */
  rate(name) {
    const points = this.of(name);
    const last = points.at(-1);
    let first = last;
    for (let at = points.length - 2; at >= 0 && points[at].fired !== null; at--) {
      first = points[at];
      if (last.at - first.at >= RATE_OVER_SECONDS) {
        break;
      }
    }
    return first === last || !last ? null : Math.max(0, (last.fired - first.fired) / (last.at - first.at));
  }
}

/** Both stages together; null if nothing ran. */
function whole(percentile) {
  const sum = percentile ? seconds(percentile.wheel) + seconds(percentile.queue) : 0;
  return sum > 0 ? sum : null;
}

/** Two points as one, which keeps the worse of both. */
function halved(points) {
  const half = [];
  for (let at = 0; at + 1 < points.length; at += 2) {
    const [one, other] = [points[at], points[at + 1]];
    half.push({...other, p50: worse(one.p50, other.p50), p99: worse(one.p99, other.p99)});
  }
  return points.length % 2 ? [...half, points.at(-1)] : half;
}

function worse(one, other) {
  return one === null || other === null ? one ?? other : Math.max(one, other);
}
