// Scripts that tests run in the browser, as text: the tests compile without the browser's types.

export const isAtEnd: string = `(() => {
  const main = document.getElementById('conversation');
  return main.scrollHeight - main.scrollTop - main.clientHeight < 4;
})()`;

/** Scrolls down in sixty steps, one per frame; returns how often the middle of the screen was empty. */
export const countBlanks: string = `(async () => {
  const main = document.getElementById('conversation');
  let empty = 0;
  for (let i = 0; i < 60; i++) {
    main.scrollTop += main.scrollHeight / 60;
    await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    const { left, top, height } = main.getBoundingClientRect();
    const there = document.elementFromPoint(left + 200, top + height / 2);
    if (there === null || there.closest('.row') === null) empty++;
  }
  return empty;
})()`;

/** Jumps to a share of the whole; returns the positions without a row, and the loading rows without a visible word. */
export function emptyPlacesAt(share: number): string {
  return `(async () => {
    const main = document.getElementById('conversation');
    // In a busy browser the event of the jump may come a frame later.
    const heard = new Promise((resolve) => main.addEventListener('scroll', resolve, { once: true }));
    main.scrollTop = (main.scrollHeight - main.clientHeight) * ${share};
    await heard;
    await new Promise(requestAnimationFrame);
    const { left, top, bottom, height } = main.getBoundingClientRect();
    const rowAt = (place) => document.elementFromPoint(left + 200, top + (height * place) / 100)?.closest('.row');
    const empty = Array.from({ length: 99 }, (_, i) => rowAt(i + 1)).filter((row) => row == null).length;
    const isSeen = (box, least) => Math.min(box.bottom, bottom) - Math.max(box.top, top) >= least;
    const waiting = [...document.querySelectorAll('.loading')];
    if (waiting.length === 0) throw new Error('all turns were there');
    const unnamed = waiting.filter(
      (each) => isSeen(each.getBoundingClientRect(), 80) && !isSeen(each.querySelector('p').getBoundingClientRect(), 10),
    ).length;
    return { empty, unnamed };
  })()`;
}

/** Runs before the page: records what ran and what the policy blocked. */
export const spyOnPage: string = `
  window.canaryRan = 0;
  window.canary = () => { window.canaryRan++; };
  window.violations = [];
  document.addEventListener('securitypolicyviolation', (event) => window.violations.push(event.violatedDirective));
`;

/** Runs before the page: hides the errors of broken images. */
export const withoutImageErrors: string = `
  window.brokenImages = 0;
  document.addEventListener('error', (event) => {
    if (event.target.tagName !== 'IMG') return;
    window.brokenImages++;
    event.stopImmediatePropagation();
  }, true);
`;

/** Runs before the page: timers of 400 ms and longer fire as soon as the address changes, and must not write the old one. */
export const dueWithPush: string = `{
  const waiting = new Map();
  const { setTimeout: wait, clearTimeout: forget } = window;
  window.setTimeout = (work, ms, ...rest) => {
    const id = wait(() => { waiting.delete(id); work(...rest); }, ms);
    if (ms >= 400) waiting.set(id, () => work(...rest));
    return id;
  };
  window.clearTimeout = (id) => { waiting.delete(id); forget(id); };
  const push = history.pushState;
  history.pushState = function (...entry) {
    push.apply(this, entry);
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => { for (const [id, work] of [...waiting]) { clearTimeout(id); work(); } };
    port2.postMessage(null);
  };
}`;

