import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { readSettingsFile } from '../../src/settings/settings-file.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

test('a settings file with bytes that are not UTF-8 is refused', (context) => {
  const file = path.join(temporaryFolder(context), 'settings.json');
  writeFileSync(file, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]));
  assert.throws(() => readSettingsFile(file), /settings\.json is not UTF-8/);
});
