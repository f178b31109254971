// One task: when it runs, how its runs went, what is set for it, and what can be done with it.
import {to} from './address.js';
import {get, pathOf} from './api.js';
import {attribute, button, el, factsOf, listing, panel, refill, show, text} from './dom.js';
import {clock, count, HERE, inWords, instant, joined, lasting, relative, seconds, written} from './format.js';
import {retime} from './retime.js';
import {act, copy, copyButton, steerButton} from './steer.js';
import {runs} from './strips.js';
import {idParts, showState, since} from './task-rows.js';

export function task(context, {id, scheduler}) {
  const state = el('div.badges', {'data-test': 'task-state'});
  const actions = el('div.actions');
  const stack = el('div');
  const words = el('p.words', {'data-test': 'words'});
  const code = el('p.sub.code');
  const configured = el('p.hint');
  const upcoming = listing('The next runs', ['When', 'Your time', 'Time of the task'], 'upcoming');
  const recent = listing('The last runs', ['Started', 'Took', 'Late', 'Ended', 'Why'], null, 'No runs yet.');
  const settings = listing('Settings', ['Setting', 'Value', 'From'], null, 'Nothing is set for it.');
  const facts = factsOf();
  const strip = runs();
  const errorBody = el('div', {'data-test': 'last-error'});
  const error = panel('Last error', null, errorBody);
  const runningFor = el('span');
  const stackButton = button('Show its stack', 'stack', showStack);
  const going = panel('The run that goes on', [runningFor, stackButton], stack);
  const where = el('a');
  let path = null;
  let at = null;

  const steer = (action, done, question) => steerButton(path, action, `${id}: ${done}`, {question, scheduler});

  const buttons = (now, isRunning) => [
    steer('trigger', 'triggered'),
    now.state === 'PAUSED' || now.state === 'DISABLED' ? steer('resume', 'resumed')
      : now.state !== 'OVER' && steer('pause', 'paused'),
    button('Re-time…', 'retime', () => retime({path, id, scheduler, at, schedule: now.schedule})),
    steer('reset', 'as the code says, again'),
    isRunning && steer('interrupt', 'interrupted', {
      title: `Interrupt ${id}?`,
      lines: ['What that does to the run that goes on is up to its code.'],
      label: 'Interrupt', kind: 'danger'
    })];

  async function showStack() {
    const answer = await act({path, body: {action: 'stack', scheduler}});
    if (answer) {
      stack.replaceChildren(
        el('p.hint', {}, answer.threads.length ? `As it was at ${clock(at, at)}; press again to see it now.`
          : 'No thread runs it now.'),
        ...answer.threads.map(({name, state: now, trace}) => el('div', {},
          `${name}, ${now}`, traceOf(trace, 'stack-trace'))));
    }
  }

  return {
    node: el('div.one', {},
      el('header.head', {},
        el('p.crumb', {}, el('a', {href: to({view: 'tasks'})}, 'Tasks'), ' / ', where),
        el('h2', {}, button(idParts(id), 'task-id', event => copy(id, event.currentTarget),
          {class: 'plain id', title: 'Copy the id'}),
          copyButton('the id', () => id)),
        state, actions),
      el('div.two', {}, panel('Schedule', null, words, code, configured, upcoming.node),
        panel('So far', null, facts.node)),
      going,
      panel('Recent runs', null, strip.node, recent.node),
      error,
      panel('Settings', null, settings.node)),
    title: id,
    async load(_, signal) {
      path = `${context.path()}/${pathOf(id)}`;
      return {now: await get(path, {scheduler}, signal)};
    },
    show({now, list}) {
      const {schedule, lastError} = now;
      at = list.now;
      scheduler ??= now.scheduler;
      text(where, scheduler);
      where.href = to({view: 'tasks', scheduler});
      showState(state, now);
      const isRunning = now.runningSince != null;
      refill(actions, [now.steering, now.state, isRunning, written(schedule)].join(), () =>
        now.steering && buttons(now, isRunning));

      text(words, inWords(schedule));
      text(code, `${written(schedule)} · ${now.origin.toLowerCase()}`);
      text(configured, now.configured && `Re-timed. By its code and settings it runs ${now.configured}.`);
      attribute(upcoming.node, 'data-zone', schedule.zone);
      upcoming.set(now.upcoming ?? [], one => one, one => [
        relative(one, at), `${instant(one)} ${HERE}`,
        schedule.zone ? `${instant(one, schedule.zone)} ${schedule.zone}` : '']);

      const dated = one => [relative(one, at), one && instant(one)];
      facts.set({
        'Next run': isRunning && !now.next ? ['after this run'] : dated(now.next),
        'Late by': [seconds(now.lateBy) > 0 ? lasting(now.lateBy) : 'not late', now.overdue && 'overdue'],
        'Last success': dated(now.lastSuccess),
        'Last failure': dated(now.lastFailure),
        'Runs': [count(now.runs)],
        'Failures': [count(now.failures)],
        'Failures in a row': [count(now.failuresInARow)],
        'Skipped': [count(now.skips)],
        'Missed': [count(now.missed)],
        'Overruns': [count(now.overruns)]
      });

      show(going, isRunning);
      text(runningFor, isRunning && `for ${since(now.runningSince, at)}`);
      show(stackButton, now.steering);
      strip.update(now.recent);
      recent.set(now.recent, run => run.start, run => [
        `${relative(run.start, at)}, ${clock(run.start, at)}`, lasting(run.duration), lasting(run.lateness),
        run.outcome === 'FAILURE' ? '✕ failed' : '✓ well',
        joined([run.triggered && 'triggered by hand', run.exception && `${run.exception}: ${run.message}`])]);

      show(error, lastError);
      refill(errorBody, lastError?.at, () => lastError && [
        el('p.error', {}, el('strong', {}, lastError.exception), lastError.message && `: ${lastError.message}`),
        el('p.sub', {}, instant(lastError.at), lastError.traceId && [' · trace id ',
          el('code', {}, lastError.traceId),
          copyButton('the trace id', () => lastError.traceId)]),
        traceOf(lastError.trace || 'Forgotten, as many others have failed since.', 'trace')]);

      settings.set(Object.entries(now.settings), ([name]) => name,
        ([name, value]) => [name, value, now.settingSources?.[name]]);
    }
  };
}

const traceOf = (lines, test) => el('pre', {tabindex: 0, 'aria-label': 'Stack trace', 'data-test': test}, lines);
