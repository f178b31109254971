// The page's own state, all of it in the query of its address, so that reload, back and a sent link show the same.

const KNOWN = ['view', 'id', 'scheduler', 'group', 'text', 'state', 'sort', 'order', 'offset', 'limit', 'handler', 'after', 'live'];

/** What stays when one goes from view to view. */
const KEPT = ['live'];

/** The state that the address says; members that are not given are absent. */
export function read() {
  const given = new URLSearchParams(location.search);
  return Object.fromEntries(KNOWN.filter(key => given.get(key)).map(key => [key, given.get(key)]));
}

/** The address of another view. */
export function to(state) {
  const now = read();
  const kept = Object.fromEntries(KEPT.filter(key => now[key]).map(key => [key, now[key]]));
  return written({...kept, ...state});
}

/** The address of this view with something changed; an empty value takes it away. */
export function changed(changes) {
  return written({...read(), ...changes});
}

function written(state) {
  const query = new URLSearchParams(Object.entries(state).filter(([, value]) => value));
  return query.size ? `?${query}` : location.pathname;
}

/** Goes to an address of ours, and remembers how far this one was scrolled. */
export function go(address, isReplacing = false) {
  if (isReplacing) {
    history.replaceState(history.state, '', address);
  } else {
    history.replaceState({scroll: scrollY}, '');
    history.pushState(null, '', address);
  }
  dispatchEvent(new Event('wheel-address'));
}

/** The address of the view of a task. */
export function ofTask(task) {
  return to({view: 'task', id: task.id, scheduler: task.scheduler});
}