/** Shared by the scripts below: the visible text, and the faults found so far. */
const looking = `
  const frames = async () => { for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame); };
  const seen = new Set();
  const found = { foreign: new Set(), links: new Set(), wide: new Set(), steering: new Set() };
  const hostile = /[\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]/;
  const shown = () => [...document.body.children].filter((each) => !/^(SCRIPT|NOSCRIPT)$/.test(each.tagName));
  const checkText = (where, text) => {
    const at = text.search(hostile);
    if (at >= 0) found.steering.add(where + ': ' + JSON.stringify(text.slice(Math.max(0, at - 40), at + 10)));
  };
  const checkElement = (element) => {
    if (/^(script|style|iframe|object|embed|link|base|meta|video|audio)$/i.test(element.tagName)) found.foreign.add(element.tagName);
    for (const { name, value } of element.attributes) {
      if (/^(on.*|action|formaction)$/.test(name) || (name === 'src' && !/^(data:image\\/(png|jpeg|gif|webp);|blob:http:\\/\\/127)/.test(value))) found.foreign.add(name + '=' + value.slice(0, 80));
      // Text in tooltips and for screen readers.
      if (/^(title|alt|placeholder|label|aria-.*)$/.test(name)) checkText(element.tagName + ' ' + name, value);
    }
    // A class from the transcript.
    if (element.matches('.drawer:not(dialog)')) found.foreign.add('class ' + element.className);
    if (element.tagName === 'OPTION') checkText('OPTION', element.textContent);
    if (element.tagName === 'A' && !/^(https?:|mailto:|#)/.test(element.getAttribute('href') ?? '') && !element.href.replace(/^blob:/, '').startsWith(location.origin + '/'))
      found.links.add(element.getAttribute('href'));
  };
  const look = () => {
    const root = shown();
    const text = root.map((each) => each.innerText).join('\\n');
    for (const line of text.split('\\n')) seen.add(line.slice(0, 2000));
    checkText('text', text);
    checkText('title of the page', document.title);
    for (const element of root.flatMap((each) => [...each.querySelectorAll('*')])) checkElement(element);
    for (const element of [document.documentElement, ...document.querySelectorAll('main, nav, header, dialog, section, article')]) {
      if (element.scrollWidth > element.clientWidth + 1 && !/hidden|clip|auto/.test(getComputedStyle(element).overflowX) && element.clientWidth > 0)
        found.wide.add(element.tagName + '.' + element.className + ' ' + element.scrollWidth + ' > ' + element.clientWidth);
    }
  };
  const reading = () => ({
    ran: window.canaryRan, violations: window.violations,
    foreign: [...found.foreign], links: [...found.links], wide: [...found.wide], steering: [...found.steering],
    text: [...seen].join('\\n'),
  });
`;

/** Checks the page as it is; returns its faults and its text. */
export const lookOnce: string = `(async () => {${looking}
  await frames();
  look();
  return reading();
})()`;

/** Scrolls through a page, opens everything folded or cut, and returns the faults and all text that was seen. */
export const readThrough: string = `(async () => {${looking}
  const main = document.querySelector('main');
  const opened = new WeakSet();
  const open = async () => {
    for (let round = 0; round < 5; round++) {
      const folded = [...main.querySelectorAll('button[aria-expanded="false"], button.more, summary')]
        .filter((button) => !opened.has(button) && !button.disabled);
      if (folded.length === 0) return;
      for (const button of folded) { opened.add(button); button.click(); }
      const isBusy = () => [...main.querySelectorAll('button.more:disabled, .agent p.quiet')].some((each) => each.textContent.startsWith('Loading'));
      for (let i = 0; i < 500 && isBusy(); i++) await frames();
      await frames();
    }
  };
  for (let step = 0; step < 400; step++) {
    for (let i = 0; i < 500 && main.querySelector('.loading') !== null; i++) await frames();
    await open();
    look();
    const before = main.scrollTop;
    // Everything rendered was checked: continue at its end.
    const end = [...main.querySelectorAll('.row')].at(-1)?.getBoundingClientRect().bottom ?? 0;
    main.scrollTop += Math.max(main.clientHeight * 0.8, end - main.getBoundingClientRect().bottom);
    await frames();
    if (main.scrollTop <= before + 1) break;
  }
  return reading();
})()`;
