import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAge, formatBytes, formatCount, formatDuration, formatTokens } from '../../../src/base/text/human.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

test('an age is the largest whole unit', () => {
  const ages = [
    -5 * hour,
    0,
    59_999,
    3 * minute,
    hour - 1,
    2 * hour,
    5.9 * day,
    60 * day,
    125 * day,
    700 * day,
    800 * day,
  ];
  assert.deepEqual(
    ages.map((age) => formatAge(0, age)),
    ['now', 'now', 'now', '3 min', '59 min', '2 h', '5 d', '60 d', '4 mo', '22 mo', '2 y'],
  );
  assert.equal(formatAge(Number.NaN, 0), '?');
});

test('sizes have one decimal below ten and never show 1024', () => {
  const sizes = [
    0,
    512,
    1023,
    1024,
    1536,
    10_188,
    10_240,
    1024 * 1024 - 1,
    34.2 * 1024 ** 2,
    2 * 1024 ** 3,
    5000 * 1024 ** 4,
  ];
  assert.deepEqual(sizes.map(formatBytes), [
    '0 B',
    '512 B',
    '1023 B',
    '1.0 KB',
    '1.5 KB',
    '9.9 KB',
    '10 KB',
    '1.0 MB',
    '34 MB',
    '2.0 GB',
    '5000 TB',
  ]);
});

test('counts have thousands separators', () => {
  assert.deepEqual([0, 999, 1000, 1234567, -12345].map(formatCount), ['0', '999', '1,000', '1,234,567', '-12,345']);
});

test('tokens are short', () => {
  assert.deepEqual([0, 987, 999.6, 1000, 12_345, 99_960, 123_456, 999_499, 999_500, 1_234_567].map(formatTokens), [
    '0',
    '987',
    '1.0k',
    '1.0k',
    '12.3k',
    '100k',
    '123k',
    '999k',
    '1.0M',
    '1.2M',
  ]);
});

test('a duration is its two largest units', () => {
  const durations = [
    0,
    850,
    999.7,
    3200,
    9949,
    9950,
    59_499,
    59_500,
    245_000,
    2 * hour + 13 * minute,
    24 * hour - 1,
    76 * hour,
  ];
  assert.deepEqual(durations.map(formatDuration), [
    '0 ms',
    '850 ms',
    '1.0 s',
    '3.2 s',
    '9.9 s',
    '10 s',
    '59 s',
    '1 min',
    '4 min 5 s',
    '2 h 13 min',
    '1 d',
    '3 d 4 h',
  ]);
});

test('what is not a number is a question mark', () => {
  assert.deepEqual(
    [formatBytes, formatCount, formatTokens, formatDuration].map((format) => format(Number.NaN)),
    ['?', '?', '?', '?'],
  );
});
