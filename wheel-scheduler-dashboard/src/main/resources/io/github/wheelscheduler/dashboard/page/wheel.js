// The wheel: a ring per level, a field per bucket; the fuller the bucket, the deeper its colour.
import {attribute, el, folded, keyed, listing, show, svg, text} from './dom.js';
import {count, duration, lasting, plural, seconds} from './format.js';

const HUB = 34;
const RIM = 116;

const SHADES = [1, 4, 16, 64, 256, 1024];

export const shadeOf = value => SHADES.filter(least => value >= least).length;

const sum = counts => counts.reduce((all, one) => all + Number(one), 0);

export function wheel(name) {
  const rings = svg('g');
  const total = svg('text', {y: 1, 'text-anchor': 'middle'});
  const unit = svg('text.unit', {y: 15, 'text-anchor': 'middle'});
  const drawing = svg('svg.wheel', {viewBox: '-120 -120 240 240', role: 'img', 'data-test': 'wheel'}, rings, total,
    unit);
  const scale = el('p.shades', {'aria-hidden': 'true'}, 'timers per bucket',
    SHADES.map((least, at) => el('span', {}, el(`i.shade${at + 1}`),
      `${count(least)}${at === SHADES.length - 1 ? '+' : ''}`)));
  const numbers = listing(`Levels of the wheel of ${name}`,
    ['Level', 'Bucket span', 'Level span', 'Timers', 'Buckets in use', 'Fullest bucket']);
  const details = folded('Show levels as table', numbers.node, () => numbers.set(levels, (_, index) => index, level => [
    levels.indexOf(level) + 1, lasting(level.bucket), duration(seconds(level.bucket) * level.counts.length),
    count(sum(level.counts)), level.counts.filter(one => one > 0).length,
    count(Math.max(...level.counts.map(Number)))]));
  const waiting = el('p.hint', {}, 'The wheel is drawn at the next pass of the tick thread.');
  const counted = el('p.hint', {}, 'Includes cancelled timers until they are swept out; excludes pending ones on their way '
    + 'into the wheel or waiting for a worker.');
  let levels = [];

  return {
    node: el('div', {}, drawing, waiting, scale, counted, details.node),
    update(given) {
      show(waiting, given?.at == null);
      if (given?.at == null) {
        return;
      }
      levels = given.levels;
      keyed(rings, levels, (_, index) => `${index} ${levels.length}`,
        (level, index) => ring(level, index, levels.length));
      const timers = sum(levels.map(level => sum(level.counts)));
      text(total, timers < 1e6 ? count(timers) : Intl.NumberFormat('en', {notation: 'compact'}).format(timers));
      text(unit, timers === 1 ? 'timer' : 'timers');
      attribute(drawing, 'aria-label', `The wheel: ${plural(timers, 'timer')} on ${plural(levels.length, 'level')}`);
      details.update();
    }
  };
}

/** The finest level is the innermost, as it turns fastest. Its hand is the bucket of now. */
function ring({bucket, counts}, index, rings) {
  const width = (RIM - HUB) / rings;
  const inner = HUB + index * width;
  const fieldAt = at => field(inner, inner + Math.max(1, width - 2), at / counts.length, (at + 1) / counts.length);
  const fields = counts.map((_, at) => svg('path', {d: fieldAt(at)}));
  const title = svg('title');
  const hand = svg('path.hand');
  return {
    node: svg('g', {}, title, fields, hand),
    update(level) {
      level.counts.forEach((value, at) => attribute(fields[at], 'class', `shade${shadeOf(value)}`));
      attribute(hand, 'd', level.hand != null && fieldAt(level.hand));
      text(title, `Level ${index + 1}: buckets of ${lasting(bucket)}, ${plural(sum(level.counts), 'timer')}`);
    }
  };
}

function field(inner, outer, from, to) {
  const slit = 0.0012;
  const [a, b] = [(from + slit) * 2 * Math.PI, (to - slit) * 2 * Math.PI];
  const point = (radius, angle) => `${(radius * Math.sin(angle)).toFixed(2)} ${(-radius * Math.cos(angle)).toFixed(2)}`;
  return `M${point(inner, a)}L${point(outer, a)}A${outer} ${outer} 0 0 1 ${point(outer, b)}`
    + `L${point(inner, b)}A${inner} ${inner} 0 0 0 ${point(inner, a)}Z`;
}
