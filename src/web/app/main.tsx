// The page: the address → what is shown.
import { createRoot } from 'react-dom/client';
import { Client } from '../client.ts';
import { httpSource, type PageClient } from './session/http-source.ts';
import { SessionPage } from './session/session-page.tsx';
import './styles/tokens.css';
import './styles/base.css';
import './styles/session.css';
import './styles/outline.css';
import './styles/conversation.css';
import './styles/calls.css';
import './styles/code.css';
import './styles/phone.css';

const client: PageClient = new Client();
const root = document.getElementById('root');
if (root !== null) createRoot(root).render(<App path={location.pathname} />);

function App({ path }: { readonly path: string }) {
  const key = /^\/s\/([^/]+)$/.exec(path)?.[1];
  if (key !== undefined) return <SessionPage source={httpSource(client, decodeURIComponent(key))} />;
  return (
    <main className="message-page">
      <h1>Clew</h1>
      <p>There is no such page.</p>
    </main>
  );
}
