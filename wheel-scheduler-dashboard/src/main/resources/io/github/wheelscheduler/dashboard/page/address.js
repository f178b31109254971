// The page's own state, all of it in the query of its address, so that reload, back and a sent link show the same.

const KNOWN = ['view', 'id', 'scheduler', 'group', 'text', 'state', 'sort', 'order', 'offset', 'limit', 'handler', 'after', 'live'];

/** The state that the address says; members that are not given are absent. */
export function read() {
  const given = new URLSearchParams(location.search);
  return Object.fromEntries(KNOWN.filter(key => given.get(key)).map(key => [key, given.get(key)]));
}

/** The address of another view; how often it is looked stays. */
export const to = state => written({live: read().live, ...state});

/** The address of this view with something changed; an empty value takes it away. */
export const changed = changes => written({...read(), ...changes});

function written(state) {
  const query = new URLSearchParams(Object.entries(state).filter(([, value]) => value));
  return query.size ? `?${query}` : location.pathname;
}

/** Goes to an address of ours, and remembers how far this one was scrolled. */
export function go(address, isReplacing) {
  history.replaceState({scroll: scrollY}, '', isReplacing ? address : undefined);
  if (!isReplacing) {
    history.pushState(null, '', address);
  }
  dispatchEvent(new Event('wheel-address'));
}

/** The address of the view of a task. */
export const ofTask = ({id, scheduler}) => to({view: 'task', id, scheduler});
