// Starts the page: which view is shown, and when it looks at the application again.
import {changed, go, read, to} from './address.js';
import {explain, get, nodes, Problem, settings as readSettings} from './api.js';
import {attribute, button, el, show, text} from './dom.js';
import {countOf, showFindings} from './findings.js';
import {duration} from './format.js';
import {History} from './history.js';
import {signIn} from './steer.js';
import {day} from './view-day.js';
import {durable} from './view-durable.js';
import {overview} from './view-overview.js';
import {task} from './view-task.js';
import {tasks} from './view-tasks.js';

const VIEWS = {overview, day, tasks, task, durable};
const NAV = [['overview', 'Overview'], ['day', 'Next 24 hours'], ['tasks', 'Tasks'], ['durable', 'Durable tasks']];
const LIVE = {1: 1000, 5: 5000, 30: 30_000, off: 0};
const LIVE_BY_DEFAULT = '5';

/** While the application is gone, it is asked again after so long, and then less often. */
const AGAIN_MILLIS = [1000, 2000, 4000, 8000];

/** While somebody has to sign in first. */
const SIGN_IN_MILLIS = 30_000;

const $ = id => document.getElementById(id);

/** What views share. */
const context = {
  settings: null,
  /** How late runs have started since the page was opened, by scheduler. */
  history: new History(),
  /** The schedulers and groups that there are. */
  schedulers: [],
  /** The day that has been read last, and when. */
  day: null,
  isSteering: false,
  path: () => context.settings.endpoints.wheelscheduler.path,
  async list(parameters, signal) {
    const answer = await get(context.path(), parameters, signal);
    context.history.add(answer.schedulers, answer.now ?? new Date().toISOString(), nodes.shown);
    if (!parameters.scheduler && !parameters.group) {
      context.schedulers = answer.schedulers;
    }
    context.isSteering = answer.steering === true;
    answer.now ??= new Date().toISOString();
    return answer;
  }
};

let view = null;
let viewKey = null;
let sequence = 0;
let running = null;
let timer = 0;
let failures = 0;
let restarts = 0;
let lastProblem = null;
let receivedMillis = 0;
let answers = 0;
let scrollWanted = null;

function liveMillis() {
  return LIVE[read().live ?? LIVE_BY_DEFAULT] ?? LIVE[LIVE_BY_DEFAULT];
}

/** Looks now. An answer that comes after a newer question is thrown away. */
async function look() {
  clearTimeout(timer);
  running?.abort();
  const mine = ++sequence;
  const controller = running = new AbortController();
  let problem = null;
  try {
    if (context.settings === null) {
      takeSettings(await readSettings(controller.signal));
    }
    route();
    const shown = view;
    const data = await shown.load(read(), controller.signal);
    if (mine !== sequence) {
      return;
    }
    receivedMillis = Date.now();
    shown.show(data);
    document.body.dataset.answers = ++answers;
    showFindings(data.list?.findings);
    showTitle(shown.title(), data.list?.findings);
    if (scrollWanted !== null) {
      scrollTo(0, scrollWanted);
      scrollWanted = null;
    }
  } catch (thrown) {
    if (mine !== sequence) {
      return;
    }
    problem = thrown;
  }
  running = null;
  failures = problem === null ? 0 : failures + 1;
  if (problem !== null && problem.kind !== 'otherNode') {
    // Rights and paths may be others when it is back.
    context.settings = null;
  }
  showProblem(problem);
  showNodes();
  showAge();
  plan(problem);
  if (problem !== null && !(problem instanceof Problem)) {
    throw problem;
  }
}

function plan(problem) {
  if (document.hidden) {
    return;
  }
  let millis = liveMillis();
  if (problem?.kind === 'login' || problem?.kind === 'denied') {
    millis = Math.max(millis, SIGN_IN_MILLIS);
  } else if (problem !== null) {
    millis = Math.max(millis, AGAIN_MILLIS[Math.min(failures, AGAIN_MILLIS.length) - 1]);
  } else if (millis === 0) {
    return;
  }
  timer = setTimeout(look, millis);
}

function takeSettings(settings) {
  context.settings = settings;
  text($('application'), settings.application);
  const {wheelscheduler, wheeldurable} = settings.endpoints;
  show($('nav').querySelector('[data-view=durable]'), wheeldurable?.exposed);
  if (!wheelscheduler?.exposed) {
    throw new Problem('notExposed', 0);
  }
}

/** Makes the view that the address names, unless it is there already. */
function route() {
  const state = read();
  const name = VIEWS[state.view] ? state.view : 'overview';
  const key = name === 'task' ? [name, state.id, state.scheduler].join('\n') : name;
  if (key === viewKey) {
    return;
  }
  view?.close?.();
  view = VIEWS[name](context, state);
  const isFirst = viewKey === null;
  viewKey = key;
  document.body.dataset.view = name;
  $('view').replaceChildren(view.node);
  if (!isFirst) {
    $('view').focus({preventScroll: true});
  }
}

