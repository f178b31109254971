// One durable task: its row, current run, error and payload. Without a handler, it is a recurring one.
import {to} from './address.js';
import {get, pathOf, Problem} from './api.js';
import {button, el, factsOf, instantIn, panel, putInstant, refill, show, text} from './dom.js';
import {durableActions, durableState, recurringActions, recurringState} from './durable-search.js';
import {count, dated, HERE, lasting} from './format.js';
import {act, copyButton, dialog, traceId} from './steer.js';
import {past} from './view-history.js';

export function durableTask(context, {handler, id}) {
  const isRecurring = !handler;
  const path = [context.settings.endpoints.wheeldurable?.path, ...(isRecurring ? ['recurring', pathOf(id ?? '')]
    : ['tasks', pathOf(handler)])].join('/');
  const asked = isRecurring ? {} : {id};
  const facts = factsOf();
  const state = el('div.badges', {'data-test': 'durable-task-state'});
  const actions = el('div.actions');
  const gone = el('p.hint', {'data-test': 'durable-task-gone'});
  const stack = el('pre', {tabindex: 0, 'data-test': 'durable-error'});
  const trace = el('p.sub', {'data-test': 'durable-trace'});
  const error = panel('Error', null, trace, stack);
  const payload = el('pre', {tabindex: 0, 'data-test': 'durable-payload'});
  const note = el('p.hint');
  const showPayload = button('Show payload', 'show-payload', readPayload);
  const payloadPanel = panel('Payload', showPayload, note, payload);
  const parts = [actions, state, facts.node, error, payloadPanel];
  const history = isRecurring && past(context, id);
  let bytes = 0;

  /** Each look at a payload is logged, so it is read once. */
  async function readPayload() {
    try {
      const answer = await get(path, {...asked, show: 'payload'});
      text(payload, answer.payload || '(empty)');
      text(note, answer.payloadCut && `The payload has ${count(bytes)} bytes; the first 16 kB are shown.`);
      show(payload, true);
    } catch (problem) {
      text(note, problem.kind === 'missing' ? 'The task is gone.' : 'The payload could not be read. Try again.');
    }
  }

  async function reschedule(next) {
    const at = el('input', {id: 'durable-at', type: 'datetime-local', step: 1, required: true});
    putInstant(at, next);
    const {body, closed, reason} = dialog(`Reschedule ${id}`, 'reschedule-dialog', 'Reschedule');
    body.append(el('div.field', {}, el('label', {for: 'durable-at'}, `Due (${HERE})`), at));
    at.focus();
    if (await closed) {
      await act({path, done: `${id}: rescheduled`,
        body: {action: 'reschedule', id, at: instantIn(at), reason: reason()}});
    }
  }

  return {
    title: id,
    node: el('div', {}, el('p.crumb', {}, el('a', {href: to({view: 'durable', handler})}, 'Durable tasks')),
      el('section.panel', {'aria-label': id}, el('header', {},
        el('h2', {}, el('span.id', {}, id ?? ''), ' ', copyButton('the id', () => id)), actions),
      gone, state, facts.node), history.node, error, payloadPanel),
    async load(wanted, signal) {
      if (!context.settings.endpoints.wheeldurable?.exposed || !id) {
        throw new Problem('noDurable', 0);
      }
      try {
        return {task: await get(path, asked, signal)};
      } catch (problem) {
        if (problem.kind !== 'missing') {
          throw problem;
        }
        return {task: null};
      }
    },
    show({task, list}) {
      // The history has the runs of a task that was made at run time under its handler.
      if (history) {
        show(history.node, false);
        if (task && !task.handler) {
          history.update(list.now);
        }
      }
      parts.forEach(part => show(part, task));
      text(gone, !task && (isRecurring ? `There is no recurring task ${id}.`
        : `${handler} has no one-time task ${id}: it has finished, was cancelled, or is a recurring one.`));
      if (!task) {
        return;
      }
      const {now, state: is, steering} = task;
      bytes = task.payloadBytes;
      refill(state, [is, task.running, task.failuresInARow].join(),
        () => (isRecurring ? recurringState : durableState)(task));
      refill(actions, `${steering}${is}${task.paused}${task.next}`, () => steering && [
        isRecurring ? recurringActions(path, task) : durableActions(path, task),
        !isRecurring && is === 'SCHEDULED' && button('Reschedule…', 'reschedule', () => reschedule(task.next))]);
      facts.set({
        'Handler': [task.handler ?? 'method'],
        ...(isRecurring ? {'Schedule': [task.schedule, task.declaredSchedule !== task.schedule
          && `configured: ${task.declaredSchedule}`], 'Last success': dated(task.lastSuccess, now, '–')} : {}),
        'Due': dated(task.next, now, '–'),
        ...(task.firstDue ? {'First due': dated(task.firstDue, now)} : {}),
        'Node': [task.owner ?? '–', task.running ? `running for ${lasting(task.running)}`
          : is === 'CLAIMED' && 'claimed; only that node knows whether it runs'],
        'Attempt': [count(task.attempt), task.retries != null && `retries of its own: ${count(task.retries)}`],
        'Failures in a row': [count(task.failures ?? task.failuresInARow)],
        'Last failure': dated(task.lastFailure, now, '–'),
        ...(task.deaths ? {'Node deaths': [count(task.deaths), 'nodes that died while they had it']} : {})
      });
      text(stack, task.error && task.error + (task.errorCut ? '\n…' : ''));
      refill(trace, task.traceId, () => task.traceId && traceId(task));
      show(trace, task.traceId);
      show(error, task.error);
      show(showPayload, task.payloadAllowed && bytes > 0);
      if (!task.payloadAllowed) {
        text(note, 'Payloads are hidden. management.endpoint.wheeldurable.show-values and roles decide who sees them.');
      } else if (bytes === 0) {
        text(note, 'The task has no payload.');
      }
      show(payload, payload.textContent);
    }
  };
}
