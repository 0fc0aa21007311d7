// The key to the server: from the fragment of the printed address into this tab's memory, out of sight. Storage and channel
// belong to one origin, port included, so that a server on another port gets nothing. A new tab asks the open ones.

const storageKey = 'clew-token';
const channelName = 'clew-token';
const patienceMs = 400;

type ChannelMessage = { readonly asks: true } | { readonly token: string };

let current: string | undefined;

/** `undefined`: this tab has none, and no other tab gave one. */
export async function findToken(): Promise<string | undefined> {
  const given = takeFromAddress();
  if (given !== undefined) keep(given);
  current = given ?? readKept() ?? (await askOtherTabs());
  if (current !== undefined) keep(current);
  answerOtherTabs();
  // The printed address, opened in a tab that is here already, changes the fragment and loads nothing.
  addEventListener('hashchange', () => {
    const fresh = takeFromAddress();
    if (fresh === undefined) return;
    keep(fresh);
    location.reload();
  });
  return current;
}

/** It was refused: a load of this page asks the other tabs for a newer one. */
export function forgetToken(): void {
  current = undefined;
  try {
    sessionStorage.removeItem(storageKey);
  } catch {
    // storage is switched off
  }
}

/** Shows the note that index.html carries instead of the page. */
export function showNoToken(): void {
  const root = document.getElementById('root');
  const note = document.getElementById('no-token');
  if (root === null || note === null) return;
  // An address can be a stranger's: only what is the id of a session is repeated in a command.
  const id = /^\/s\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(location.pathname)?.[1];
  const command = document.getElementById('no-token-command');
  if (id !== undefined && command !== null) command.textContent = `clew open ${id}`;
  root.hidden = true;
  note.hidden = false;
}

/** Out of the address bar, the history and what is bookmarked from here. */
function takeFromAddress(): string | undefined {
  const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  if (token !== undefined) history.replaceState(history.state, '', location.pathname + location.search);
  return token;
}

function keep(token: string): void {
  try {
    sessionStorage.setItem(storageKey, token);
  } catch {
    // storage is switched off: it lasts until this page is left
  }
}

function readKept(): string | undefined {
  try {
    return sessionStorage.getItem(storageKey) ?? undefined;
  } catch {
    return undefined; // storage is switched off
  }
}

function askOtherTabs(): Promise<string | undefined> {
  const channel = new BroadcastChannel(channelName);
  return new Promise<string | undefined>((resolve) => {
    setTimeout(() => resolve(undefined), patienceMs);
    channel.addEventListener('message', ({ data }: MessageEvent<ChannelMessage>) => {
      if ('token' in data) resolve(data.token);
    });
    channel.postMessage({ asks: true } satisfies ChannelMessage);
  }).finally(() => channel.close());
}

function answerOtherTabs(): void {
  const channel = new BroadcastChannel(channelName);
  channel.addEventListener('message', ({ data }: MessageEvent<ChannelMessage>) => {
    if ('asks' in data && current !== undefined) channel.postMessage({ token: current } satisfies ChannelMessage);
  });
}
