// Which folders of a PATH programs are taken from.
import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { pathOutside } from '../../../src/base/process/find-program.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';

test('folders of the project and relative ones are left out of a PATH', (t) => {
  const base = temporaryFolder(t);
  const project = path.join(base, 'project');
  mkdirSync(path.join(project, 'node_modules/.bin'), { recursive: true });
  symlinkSync(path.join(project, 'node_modules/.bin'), path.join(base, 'bin'));
  symlinkSync(project, path.join(base, 'same'));
  const all = [
    `${project}/node_modules/.bin`,
    '/usr/bin',
    '.',
    '',
    'node_modules/.bin',
    `${project}/`,
    `${base}/bin`,
    `${base}/same/bin`,
    `${base}/projects/bin`,
    `${project}/../other`,
    '/bin',
  ];
  const kept = `/usr/bin:${base}/projects/bin:${project}/../other:/bin`;
  assert.equal(pathOutside({ PATH: all.join(':') }, [project]), kept);
  assert.equal(pathOutside({ PATH: '/a:/b' }, [project]), '/a:/b');
});

test('the programs of an active environment of Python are kept', () => {
  const PATH = '/p/.venv/bin:/p/other/bin:/usr/bin';
  assert.equal(pathOutside({ PATH, VIRTUAL_ENV: '/p/.venv' }, ['/p']), '/p/.venv/bin:/usr/bin');
  assert.equal(pathOutside({ PATH, CONDA_PREFIX: '/p/other' }, ['/p']), '/p/other/bin:/usr/bin');
  assert.equal(pathOutside({ PATH, VIRTUAL_ENV: '' }, ['/p']), '/usr/bin');
});
