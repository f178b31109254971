// The plot of lateness, drawn by uPlot, and the same as a table.
import {el, keyed, plainRow, table, text} from './dom.js';
import {duration, instant} from './format.js';

const HEIGHT = 150;
const ROWS = 12;
const SERIES = [['p50', 'half of the runs', '--plot-50'], ['p99', '99 of 100 runs', '--plot-99']];

const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Makes a plot: `{node, update(points), close()}`. */
export function plot(name) {
  const area = el('div.plot', {role: 'img', 'data-test': 'plot'});
  const values = SERIES.map(() => el('b'));
  const legend = el('div.legend', {}, SERIES.map(([key, words], at) =>
    el(`span.key.${key}`, {}, el('i'), `${key}, ${words} `, values[at])));
  const heads = ['Time', ...SERIES.map(([key]) => key)];
  const {node: numbers, body} = table(`Lateness of ${name}`, heads, 'plot-table');
  const details = el('details', {'data-test': 'plot-numbers'}, el('summary', {}, 'As a table'), numbers);
  let points = [];
  let drawn = null;
  details.addEventListener('toggle', showNumbers);
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
    // A line needs two points.
    if (points.length < 2 || area.clientWidth === 0) {
      return;
    }
    const data = [points.map(point => point.at), ...SERIES.map(([key]) => points.map(point => point[key]))];
    if (drawn) {
      drawn.setData(data);
    } else {
      drawn = new uPlot(options(area.clientWidth), data, area);
    }
  }

  function showNumbers() {
    if (details.open) {
      const row = plainRow(heads, point => [
        instant(new Date(point.at * 1000).toISOString()).slice(11), duration(point.p50), duration(point.p99)]);
      keyed(body, points.slice(-ROWS).reverse(), point => point.at, row);
    }
  }

  return {
    node: el('figure', {}, el('figcaption', {}, 'Lateness since this page was opened', legend), area, details),
    update(now) {
      points = now;
      const last = points.at(-1);
      SERIES.forEach(([key], at) => text(values[at], last?.[key] == null ? 'no runs' : duration(last[key])));
      area.setAttribute('aria-label', `Lateness of ${name}, now p50 ${duration(last?.p50)}, p99 ${duration(last?.p99)}`);
      draw();
      showNumbers();
    },
    close() {
      observer.disconnect();
      scheme.removeEventListener('change', redraw);
      drawn?.destroy();
    }
  };
}

function options(width) {
  const axis = {
    stroke: colour('--muted'),
    font: '11px system-ui, sans-serif',
    grid: {stroke: colour('--line'), width: 1},
    ticks: {show: false}
  };
  return {
    width,
    height: HEIGHT,
    legend: {show: false},
    cursor: {drag: {x: false, y: false}, y: false, points: {show: false}},
    padding: [8, 8, 0, 0],
    scales: {x: {time: true}, y: {distr: 3}},
    axes: [
      {...axis, space: 70, values: [
        [3600, '{HH}:{mm}', null, null, null, null, null, null, 1],
        [60, '{HH}:{mm}', null, null, null, null, null, null, 1],
        [1, '{HH}:{mm}:{ss}', null, null, null, null, null, null, 1]
      ]},
      {...axis, size: 62, values: (_, splits) => splits.map(split => (isDecade(split) ? duration(split) : ''))}
    ],
    series: [{}, ...SERIES.map(([key, , variable]) => ({
      label: key,
      stroke: colour(variable),
      width: 2,
      dash: key === 'p99' ? [] : [6, 3],
      points: {show: false},
      spanGaps: false
    }))]
  };
}

/** On a scale of powers, only those of ten have a label. */
function isDecade(split) {
  const power = Math.log10(split);
  return Math.abs(power - Math.round(power)) < 1e-6;
}
