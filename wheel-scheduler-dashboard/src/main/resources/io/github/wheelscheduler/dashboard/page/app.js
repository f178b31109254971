// Starts the page: which view is shown, and when it looks at the application again.
import {changed, go, read, to} from './address.js';
import {explain, get, nodes, Problem, settings as readSettings} from './api.js';
import {attribute, button, el, refill, show, text} from './dom.js';
import {countOf, showFindings} from './findings.js';
import {clock, duration, HERE, instant, joined, lower} from './format.js';
import {add} from './history.js';
import {rules, signIn} from './steer.js';
import {day} from './view-day.js';
import {durable} from './view-durable.js';
import {durableTask} from './view-durable-task.js';
import {history as historyView} from './view-history.js';
import {overview} from './view-overview.js';
import {task} from './view-task.js';
import {tasks} from './view-tasks.js';

const VIEWS = {overview, day, tasks, task, durable, 'durable-task': durableTask, history: historyView};
const NAV = {overview: 'Overview', day: 'Tonight', tasks: 'Tasks', durable: 'Durable tasks', history: 'History'};

/** Endpoints of views that an application may not have. */
const OPTIONAL = {durable: 'wheeldurable', history: 'wheelhistory'};
const LIVE = {1: 1000, 5: 5000, 30: 30_000, off: 0};
const LIVE_BY_DEFAULT = '5';

/** While the application is gone, it is asked again after a second, and then less often. */
const AGAIN_MILLIS = 1000;
const RARELY_MILLIS = 8000;
const SIGN_IN_MILLIS = 30_000;

const [application, nav, live, age, problemBox, nodesBox, footer, loading, viewBox] =
  ['application', 'nav', 'live', 'age', 'problem', 'nodes', 'footer', 'loading', 'view'].map(id => document.getElementById(id));

/** What views share. */
const context = {
  settings: null,
  schedulers: [],
  day: null,
  isSteering: false,
  started: null,
  path: () => context.settings.endpoints.wheelscheduler.path,

  /** Why the scheduler of a task does not run it: paused, halted, off or shut down; else empty. */
  heldBy({scheduler}) {
    const state = context.schedulers.find(one => one.name === scheduler)?.state ?? 'RUNNING';
    return state === 'RUNNING' ? '' : lower(state);
  },

  /** Since when the process has been running: it knows nothing of earlier ones. */
  sinceStart: now => `since start, ${clock(context.started, now)}`,

  async list(parameters, signal) {
    const answer = await get(context.path(), parameters, signal);
    add(answer.schedulers, answer.now, answer.started);
    if (!parameters.scheduler && !parameters.group) {
      context.schedulers = answer.schedulers;
    }
    context.isSteering = answer.steering;
    rules.reasonRequired = answer.reasonRequired;
    context.started = answer.started;
    return answer;
  }
};

let view = null, viewKey = null;
let isMoved = false;

/** Of the look that has not ended; aborted if it was stopped. */
let running = null;
let timer = 0;
let failures = 0;
let lastProblem = null;
let receivedMillis = 0;
let answers = 0;
let scrollWanted = null;

const liveKey = () => (Object.hasOwn(LIVE, read().live) ? read().live : LIVE_BY_DEFAULT);
const liveMillis = () => LIVE[liveKey()];

/** Looks now. An answer to an older question is thrown away. */
async function look() {
  stop();
  running = new AbortController();
  const {signal} = running;
  let problem = null;
  try {
    // Rights and paths may be others when it is back.
    if (context.settings === null || lastProblem !== null) {
      context.settings = await readSettings(signal);
      showSettings(context.settings);
    }
    route();
    const shown = view;
    const data = await shown.load(read(), signal);
    // One after the other: nodes that take turns would else always answer with one of each.
    const overall = data.list?.findings ? data.list : await context.list({show: 'findings', limit: 0}, signal);
    data.list ??= overall;
    if (signal.aborted) {
      return;
    }
    receivedMillis = Date.now();
    shown.show(data);
    showLoaded();
    showFindings(overall);
    const wrong = countOf(overall.findings);
    const marked = `${wrong ? `(${wrong}) ` : ''}${shown.title ?? NAV[document.body.dataset.view]}`;
    document.title = `${marked} · ${context.settings.application} · Wheel Scheduler`;
    document.body.dataset.answers = ++answers;
    if (scrollWanted !== null) {
      scrollTo(0, scrollWanted);
      scrollWanted = null;
    }
  } catch (thrown) {
    problem = thrown;
  }
  if (signal.aborted) {
    return;
  }
  running = null;
  failures = problem === null ? 0 : failures + 1;
  plan(problem);
  if (problem !== null) {
    show(loading, false);
  }
  showNodes();
  showProblem(problem?.kind === 'otherNode' ? null : problem);
  showAge();
}

function stop() {
  clearTimeout(timer);
  running?.abort();
}

