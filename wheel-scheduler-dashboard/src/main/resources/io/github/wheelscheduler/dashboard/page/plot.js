// The plot of lateness, drawn by uPlot, and the same as a table.
import {el, folded, listing, text} from './dom.js';
import {duration, instant, TERMS} from './format.js';

const HEIGHT = 150;
const ROWS = 12;
const SERIES = {p50: 'median', p99: 'slowest 1 %'};
const KEYS = Object.keys(SERIES);

export function plot(name) {
  const area = el('div.plot', {role: 'img'});
  const [values, keys] = [KEYS.map(() => el('b')), KEYS.map(() => el('i'))];
  const numbers = listing(`Lateness of ${name}`, ['Time', ...KEYS]);
  const details = folded('Show as table', numbers.node, () => numbers.set(points.slice(-ROWS).reverse(), point => point.at,
    point => [instant(new Date(point.at * 1000).toISOString()).slice(11), ...KEYS.map(key => duration(point[key]))]));
  let points = [];
  let drawn = null;
  const observer = new ResizeObserver(() => drawn?.setSize({width: area.clientWidth, height: HEIGHT}));
  observer.observe(area);
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  scheme.addEventListener('change', redraw);

  function redraw() {
    drawn?.destroy();
    drawn = null;
    draw();
  }

  function draw() {
    if (points.length > 1 && area.clientWidth > 0) {
      drawn ??= new uPlot(options(area, keys), null, area);
    }
    drawn?.setData(['at', ...KEYS].map(key => points.map(point => point[key])));
  }

  return {
    node: el('figure', {}, el('figcaption', {}, el('span', {title: TERMS.Lateness}, 'Lateness while this page is open'),
      el('div.legend', {}, KEYS.map((key, at) =>
        el(`span.${key}`, {}, keys[at], `${key}, ${SERIES[key]} `, values[at])))), area, details.node),
    update(now) {
      points = now;
      const last = KEYS.map(key => points.at(-1)?.[key]);
      last.forEach((value, at) => text(values[at], value == null ? 'no runs' : duration(value)));
      area.setAttribute('aria-label', `Lateness of ${name}, now p50 ${duration(last[0])}, p99 ${duration(last[1])}`);
      draw();
      details.update();
    },
    close() {
      observer.disconnect();
      scheme.removeEventListener('change', redraw);
      drawn?.destroy();
    }
  };
}

function options(area, keys) {
  // As the style sheet has them now: light or dark.
  const {color, borderColor} = getComputedStyle(area);
  const axis = {stroke: color, font: '11px system-ui', grid: {stroke: borderColor, width: 1}, ticks: {show: false}};
  const times = (seconds, pattern) => [seconds, pattern, null, null, null, null, null, null, 1];
  return {
    width: area.clientWidth,
    height: HEIGHT,
    legend: {show: false},
    cursor: {show: false},
    padding: [8, 8, 0, 0],
    scales: {y: {distr: 3}},
    axes: [
      {...axis, size: 26, space: 70, incrs: [1, 5, 15, 60, 300, 1800, 7200, 43200],
        values: [times(60, '{HH}:{mm}'), times(1, '{HH}:{mm}:{ss}')]},
      {...axis, size: 62, values: (_, splits) => splits.map(split =>
        (Math.abs(Math.log10(split) % 1) < 1e-6 ? duration(split) : ''))}
    ],
    series: [{}, ...KEYS.map((key, at) =>
      ({stroke: getComputedStyle(keys[at]).borderTopColor, width: 2, dash: key === 'p50' ? [6, 3] : [],
        points: {show: false}}))]
  };
}
