// Steers all durable tasks that match a filter, up to 500 per request.
import {explain, get, post} from './api.js';
import {button, el, show, text} from './dom.js';
import {count, plural} from './format.js';
import {dialog, label, signIn} from './steer.js';

const EFFECTS = {
  retry: 'Each task is due now and has all its retries again. Tasks that fail again meanwhile are not retried twice.',
  cancel: 'The tasks are deleted. This cannot be undone.'
};

/** Asks first, then steers until none is left or the operator stops it. */
export async function steerFound({path, action, filter, found}) {
  let matching;
  try {
    matching = await get(path, {...filter, limit: 1, show: 'count'});
  } catch (problem) {
    const [title, words] = explain(problem, true);
    dialog(title, 'bulk-refused').body.append(el('p', {}, words));
    return;
  }
  const many = `${matching.moreCounted ? 'More than ' : ''}${plural(matching.count, 'task')}`;
  const asked = dialog(`${label(action)} ${many.toLowerCase()}?`, 'ask', `${label(action)} all`,
    action === 'cancel' ? 'danger' : 'primary');
  asked.body.append(el('p', {}, `${found}.`), el('p', {}, EFFECTS[action]));
  if (await asked.closed) {
    await drive(path, {action, ...filter, reason: asked.reason()}, label(action));
    dispatchEvent(new Event('wheel-look'));
  }
}

async function drive(path, wanted, title) {
  const {body, row, closed} = dialog(`${title} all`, 'bulk-progress');
  const progress = el('p', {role: 'status', 'data-test': 'bulk-counts'});
  const problem = el('p.error', {'data-test': 'bulk-problem'});
  const stop = button('Stop', 'bulk-stop', () => {
    isStopped = true;
    stop.disabled = true;
  });
  const on = button('Continue', 'bulk-continue', run);
  const totals = {done: 0, gone: 0, left: null, more: false};
  let after;
  let isStopped = false;
  row.prepend(stop, on);
  body.append(progress, problem);
  closed.then(() => {
    isStopped = true;
  });

  function showState(isRunning) {
    const left = totals.left === null ? '' : `, ${totals.more ? 'more than ' : ''}${count(totals.left)} left`;
    const end = isRunning ? '' : after === null ? ' Finished.' : ' Stopped.';
    text(progress, `${count(totals.done)} done, ${count(totals.gone)} gone${left}.${end}`);
    show(stop, isRunning);
    show(on, !isRunning && after !== null);
  }

  async function run() {
    isStopped = false;
    stop.disabled = false;
    problem.replaceChildren();
    showState(true);
    try {
      while (!isStopped && after !== null) {
        const {json} = await post(path, {...wanted, after});
        totals.done += json.done;
        totals.gone += json.gone;
        totals.left = json.left;
        totals.more = json.moreLeft;
        after = json.after ?? null;
        showState(true);
      }
    } catch (thrown) {
      problem.append(explain(thrown, true).join(' '), ' ', signIn(thrown) || '');
    }
    showState(false);
  }

  await run();
  await closed;
}
