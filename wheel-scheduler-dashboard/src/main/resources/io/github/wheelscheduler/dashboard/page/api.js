// Talks to the endpoints, and says in words what goes wrong.
import {joined} from './format.js';
import {parse} from './json.js';

const PATIENCE_MILLIS = 20_000;

/** A node without an answer for so long is gone, unless nothing was asked for half of it. */
const GONE_MILLIS = 120_000;

/** The address of the page without a slash at its end. */
const page = import.meta.url.replace(/\/[^/]*$/, '');

/** Why there is no answer. Its kind decides what the page says. */
export class Problem extends Error {
  constructor(kind, status, reason) {
    super(reason ?? kind);
    Object.assign(this, {kind, status, reason});
  }
}

const KINDS = {400: 'bad', 401: 'login', 403: 'denied', 404: 'missing', 405: 'readonly', 409: 'conflict', 415: 'type',
  502: 'gone', 503: 'away', 504: 'gone'};

/** The nodes behind this address. The first to answer is shown until the user chooses another, or it is gone. */
export const nodes = {
  shown: null,
  other: null,
  restarts: 0,
  known: new Set(),

  /** Whether the last answer was of the one shown, when it came, and since when all were so, or none. */
  isHeard: true, lastMillis: 0, sinceMillis: 0,

  nameOf: header => decodeURIComponent(header.split('#')[0]),

  /** Returns whether an answer of that node is to be shown. */
  takes(header) {
    let isHeard = !header || !this.shown || header === this.shown;
    // The same name with a new id is a restarted process; the id of one that still answers is known.
    if (!isHeard && !this.known.has(header) && this.nameOf(header) === this.nameOf(this.shown)) {
      this.restarts++;
      isHeard = true;
    }
    this.known.add(header);
    const now = performance.now();
    if (isHeard !== this.isHeard || now - this.lastMillis > GONE_MILLIS / 2) {
      this.sinceMillis = now;
    }
    [this.isHeard, this.lastMillis] = [isHeard, now];
    if (now - this.sinceMillis >= GONE_MILLIS) {
      this.other = null;
    } else if (!isHeard) {
      this.other = header;
      return false;
    }
    this.shown = header || this.shown;
    return true;
  },

  swap() {
    [this.shown, this.other] = [this.other, this.shown];
    this.sinceMillis = performance.now();
  }
};

async function send(address, options, signal) {
  const timeout = AbortSignal.timeout(PATIENCE_MILLIS);
  let response;
  let body;
  try {
    response = await fetch(address, {
      ...options,
      // A login page must not be taken for an answer.
      redirect: 'manual',
      cache: 'no-store',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      // Spring Security and proxies then answer 401 in place of a dialog of the browser.
      headers: {Accept: 'application/json', 'X-Requested-With': 'XMLHttpRequest', ...options?.headers}
    });
    body = await response.text();
  } catch (failure) {
    throw signal?.aborted ? failure : new Problem(timeout.aborted ? 'slow' : 'gone', 0);
  }
  const {status, ok, headers, type} = response;
  if (type === 'opaqueredirect' || (ok && headers.get('Content-Type')?.includes('html'))) {
    throw new Problem('login', 302);
  }
  let json;
  try {
    json = parse(body || '{}');
  } catch {
    throw new Problem(KINDS[status] ?? 'broken', status);
  }
  if (!ok) {
    // Boot's own errors name the path; their text is only the name of the status.
    const reason = json.path ? undefined : json.error;
    throw new Problem(status === 503 && !reason ? 'gone' : KINDS[status] ?? 'broken', status, reason);
  }
  return {json, node: headers.get('Wheel-Node'), headers};
}

function addressOf(path, parameters = {}) {
  const address = new URL(path, page);
  Object.entries(parameters).filter(([, value]) => value || value === 0).forEach(([key, value]) =>
    address.searchParams.set(key, value));
  return address;
}

/** Browsers resolve segments of dots, also encoded ones; so there is nothing at such a path. */
export const pathOf = id => id.split('/').map(part =>
  (/^\.{1,2}$/.test(part) ? part.replaceAll('.', '%252E') : encodeURIComponent(part))).join('/');

export async function settings(signal) {
  const {json, node} = await send(`${page}/settings`, {}, signal);
  nodes.takes(node);
  return json;
}

/** Reads. An answer of another node than the one that is shown is asked for again, twice. */
export async function get(path, parameters, signal) {
  for (let tries = 0; tries < 3; tries++) {
    const {json, node} = await send(addressOf(path, parameters), {}, signal);
    if (nodes.takes(node)) {
      return json;
    }
  }
  throw new Problem('otherNode', 0);
}

