// What tests ask inside the browser, as text: the types of a browser do not belong to a program of Node.

export const isAtEnd: string = `(() => {
  const main = document.getElementById('conversation');
  return main.scrollHeight - main.scrollTop - main.clientHeight < 4;
})()`;

/** Goes down in sixty steps, as fast as the browser draws; answers how often the middle of the screen was empty. */
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

/** Jumps to a share of the whole; of a hundred places down the screen, those without a row; of rows that wait, those without a word on the screen. */
export function emptyPlacesAt(share: number): string {
  return `(async () => {
    const main = document.getElementById('conversation');
    main.scrollTop = (main.scrollHeight - main.clientHeight) * ${share};
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

/** Before anything of the page: what would run, and what the policy of the page would have to stop. */
export const spyOnPage: string = `
  window.canaryRan = 0;
  window.canary = () => { window.canaryRan++; };
  window.violations = [];
  document.addEventListener('securitypolicyviolation', (event) => window.violations.push(event.violatedDirective));
`;

/** Before anything of the page: it never hears that an image is broken. */
export const withoutImageErrors: string = `
  window.brokenImages = 0;
  document.addEventListener('error', (event) => {
    if (event.target.tagName !== 'IMG') return;
    window.brokenImages++;
    event.stopImmediatePropagation();
  }, true);
`;

/** Before anything of the page: what waits 400 ms or longer is due as soon as the address has changed: nothing may then write the old one again. */
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

/** Kept between the scripts below: what stands on the screen, and what of it is not as it should be. */
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
      // What a browser shows in a tip, and reads aloud.
      if (/^(title|alt|placeholder|label|aria-.*)$/.test(name)) checkText(element.tagName + ' ' + name, value);
    }
    // A class that a transcript chose.
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

/** What is in the page now; answers what is wrong with it, and its text. */
export const lookOnce: string = `(async () => {${looking}
  await frames();
  look();
  return reading();
})()`;

/**
 * Goes through a page from its top to its end, opens all that is folded and shows more of all that is cut, as a reader may
 * do; answers what went wrong on the way, and all the text that was seen.
 */
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
    // What is in the page was looked at, on the screen or below it: on to where it ends.
    const end = [...main.querySelectorAll('.row')].at(-1)?.getBoundingClientRect().bottom ?? 0;
    main.scrollTop += Math.max(main.clientHeight * 0.8, end - main.getBoundingClientRect().bottom);
    await frames();
    if (main.scrollTop <= before + 1) break;
  }
  return reading();
})()`;
