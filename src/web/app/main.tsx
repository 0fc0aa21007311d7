// The entry of the page: styles, client, events, and the app.
import { createRoot } from 'react-dom/client';
import { makeClient } from '../client/index.ts';
import { App, loadPage } from './app.tsx';
import {
  applyTheme,
  findToken,
  forgetToken,
  PageEvents,
  readerNow,
  readTheme,
  showNoToken,
  startRouter,
} from './page/index.ts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/library.css';
import './styles/usage.css';
import './styles/people.css';
import './styles/health.css';
import './styles/live.css';
import './styles/session.css';
import './styles/outline.css';
import './styles/conversation.css';
import './styles/calls.css';
import './styles/code.css';
import './styles/find/find.css';
import './styles/find/search.css';
import './styles/actions/all.css';
import './styles/reading/attached.css';
import './styles/session/side.css';
import './styles/reading/view.css';
import './styles/reading/refused.css';
import './styles/reading/paper.css';
import './styles/reading/json.css';
import './styles/reading/images.css';
import './styles/reading/numbers.css';
import './styles/phone.css';

applyTheme(readTheme());
// Both at once: the page is shown when it is there, not with a moment of waiting.
const [token] = await Promise.all([findToken(), loadPage(location.pathname, location.search)]);
if (token === undefined) showNoToken();
else start(token);

function start(given: string): void {
  startRouter();
  const onTokenRefused = (): void => {
    forgetToken();
    showNoToken();
  };
  const client = makeClient({ token: given, onTokenRefused });
  const events = new PageEvents(client, {
    isHidden: () => document.visibilityState === 'hidden',
    onChange: (listener) => document.addEventListener('visibilitychange', listener),
  });
  const root = document.getElementById('root');
  if (root !== null) createRoot(root).render(<App services={{ client, events, readNow: readerNow(given) }} />);
}