const kept = new Map();

/** Reads what costs the server more: the last answer at a path is good for so long. */
export async function seldom(path, parameters, millis, signal) {
  const key = JSON.stringify(parameters);
  const known = kept.get(path);
  // The browser's clock may have been set back.
  if (known?.key === key && Math.abs(Date.now() - known.readMillis) < millis) {
    return known.answer;
  }
  const answer = await get(path, parameters, signal);
  kept.set(path, {key, answer, readMillis: Date.now()});
  return answer;
}

/** The header that Spring Security requires, perhaps empty; null before the first POST. */
let csrf = null;

async function fetchToken() {
  const {headers} = await send(`${page}/token`,
    {headers: csrf ? {'Wheel-Csrf-Refused': Object.values(csrf).join()} : {}});
  const name = headers.get('Wheel-Csrf-Header');
  csrf = name ? {[name]: headers.get('Wheel-Csrf-Token')} : {};
}

/** Steers. Returns the answer, and the name of the node that has given it. */
export async function post(path, body) {
  if (!csrf) {
    await fetchToken();
  }
  try {
    return await postOnce(path, body);
  } catch (problem) {
    // The session and its token may have ended, or another form of the token is needed.
    if (![401, 403].includes(problem.status)) {
      throw problem;
    }
    await fetchToken();
    return postOnce(path, body);
  }
}

async function postOnce(path, body) {
  const {json, node} = await send(addressOf(path),
    {method: 'POST', headers: {'Content-Type': 'application/json', ...csrf}, body: JSON.stringify(body)});
  nodes.takes(node);
  return {json, node: node && nodes.nameOf(node)};
}

/** Explains a problem to the user: `[title, text]`. Other errors are rethrown. */
export function explain(problem, isSteering) {
  if (!(problem instanceof Problem)) {
    throw problem;
  }
  const [title, text] = (isSteering && STEERING[problem.kind]) || READING[problem.kind] || READING.broken;
  const {reason, status} = problem;
  const isSchedule = isSteering && problem.kind === 'bad' && SCHEDULE.test(reason);
  return [`${isSchedule ? 'Invalid schedule' : title}.`,
    joined([reason && `${reason}.`, (!reason || problem.kind === 'denied') && text, status && `(status ${status})`], ' ')];
}

/** The rule that a schedule breaks begins with the name of its field. */
const SCHEDULE = /^(cron|fixedRate|fixedDelay|once|zone|exactly one)\b/i;

const READING = {
  notExposed: ['The endpoint wheelscheduler is not exposed', 'This page reads from it. Set in the application '
    + 'management.endpoints.web.exposure.include=wheeldashboard,wheelscheduler and, to steer tasks, '
    + 'management.endpoint.wheelscheduler.access=unrestricted'],
  gone: ['The application does not answer', 'Trying again; the data shown is old.'],
  away: ['Not available now', 'Trying again.'],
  slow: ['The application is slow', 'It has not answered for 20 s; trying again.'],
  login: ['You are not signed in', 'Sign in, or sign in again if your session has expired.'],
  denied: ['Access denied', 'The security rules of the application do not let you see this.'],
  missing: ['Not found', 'It no longer exists, or the endpoint is not exposed.'],
  noDurable: ['Durable tasks are not available',
    'The application has none, or the endpoint wheeldurable is not exposed.'],
  noHistory: ['The history is not available',
    'The application has no wheel-scheduler-history, or the endpoint wheelhistory is not exposed.'],
  noScheduler: ['No scheduler of this application uses the wheel', 'There is nothing to show.'],
  bad: ['Invalid request', 'Check the filter and the values in the address.'],
  broken: ['Unexpected answer', 'The application, or a proxy in front of it, answered with an error.']
};

const UNKNOWN = ['Outcome unknown', 'There was no answer. Check the state before you try again.'];

const STEERING = {
  gone: UNKNOWN,
  slow: UNKNOWN,
  login: ['Not done: you are not signed in', 'Sign in and try again.'],
  denied: ['Not done: permission denied',
    'You lack the role, or the CSRF token or the origin of the request was refused.'],
  missing: ['Not done: it no longer exists', 'Refresh the page.'],
  readonly: ['Not done: the endpoint is read-only',
    'Steering needs management.endpoint.<endpoint>.access=unrestricted.'],
  conflict: ['Not possible in its current state', 'Check what it is doing now.'],
  bad: ['Invalid request', 'Change what you entered.'],
  type: ['Not done: the JSON did not arrive', 'A proxy may have changed the request.']
};
