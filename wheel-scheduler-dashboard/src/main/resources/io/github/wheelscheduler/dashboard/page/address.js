// The page's own state lies in its address, so that reload, back and a sent link show the same.

export const read = (search = location.search) =>
  Object.fromEntries([...new URLSearchParams(search)].filter(([, value]) => value));

/** The address of another view; how often it is looked stays. */
export const to = state => written({live: read().live, ...state});

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

export const ofTask = ({id, scheduler}) => to({view: 'task', id, scheduler});
