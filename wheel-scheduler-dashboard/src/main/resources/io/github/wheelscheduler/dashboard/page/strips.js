// Strips: the last runs of a task, and a day in slots.
import {attribute, el, refill, svg, text} from './dom.js';
import {clock, duration, lasting, plural, seconds} from './format.js';
import {shadeOf} from './wheel.js';

const BAR = 6;
const RISE = 13;

/** The last runs as bars: up if they ended well, down and hollow if they failed, the longer the higher; the newest on the right. */
export function runs(most = 10) {
  const node = svg('svg.runs', {viewBox: `0 0 ${most * BAR} ${2 * RISE}`, width: most * BAR, height: 2 * RISE, role: 'img',
    'data-test': 'runs'});
  return {
    node,
    update(recent) {
      const last = recent.slice(0, most).reverse();
      const signature = last.map(run => `${run.start}${run.duration}${run.outcome}`).join();
      refill(node, signature || 'none', () => {
        const longest = Math.max(...last.map(run => seconds(run.duration)), 1e-9);
        const failed = last.filter(run => run.outcome === 'FAILURE').length;
        attribute(node, 'aria-label', last.length === 0
          ? 'No runs yet'
          : `The last ${plural(last.length, 'run')}: ${failed} failed, the longest took ${duration(longest)}`);
        return [svg('path.base', {d: `M0 ${RISE}h${most * BAR}`}), ...last.map((run, at) =>
          bar(run, (most - last.length + at) * BAR, longest))];
      });
    }
  };
}

function bar(run, x, longest) {
  const isFailed = run.outcome === 'FAILURE';
  // By powers: runs of one task may take a millisecond or a minute.
  const share = Math.max(0, 1 + Math.log10(Math.max(seconds(run.duration), 1e-9) / longest) / 4);
  const height = 2.5 + share * (RISE - 3.5);
  const words = `${isFailed ? 'failed' : 'ended well'} after ${lasting(run.duration)}, ${lasting(run.lateness)} late`;
  return svg(`rect.${isFailed ? 'failed' : 'well'}`, {
    x: x + 0.75, y: isFailed ? RISE + 1 : RISE - height, width: BAR - 1.5, height, rx: 1
  }, svg('title', {}, words));
}

/** A task's day: where it runs, in how full slots. */
export function daySlots(count) {
  const node = svg('svg.slots', {viewBox: `0 0 ${count} 10`, preserveAspectRatio: 'none', role: 'img'});
  return {
    node,
    update(slots) {
      refill(node, slots.join(';') || 'none', () => merged(slots).map(([from, to, value]) =>
        svg(`rect.shade${shadeOf(value)}`, {x: from, y: 0, width: to - from, height: 10})));
      const sum = slots.reduce((all, [, value]) => all + Number(value), 0);
      attribute(node, 'aria-label', `${plural(sum, 'run')} in 24 hours`);
    }
  };
}

/** Slots beside each other that look the same are one field: a rate has 288 of them. */
function merged(slots) {
  const fields = [];
  for (const [index, value] of slots) {
    const last = fields.at(-1);
    if (last && last[1] === index && shadeOf(last[2]) === shadeOf(value)) {
      last[1] = index + 1;
    } else {
      fields.push([index, index + 1, value]);
    }
  }
  return fields;
}

const HEIGHT = 64;

/** All runs of the next day, a bar for each slot. With the arrow keys one goes from slot to slot. */
export function dayLine() {
  const bars = svg('svg.bars', {preserveAspectRatio: 'none', 'aria-hidden': 'true'});
  const mark = svg('rect.mark', {y: 0, height: HEIGHT, width: 1});
  const hours = el('div.hours', {'aria-hidden': 'true'});
  const said = el('output.said', {'data-test': 'day-slot'});
  const line = el('div.line', {tabindex: 0, role: 'slider', 'aria-label': 'Slot of five minutes', 'data-test': 'day-line'}, bars);
  let day = null;
  let chosen = 0;

  function choose(index) {
    chosen = Math.min(day.totals.length - 1, Math.max(0, index));
    const start = Date.parse(day.from) + chosen * seconds(day.slot) * 1000;
    const words = `${clockOf(start)} to ${clockOf(start + seconds(day.slot) * 1000)}: ${plural(day.totals[chosen], 'run')}`;
    attribute(mark, 'x', chosen);
    text(said, words);
    attribute(line, 'aria-valuemax', day.totals.length - 1);
    attribute(line, 'aria-valuemin', 0);
    attribute(line, 'aria-valuenow', chosen);
    attribute(line, 'aria-valuetext', words);
  }

  const clockOf = millis => clock(new Date(millis).toISOString(), day.from).slice(0, -3);
  line.addEventListener('keydown', event => {
    const step = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 12, PageDown: -12, Home: -Infinity,
      End: Infinity}[event.key];
    if (step && day) {
      event.preventDefault();
      choose(chosen + step);
    }
  });
  line.addEventListener('pointermove', event => {
    if (day) {
      const box = line.getBoundingClientRect();
      choose(Math.floor((event.clientX - box.left) / box.width * day.totals.length));
    }
  });

  return {
    node: el('div.day', {}, line, hours, said),
    update(now) {
      day = now;
      const totals = day.totals.map(Number);
      refill(bars, day.from + totals.join(), () => {
        attribute(bars, 'viewBox', `0 0 ${totals.length} ${HEIGHT}`);
        const most = Math.max(...totals, 1);
        const top = Math.log1p(most);
        return [mark, ...totals.map((value, x) => {
          const height = value === 0 ? 0 : 3 + Math.log1p(value) / top * (HEIGHT - 5);
        const shade = 1 + Math.floor(5 * value / most);
          return svg(`rect.shade${shade}`, {x: x + 0.08, y: HEIGHT - height, width: 0.84, height});
        })];
      });
      refill(hours, day.from, () => hourMarks(day));
      choose(chosen);
    }
  };
}

/** A mark for each third hour of the browser's clock. */
function hourMarks({from, slot, totals}) {
  const start = Date.parse(from);
  const length = seconds(slot) * totals.length * 1000;
  const marks = [];
  const hour = new Date(start);
  hour.setMinutes(60, 0, 0);
  for (let at = hour.getTime(); at < start + length; at += 3_600_000) {
    const hours = new Date(at).getHours();
    if (hours % 3 === 0) {
      const mark = el('span', {class: hours % 6 === 0 ? '' : 'minor'}, `${String(hours).padStart(2, '0')}:00`);
      mark.style.left = `${(at - start) / length * 100}%`;
      marks.push(mark);
    }
  }
  return marks;
}
