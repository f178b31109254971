// What is scheduled, how late it is, and what needs a look: one card for each scheduler and group.
import {to} from './address.js';
import {attribute, badge, button, el, keyed, panel, refill, show, text} from './dom.js';
import {factsOf} from './facts.js';
import {count, duration, lasting, plural, seconds} from './format.js';
import {plot} from './plot.js';
import {act} from './steer.js';
import {dayLine} from './strips.js';
import {taskRow, taskTable} from './task-rows.js';
import {timers} from './timers.js';
import {readDay} from './view-day.js';
import {wheel} from './wheel.js';

const LOOKED_AFTER = 8;

const STATES = {RUNNING: 'running', PAUSED: 'paused', HALTED: 'paused', OFF: 'disabled', SHUT_DOWN: 'over'};

export function overview(context) {
  const cards = el('div.cards');
  const {node: table, body} = taskTable('Tasks that are overdue or failing', 'attention');
  const all = el('a', {'data-test': 'attention-all'});
  const attention = panel('Overdue and failing', all, table);
  const line = dayLine();
  const dayPanel = panel('The next 24 hours', el('a', {href: to({view: 'day'})}, 'What starts together'), line.node);
  const timersPanel = timers();
  return {
    node: el('div.overview', {'data-test': 'view-overview'}, cards, attention, dayPanel, timersPanel.node),
    title: () => 'Overview',
    async load(state, signal) {
      const list = await context.list({
        show: 'findings,wheel', state: 'overdue,failing', sort: 'lateness', order: 'desc', limit: LOOKED_AFTER
      }, signal);
      return {list, day: (await readDay(context, {}, signal)).day};
    },
    show({list, day}) {
      keyed(cards, list.schedulers, scheduler => scheduler.name, scheduler => card(context, scheduler));
      show(attention, list.total > 0);
      keyed(body, list.tasks, task => `${task.scheduler}\n${task.id}`, () => taskRow(() => list.now));
      all.href = to({view: 'tasks', state: 'overdue,failing'});
      text(all, list.total > list.tasks.length ? `All ${count(list.total)}` : 'Find and steer them');
      show(dayPanel, day);
      if (day) {
        line.update(day);
      }
      timersPanel.update(list);
    },
    close() {
      keyed(cards, [], () => '', () => null);
    }
  };
}

function card(context, {name}) {
  const state = el('span');
  const kind = el('span.kind');
  const actions = el('div.actions');
  const facts = factsOf(['Workers busy', 'Timers pending', 'Wait for a worker', 'Next wake-up', 'Runs', 'Failed', 'Skipped',
    'Rejected', 'Tick thread', 'Tasks']);
  const meter = el('div.meter', {'aria-hidden': 'true'}, el('i'));
  const lateness = plot(name);
  const stages = el('p.stages');
  const drawn = wheel(name);
  const node = el('article.panel.card', {'aria-label': name, 'data-test': 'scheduler', 'data-name': name},
    el('header', {}, el('h2', {}, name), state, kind, actions),
    el('div.card-body', {}, el('div', {}, meter, facts.node), el('div', {}, lateness.node, stages), drawn.node));
  return {
    node,
    close: lateness.close,
    update(now) {
      const {group, workers, tickThread} = now;
      refill(state, now.state, () => badge(STATES[now.state] ?? 'info', now.state.toLowerCase().replace('_', ' ')));
      text(kind, group
        ? `group: up to ${plural(group.queueCapacity, 'run')} may wait, then ${ON_FULL[group.onFull] ?? group.onFull}`
        : `scheduler, tick ${lasting(now.tick)}`);
      node.classList.toggle('group', Boolean(group));
      refill(actions, `${context.isSteering}${now.state}`, () => (context.isSteering ? buttons(context, now) : []));
      facts.set('Workers busy', workers.max === undefined || workers.max === null
        ? `${count(workers.active)}, no limit`
        : `${count(workers.active)} of ${count(workers.max)}`);
      const share = workers.max ? workers.active / workers.max : 0;
      show(meter, workers.max);
      meter.firstChild.style.width = `${Math.min(100, share * 100)}%`;
      attribute(meter, 'data-full', share > 0.9);
      facts.set('Timers pending', count(now.pending), now.anonymous ? `${count(now.anonymous)} without a name` : '');
      facts.set('Wait for a worker', count(now.ready), seconds(now.oldestReady) > 0 ? `longest ${lasting(now.oldestReady)}` : '');
      facts.set('Next wake-up', now.nextExpiryIn == null ? 'none' : `in ${duration(Math.max(0, seconds(now.nextExpiryIn)))}`);
      const rate = context.history.rate(name);
      facts.set('Runs', count(now.counts.fired), rate === null ? '' : `${rate < 10 ? rate.toFixed(1) : count(Math.round(rate))} a second`);
      facts.set('Failed', count(now.counts.failed));
      const {paused, running, missed, full} = now.counts.skipped;
      const skipped = {paused, running, missed, full};
      const reasons = Object.entries(skipped).filter(([, value]) => Number(value) > 0);
      facts.set('Skipped', count(reasons.reduce((sum, [, value]) => sum + Number(value), 0)),
        reasons.map(([reason, value]) => `${count(value)} ${reason}`).join(', '));
      facts.set('Rejected', count(now.counts.rejected));
      const stuck = seconds(tickThread.stuckFor);
      facts.set('Tick thread', stuck > 0 ? `overdue by ${duration(stuck)}` : tickThread.state.toLowerCase().replace('_', ' '),
        `longest oversleep ${lasting(tickThread.longestOversleep)}`
          + (tickThread.clockJumps ? `, ${plural(tickThread.clockJumps, 'clock jump')}` : ''));
      facts.set('Tasks', count(now.tasks));
      lateness.update(context.history.of(name));
      text(stages, stagesOf(now.lateness));
      // A group has no wheel of its own.
      show(drawn.node, now.wheel !== undefined && !group);
      drawn.update(now.wheel);
    }
  };
}

const ON_FULL = {WAIT: 'further ones wait in the wheel', REJECT: 'further ones are refused', DROP: 'further ones are dropped'};

/** Which of the two stages the runs wait in. */
function stagesOf(lateness) {
  if (!lateness || seconds(lateness.p99.wheel) + seconds(lateness.p99.queue) === 0) {
    return '';
  }
  return `p99 of the last minutes: ${lasting(lateness.p99.wheel)} until the tick thread handed a run over, `
    + `then ${lasting(lateness.p99.queue)} until a worker was free.`;
}

function buttons(context, {name, state, tasks}) {
  const send = (action, done, question) => act({path: context.path(), body: {action, scheduler: name}, done, question});
  if (state === 'RUNNING') {
    return [button('Pause…', 'pause-scheduler', () => send('pause', `${name} is paused`, {
      title: `Pause ${name}?`,
      lines: [`Nothing of it will run until it is resumed, on this node: ${plural(tasks, 'task')}, and all other timers. `
        + 'What is due meanwhile waits, and runs then.'],
      label: `Pause ${name}`,
      kind: 'danger'
    }))];
  }
  if (state === 'PAUSED') {
    return [button('Resume', 'resume-scheduler', () => send('resume', `${name} is resumed`))];
  }
  if (state === 'HALTED' || state === 'OFF') {
    return [button('Run', 'run-scheduler', () => send('run', `${name} runs`))];
  }
  return [];
}
