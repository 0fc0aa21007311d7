// The entry of an exported file: the session page with the data embedded in the file. For printing, all turns are
// rendered at once.
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { embeddedSource, readPrintable } from './session/embedded/index.ts';
import { PrintPage, SessionPage } from './session/index.ts';
import { loadWordDiff } from './session/text/index.ts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/session.css';
import './styles/outline.css';
import './styles/conversation.css';
import './styles/calls.css';
import './styles/code.css';
import './styles/find/find.css';
import './styles/actions/copy.css';
import './styles/reading/attached.css';
import './styles/reading/view.css';
import './styles/reading/refused.css';
import './styles/reading/json.css';
import './styles/reading/images.css';
import './styles/reading/numbers.css';
import './styles/phone.css';
import './standalone.css';

const source = embeddedSource();
const root = document.getElementById('root');
if (root !== null) {
  const page = createRoot(root);
  let visit = 0;
  const show = (): void => page.render(<SessionPage key={visit} source={source} />);
  show();
  addEventListener('popstate', () => {
    // The skip link jumps within the page and does not change the place in the session.
    if (location.hash === '#conversation') return;
    visit++;
    show();
  });
}

const paper = document.getElementById('print');
if (paper !== null) {
  const sheet = createRoot(paper);
  void loadWordDiff(); // it is in this file; the paper is drawn at once
  // The browser prints what is rendered when its event handlers return.
  addEventListener('beforeprint', () =>
    flushSync(() => sheet.render(<PrintPage source={source} pages={readPrintable()} />)),
  );
  addEventListener('afterprint', () => sheet.render(null));
}
