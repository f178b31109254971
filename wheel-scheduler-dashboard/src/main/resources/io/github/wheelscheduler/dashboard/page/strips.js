// Strips: the last runs of a task, and a day in slots.
import {attribute, el, refill, svg, text} from './dom.js';
import {clock, duration, lasting, plural, seconds} from './format.js';
import {shadeOf} from './wheel.js';

const MOST = 10;
const BAR = 6;
const RISE = 13;

/** The last runs as bars: up for a success, down and hollow for a failure, by duration. */
export function runs() {
  const [width, height] = [MOST * BAR, 2 * RISE];
  const node = svg('svg.runs', {viewBox: `0 0 ${width} ${height}`, width, height, role: 'img'});
  return {
    node,
    update(recent) {
      const last = recent.slice(0, MOST).reverse();
      refill(node, last.map(run => run.start + run.duration).join(), () => {
        const longest = Math.max(...last.map(run => seconds(run.duration)), 1e-9);
        attribute(node, 'aria-label',
          `Last ${plural(last.length, 'run')}: ${last.filter(hasFailed).length} failed, longest ${duration(longest)}`);
        return [svg('path.base', {d: `M0 ${RISE}h${width}`}),
          ...last.map((run, at) => bar(run, (MOST - last.length + at) * BAR, longest))];
      });
    }
  };
}

const hasFailed = run => run.outcome === 'FAILURE';

function bar(run, x, longest) {
  // By powers: runs of one task may take a millisecond or a minute.
  const share = Math.max(0, 1 + Math.log10(Math.max(seconds(run.duration), 1e-9) / longest) / 4);
  const height = 2.5 + share * (RISE - 3.5);
  const [kind, y] = hasFailed(run) ? ['failed', RISE + 1] : ['well', RISE - height];
  return svg(`rect.${kind}`, {x: x + 0.75, y, width: BAR - 1.5, height, rx: 1},
    svg('title', {}, `${kind === 'well' ? 'succeeded' : kind}, ${lasting(run.duration)}`));
}

export function daySlots(length) {
  const node = svg('svg.slots', {viewBox: `0 0 ${length} 1`, preserveAspectRatio: 'none', role: 'img'});
  return {
    node,
    update(slots) {
      refill(node, slots.join(';'), () => merged(slots).map(([from, to, shade]) =>
        svg(`rect.shade${Math.min(6, shade + 2)}`, {x: from, width: to - from, height: 1})));
      attribute(node, 'aria-label',
        `${plural(slots.reduce((all, [, value]) => all + Number(value), 0), 'run')} in 24 hours`);
    }
  };
}

/** Slots beside each other that look the same are one field: a rate has 288 of them. */
function merged(slots) {
  const fields = [];
  for (const [index, value] of slots) {
    const last = fields.at(-1);
    if (last?.[1] === index && last[2] === shadeOf(value)) {
      last[1]++;
    } else {
      fields.push([index, index + 1, shadeOf(value)]);
    }
  }
  return fields;
}

const HEIGHT = 64;
const STEPS = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 12, PageDown: -12, Home: -288,
  End: 288};

/** All runs of the next day. With the arrow keys one goes from slot to slot. */
export function dayLine() {
  const bars = svg('svg.bars', {preserveAspectRatio: 'none', 'aria-hidden': 'true'});
  const mark = svg('rect.mark', {height: HEIGHT, width: 1});
  const hours = el('div.hours', {'aria-hidden': 'true'});
  const said = el('p.said');
  let day = null;
  let chosen = 0;
  const line = el('div.line', {tabindex: 0, role: 'slider', 'aria-label': 'Five-minute slot', 'aria-valuemin': 0,
    onkeydown(event) {
      if (day && event.key in STEPS) {
        event.preventDefault();
        choose(chosen + STEPS[event.key]);
      }
    },
    onpointermove(event) {
      const {left, width} = line.getBoundingClientRect();
      choose(Math.floor((event.clientX - left) / width * (day?.totals.length ?? 0)));
    }}, bars);

  function choose(index) {
    const last = day.totals.length - 1;
    chosen = Math.min(last, Math.max(0, index));
    const [from, to] = [chosen, chosen + 1].map(at => clock(instantAt(day, at), day.from).slice(0, -3));
    const words = `${from} to ${to}: ${plural(day.totals[chosen], 'run')}`;
    attribute(mark, 'x', chosen);
    text(said, words);
    Object.entries({max: last, now: chosen, text: words})
      .forEach(([key, value]) => attribute(line, `aria-value${key}`, value));
  }

  return {
    node: el('div.day', {}, line, hours, said),
    update(now) {
      day = now;
      const totals = day.totals.map(Number);
      refill(bars, totals.join(), () => {
        attribute(bars, 'viewBox', `0 0 ${totals.length} ${HEIGHT}`);
        const most = Math.max(...totals, 1);
        return [mark, ...totals.map((value, at) => {
          const height = value && 3 + Math.log1p(value) / Math.log1p(most) * (HEIGHT - 5);
          return svg(`rect.shade${1 + Math.floor(5 * value / most)}`,
            {x: at + 0.08, y: HEIGHT - height, width: 0.84, height});
        })];
      });
      refill(hours, day.from, () => hourMarks(day));
      choose(chosen);
    }
  };
}

const instantAt = (day, slot) => new Date(Date.parse(day.from) + slot * seconds(day.slot) * 1000).toISOString();

/** A mark for each third hour of the browser's clock. */
function hourMarks(day) {
  const {length} = day.totals;
  const marks = [];
  for (let at = 0; at < length; at++) {
    const [hour, minute] = clock(instantAt(day, at), instantAt(day, at)).split(':').map(Number);
    if (at < length - 36 && hour % 3 === 0 && minute * 60 < seconds(day.slot)) {
      const mark = el(hour % 6 ? 'span.minor' : 'span', {}, `${hour}:00`);
      mark.style.left = `${at / length * 100}%`;
      marks.push(mark);
    }
  }
  return marks;
}
