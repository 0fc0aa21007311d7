// The server's token: taken from the fragment of the printed address and kept in this tab's session storage. A new tab
// asks the open tabs. Storage and channel belong to one origin, port included, so a server on another port gets nothing.

const storageKey = 'clew-token';
const channelName = 'clew-token';
const otherTabsMs = 400;

type ChannelMessage = { readonly asks: true } | { readonly token: string };

let current: string | undefined;

/** `undefined`: this tab has none, and no other tab gave one. */
export async function findToken(): Promise<string | undefined> {
  const given = takeFromAddress();
  if (given !== undefined) keep(given);
  current = given ?? readKept() ?? (await askOtherTabs());
  if (current !== undefined) keep(current);
  answerOtherTabs();
  // Opening the printed address in this tab changes only the fragment and loads nothing.
  addEventListener('hashchange', () => {
    const fresh = takeFromAddress();
    if (fresh === undefined) return;
    keep(fresh);
    location.reload();
  });
  return current;
}

/** After a refusal: the next load asks the other tabs for a newer token. */
export function forgetToken(): void {
  current = undefined;
  try {
    sessionStorage.removeItem(storageKey);
  } catch {
    // storage is disabled
  }
}

/** Shows the note of index.html instead of the page. */
export function showNoToken(): void {
  const root = document.getElementById('root');
  const note = document.getElementById('no-token');
  if (root === null || note === null) return;
  // The address may come from anywhere: only a session id goes into the command.
  const id = /^\/s\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(location.pathname)?.[1];
  const command = document.getElementById('no-token-command');
  if (id !== undefined && command !== null) command.textContent = `clew open ${id}`;
  root.hidden = true;
  note.hidden = false;
}

/** Removes the token from the address bar, so that history and bookmarks do not keep it. */
function takeFromAddress(): string | undefined {
  const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  if (token !== undefined) history.replaceState(history.state, '', location.pathname + location.search);
  return token;
}

function keep(token: string): void {
  try {
    sessionStorage.setItem(storageKey, token);
  } catch {
    // storage is disabled: the token lasts as long as the page
  }
}

function readKept(): string | undefined {
  try {
    return sessionStorage.getItem(storageKey) ?? undefined;
  } catch {
    return undefined; // storage is disabled
  }
}

function askOtherTabs(): Promise<string | undefined> {
  const channel = new BroadcastChannel(channelName);
  return new Promise<string | undefined>((resolve) => {
    setTimeout(() => resolve(undefined), otherTabsMs);
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
