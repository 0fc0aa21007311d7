// What `tmux capture-pane -e` prints → an SVG: text that scales and can be searched, in the sixteen colours of a dark
// terminal. Every run of one style has an explicit width, so that columns line up in any font.
const palette = ['#1d1f27', '#f0717a', '#8ccf7e', '#e5c76b', '#67b0e8', '#c47fd5', '#6cbfbf', '#c9ccd6'];
const bright = ['#737a8c', ...palette.slice(1, 7), '#ffffff'];
const background = '#14161c';
const foreground = '#c9ccd6';
const cell = { width: 8.4, height: 19, size: 14 };
const margin = 14;

/** `cursor` is the cell that blinks, if one does. */
export function svgOf(captured, { columns, cursor, title }) {
  const rows = captured.replace(/\n+$/, '').split('\n');
  const width = Math.round(columns * cell.width + 2 * margin);
  const height = rows.length * cell.height + 2 * margin;
  const drawn = runsOf(rows).map(drawRun);
  if (cursor !== undefined && cursor.row < rows.length) drawn.unshift(box(cursor.column, 1, cursor.row, '#4d5466'));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${escapeXml(title)}</title>
<rect width="100%" height="100%" rx="8" fill="${background}"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${cell.size}" xml:space="preserve">
${drawn.join('\n')}
</g>
</svg>
`;
}

/** Runs of text with one style. A style continues after the end of a row. */
function runsOf(rows) {
  let look = {};
  const runs = [];
  for (const [row, line] of rows.entries()) {
    let column = 0;
    for (const [, codes, text] of line.matchAll(/\x1b\[([\d;]*)m|([^\x1b]+)/g)) {
      if (text === undefined) look = lookAfter(look, codes === '' ? [0] : codes.split(';').map(Number));
      else runs.push({ look, text, row, column });
      column += text?.length ?? 0;
    }
  }
  return runs;
}

function lookAfter(look, codes) {
  let next = look;
  for (const code of codes) next = code === 0 ? {} : { ...next, ...changeOf(code) };
  return next;
}

const changes = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
  27: { inverse: false },
  39: { color: undefined },
};

function changeOf(code) {
  if (code >= 30 && code <= 37) return { color: palette[code - 30] };
  if (code >= 90 && code <= 97) return { color: bright[code - 90] };
  return changes[code] ?? {};
}

function drawRun({ look, text, row, column }) {
  const color = look.color ?? foreground;
  const highlight = look.inverse ? box(column, text.length, row, color) : '';
  if (text.trim() === '') return highlight;
  const lead = text.length - text.trimStart().length;
  // Spaces in a row would be drawn as one.
  const shown = text.trim().replace(/ {2,}/g, (spaces) => '\u00a0'.repeat(spaces.length));
  const style = [
    look.bold ? ' font-weight="bold"' : '',
    look.italic ? ' font-style="italic"' : '',
    look.underline ? ' text-decoration="underline"' : '',
    look.dim ? ' opacity="0.6"' : '',
  ].join('');
  const x = number(margin + (column + lead) * cell.width);
  const y = number(margin + row * cell.height + cell.size);
  const length = number(shown.length * cell.width);
  return `${highlight}<text x="${x}" y="${y}" fill="${look.inverse ? background : color}" textLength="${length}"${style}>${escapeXml(shown)}</text>`;
}

function box(column, cells, row, color) {
  const x = number(margin + column * cell.width);
  const y = number(margin + row * cell.height - 1);
  return `<rect x="${x}" y="${y}" width="${number(cells * cell.width)}" height="${cell.height}" fill="${color}"/>`;
}

function number(value) {
  return String(Math.round(value * 10) / 10);
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
