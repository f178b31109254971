// Talks to the endpoints, and says in words what goes wrong.
import {parse} from './json.js';

const PATIENCE_MILLIS = 20_000;

const MISSED_MILLIS = 120_000;

/** The address of the page without a slash at its end, however it was opened: all others are relative to it. */
const page = import.meta.url.replace(/\/[^/]*$/, '');

/** Why there is no answer. Its kind decides what the page says. */
export class Problem extends Error {
  constructor(kind, status, reason) {
    super(reason ?? kind);
    Object.assign(this, {kind, status, reason});
  }
}

const KINDS = {400: 'bad', 401: 'login', 403: 'denied', 404: 'missing', 405: 'readonly', 409: 'conflict', 415: 'type',
  502: 'gone', 504: 'gone'};

/** The nodes behind this address. The first that answers is shown, until another one is asked for. */
export const nodes = {
  shown: null,
  other: null,
  restarts: 0,
  heardMillis: 0,
  replaced: new Set(),

  nameOf: header => decodeURIComponent(header.split('#')[0]),

  /** Returns whether an answer of that node is to be shown. */
  takes(header) {
    const isOther = header && this.shown && header !== this.shown;
    // The same name with another id is a process that was restarted, unless the one before still answers.
    if (isOther && !this.other && !this.replaced.has(header) && this.nameOf(header) === this.nameOf(this.shown)) {
      this.replaced.add(this.shown);
      this.restarts++;
    } else if (isOther) {
      this.other = header;
      if (Date.now() - this.heardMillis < MISSED_MILLIS) {
        return false;
      }
      this.swap();
    }
    this.shown = header || this.shown;
    this.heardMillis = Date.now();
    return true;
  },

  swap() {
    [this.shown, this.other] = [this.other, this.shown];
    this.heardMillis = Date.now();
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

export const pathOf = id => id.split('/').map(encodeURIComponent).join('/');

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

/** The header that Spring Security wants to see; empty where it wants none, null before the first POST. */
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
    // The session may have ended, and the token with it, or it is wanted in another form; some chains say 401 then.
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

/** What a problem means to who sees it: `[title, text]`. What is no problem is thrown on. */
export function explain(problem, isSteering) {
  if (!(problem instanceof Problem)) {
    throw problem;
  }
  const [title, text] = (isSteering && STEERING[problem.kind]) || READING[problem.kind] || READING.broken;
  return [`${title}.`,
    `${problem.reason ? `${problem.reason}. ` : ''}${text}${problem.status ? ` (status ${problem.status})` : ''}`];
}

const READING = {
  notExposed: ['The endpoint of the scheduler is not exposed', 'This page reads from it. Set in the application '
    + 'management.endpoints.web.exposure.include=wheeldashboard,wheelscheduler and, to steer, '
    + 'management.endpoint.wheelscheduler.access=unrestricted'],
  gone: ['The application does not answer', 'It is tried again until it does; what is shown is from before.'],
  slow: ['The application is slow', 'It has not answered for 20 s, and is tried again.'],
  login: ['You are not signed in', 'The application wants you to sign in first, or your session has ended.'],
  denied: ['You may not see this', 'The security rules of the application do not let you.'],
  missing: ['There is no such thing', 'It has gone, or the endpoint is not exposed.'],
  noScheduler: ['This application has no scheduler on the wheel', 'So there is nothing to show.'],
  bad: ['The server does not understand this', 'A filter or a value in the address may be wrong.'],
  broken: ['There is no answer that can be shown', 'The application, or a proxy before it, has answered with an error.']
};

const UNKNOWN = ['Nobody knows whether it was done', 'There was no answer. Look at the state before you try again.'];

const STEERING = {
  gone: UNKNOWN,
  slow: UNKNOWN,
  login: ['Not done: you are not signed in', 'Sign in, and try again.'],
  denied: ['Not done: you may not steer',
    'You lack the right, or the CSRF token or the origin of the request was refused.'],
  missing: ['Not done: it is gone', 'There is nothing of that name any more.'],
  readonly: ['Not done: only reading is allowed', 'Steering needs management.endpoint.<endpoint>.access=unrestricted.'],
  conflict: ['Not done: its state does not allow it', 'Look at what it does now.'],
  bad: ['Not done: the request makes no sense', 'Change what you have entered.'],
  type: ['Not done: JSON did not arrive', 'Something on the way has changed the request.']
};