function plan(problem) {
  // A wheel is drawn once it was asked for; a plot takes two points.
  let millis = answers > 1 ? liveMillis() : Math.min(liveMillis(), AGAIN_MILLIS);
  if (problem !== null) {
    const isRefused = problem.kind === 'login' || problem.kind === 'denied';
    millis = Math.max(millis, isRefused ? SIGN_IN_MILLIS : Math.min(failures * AGAIN_MILLIS, RARELY_MILLIS));
  }
  if (millis > 0 && !document.hidden) {
    timer = setTimeout(look, millis);
  }
}

function showSettings({application: name, scheduler, endpoints}) {
  text(application, name);
  for (const link of nav.children) {
    const endpoint = OPTIONAL[link.dataset.view];
    show(link, !endpoint || endpoints[endpoint]?.exposed);
  }
  if (!endpoints.wheelscheduler?.exposed) {
    throw new Problem(scheduler ? 'notExposed' : 'noScheduler', 0);
  }
}

function route() {
  const state = read();
  const name = Object.hasOwn(VIEWS, state.view) ? state.view : 'overview';
  const key = name.endsWith('task') ? [name, state.id, state.scheduler, state.handler].join('\n') : name;
  if (key !== viewKey) {
    view?.close?.();
    view = VIEWS[name](context, state);
    document.body.dataset.view = name;
    attribute(view.node, 'data-test', `view-${name}`);
    viewBox.replaceChildren(view.node);
    show(viewBox, false);
    show(loading, true);
    isMoved = viewKey !== null;
    viewKey = key;
  }
}

/** Before there is an answer, a view would say that there is nothing. */
function showLoaded() {
  show(loading, false);
  show(viewBox, true);
  if (isMoved) {
    isMoved = false;
    viewBox.focus({preventScroll: true});
  }
}

function showNav() {
  const {view: name = 'overview'} = read();
  for (const link of nav.children) {
    const {view: other} = link.dataset;
    link.href = to(other === 'overview' ? {} : {view: other});
    attribute(link, 'aria-current', (other === name || [`${other}-task`, other.slice(0, -1)].includes(name)) && 'page');
  }
  live.querySelector(`[value="${liveKey()}"]`).checked = true;
}

function showProblem(problem) {
  lastProblem = problem;
  show(problemBox, problem);
  attribute(problemBox, 'data-kind', problem?.kind);
  if (problem !== null) {
    const [title, words] = explain(problem);
    refill(problemBox, title + words, () => [el('strong', {}, title), ` ${words} `, signIn(problem)]);
  }
}

function showNodes() {
  const {shown, other} = nodes;
  const [name, otherName] = [shown, other].map(header => header && nodes.nameOf(header));
  show(nodesBox, other);
  refill(nodesBox, `${shown} ${other}`, () => other && [
    `Several nodes answer at this address. This is ${name}; answers from ${otherName} are ignored.`,
    button(`Show ${otherName}`, 'swap-node', () => {
      nodes.swap();
      look();
    })]);
  text(footer, joined([name && `Node ${name}`, context.started && `process started ${instant(context.started)} ${HERE}`,
    nodes.restarts > 0 && 'restarted since this page was opened']));
}

function showAge() {
  if (receivedMillis > 0) {
    const old = Math.max(0, Math.round((Date.now() - receivedMillis) / 1000));
    text(age, `data is ${duration(old)} old`);
    attribute(age, 'data-stale', lastProblem !== null || (liveMillis() > 0 && old > 2 + 3 * liveMillis() / 1000));
  }
}

function moved() {
  showNav();
  look();
}

function followLinks(event) {
  const link = event.target.closest('a[href]');
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  const isOurs = link?.origin === location.origin && link.pathname === location.pathname;
  if (isOurs && isPlain && !link.hash && !link.dataset.reload) {
    event.preventDefault();
    go(to({...read(link.search), live: read().live}));
    scrollTo(0, 0);
  }
}

nav.append(...Object.entries(NAV).map(([name, label]) =>
  el('a', {href: '?', 'data-view': name, 'data-test': `nav-${name}`, hidden: name in OPTIONAL}, label)));
live.append(...Object.keys(LIVE).map(key => el('label', {},
  el('input', {type: 'radio', name: 'live', value: key,
    onchange: () => go(changed({live: key === LIVE_BY_DEFAULT ? '' : key}), true)}),
  el('span', {}, key === 'off' ? key : `${key} s`))));
document.getElementById('look').addEventListener('click', look);
document.addEventListener('click', followLinks);
addEventListener('wheel-address', moved);
addEventListener('wheel-look', look);
addEventListener('popstate', event => {
  scrollWanted = event.state?.scroll ?? null;
  moved();
});
document.addEventListener('visibilitychange', () => {
  if (document.hidden) {
    stop();
  } else if (liveMillis() > 0 || lastProblem !== null || running !== null) {
    look();
  }
});
history.scrollRestoration = 'manual';
document.addEventListener('keydown', event => {
  const field = document.querySelector('[type=search]');
  const isTyping = /INPUT|SELECT|TEXTAREA/.test(document.activeElement.tagName) || document.querySelector('dialog');
  if (event.key === '/' && field && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    field.focus();
  }
});
setInterval(() => document.hidden || showAge(), 1000);
moved();
