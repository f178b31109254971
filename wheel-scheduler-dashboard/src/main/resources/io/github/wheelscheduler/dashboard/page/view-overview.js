// One card for each scheduler and group, with problems and lateness.
import {to} from './address.js';
import {attribute, badge, el, factsOf, keyed, listing, panel, refill, show, text} from './dom.js';
import {count, duration, lasting, lower, plural, seconds} from './format.js';
import {pointsOf, rateOf} from './history.js';
import {plot} from './plot.js';
import {READ_ONLY, steerButton} from './steer.js';
import {dayLine} from './strips.js';
import {keyOf, taskRow, taskTable} from './task-rows.js';
import {readDay} from './view-day.js';
import {wheel} from './wheel.js';

const LOOKED_AFTER = 8;
const STATES = {RUNNING: 'running', PAUSED: 'paused', HALTED: 'paused', OFF: 'disabled', SHUT_DOWN: 'over'};

const TIMERS = {keyed: 'keyed timers', idle: 'idle timeouts', netty: 'Netty timer', lease: 'leases'};

export function overview(context) {
  const cards = el('div.cards');
  const {node: table, body} = taskTable('Tasks that are overdue or failing', 'attention');
  const all = el('a', {href: to({view: 'tasks', state: 'overdue,failing'})});
  const attention = panel('Overdue and failing', all, table);
  const timers = listing('Timers and leases', ['Name', 'Kind', 'Now', 'Total', 'Failed', 'Mean lateness', 'Lost'],
    'timers');
  const timersPanel = panel('Timers and leases', null, timers.node);
  const line = dayLine();
  const nothing = el('p.hint', {'data-test': 'no-schedulers'});
  let now = null;
  return {
    node: el('div', {}, nothing, cards, attention, timersPanel,
      panel('The next 24 hours', el('a', {href: to({view: 'day'})}, 'Tonight'), line.node)),
    async load(state, signal) {
      const list = await context.list({
        show: 'findings,wheel,timers', state: 'overdue,failing', sort: 'lateness', order: 'desc', limit: LOOKED_AFTER
      }, signal);
      return {list, day: (await readDay(context, {}, signal)).day};
    },
    show({list, day}) {
      keyed(cards, list.schedulers, scheduler => scheduler.name, scheduler => card(context, scheduler.name));
      text(nothing, list.whyNone || 'No scheduler of this application uses the wheel.');
      show(nothing, list.schedulers.length === 0);
      show(attention, list.total > 0);
      now = list.now;
      keyed(body, list.tasks, keyOf, () => taskRow(context, () => now));
      text(all, `All ${count(list.total)}`);
      show(timersPanel, list.timers.length);
      timers.set(list.timers, one => one.name, one => [one.name, TIMERS[one.kind],
        ...(one.kind === 'lease' ? [`${count(one.kept)} kept`, `${count(one.renewed)} renewed`]
          : [`${count(one.pending)} pending`, `${count(one.fired)} fired, ${count(one.moved)} moved`]),
        count(one.failed), lasting(one.meanLateness),
        one.lost > 0 ? badge('failing', `${count(one.lost)} lost`) : count(one.lost)]);
      line.update(day);
    },
    close: () => keyed(cards, [], keyOf)
  };
}

function card(context, name) {
  const [state, kind, stages] = [el('span'), el('span.kind'), el('p.stages')];
  const actions = el('div.actions');
  const facts = factsOf();
  const meter = el('div.meter', {'aria-hidden': 'true'}, el('i'));
  const lateness = plot(name);
  const drawn = wheel(name);
  const node = panel(name, [state, kind, actions],
    el('div.card-body', {}, el('div', {}, meter, facts.node), el('div', {}, lateness.node, stages), drawn.node));
  attribute(node, 'data-test', 'scheduler');
  attribute(node, 'data-name', name);
  return {
    node,
    close: lateness.close,
    update(now) {
      const {group, workers, tickThread, counts} = now;
      refill(state, now.state, () => badge(STATES[now.state], lower(now.state)));
      text(kind, group
        ? `group, queue of ${plural(group.queueCapacity, 'run')}, when full: ${lower(group.onFull)}`
        : `scheduler, tick ${lasting(now.tick)}`);
      node.classList.toggle('group', Boolean(group));
      refill(actions, `${context.isSteering}${now.state}`, () => steering(context, now));
      const share = workers.max ? workers.active / workers.max : 0;
      show(meter, workers.max);
      meter.firstChild.style.width = `${share * 100}%`;
      attribute(meter, 'data-full', share > 0.9);
      const rate = rateOf(name);
      const reasons = Object.entries(counts.skipped).filter(([, value]) => value > 0);
      const [stuck, oldest] = [tickThread.stuckFor, now.oldestReady].map(seconds);
      facts.set({
        'Workers busy': [`${count(workers.active)}${workers.max ? ` of ${count(workers.max)}` : ', no limit'}`],
        'Timers pending': [count(now.pending), now.anonymous > 0 && `${count(now.anonymous)} unnamed`],
        'Waiting for a worker': [count(now.ready), oldest > 0 && `longest ${duration(oldest)}`],
        'Next wake-up': [now.nextExpiryIn == null ? 'none' : `in ${duration(Math.max(0, seconds(now.nextExpiryIn)))}`],
        'Runs': [count(counts.fired), rate && `${rate < 10 ? rate.toFixed(1) : count(Math.round(rate))} per second`],
        'Failed': [count(counts.failed)],
        'Skipped': [count(reasons.reduce((sum, [, value]) => sum + Number(value), 0)),
          reasons.map(([reason, value]) => `${count(value)} ${reason}`).join(', ')],
        'Rejected': [count(counts.rejected)],
        'Tick thread': [stuck > 0 ? `${duration(stuck)} behind` : lower(tickThread.state),
          `longest oversleep ${lasting(tickThread.longestOversleep)}`
            + (tickThread.clockJumps > 0 ? `, ${plural(tickThread.clockJumps, 'clock jump')}` : '')],
        'Tasks': [count(now.tasks)]
      });
      lateness.update(pointsOf(name));
      const {p99} = now.lateness;
      text(stages, `Slowest 1 %: ${lasting(p99.wheel)} late off the wheel, ${lasting(p99.queue)} waiting for a worker`);
      show(drawn.node, !group);
      drawn.update(now.wheel);
    }
  };
}

function steering(context, {name, state, tasks}) {
  const why = context.isSteering ? '' : READ_ONLY;
  const steer = (action, done, question) => steerButton(context.path(), action, `${name} ${done}`,
    {test: `${action}-scheduler`, why, name, scheduler: name, question});
  switch (state) {
    case 'RUNNING':
      return steer('pause', 'is paused', {title: `Pause ${name}?`, label: `Pause ${name}`, kind: 'danger',
        lines: [`On this node, ${plural(tasks, 'task')} and all other timers of it wait until it is resumed.`,
          'Until then, each view shows the reason.']});
    case 'PAUSED':
      return steer('resume', 'is resumed');
    default:
      return state !== 'SHUT_DOWN' && steer('run', 'is running');
  }
}
