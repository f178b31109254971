// The wheel as it is: a ring for each level, in it a field for each bucket, darker the fuller it is.
import {attribute, el, keyed, plainRow, svg, table, text} from './dom.js';
import {count, duration, lasting, plural, seconds} from './format.js';

const SIZE = 240;
const HUB = 34;
const RIM = 116;
const GAP = 2;

/** From so many timers on, a bucket has the next shade. */
const SHADES = [1, 4, 16, 64, 256, 1024];

const HEADS = ['Level', 'A bucket spans', 'The level spans', 'Timers', 'Buckets in use', 'Fullest bucket'];

/** The shade of a count, 0 for none. */
export function shadeOf(value) {
  const shade = SHADES.findIndex(least => value < least);
  return shade < 0 ? SHADES.length : shade;
}

/** Makes a drawing of a wheel: `{node, update(wheel)}`. */
export function wheel(name) {
  const rings = svg('g');
  const total = svg('text.total', {x: 0, y: 1, 'text-anchor': 'middle'});
  const unit = svg('text.unit', {x: 0, y: 15, 'text-anchor': 'middle'});
  const half = SIZE / 2;
  const drawing = svg('svg.wheel', {viewBox: `${-half} ${-half} ${SIZE} ${SIZE}`, role: 'img', 'data-test': 'wheel'},
    rings, total, unit);
  const scale = el('p.shades', {'aria-hidden': 'true'}, 'timers in a bucket',
    SHADES.map((least, at) => el('span', {}, el(`i.shade${at + 1}`), `${count(least)}${at === SHADES.length - 1 ? '+' : ''}`)));
  const {node: numbers, body} = table(`Levels of the wheel of ${name}`, HEADS, 'wheel-table');
  const details = el('details', {'data-test': 'wheel-numbers'}, el('summary', {}, 'Levels as a table'), numbers);
  const waiting = el('p.hint', {}, 'The tick thread draws the wheel at its next pass.');
  let shown = [];
  details.addEventListener('toggle', showNumbers);

  function showNumbers() {
    if (details.open) {
      keyed(body, shown, level => level.index, plainRow(HEADS, level => [
        level.index + 1, lasting(level.bucket), duration(seconds(level.bucket) * level.counts.length),
        count(level.total), level.used, count(level.fullest)]));
    }
  }

  return {
    node: el('div.wheel-box', {}, drawing, waiting, scale, details),
    update(given) {
      const isThere = given?.at != null;
      waiting.hidden = isThere;
      drawing.classList.toggle('empty', !isThere);
      if (!isThere) {
        return;
      }
      shown = given.levels.map((level, index) => {
        const counts = level.counts.map(Number);
        return {
          ...level,
          counts,
          index,
          total: counts.reduce((sum, one) => sum + one, 0),
          used: counts.filter(one => one > 0).length,
          fullest: Math.max(0, ...counts)
        };
      });
      const width = (RIM - HUB) / Math.max(1, shown.length);
      keyed(rings, shown, level => `${level.index} ${shown.length} ${level.counts.length}`, level => ring(level, width));
      const sum = shown.reduce((all, level) => all + level.total, 0);
      text(total, sum < 1e6 ? count(sum) : Intl.NumberFormat('en', {notation: 'compact'}).format(sum));
      text(unit, sum === 1 ? 'timer' : 'timers');
      attribute(drawing, 'aria-label', `The wheel: ${plural(sum, 'timer')} on ${plural(shown.length, 'level')}`);
      showNumbers();
    }
  };
}

/** The finest level is the innermost, as it turns fastest. */
function ring({index, bucket, counts}, width) {
  const inner = HUB + index * width;
  const outer = inner + Math.max(1, width - GAP);
  const hand = svg('path.hand');
  const fields = counts.map((_, at) => svg('path', {d: field(inner, outer, at / counts.length, (at + 1) / counts.length)}));
  const title = svg('title');
  const node = svg('g', {}, title, fields, hand);
  const shades = [];
  return {
    node,
    update(level) {
      level.counts.forEach((value, at) => {
        const shade = shadeOf(value);
        if (shades[at] !== shade) {
          shades[at] = shade;
          fields[at].setAttribute('class', `shade${shade}`);
        }
      });
      const at = level.hand;
      attribute(hand, 'd', at == null ? null : field(inner, outer, at / counts.length, (at + 1) / counts.length));
      text(title, `Level ${index + 1}: buckets of ${lasting(bucket)}, ${plural(level.total, 'timer')}`);
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
