// One task: when it runs, how its runs went, what is set for it, and what can be done with it.
import {changed, to} from './address.js';
import {get, pathOf} from './api.js';
import {attribute, button, el, keyed, panel, plainRow, refill, show, table, text} from './dom.js';
import {clock, count, HERE, inWords, instant, lasting, plural, relative, seconds, written} from './format.js';
import {retime} from './retime.js';
import {act, copyButton, copy} from './steer.js';
import {runs} from './strips.js';
import {factsOf} from './facts.js';
import {idParts, since, showState} from './task-rows.js';

const NEXT = ['In', 'Your time', 'Time of the task'];
const RUNS = ['Started', 'Took', 'Late', 'Ended', 'Why'];
const SETTINGS = ['Setting', 'Value', 'From'];

export function task(context, {id, scheduler}) {
  const state = el('div.badges', {'data-test': 'task-state'});
  const actions = el('div.actions', {'data-test': 'task-actions'});
  const words = el('p.words', {'data-test': 'words'});
  const code = el('p.sub.code', {'data-test': 'written'});
  const configured = el('p.hint', {'data-test': 'configured'});
  const upcoming = table('The next runs', NEXT, 'upcoming');
  const facts = factsOf(['Next run', 'Late by', 'Last success', 'Last failure', 'Runs', 'Failures', 'Failures in a row', 'Skipped',
    'Missed', 'Overruns']);
  const strip = runs(10);
  const recent = table('The last runs', RUNS, 'recent');
  const settings = table('Settings', SETTINGS, 'settings');
  const none = el('p.hint', {}, 'Nothing is set for it.');
  const errorBody = el('div', {'data-test': 'last-error'});
  const error = panel('Last error', null, errorBody);
  const stack = el('div');
  const runningFor = el('span', {'data-test': 'running-for'});
  const stackButton = button('Show its stack', 'stack', showStack);
  const going = panel('The run that goes on', [runningFor, stackButton], stack);
  let path = null;
  let now = null;

  const steer = (action, done, question) => act({path, body: {action, scheduler}, done: `${id}: ${done}`, question});

  function buttons(shown) {
    const isRunning = shown.state === 'RUNNING' || shown.runningSince != null;
    const isStopped = shown.state === 'PAUSED' || shown.state === 'DISABLED';
    return [
      button('Trigger', 'trigger', () => steer('trigger', 'triggered')),
      isStopped ? button('Resume', 'resume', () => steer('resume', 'resumed'))
        : shown.state !== 'OVER' && button('Pause', 'pause', () => steer('pause', 'paused')),
      button('Re-time…', 'retime', () => retime({path, id, scheduler, now: now.now, schedule: shown.schedule})),
      button('Reset', 'reset', () => steer('reset', 'as the code says, again')),
      isRunning && button('Interrupt…', 'interrupt', () => steer('interrupt', 'interrupted', {
        title: `Interrupt ${id}?`,
        lines: ['The thread of the run that goes on is interrupted. What that does is up to its code.'],
        label: 'Interrupt', kind: 'danger'
      }))
    ];
  }

  async function showStack() {
    const answer = await act({path, body: {action: 'stack', scheduler}, quiet: true});
    if (answer) {
      stack.replaceChildren(el('p.hint', {}, `As it was at ${clock(new Date().toISOString(), now.now)}; it is not updated by itself.`),
        ...answer.threads.map(thread => el('div', {}, el('h3', {}, `${thread.name}, ${thread.state}`),
          el('pre', {tabindex: 0, 'data-test': 'stack-trace'}, thread.trace))),
        answer.threads.length === 0 ? el('p', {}, 'No thread runs it now.') : '');
    }
  }

  const node = el('div.one', {'data-test': 'view-task'},
    el('header.head', {},
      el('p.crumb', {}, el('a', {href: to({view: 'tasks'})}, 'Tasks'), ' / ',
        el('a', {href: to({view: 'tasks', scheduler})}, scheduler ?? '')),
      el('div.named', {}, el('h2.id', {},
        el('button.plain', {type: 'button', title: 'Copy the id', 'data-test': 'task-id', onclick: event => copy(id, event.currentTarget)},
          idParts(id))), copyButton('the id', () => id)),
      state, actions),
    el('div.two', {},
      panel('Schedule', null, words, code, configured, upcoming.node),
      panel('So far', null, facts.node)),
    going,
    panel('Recent runs', null, strip.node, recent.node),
    error,
    panel('Settings', null, none, settings.node));

  return {
    node,
    title: () => id,
    async load(_, signal) {
      path = `${context.path()}/${pathOf(id)}`;
      // One after the other: two nodes that take turns would else always answer with one of each.
      const shown = await get(path, {scheduler}, signal);
      return {shown, list: await context.list({show: 'findings', limit: 0}, signal)};
    },
    show({shown, list}) {
      now = list;
      const at = shown.now ?? list.now;
      scheduler ??= shown.scheduler;
      showState(state, shown);
      const isSteering = shown.steering ?? list.steering;
      const isRunning = shown.runningSince != null;
      refill(actions, [isSteering, shown.state, isRunning, written(shown.schedule)].join(), () => (isSteering ? buttons(shown) : []));
      text(words, inWords(shown.schedule));
      text(code, `${written(shown.schedule)} · ${shown.origin.toLowerCase()}`);
      const configuredWords = shown.configured ?? shown.schedule.configured;
      text(configured, configuredWords && `Re-timed. By its code and settings it runs ${configuredWords}.`);
      const zone = shown.schedule.zone;
      attribute(upcoming.node, 'data-zone', zone ? 'own' : null);
      show(upcoming.node, shown.upcoming?.length);
      keyed(upcoming.body, shown.upcoming ?? [], one => one, plainRow(NEXT, one =>
        [relative(one, at), `${instant(one)} ${HERE}`, zone ? `${instant(one, zone)} ${zone}` : '–'], 'next'));
      facts.set('Next run', relative(shown.next, at), shown.next && instant(shown.next));
      facts.set('Late by', seconds(shown.lateBy) > 0 ? lasting(shown.lateBy) : 'not late', shown.overdue ? 'overdue' : '');
      facts.set('Last success', relative(shown.lastSuccess, at), shown.lastSuccess && instant(shown.lastSuccess));
      facts.set('Last failure', relative(shown.lastFailure, at), shown.lastFailure && instant(shown.lastFailure));
      for (const [name, value] of [['Runs', shown.runs], ['Failures', shown.failures], ['Failures in a row', shown.failuresInARow],
        ['Skipped', shown.skips], ['Missed', shown.missed], ['Overruns', shown.overruns]]) {
        facts.set(name, count(value));
      }
      strip.update(shown.recent);
      keyed(recent.body, shown.recent, run => run.start, plainRow(RUNS, run => [
        `${relative(run.start, at)}, ${clock(run.start, at)}`, lasting(run.duration), lasting(run.lateness),
        run.outcome === 'FAILURE' ? '✕ failed' : '✓ well',
        [run.triggered && 'triggered by hand', run.exception && `${run.exception}: ${run.message}`].filter(Boolean).join(', ')], 'run'));
      show(going, isRunning);
      text(runningFor, isRunning ? `for ${since(shown.runningSince, at)}` : '');
      show(stackButton, isSteering);
      showLastError(shown.lastError, at);
      const set = Object.entries(shown.settings ?? {});
      show(none, set.length === 0);
      show(settings.node, set.length);
      keyed(settings.body, set, ([name]) => name, plainRow(SETTINGS, ([name, value]) =>
        [name, value, shown.settingSources?.[name] ?? '–'], 'setting'));
    }
  };

  function showLastError(last, at) {
    show(error, last);
    if (last) {
      refill(errorBody, last.at + last.trace, () => [
        el('p.error-text', {}, el('strong', {}, last.exception), last.message ? `: ${last.message}` : ''),
        el('p.sub', {}, instant(last.at), last.traceId && el('span', {}, ' · trace id ',
          el('code', {'data-test': 'trace-id'}, last.traceId), copyButton('the trace id', () => last.traceId))),
        el('pre', {tabindex: 0, 'aria-label': 'Stack trace', 'data-test': 'trace'}, last.trace)]);
    }
  }
}
