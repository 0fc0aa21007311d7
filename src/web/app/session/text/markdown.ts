// Markdown of a transcript → nodes for the page. The text is hostile: HTML in it is shown as it was typed, links lead
// only to the web and to mail, images are named and not loaded, and the result still goes through DOMPurify.
import createPurifier from 'dompurify';
import { Marked } from 'marked';
import { lexMarkdown } from '../../../../base/markdown/index.ts';
import { neutralise } from '../../../../base/text/index.ts';
import { currentHighlighter, loadHighlighter } from './highlight.ts';

const allowedTags =
  'a blockquote br code del em h3 h4 h5 h6 hr li ol p pre span strong table tbody td th thead tr ul'.split(' ');

export function renderMarkdown(text: string): DocumentFragment {
  const safe = neutralise(text);
  if (isUnreadable(safe)) return plainNodes(safe);
  const html = parse(safe);
  if (html === undefined) return plainNodes(safe);
  const fragment = purifier.sanitize(html, {
    ALLOWED_TAGS: allowedTags,
    ALLOWED_ATTR: ['href', 'class', 'start'],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const link of fragment.querySelectorAll('a')) {
    link.target = '_blank';
    link.rel = 'noopener noreferrer';
  }
  return fragment;
}

/** Quotes in quotes, ten thousand deep, overflow the parser's stack. */
function parse(text: string): string | undefined {
  try {
    return marked.parser([...lexMarkdown(text)]);
  } catch {
    return undefined;
  }
}

/** A megabyte without a space was not written as Markdown, and may block a parser. */
function isUnreadable(text: string): boolean {
  return /\S{4000}/.test(text);
}

function plainNodes(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  const paragraph = document.createElement('p');
  paragraph.className = 'plain';
  paragraph.textContent = text;
  fragment.append(paragraph);
  return fragment;
}

const purifier = createPurifier(window);
purifier.addHook('uponSanitizeAttribute', (_node, data) => {
  if (data.attrName === 'href') data.keepAttr = isSafeLink(data.attrValue);
  if (data.attrName === 'class') data.keepAttr = /^language-[\w+#.-]{1,30}$/.test(data.attrValue);
});

export function isSafeLink(address: string): boolean {
  try {
    return ['http:', 'https:', 'mailto:'].includes(new URL(address).protocol);
  } catch {
    return false; // not an address, or relative to this page
  }
}

const marked = new Marked({
  gfm: true,
  renderer: {
    html: ({ text }) => escapeHtml(text),
    image: ({ href, text }) => `[image: ${escapeHtml(text || href)}]`,
    link({ href, tokens }) {
      const words = this.parser.parseInline(tokens);
      return isSafeLink(href) ? `<a href="${escapeHtml(href)}">${words}</a>` : words;
    },
    // The page uses the levels above.
    heading({ depth, tokens }) {
      const level = Math.min(6, depth + 2);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`;
    },
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
    code: ({ text, lang }) => {
      const language = /^[\w+#.-]{1,30}/.exec(lang ?? '')?.[0] ?? '';
      const marker = language === '' ? '' : ` class="language-${language.toLowerCase()}"`;
      return `<pre><code${marker}>${escapeHtml(text)}</code></pre>`;
    },
  },
});

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Colours the code blocks below an element, now or once the languages are loaded. */
export function highlightBlocks(element: Element): void {
  const blocks = [...element.querySelectorAll('pre > code[class^="language-"]')];
  if (blocks.length === 0) return;
  const paint = currentHighlighter();
  if (paint === undefined) {
    void loadHighlighter().then(() => highlightBlocks(element));
    return;
  }
  for (const block of blocks) {
    const words = paint(block.textContent ?? '', block.className.slice('language-'.length));
    block.removeAttribute('class');
    if (words === undefined) continue;
    block.replaceChildren(
      ...words.map(({ text, className }) => {
        const word = document.createElement('span');
        word.textContent = text;
        if (className !== '') word.className = className;
        return word;
      }),
    );
  }
}
