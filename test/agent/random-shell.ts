// Random command lines over the grammar of bash, drawn towards secrets and protected files. In them {project}, {outside}
// and {home} are replaced by folders of the test (see attack-place.ts). The same numbers give the same line.

import {
  folders,
  plainFiles,
  reading,
  running,
  secretFiles,
  texts,
  writing,
  writtenFiles,
} from './random-shell-words.ts';

type Random = () => number;

export function randomShell(random: Random): string {
  // One in six is as simple as what runs without a sandbox.
  return random() < 1 / 6 ? simpleLine(random) : line(random, 0);
}

function simpleLine(random: Random): string {
  const programs = [
    'cat',
    'head -n 2',
    'tail -n 2',
    'grep -n .',
    'sort',
    'wc -c',
    'ls -la',
    'nl',
    'stat',
    'find',
    'cut -c1-9',
    'uniq',
    'cd',
    'echo',
  ];
  const one = (): string => `${pick(random, programs)} ${pick(random, [...plainFiles, ...secretFiles, ...folders])}`;
  const odd = pick(random, [
    '',
    '',
    '',
    ' | sort',
    ' | grep -c .',
    ' -',
    ' -- .env',
    ' .env',
    " '.env'",
    ' "priv/a.txt"',
    ' src/a.ts',
  ]);
  return `${one()}${odd}`;
}

function line(random: Random, depth: number): string {
  const sub = (): string => (depth > 2 ? simple(random, depth) : line(random, depth + 1));
  const roll = random();
  if (roll < 0.4) return simple(random, depth);
  const forms: readonly (() => string)[] = [
    () => `${simple(random, depth)} | ${simple(random, depth)}`,
    () => `${sub()} ${pick(random, ['&&', '||', ';', '&', '|&'])} ${sub()}`,
    () => `( ${sub()} )`,
    () => `{ ${sub()}; }${pick(random, ['', ` > ${word(random, writtenFiles)}`, ` < ${word(random, secretFiles)}`])}`,
    () => `if ${sub()}; then ${sub()}; else ${sub()}; fi`,
    () =>
      `for f in ${word(random, [...secretFiles, ...plainFiles])} ${word(random, secretFiles)}; do ${pick(random, ['cat $f', 'echo x > "$f"', 'rm -rf $f', sub()])}; done`,
    () => `f() { ${sub()}; }; f ${word(random, secretFiles)}`,
    () => `case x in x) ${sub()};; *) ${sub()};; esac`,
    () =>
      `x=${word(random, [...secretFiles, ...writtenFiles])}; ${pick(random, ['cat $x', `cat "\${x}"`, 'echo x > $x', 'rm $x', `cat \${x%.*}.txt`, 'cat <(cat $x)'])}`,
    () =>
      `a=(${word(random, secretFiles)} ${word(random, secretFiles)}); cat "\${a[${pick(random, ['0', '1', '@', '-1', '$((1-1))'])}]}"`,
    () => `: $((a[$(${sub()})]))`,
    () =>
      `cat <<${pick(random, ['E', "'E'", '-E'])}\n${pick(random, ['$(cat .env)', '`cat priv/a.txt`', '$HOME', 'text'])}\nE`,
    () => `[[ -n $(${sub()}) ]] ${pick(random, ['&&', '||'])} ${sub()}`,
    () => `cat <(${sub()}) ${pick(random, ['', `> >(tee ${word(random, writtenFiles)})`])}`,
    () => `! ${sub()}`,
    () => `until ${sub()}; do break; done`,
    () =>
      `${sub()} ${pick(random, ['2>&1', '2>/dev/null', '1>&2', `2> ${word(random, writtenFiles)}`, `< ${word(random, secretFiles)}`])}`,
    () => `echo ${pick(random, ['"$(', '$('])}${sub()}${')'}`.replace(/^(echo "\$\([\s\S]*)$/, '$1"'),
    () => expand(random, pick(random, running), depth),
    () =>
      `shopt -s ${pick(random, ['dotglob', 'extglob', 'globstar'])}; ${pick(random, ['cat *', 'cat **', 'cat ./*', 'rm -rf *', sub()])}`,
    () => `${sub()}\n${sub()}`,
    () => `X=1 ${pick(random, ['Y=$(cat .env)', 'HOME=/', 'IFS=/', 'LC_ALL=C'])} ${simple(random, depth)}`,
  ];
  return pick(random, forms)();
}

function simple(random: Random, depth: number): string {
  return expand(random, pick(random, random() < 0.55 ? reading : writing), depth);
}

function expand(random: Random, template: string, depth: number): string {
  return template.replace(/\{([rwdtcsq])\}/g, (_, kind: string) => {
    if (kind === 'r') return word(random, random() < 0.75 ? secretFiles : plainFiles);
    if (kind === 'w') return word(random, writtenFiles);
    if (kind === 'd') return word(random, folders);
    if (kind === 't') return pick(random, texts);
    const inner = depth > 2 ? 'cat .env' : kind === 's' ? simple(random, depth + 1) : line(random, depth + 1);
    return kind === 'q' ? `'${inner.replaceAll("'", `'\\''`)}'` : inner;
  });
}

/** A file, written in one of the many ways that the shell undoes. */
function word(random: Random, files: readonly string[]): string {
  const file = pick(random, files);
  if (random() < 0.45 || /[$~']/.test(file)) return file;
  const at = file.startsWith('{') ? file.indexOf('}') + 2 : 1;
  const [before, letter, after] = [file.slice(0, at), file.slice(at, at + 1), file.slice(at + 1)];
  return pick(random, [
    `'${file}'`,
    `"${file}"`,
    `${before}"${letter}"${after}`,
    `${before}\\${letter || '.'}${after}`,
    `${before}[${letter || 'x'}]${after}`,
    `${before}?${after}`,
    `${before}*`,
    `${before}[[:graph:]]${after}`,
    `{${file},x}`,
    `$(echo ${file})`,
    `\`echo ${file}\``,
    `\${nothing:-${file}}`,
    `${before}$'\\x${(letter || 'x').charCodeAt(0).toString(16)}'${after}`,
    `${before}\${nothing}${letter}${after}`,
    `${before}$!${letter}${after}`,
    `${before}\\\n${letter}${after}`,
    `-- ${file}`,
    `$'\\xff'* ${file}`,
    `./${file}`,
  ]);
}

function pick<T>(random: Random, list: readonly T[]): T {
  const one = list[Math.floor(random() * list.length)];
  if (one === undefined) throw new Error('the list is empty');
  return one;
}
