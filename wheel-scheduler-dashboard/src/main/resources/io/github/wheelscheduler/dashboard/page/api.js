// Talks to the endpoints, and says in words what goes wrong.
import {parse} from './json.js';

const PATIENCE_MILLIS = 20_000;

/** After that long without the node that is shown, another one takes its place. */
const MISSED_MILLIS = 120_000;

const AGAIN_ON_OTHER_NODE = 2;

// The address of the page without a slash at its end, whichever way it was opened: all others are relative to it.
const page = import.meta.url.replace(/\/[^/]*$/, '');

/** Why there is no answer that can be shown. Its kind decides what the page says. */
export class Problem extends Error {
  constructor(kind, status, reason, body) {
    super(reason ?? kind);
    this.kind = kind;
    this.status = status;
    this.reason = reason;
    this.body = body;
  }
}

const KIND_OF_STATUS = {
  400: 'bad', 401: 'login', 403: 'denied', 404: 'missing', 405: 'readonly', 409: 'conflict', 415: 'type', 502: 'gone', 504: 'gone'
};

/**
 * What is known of the nodes behind this address. The page shows one of them, the first that has answered, until it is restarted or
 * somebody wants to see another.
 */
export const nodes = {
  shown: null,
  other: null,
  restarts: 0,
  heardMillis: 0,
  names: new Map(),
  replaced: new Set(),

  get areSeveral() {
    return this.other !== null;
  },

  nameOf(header) {
    const end = header.lastIndexOf('#');
    try {
      return decodeURIComponent(header.slice(0, end));
    } catch {
      return header.slice(0, end);
    }
  },

  /** Returns whether an answer is to be shown that a node has given. */
  takes(header) {
    if (!header) {
      return true;
    }
    const now = Date.now();
    this.names.set(header, this.nameOf(header));
    if (this.shown === null || header === this.shown) {
      this.shown = header;
      this.heardMillis = now;
      return true;
    }
    // The same name with another id is a process that has been restarted, unless the one before still answers.
    const isRestart = !this.areSeveral && !this.replaced.has(header)
        && this.names.get(header) === this.names.get(this.shown);
    if (isRestart) {
      this.replaced.add(this.shown);
      this.restarts++;
    } else {
      this.other = header;
    }
    if (isRestart || now - this.heardMillis > MISSED_MILLIS) {
      this.other = isRestart ? null : this.shown;
      this.shown = header;
      this.heardMillis = now;
      return true;
    }
    return false;
  },

  /** Shows the other node from now on. */
  swap() {
    [this.shown, this.other] = [this.other, this.shown];
    this.heardMillis = Date.now();
  }
};

async function send(address, options = {}, signal) {
  const timeout = AbortSignal.timeout(PATIENCE_MILLIS);
  let response;
  let body;
  try {
    response = await fetch(address, {
      ...options,
      // A login page must not be taken for an answer.
      redirect: 'manual',
      credentials: 'same-origin',
      cache: 'no-store',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      // Spring Security and proxies then answer 401 in place of a dialog of the browser.
      headers: {Accept: 'application/json', 'X-Requested-With': 'XMLHttpRequest', ...options.headers}
    });
    body = await response.text();
  } catch (failure) {
    if (signal?.aborted) {
      throw failure;
    }
    throw new Problem(timeout.aborted ? 'slow' : 'gone', 0);
  }
  const isHtml = response.headers.get('Content-Type')?.includes('html');
  if (response.type === 'opaqueredirect' || response.redirected || (response.ok && isHtml)) {
    throw new Problem('login', 302);
  }
  const json = readable(body);
  if (!response.ok) {
    // Boot's own errors name the path; their text is the name of the status.
    const reason = json && !json.path ? json.error : undefined;
    // A proxy says so in place of an application that is not there; the endpoint of durable tasks, with a reason.
    const isGone = response.status === 503 && !reason;
    throw new Problem(isGone ? 'gone' : KIND_OF_STATUS[response.status] ?? 'broken', response.status, reason, json);
  }
  if (json === undefined) {
    throw new Problem('broken', response.status, 'The answer is no JSON');
  }
  return {json, headers: response.headers};
}

function readable(body) {
  try {
    return body === '' ? {} : parse(body);
  } catch {
    return undefined;
  }
}

function addressOf(path, parameters) {
  const address = new URL(path, page);
  for (const [key, value] of Object.entries(parameters ?? {})) {
    if (value !== undefined && value !== null && value !== '') {
      address.searchParams.set(key, value);
    }
  }
  return address;
}

