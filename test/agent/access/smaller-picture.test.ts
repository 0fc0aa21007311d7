import assert from 'node:assert/strict';
import { test } from 'node:test';
import { smallerPictureCommand } from '../../../src/agent/access/file.ts';

test('the command for a smaller image makes a copy and keeps the file', () => {
  assert.equal(
    smallerPictureCommand('/a/my shot.jpg', 2000, 'linux'),
    "magick '/a/my shot.jpg' -resize '2000x2000>' '/a/my shot-small.jpg'",
  );
  assert.equal(smallerPictureCommand('-x.gif', 2000, 'darwin'), 'sips -Z 2000 ./-x.gif --out ./-x-small.gif');
});
