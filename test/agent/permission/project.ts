// A project on the disk with everything the judge must be careful about: links in and out, repositories, secrets.
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export interface TestPlaces {
  readonly project: string;
  readonly outside: string;
  readonly extra: string;
  readonly home: string;
}

export function makeProject(folder: string): TestPlaces {
  const base = realpathSync(folder);
  const [project, outside, extra, home] = ['project', 'outside', 'extra', 'home'].map((name) =>
    path.join(base, name),
  ) as [string, string, string, string];
  const files = [
    ...['src/a.ts', 'src/b.ts', 'README.md', '.env', '.env.example', '.git/config', 'sub/x.txt', 'secrets/key.txt'],
    ...['inner-repo/.git/config', 'inner-repo/x'],
  ].map((file) => path.join(project, file));
  for (const file of [...files, `${outside}/secret.txt`, `${extra}/note.txt`, `${home}/.bashrc`]) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, 'x\n');
  }
  const links = {
    'out-link': outside,
    'file-link': `${outside}/secret.txt`,
    dangling: `${outside}/new.txt`,
    loop: 'loop',
    'in-link': 'src',
    'secret-link': 'secrets',
    'git-link': '.git',
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, path.join(project, name));
  return { project, outside, extra, home };
}

export function fillIn(text: string, places: TestPlaces): string {
  return text.replace(/\{(project|outside|extra|home)\}/g, (_, name: keyof TestPlaces) => places[name]);
}
