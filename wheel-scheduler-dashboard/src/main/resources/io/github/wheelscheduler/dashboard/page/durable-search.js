// Handlers of durable tasks with their counts, and the search among one-time tasks.
import {changed, go, to} from './address.js';
import {get} from './api.js';
import {badge, button, el, listing, panel, refill, show, text} from './dom.js';
import {steerFound} from './durable-bulk.js';
import {count, joined, lasting, when} from './format.js';
import {retime} from './retime.js';
import {named, steerButton} from './steer.js';
import {failing, filterFields, wordOf} from './task-rows.js';

const STATES = {'': 'any', scheduled: 'scheduled', claimed: 'claimed', failed: 'failed', unreadable: 'unreadable'};
const KINDS = {SCHEDULED: 'pending', CLAIMED: 'claimed', FAILED: 'failing', UNREADABLE: 'warning', PAUSED: 'paused',
  ENDED: 'over'};

/** What can be done to all tasks in a state. */
const ACTIONS = {scheduled: ['cancel'], failed: ['retry', 'cancel'], unreadable: ['retry', 'cancel']};

/** The state of a task; only the node that answers knows that a run goes on. */
export const durableState = ({state, running}) =>
  (running ? badge('running', `running for ${lasting(running)}`) : badge(KINDS[state], wordOf(state.toLowerCase())));

/** How a recurring task is doing: a state says nothing of its runs. */
export const recurringState = one =>
  el('span.badges', {}, one.failuresInARow > 0 && failing(one.failuresInARow), durableState(one));

export const ofDurableTask = ({handler, id}) => to({view: 'durable-task', handler, id});

/** The buttons for one task. */
export function durableActions(path, {handler, id, state}) {
  const isClaimed = state === 'CLAIMED';
  return [
    (state === 'FAILED' || state === 'UNREADABLE') && steerButton(path, 'retry', `${id}: due now`, {id, name: id}),
    steerButton(path, 'cancel', `${id}: cancelled`, {
      id,
      within: isClaimed ? '5s' : undefined,
      question: {
        title: `Cancel task ${id} of ${handler}?`,
        lines: [isClaimed ? 'Its run is interrupted; code that ignores interrupts keeps running.'
          : 'The task is deleted and will not run.'],
        label: 'Cancel task',
        kind: 'danger'
      }
    })];
}

/** The buttons for one recurring task. */
export function recurringActions(path, {id, paused}) {
  const steer = (action, done) => steerButton(path, action, `${id}: ${done}`, {name: id});
  return [steer('trigger', 'triggered'), paused ? steer('resume', 'resumed') : steer('pause', 'paused'),
    button('Change schedule…', 'retime', () => retime({path, id, isDurable: true}))];
}

/** An id that ends in an asterisk is a prefix; undefined values are not sent. */
const filterOf = ({handler, state, id, error}) =>
  ({handler, state, error, ...(id?.endsWith('*') ? {prefix: id.slice(0, -1)} : {id})});

const upTo = (value, most) => (value > most ? `more than ${count(most)}` : count(value));