function showNav() {
  const state = read();
  const name = state.view === 'task' ? 'tasks' : state.view ?? 'overview';
  for (const link of $('nav').children) {
    link.href = to(link.dataset.view === 'overview' ? {} : {view: link.dataset.view});
    attribute(link, 'aria-current', link.dataset.view === name && 'page');
  }
  const live = LIVE[state.live] === undefined ? LIVE_BY_DEFAULT : state.live;
  for (const input of $('live').querySelectorAll('input')) {
    input.checked = input.value === live;
  }
}

function showTitle(title, findings) {
  const wrong = countOf(findings);
  const application = context.settings?.application;
  document.title = `${wrong ? `(${wrong}) ` : ''}${title}${application ? ` · ${application}` : ''} · Wheel Scheduler`;
}

function showProblem(problem) {
  const kind = problem && problem.kind !== 'otherNode' ? problem.kind ?? 'page' : null;
  const isSame = kind !== null && lastProblem?.kind === kind && lastProblem.reason === problem.reason;
  lastProblem = kind === null ? null : problem;
  show($('problem'), kind !== null);
  attribute($('problem'), 'data-kind', kind);
  if (kind === null || isSame) {
    return;
  }
  if (kind === 'notExposed') {
    $('problem').replaceChildren(el('strong', {}, 'The endpoint of the scheduler is not exposed.'),
      ' This page reads from it. Add it in the application: ',
      el('code', {}, 'management.endpoints.web.exposure.include=wheeldashboard,wheelscheduler'),
      '; to steer, too: ', el('code', {}, 'management.endpoint.wheelscheduler.access=unrestricted'));
    return;
  }
  const {title, text: words, canSignIn} = explain(problem);
  $('problem').replaceChildren(el('strong', {}, `${title}.`), ` ${words} `, canSignIn ? signIn() : '');
}

function showNodes() {
  const wasRestarted = nodes.restarts > restarts;
  restarts = nodes.restarts;
  if (wasRestarted) {
    text($('announce'), 'The application has been restarted');
  }
  show($('nodes'), nodes.areSeveral);
  if (nodes.areSeveral) {
    const words = `Several nodes answer at this address. What you see is from ${nodes.nameOf(nodes.shown)}; `
      + `answers of ${nodes.nameOf(nodes.other)} are left out.`;
    if ($('nodes').firstChild?.textContent !== words) {
      $('nodes').replaceChildren(el('span', {}, words),
        button(`Show ${nodes.nameOf(nodes.other)}`, 'swap-node', () => {
          nodes.swap();
          look();
        }));
    }
  }
  const node = nodes.shown ? `Node ${nodes.nameOf(nodes.shown)}` : '';
  text($('footer'), [node, wasRestarted && 'restarted just now'].filter(Boolean).join(', '));
}

function showAge() {
  if (receivedMillis === 0) {
    text($('age'), '');
    return;
  }
  const old = Math.max(0, Math.round((Date.now() - receivedMillis) / 1000));
  text($('age'), `data is ${duration(old)} old`);
  attribute($('age'), 'data-stale', lastProblem !== null || old > 2 + 3 * liveMillis() / 1000 && liveMillis() > 0);
}

function moved() {
  showNav();
  look();
}

function followLinks(event) {
  const link = event.target.closest?.('a[href]');
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (!link || !isPlain || event.defaultPrevented || link.dataset.reload !== undefined) {
    return;
  }
  const address = new URL(link.href);
  if (address.origin === location.origin && address.pathname === location.pathname && !address.hash) {
    event.preventDefault();
    go(link.href);
    scrollTo(0, 0);
  }
}

function start() {
  $('nav').append(...NAV.map(([name, label]) =>
    el('a', {href: '?', 'data-view': name, 'data-test': `nav-${name}`, hidden: name === 'durable'}, label)));
  $('live').append(...Object.keys(LIVE).map(key => el('label', {},
    el('input', {type: 'radio', name: 'live', value: key, 'data-test': `live-${key}`,
      onchange: () => go(changed({live: key === LIVE_BY_DEFAULT ? '' : key}), true)}),
    el('span', {}, key === 'off' ? key : `${key} s`))));
  $('look').addEventListener('click', look);
  document.addEventListener('click', followLinks);
  addEventListener('wheel-address', moved);
  addEventListener('wheel-look', look);
  addEventListener('popstate', event => {
    scrollWanted = event.state?.scroll ?? null;
    moved();
  });
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) {
      clearTimeout(timer);
      running?.abort();
      sequence++;
    } else if (liveMillis() > 0 || lastProblem !== null || receivedMillis === 0) {
      look();
    }
  });
  history.scrollRestoration = 'manual';
  setInterval(() => document.hidden || showAge(), 1000);
  moved();
}

start();
