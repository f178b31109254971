// Strips: the last runs of a task, and a day in slots.
import {attribute, el, refill, svg, text} from './dom.js';
import {clock, count, duration, instant, joined, lasting, lower, plural, seconds} from './format.js';
import {shadeOf} from './wheel.js';

const MOST = 10;
const BAR = 6;
const RISE = 13;

/** The last runs as bars: up for a success, down and hollow for a failure, by duration; flat if there was no run. */
export function runs(most = MOST) {
  const [width, height] = [most * BAR, 2 * RISE];
  const node = svg('svg.runs', {viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', width, height,
    role: 'img'});
  return {
    node,
    update(recent) {
      const last = recent.slice(0, most).reverse();
      refill(node, last.map(run => (run.at ?? run.start) + run.duration).join(), () => {
        const longest = Math.max(...last.map(run => seconds(run.duration)), 1e-9);
        attribute(node, 'aria-label', last.length === 0 ? 'No runs'
          : `Last ${plural(last.length, 'run')}: ${last.filter(hasFailed).length} failed, longest ${duration(longest)}`);
        return [svg('path.base', {d: `M0 ${RISE}h${width}`}),
          ...last.map((run, at) => runBar(run, (most - last.length + at) * BAR, longest))];
      });
    }
  };
}

const hasFailed = run => ['FAILURE', 'INTERRUPTED', 'GIVEN_UP'].includes(run.outcome);

function runBar(run, x, longest) {
  if (run.outcome !== 'SUCCESS' && !hasFailed(run)) {
    return svg('rect.idle', {x: x + 0.75, y: RISE - 1.5, width: BAR - 1.5, height: 3},
      svg('title', {}, lower(run.outcome)));
  }
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
const DAY_MILLIS = 86_400_000;
const MOST_MARKS = 8;
const STEPS = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 12, PageDown: -12, Home: -1e4, End: 1e4};

/**
 * A line of slots of time, with a bar for each. The pointer and the arrow keys go from slot to slot. With
 * `choose(from, to)`, dragging chooses slots, and Enter one. A slot is a list of `[colour, number, word]`, from the foot.
 */
export function timeLine(label, choose) {
  const bars = svg('svg.bars', {preserveAspectRatio: 'none', 'aria-hidden': 'true'});
  const [range, mark] = ['range', 'mark'].map(kind => svg(`rect.${kind}`, {height: HEIGHT}));
  const hours = el('div.hours', {'aria-hidden': 'true'});
  const said = el('p.said');
  let now = null, at = choose ? Infinity : 0, pressed = null, first = 0, end = 1;
  const line = el(choose ? 'div.line.drag' : 'div.line', {
    tabindex: 0, role: 'slider', 'aria-label': label, 'aria-valuemin': 0,
    onkeydown(event) {
      if (now && event.key in STEPS) {
        event.preventDefault();
        point(at + STEPS[event.key]);
      } else if (event.key === 'Enter') {
        chosen();
      }
    },
    onpointerdown(event) {
      if (event.button !== 0) {
        return;
      }
      pressed = choose ? slotOf(event) : null;
      line.setPointerCapture(event.pointerId);
      point(slotOf(event));
    },
    onpointermove: event => point(slotOf(event)),
    onpointerup() {
      if (pressed !== null) {
        chosen();
      }
    },
    onlostpointercapture() {
      pressed = null;
    }}, bars);

  const chosen = () => choose?.(instantAt(now, first), instantAt(now, end));

  function slotOf({clientX}) {
    const {left, width} = line.getBoundingClientRect();
    return Math.floor((clientX - left) / width * (now?.slots.length ?? 0));
  }

  function point(slot) {
    const last = now.slots.length - 1;
    at = Math.min(last, Math.max(0, slot));
    [first, end] = [Math.min(at, pressed ?? at), Math.max(at, pressed ?? at) + 1];
    place(mark, first, end);
    const [from, until] = [first, end].map(edge => instantAt(now, edge));
    const sums = now.slots.slice(first, end).reduce((all, parts) => parts.map(([, value, word], part) =>
      [word, value + (all[part]?.[1] ?? 0)]), []);
    const hours = `${clock(from, now.from).slice(0, -3)} to ${clock(until, from).slice(0, -3)}`;
    const words = `${hours}: ${joined(sums.map(([word, sum]) =>
      (word ? sum && `${count(sum)}\u00a0${word}` : plural(sum, 'run')))) || 'no runs'}`;
    text(said, words);
    Object.entries({max: last, now: at, text: words}).forEach(([key, value]) =>
      attribute(line, `aria-value${key}`, value));
  }

  return {
    node: el('div.day', {}, line, hours, said),

    /** Shows slots from an instant on, and the range that was chosen, as numbers of slots. */
    update(given) {
      now = given;
      const {from, slots} = given;
      refill(bars, slots.map(parts => parts.map(([, value]) => value)).join(), () => {
        attribute(bars, 'viewBox', `0 0 ${slots.length} ${HEIGHT}`);
        const most = Math.max(...slots.map(sumOf), 1);
        return [range, mark, ...slots.flatMap((parts, slot) => bar(parts, slot, most))];
      });
      refill(hours, from + slots.length, () => marksOf(given));
      place(range, ...given.range ?? [0, 0]);
      point(at);
    }
  };
}

function place(rect, from, to) {
  attribute(rect, 'x', from);
  attribute(rect, 'width', Math.max(0, to - from));
}

const sumOf = parts => parts.reduce((all, [, value]) => all + value, 0);

/** Its height grows with the logarithm; a part can be seen however small it is. */
function bar(parts, x, most) {
  const height = 3 + Math.log1p(sumOf(parts)) / Math.log1p(most) * (HEIGHT - 9);
  let y = HEIGHT;
  return parts.filter(([, value]) => value > 0).map(([colour, value]) => {
    const part = Math.max(3, height * value / sumOf(parts));
    y -= part;
    return svg(`rect.${colour}`, {x: x + 0.08, y, width: 0.84, height: part});
  });
}

/** All runs of the next day. */
export function dayLine() {
  const line = timeLine('Five-minute slot');
  return {
    node: line.node,
    update({from, slot, totals}) {
      const values = totals.map(Number);
      const most = Math.max(...values, 1);
      line.update({from, slotMillis: seconds(slot) * 1000,
        slots: values.map(value => [[`shade${1 + Math.floor(5 * value / most)}`, value]])});
    }
  };
}

const instantAt = ({from, slotMillis}, slot) => new Date(Date.parse(from) + slot * slotMillis).toISOString();

/** A mark for each third hour of the browser's clock, or for midnights if there are several. */
function marksOf(line) {
  const {length} = line.slots;
  const days = length * line.slotMillis / DAY_MILLIS;
  const marks = [];
  for (let at = 0; at < length * 7 / 8; at++) {
    const [date, time] = instant(instantAt(line, at)).split(' ');
    const [hour, minute] = time.split(':').map(Number);
    const isMarked = days < 2 ? hour % 3 === 0 : hour === 0 && Number(date.slice(8)) % Math.ceil(days / MOST_MARKS) === 0;
    if (isMarked && minute * 60_000 < line.slotMillis) {
      const mark = el(hour % 6 ? 'span.minor' : 'span', {}, days < 2 ? `${hour}:${time.slice(3, 5)}` : date.slice(5));
      mark.style.left = `${at / length * 100}%`;
      marks.push(mark);
    }
  }
  return marks;
}
