// Durable tasks, as the database has them for all nodes.
import {changed, go} from './address.js';
import {get, pathOf} from './api.js';
import {badge, button, el, keyed, panel, plainRow, refill, show, table, text} from './dom.js';
import {factsOf} from './facts.js';
import {clock, count, lasting, relative} from './format.js';
import {retime} from './retime.js';
import {act, copyButton} from './steer.js';

const NODES = ['Node', 'Has claimed', 'Heard of'];
const RECURRING = ['State', 'Task', 'Schedule', 'Next run', 'Owner', 'Last success', 'Last failure', ''];
const ONE_TIME = ['State', 'Id', 'Due', 'Owner', 'Failures', 'Why', ''];
const STATES = ['scheduled', 'claimed', 'failed', 'unreadable'];
const MOST = 10_000;
const KINDS = {SCHEDULED: 'pending', CLAIMED: 'running', PAUSED: 'paused', FAILED: 'failing', UNREADABLE: 'warning'};
const NODE_FACTS = {running: 'Running', waiting: 'Claimed, not started', claimed: 'Claimed so far', succeeded: 'Ended well',
  failed: 'Failed runs', givenUp: 'Given up', takenOver: 'Taken over', givenBack: 'Given back', lost: 'Lost'};

const stateBadge = state => badge(KINDS[state] ?? 'info', state.toLowerCase());

/** Counted up to a bound only. */
const upTo = value => `${count(value)}${value >= MOST ? ' or more' : ''}`;