export function durableSearch(path) {
  const fields = filterFields(['durable-id', 'id', 'Id', 'exact, or 47* for a prefix'],
    ['handler', 'handler', 'Handler', 'such as mail'], ['durable-error', 'error', 'Error', 'words of the error'],
    ['durable-state', 'state', 'State', STATES]);
  const handlers = listing('Handlers',
    ['Handler', 'Scheduled', 'Claimed', 'Running here', 'Failed', 'Unreadable', 'Recurring'],
    'durable-handlers', 'No handlers.');
  const tasks = listing('Durable tasks', ['State', 'Handler', 'Id', 'Due', 'Node', 'Failures', 'Error', 'Actions'],
    'durable-tasks', el('span', {}, 'No tasks match.'));
  const [hint, scope, manyHandlers] = ['', '', ''].map(() => el('p.hint'));
  const bulk = el('div.actions', {'data-test': 'durable-bulk'});
  const recurring = el('p', {'data-test': 'durable-recurring-match'});
  const more = button('Next', 'durable-after', () => go(changed({after: last.page.after})));
  let last = null;

  const isAsked = wanted => Boolean(wanted.handler || wanted.state || wanted.id || wanted.error);
  const linkTo = (one, of, value) => (value === '0' ? value
    : el('a', {href: to({view: 'durable', handler: one.handler, state: of})}, value));

  return {
    nodes: [
      panel('Handlers', null, handlers.node, manyHandlers),
      panel('One-time tasks', null,
        el('div.filters', {role: 'search'}, fields.nodes), hint, scope, recurring, bulk, tasks.node,
        el('nav.pages', {'aria-label': 'Pages'}, more))],
    async load(wanted, signal) {
      const page = isAsked(wanted)
        ? await get(path('tasks'), {...filterOf(wanted), after: wanted.after}, signal) : {tasks: []};
      return {page, counted: await get(path('handlers'), {}, signal), wanted};
    },
    show(data, isSteering, now) {
      last = data;
      const {page, counted, wanted} = data;
      const most = counted.countedTo;
      handlers.set(counted.handlers, one => one.handler, one => [
        el('span', {}, el('a', {href: to({view: 'durable', handler: one.handler})}, one.handler),
          one.unknown && [' ', badge('warning', 'no node has it')]),
        linkTo(one, 'scheduled', upTo(one.scheduled, most)), linkTo(one, 'claimed', upTo(one.claimed, most)),
        count(one.running), linkTo(one, 'failed', upTo(one.failed, most)),
        linkTo(one, 'unreadable', upTo(one.unreadable, most)), upTo(one.recurring, most)]);
      text(manyHandlers, joined([counted.cut && 'Only the first 100 handlers are shown.',
        counted.manyClaimed && 'More than 10,000 tasks are claimed; the counts of claimed tasks are too low.'], ' '));
      fields.set(wanted);
      text(hint, !isAsked(wanted) && 'Choose a handler or a state, or search for an id or an error.');
      text(scope, joined([
        wanted.error && 'Errors are searched in the newest 10,000 failed tasks by due time, '
          + 'the first 500 characters of each.',
        page.cut && !wanted.error && (page.after ? 'More than 10,000 tasks read; Next continues.'
          : 'More than 10,000 tasks read; the rest is not shown.')], ' '));
      refill(recurring, JSON.stringify(page.recurring ?? null), () => page.recurring
        && `The recurring task ${page.recurring.id} has this id, too: ${page.recurring.schedule}.`);
      show(tasks.node, isAsked(wanted));
      const bulkKey = isSteering && page.tasks.length > 0 && !wanted.after ? JSON.stringify(filterOf(wanted)) : '';
      refill(bulk, bulkKey, () => bulkKey && (ACTIONS[wanted.error ? 'failed' : wanted.state] ?? []).map(action =>
        button(`${action === 'retry' ? 'Retry' : 'Cancel'} all…`, `durable-${action}-all`, () => steerFound({
          path: path('tasks'), action, filter: filterOf(wanted), found: words(wanted)}))));
      tasks.set(page.tasks, one => `${one.handler}\n${one.id}\n${one.state}`, one => [
        el('span.badges', {}, durableState(one)), one.handler || 'method',
        one.recurring ? one.id : named(one.id, ofDurableTask(one)),
        when(one.next, now), one.owner ?? '–', count(one.failures), one.failure,
        el('div.actions', {}, isSteering && !one.recurring && durableActions(path('tasks', one.handler), one))]);
      show(more, page.after);
    }
  };
}

const words = ({handler, state, id, error}) => joined([`All ${error ? 'failed' : state ?? ''} tasks`,
  handler && `of ${handler}`, id && (id.endsWith('*') ? `whose id begins with “${id.slice(0, -1)}”` : `with the id ${id}`),
  error && `whose error contains “${error}”`], ' ');
