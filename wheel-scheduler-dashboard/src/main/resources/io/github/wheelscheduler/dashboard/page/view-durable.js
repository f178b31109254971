// Durable tasks, as the database has them for all nodes.
import {changed, go, to} from './address.js';
import {get, pathOf, Problem} from './api.js';
import {button, el, factsOf, listing, panel, refill, show} from './dom.js';
import {ago, count, joined, lasting, when} from './format.js';
import {durableSearch, recurringActions, recurringState} from './durable-search.js';
import {named, steerButton as steer} from './steer.js';

const COUNTS = {running: 'Running', waiting: 'Waiting', claimed: 'Claimed', succeeded: 'Succeeded',
  failed: 'Failed runs',
  givenUp: 'Failed permanently here', takenOver: 'Taken over', givenBack: 'Released', lost: 'Lost'};

const MOST = 10_000;

const upTo = value => [count(value), value >= MOST && 'or more'];

export function durable(context) {
  const facts = factsOf();
  const drain = el('div.actions');
  const nodes = listing('Nodes', ['Node', 'Claimed', 'Last heartbeat'], 'durable-nodes');
  const recurring = listing('Recurring durable tasks',
    ['State', 'Task', 'Handler', 'Schedule', 'Next run', 'Owner', 'Last success', 'Last failure', 'Actions'],
    'durable-recurring', 'No tasks.');
  const path = (...parts) => [context.settings.endpoints.wheeldurable.path, ...parts.map(pathOf)].join('/');
  const search = durableSearch(path);
  const moreRecurring = button('Next', 'recurring-after', () => go(changed({recurring: last.rest.after})));
  let last = null;

  return {
    node: el('div', {},
      panel('Durable tasks', drain, facts.node, nodes.node),
      search.nodes,
      panel('Recurring', null, recurring.node, el('nav.pages', {'aria-label': 'Pages of recurring tasks'}, moreRecurring))),
    async load(wanted, signal) {
      if (!context.settings.endpoints.wheeldurable?.exposed) {
        throw new Problem('noDurable', 0);
      }
      const all = await get(path(), {}, signal);
      const rest = wanted.recurring
        ? await get(path('recurring'), {after: wanted.recurring, limit: 500}, signal)
        : {recurring: all.recurring, after: all.recurringAfter};
      return {all, rest, found: await search.load(wanted, signal)};
    },
    show(data) {
      last = data;
      const {all, rest, found, list: {now}} = data;
      facts.set({
        'Overdue': upTo(all.overdue),
        'Failed permanently': upTo(all.failed),
        'Unreadable': upTo(all.unreadable),
        'This node': [all.node, all.draining && 'draining: claims no more tasks'],
        'Clock uncertainty': [lasting(all.clockError)],
        ...Object.fromEntries(Object.entries(COUNTS).map(([key, name]) => [name, [count(all.counts[key])]]))
      });
      refill(drain, `${all.steering}${all.draining}`, () => all.steering && (all.draining
        ? steer(path(), 'resume', `${all.node} claims tasks again`, {name: all.node})
        : steer(path(), 'drain', `${all.node} is draining`, {question: {
          title: `Drain ${all.node}?`, label: 'Drain',
          lines: ['It claims no more tasks until it is resumed; running tasks finish.']
        }})));
      nodes.set(all.nodes, one => one.node, one =>
        [one.node, count(one.claimed), ago(one.lastHeartbeatAt, now)]);
      recurring.set(rest.recurring, one => one.id, one => [
        recurringState(one), named(one.id, to({view: 'durable-task', id: one.id})), one.handler ?? '–',
        one.schedule + (one.declaredSchedule === one.schedule ? '' : ` (configured: ${one.declaredSchedule})`),
        when(one.next, now), one.owner ?? '–', one.lastSuccess ? ago(one.lastSuccess, now) : 'never',
        joined([one.lastFailure ? ago(one.lastFailure, now) : 'never',
          one.failuresInARow && `${one.failuresInARow} in a row`, one.failure]),
        el('div.actions', {}, all.steering && recurringActions(path('recurring', one.id), one))]);
      show(moreRecurring, rest.after);
      search.show(found, all.steering, now);
    }
  };
}