export function durable(context) {
  const facts = factsOf(['Overdue', 'Failed for good', 'Unreadable', 'This node', 'Error of the clock', ...Object.values(NODE_FACTS)]);
  const drain = el('div.actions');
  const nodes = table('Nodes', NODES, 'durable-nodes');
  const recurring = table('Recurring durable tasks', RECURRING, 'recurring');
  const noRecurring = el('p.hint', {}, 'There are no recurring durable tasks.');
  const handler = el('input', {id: 'handler', 'data-test': 'handler', autocomplete: 'off', placeholder: 'such as mail',
    onchange: () => go(changed({handler: handler.value.trim(), after: ''}))});
  const state = el('select', {id: 'durable-state', 'data-test': 'durable-state',
    onchange: () => go(changed({state: state.value, after: ''}))},
  ['', ...STATES].map(value => el('option', {value}, value || 'any')));
  const oneTime = table('One-time durable tasks', ONE_TIME, 'one-time');
  const noneFound = el('p.hint', {'data-test': 'no-one-time'});
  const more = el('a.button', {'data-test': 'durable-after'}, 'Next');
  const path = rest => context.settings.endpoints.wheeldurable.path + (rest ?? '');

  function ofRecurring(one, isSteering) {
    const at = path(`/recurring/${pathOf(one.id)}`);
    const send = (action, done) => act({path: at, body: {action}, done: `${one.id}: ${done}`});
    return el('div.actions', {}, isSteering && [
      button('Trigger', 'durable-trigger', () => send('trigger', 'triggered')),
      one.paused ? button('Resume', 'durable-resume', () => send('resume', 'resumed'))
        : button('Pause', 'durable-pause', () => send('pause', 'paused')),
      button('Re-time…', 'durable-retime', () => retime({path: at, id: one.id, isDurable: true}))]);
  }

  function ofOneTime(one, isSteering) {
    const send = (action, done, more) => act({path: path(`/tasks/${pathOf(one.handler)}`), body: {action, id: one.id, ...more?.body},
      done: `${one.id}: ${done}`, question: more?.question});
    const question = {title: `Cancel ${one.id}?`, label: 'Cancel the task', kind: 'danger',
      lines: [one.state === 'CLAIMED' ? 'Its run is interrupted, and the answer waits 5 s for its end.' : 'It will not run.']};
    const body = one.state === 'CLAIMED' ? {within: '5s'} : {};
    return el('div.actions', {}, isSteering && [
      (one.state === 'FAILED' || one.state === 'UNREADABLE') && button('Retry', 'durable-retry', () => send('retry', 'runs again')),
      button(one.state === 'CLAIMED' ? 'Interrupt…' : 'Cancel…', 'durable-cancel', () => send('cancel', 'cancelled', {question, body}))]);
  }

  return {
    node: el('div', {'data-test': 'view-durable'},
      panel('Durable tasks', drain, facts.node, nodes.node),
      panel('Recurring', null, noRecurring, recurring.node),
      panel('One-time, by handler', null,
        el('div.filters', {}, el('label', {for: 'handler'}, 'Handler'), handler, el('label', {for: 'durable-state'}, 'State'), state),
        noneFound, oneTime.node, el('nav.pages', {'aria-label': 'Pages'}, more))),
    title: () => 'Durable tasks',
    async load(wanted, signal) {
      const page = wanted.handler
        ? await get(path(`/tasks/${pathOf(wanted.handler)}`), {state: wanted.state, after: wanted.after}, signal)
        : null;
      return {all: await get(path(), {}, signal), page, wanted, list: await context.list({show: 'findings', limit: 0}, signal)};
    },
    show({all, page, wanted, list}) {
      const now = all.now ?? list.now;
      const isSteering = all.steering ?? context.settings.endpoints.wheeldurable.steering;
      facts.set('Overdue', upTo(all.overdue));
      facts.set('Failed for good', upTo(all.failed));
      facts.set('Unreadable', upTo(all.unreadable));
      facts.set('This node', all.node, all.draining ? 'claims nothing more' : '');
      facts.set('Error of the clock', lasting(all.clockError));
      Object.entries(NODE_FACTS).forEach(([key, name]) => facts.set(name, count(all.counts[key])));
      refill(drain, `${isSteering}${all.draining}`, () => (isSteering ? [all.draining
        ? button('Claim again', 'durable-claim', () => act({path: path(), body: {action: 'resume'}, done: `${all.node} claims again`}))
        : button('Drain this node…', 'durable-drain', () => act({path: path(), body: {action: 'drain'}, done: `${all.node} claims nothing more`,
          question: {title: `Drain ${all.node}?`, lines: ['It claims nothing more and gives back what it has not started.'], label: 'Drain'}}))]
        : []));
      keyed(nodes.body, all.nodes, one => one.node, plainRow(NODES, one =>
        [one.node, count(one.claimed), relative(one.lastHeartbeatAt, now)], 'durable-node'));
      show(noRecurring, all.recurring.length === 0);
      show(recurring.node, all.recurring.length);
      keyed(recurring.body, all.recurring, one => one.id, plainRow(RECURRING, one => [
        stateBadge(one.state), el('span.named', {}, el('span.id', {}, one.id), copyButton('the id', () => one.id)),
        one.schedule + (one.declaredSchedule !== one.schedule ? ` (by its method ${one.declaredSchedule})` : ''),
        `${relative(one.next, now)}, ${clock(one.next, now)}`, one.owner ?? '–', relative(one.lastSuccess, now),
        [relative(one.lastFailure, now), one.failuresInARow > 0 && `${one.failuresInARow} in a row`, one.failure].filter(Boolean).join(', '),
        ofRecurring(one, isSteering)], 'recurring-task'));
      if (document.activeElement !== handler) {
        handler.value = wanted.handler ?? '';
      }
      state.value = wanted.state ?? '';
      const tasks = page?.tasks ?? [];
      show(oneTime.node, tasks.length);
      show(noneFound, tasks.length === 0);
      text(noneFound, page ? 'There are none.' : 'Enter the name of a handler to see its tasks.');
      keyed(oneTime.body, tasks, one => one.id, plainRow(ONE_TIME, one => [
        stateBadge(one.state), el('span.named', {}, el('span.id', {}, one.id), copyButton('the id', () => one.id)),
        `${relative(one.next, now)}, ${clock(one.next, now)}`, one.owner ?? '–', count(one.failures), one.failure ?? '',
        ofOneTime(one, isSteering)], 'durable-task'));
      show(more, page?.after);
      more.href = changed({after: page?.after ?? ''});
    }
  };
}
