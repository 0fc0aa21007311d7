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

/** Before anything of the page: what would run, and what the policy of the page would have to stop. */
export const spyOnPage: string = `
  window.canaryRan = 0;
  window.canary = () => { window.canaryRan++; };
  window.violations = [];
  document.addEventListener('securitypolicyviolation', (event) => window.violations.push(event.violatedDirective));
`;

export const stateOfPage: string = `(() => ({
  ran: window.canaryRan,
  violations: window.violations,
  wide: document.documentElement.scrollWidth > innerWidth,
  wideMain: [...document.querySelectorAll('main')].some((main) => main.scrollWidth > main.clientWidth),
  foreign: document.querySelectorAll('.conversation :is(script, style, iframe, object, svg, [onerror], [onload])').length,
  links: [...document.querySelectorAll('.conversation a')].filter((link) => !/^(https?:|mailto:)/.test(link.href)).length,
  bidi: /[\\u202a-\\u202e\\u2066-\\u2069\\u001b]/.test(document.body.textContent),
}))()`;
