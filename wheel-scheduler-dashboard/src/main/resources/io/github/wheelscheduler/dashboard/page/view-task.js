// One task: its schedule, runs, settings and actions.
import {to} from './address.js';
import {get, pathOf} from './api.js';
import {attribute, button, el, factsOf, listing, panel, refill, show, text} from './dom.js';
import {clock, clockChanges, count, dated, HERE, inWords, instant, joined, lasting, relative, seconds, since,
  skippedBefore, when, written} from './format.js';
import {retime} from './retime.js';
import {act, copy, copyButton, READ_ONLY, steerButton, traceId, withTrace} from './steer.js';
import {runs} from './strips.js';
import {failingSince, idParts, nextRun, showState} from './task-rows.js';
import {past} from './view-history.js';

export function task(context, {id, scheduler}) {
  const state = el('div.badges', {'data-test': 'task-state'});
  const actions = el('div.actions');
  const stack = el('div');
  const words = el('p.words', {'data-test': 'words'});
  const code = el('p.sub.code');
  const configured = el('p.hint');
  const upcoming = listing('Next runs', ['When', 'Your time', 'Time zone of the task', 'Clock change'], 'upcoming');
  const recent = listing('Last runs', ['Started', 'Took', 'Late', 'Result', 'Details'], null, 'No runs since start.');
  const settings = listing('Settings', ['Setting', 'Value', 'From'], null, 'Default settings.');
  const facts = factsOf();
  const strip = runs();
  const errorBody = el('div', {'data-test': 'last-error'});
  const error = panel('Last error', null, errorBody);
  const runningFor = el('span');
  const stackButton = button('Show stack trace', 'stack', showStack);
  const going = panel('Current run', [runningFor, stackButton], stack);
  const where = el('a');
  const history = past(context, id);
  let path = null, at = null, runningSince = null, interrupted = null;

  const steer = (action, done, more) => steerButton(path, action,
    done.call ? async () => `${id}: ${await done()}` : `${id}: ${done}`, {...more, name: id, scheduler});

  /** A paused scheduler keeps also what is triggered; a halted one does not. */
  async function triggered() {
    // It is triggered, also if this fails.
    await context.list({limit: 0}).catch(() => null);
    return context.heldBy({scheduler}) === 'paused' ? `will run once ${scheduler} is resumed` : 'triggered';
  }

  /** Each says what it does or, where it cannot work, why not. */
  function buttons(now, isRunning) {
    const none = now.steering ? '' : READ_ONLY;
    const why = none || (now.state === 'OVER' && 'It has finished');
    const isHeld = now.state === 'PAUSED' || now.state === 'DISABLED';
    return [
      steer('trigger', triggered,
        {title: 'Runs it once, now, in addition to its schedule', why: why || (isRunning && 'It is running')}),
      isHeld ? steer('resume', 'resumed', {title: 'Runs it as scheduled again', why})
        : steer('pause', 'paused', {title: 'Skips its runs until it is resumed', why}),
      button('Change schedule…', 'retime',
        () => retime({path, id, scheduler, now: () => at, schedule: now.schedule, usualZone: now.zone}),
        {title: why || 'Until it is restored or the application restarts', disabled: Boolean(why)}),
      steer('reset', 'configured schedule restored',
        {title: `Restores the configured schedule${now.configured ? ` (${now.configured})` : ''} and ends a pause`, why}),
      steer('interrupt', interruptSent, {
        title: 'Interrupts the thread of the current run', why: none || (!isRunning && 'It is not running'),
        question: {
          title: `Interrupt ${id}?`,
          lines: ['The run\'s thread is interrupted; code that ignores interrupts keeps running.'],
          label: 'Interrupt', kind: 'danger'
        }
      })];
  }

  function interruptSent() {
    interrupted = runningSince;
    return 'interrupt sent';
  }

  async function showStack() {
    const answer = await act({path, body: {action: 'stack', scheduler}});
    if (answer) {
      stack.replaceChildren(
        el('p.hint', {}, answer.threads.length ? `Taken at ${clock(at, at)}; press again to refresh.`
          : 'No thread is running it now.'),
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
        panel('Statistics', null, facts.node)),
      going,
      panel('Recent runs', null, strip.node, recent.node),
      history.node,
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
      const held = context.heldBy(now);
      showState(state, now, held, at);
      ({runningSince} = now);
      const isRunning = runningSince != null;
      refill(actions, [now.steering, now.state, isRunning, written(schedule)].join(), () => [
        buttons(now, isRunning), !now.steering && el('p.hint', {}, READ_ONLY)]);

      text(words, inWords(schedule));
      text(code, `${written(schedule)} · ${now.origin.toLowerCase()}`);
      text(configured, now.configured && `Changed at run time. The configured schedule is ${now.configured}.`);
      attribute(upcoming.node, 'data-zone', schedule.zone);
      const ahead = now.upcoming ?? [];
      const marks = clockChanges(ahead, schedule.zone);
      const gaps = skippedBefore(now.skipped, ahead, schedule.zone);
      const rows = ahead.flatMap((one, index) =>
        [...gaps.filter(gap => gap.before === index), {one, mark: marks[index]}]);
      upcoming.set(rows, row => row.one ?? row.local, ({one, mark, local}) => (local
        ? ['skipped', '–', `${local} ${schedule.zone}`, 'does not exist: the clocks go forward']
        : [relative(one, at), `${instant(one)} ${HERE}`,
          schedule.zone ? `${instant(one, schedule.zone)} ${schedule.zone}` : '', mark]));

      const none = ['none', context.sinceStart(at)];
      facts.set({
        'Next run': isRunning && !now.next ? ['after this run'] : [nextRun(now, held, at), now.next && instant(now.next)],
        'Late by': [held ? '–' : seconds(now.lateBy) > 0 ? lasting(now.lateBy) : 'on time', now.overdue && 'overdue'],
        'Last success': dated(now.lastSuccess, at, ...none),
        'Last failure': dated(now.lastFailure, at, ...none),
        'Runs': [count(now.runs)],
        'Failures': [count(now.failures)],
        'Failures in a row': [count(now.failuresInARow), failingSince(now, at)],
        'Skipped': [count(now.skips)],
        'Missed': [count(now.missed)],
        'Overruns': [count(now.overruns)]
      });

      show(going, isRunning);
      text(runningFor, isRunning && joined([`for ${since(runningSince, at)}`,
        interrupted === runningSince && 'interrupt sent, still running'], '; '));
      stackButton.disabled = !now.steering;
      attribute(stackButton, 'title', !now.steering && READ_ONLY);
      strip.update(now.recent);
      recent.set(now.recent, run => run.start, run => [
        when(run.start, at), lasting(run.duration), lasting(run.lateness),
        run.outcome === 'FAILURE' ? '✕ failed' : '✓ succeeded',
        withTrace(joined([run.triggered && 'triggered manually',
          run.exception && `${run.exception}: ${run.message}`]), run)]);

      history.update(at);
      show(error, lastError);
      refill(errorBody, lastError?.at, () => lastError && [
        el('p.error', {}, el('strong', {}, lastError.exception), lastError.message && `: ${lastError.message}`),
        el('p.sub', {}, instant(lastError.at), lastError.traceId && [' · ', traceId(lastError)]),
        traceOf(lastError.trace || 'Discarded, as many other tasks have failed since.', 'trace')]);

      settings.set(Object.entries(now.settings), ([name]) => name,
        ([name, value]) => [name, value, now.settingSources?.[name]]);
    }
  };
}

const traceOf = (lines, test) => el('pre', {tabindex: 0, 'aria-label': 'Stack trace', 'data-test': test}, lines);