/** The path of an id: its slashes stay. */
export function pathOf(id) {
  return id.split('/').map(encodeURIComponent).join('/');
}

/** What the server says of itself: where the endpoints are. */
export async function settings(signal) {
  const {json, headers} = await send(`${page}/settings`, {}, signal);
  nodes.takes(headers.get('Wheel-Node'));
  return json;
}

/** Reads; an answer of another node than the one that is shown is asked for again, and then refused. */
export async function get(path, parameters, signal) {
  for (let tries = 0; ; tries++) {
    const {json, headers} = await send(addressOf(path, parameters), {}, signal);
    if (nodes.takes(headers.get('Wheel-Node'))) {
      return json;
    }
    if (tries === AGAIN_ON_OTHER_NODE) {
      throw new Problem('otherNode', 200);
    }
  }
}

/** The header that Spring Security wants to see; empty where it wants none, null before the first POST. */
let csrf = null;

async function fetchToken() {
  const {headers} = await send(`${page}/token`);
  const name = headers.get('Wheel-Csrf-Header');
  csrf = name ? {[name]: headers.get('Wheel-Csrf-Token')} : {};
}

/** Steers. Returns what is said of it, and the name of the node that has done it. */
export async function post(path, body) {
  const isFresh = csrf === null;
  if (isFresh) {
    await fetchToken();
  }
  try {
    return await postOnce(path, body);
  } catch (problem) {
    // The session may have ended, or the application begun anew, and the token with it; some chains say 401 then.
    if (isFresh || !(problem.status === 403 || problem.status === 401)) {
      throw problem;
    }
    await fetchToken();
    return await postOnce(path, body);
  }
}

async function postOnce(path, body) {
  const {json, headers} = await send(addressOf(path), {
    method: 'POST',
    headers: {'Content-Type': 'application/json', ...csrf},
    body: JSON.stringify(body)
  });
  const node = headers.get('Wheel-Node');
  nodes.takes(node);
  return {json, node: node ? nodes.nameOf(node) : null};
}

/** What a problem means to the person before the screen: a title, a text, and whether signing in helps. */
export function explain(problem, isSteering = false) {
  const [title, text] = (isSteering && STEERING[problem.kind]) || READING[problem.kind] || READING.broken;
  const status = problem.status && problem.kind !== 'otherNode' ? ` (status ${problem.status})` : '';
  return {
    title,
    text: `${problem.reason ? `${problem.reason}. ` : ''}${text}${status}`,
    canSignIn: problem.kind === 'login'
  };
}

const READING = {
  gone: ['The application does not answer', 'It is tried again until it does; what is shown is from before.'],
  slow: ['The application is slow to answer', 'It has not answered for 20 s; it is tried again.'],
  login: ['You are not signed in', 'The application wants you to sign in first, or your session has ended.'],
  denied: ['You may not see this', 'You are signed in as somebody whom the security rules of the application keep out.'],
  missing: ['There is no such thing', 'It is not there any more, or the endpoint is not exposed on this node.'],
  readonly: ['This is not allowed here', 'The endpoint does not take such requests.'],
  conflict: ['This cannot be done now', 'The state of things does not allow it.'],
  bad: ['The server does not understand this', 'A filter or a value in the address may be wrong.'],
  type: ['The server does not take this', 'Something between here and the application has changed the request.'],
  otherNode: ['Another node answers', 'What is shown is from the node that answered first.'],
  broken: ['The answer cannot be read', 'The application, or a proxy before it, has answered with an error.']
};

const STEERING = {
  gone: ['Nobody knows whether it was done', 'The application did not answer. Look at the state before you try again.'],
  slow: ['Nobody knows whether it was done', 'There was no answer for 20 s. Look at the state before you try again.'],
  login: ['Not done: you are not signed in', 'Sign in, and try again.'],
  denied: ['Not done: you may not steer', 'You lack the right, the CSRF token was refused, or the request came from another site.'],
  missing: ['Not done: it is gone', 'There is no such task or scheduler any more.'],
  readonly: ['Not done: only reading is allowed',
    'Steering needs management.endpoint.<endpoint>.access=unrestricted in the application.'],
  conflict: ['Not done: its state does not allow it', 'Look at what it does now.'],
  bad: ['Not done: the request makes no sense', 'Change what you have entered.'],
  type: ['Not done: JSON did not arrive', 'Something between here and the application has changed the type of the request.'],
  broken: ['Not done, or not answered', 'The application has answered with an error.']
};
