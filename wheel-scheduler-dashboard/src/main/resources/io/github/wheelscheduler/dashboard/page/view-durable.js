// Durable tasks, as the database has them for all nodes.
import {changed, go} from './address.js';
import {get, pathOf} from './api.js';
import {badge, button, el, factsOf, listing, panel, refill, show, text} from './dom.js';
import {clock, count, joined, lasting, relative} from './format.js';
import {retime} from './retime.js';
import {copied, steerButton as steer} from './steer.js';

const STATES = ['', 'scheduled', 'claimed', 'failed', 'unreadable'];
const KINDS = {SCHEDULED: 'pending', CLAIMED: 'running', PAUSED: 'paused', ENDED: 'over', FAILED: 'failing', UNREADABLE: 'warning'};
const COUNTS = {running: 'Running', waiting: 'Not started', claimed: 'Claimed', succeeded: 'Ended well',
  failed: 'Failed runs',
  givenUp: 'Given up', takenOver: 'Taken over', givenBack: 'Given back', lost: 'Lost'};

const MOST = 10_000;

const stateOf = ({state}) => badge(KINDS[state], state.toLowerCase());
const upTo = value => [count(value), value >= MOST && 'or more'];

export function durable(context) {
  const facts = factsOf();
  const drain = el('div.actions');
  const nodes = listing('Nodes', ['Node', 'Has claimed', 'Heard of'], 'durable-nodes');
  const recurring = listing('Recurring durable tasks',
    ['State', 'Task', 'Schedule', 'Next run', 'Owner', 'Last success', 'Last failure', 'Actions'], null,
    'There are none.');
  const handler = el('input', {id: 'handler', autocomplete: 'off', placeholder: 'such as mail',
    onchange: () => go(changed({handler: handler.value.trim(), after: ''}))});
  const state = el('select', {id: 'durable-state', onchange: () => go(changed({state: state.value, after: ''}))},
    STATES.map(value => el('option', {value}, value || 'any')));
  const noneFound = el('span');
  const oneTime = listing('One-time durable tasks',
    ['State', 'Id', 'Due', 'Owner', 'Failures', 'Why', 'Actions'], null, noneFound);
  const more = button('Next', 'durable-after', () => go(changed({after: last.page.after})));
  const path = (...parts) => [context.settings.endpoints.wheeldurable.path, ...parts.map(pathOf)].join('/');
  let last = null;

  function ofRecurring({id, paused}) {
    const at = path('recurring', id);
    return el('div.actions', {}, last.all.steering && [
      steer(at, 'trigger', `${id}: triggered`),
      paused ? steer(at, 'resume', `${id}: resumed`) : steer(at, 'pause', `${id}: paused`),
      button('Re-time…', 'retime', () => retime({path: at, id, isDurable: true}))]);
  }

  function ofOneTime(one) {
    const at = path('tasks', one.handler);
    const {id} = one;
    const isClaimed = one.state === 'CLAIMED';
    return el('div.actions', {}, last.all.steering && [
      (one.state === 'FAILED' || one.state === 'UNREADABLE') && steer(at, 'retry', `${id}: runs again`, {id}),
      steer(at, 'cancel', `${id}: cancelled`, {
        question: {
          title: `Cancel ${id}?`,
          lines: [isClaimed ? 'Its run is interrupted, and the answer waits 5 s for its end.' : 'It will not run.'],
          label: 'Cancel the task',
          kind: 'danger'
        },
        id,
        within: isClaimed ? '5s' : undefined
      })]);
  }

  return {
    node: el('div', {},
      panel('Durable tasks', drain, facts.node, nodes.node),
      panel('Recurring', null, recurring.node),
      panel('One-time, by handler', null,
        el('div.filters', {}, el('label', {for: 'handler'}, 'Handler'), handler,
          el('label', {for: 'durable-state'}, 'State'), state),
        oneTime.node, el('nav.pages', {'aria-label': 'Pages'}, more))),
    async load(wanted, signal) {
      const page = wanted.handler
        ? await get(path('tasks', wanted.handler), {state: wanted.state, after: wanted.after}, signal)
        : {tasks: []};
      return {all: await get(path(), {}, signal), page, wanted};
    },
    show(data) {
      last = data;
      const {all, page, wanted, list: {now}} = data;
      facts.set({
        'Overdue': upTo(all.overdue),
        'Failed for good': upTo(all.failed),
        'Unreadable': upTo(all.unreadable),
        'This node': [all.node, all.draining && 'claims nothing more'],
        'Error of the clock': [lasting(all.clockError)],
        ...Object.fromEntries(Object.entries(COUNTS).map(([key, name]) => [name, [count(all.counts[key])]]))
      });
      refill(drain, `${all.steering}${all.draining}`, () => all.steering && (all.draining
        ? steer(path(), 'resume', `${all.node} claims again`)
        : steer(path(), 'drain', `${all.node} claims nothing more`, {question: {
          title: `Drain ${all.node}?`, lines: ['It claims nothing more until it is told to.'], label: 'Drain'}})));
      nodes.set(all.nodes, one => one.node, one =>
        [one.node, count(one.claimed), relative(one.lastHeartbeatAt, now)]);
      const due = one => one.next == null ? '–' : `${relative(one.next, now)}, ${clock(one.next, now)}`;
      recurring.set(all.recurring, one => one.id, one => [
        stateOf(one), copied(one.id),
        one.schedule + (one.declaredSchedule === one.schedule ? '' : ` (by its method ${one.declaredSchedule})`),
        due(one), one.owner ?? '–', relative(one.lastSuccess, now),
        joined([relative(one.lastFailure, now), one.failuresInARow && `${one.failuresInARow} in a row`, one.failure]),
        ofRecurring(one)]);
      if (document.activeElement !== handler) {
        handler.value = wanted.handler ?? '';
      }
      state.value = wanted.state ?? '';
      text(noneFound, wanted.handler ? 'There are none.' : 'Enter the name of a handler to see its tasks.');
      oneTime.set(page.tasks, one => one.id, one => [
        stateOf(one), copied(one.id), due(one), one.owner ?? '–', count(one.failures), one.failure, ofOneTime(one)
      ]);
      show(more, page.after);
    }
  };
}
