// The dialog of an action starts with useful options, and does not start a dry run before it has what the command needs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstOptions, missingOption, withOption } from '../../../src/web/app/actions/layer/options.ts';
import { type ActionName, type ActionView, actionNamed } from '../../../src/web/wire/actions.ts';

function action(name: ActionName): ActionView {
  const found = actionNamed(name);
  assert.ok(found !== undefined);
  return found;
}

test('what each action starts with', () => {
  assert.deepEqual(firstOptions(action('rename'), {}, 'Old title'), { title: 'Old title' });
  assert.deepEqual(firstOptions(action('strip'), {}, 'Old title'), { truncateResults: 2000 });
  assert.deepEqual(firstOptions(action('compress'), {}, null), { keepTurns: 5 });
  assert.deepEqual(firstOptions(action('export'), {}, null), { format: 'md' });
  assert.deepEqual(firstOptions(action('rewind'), { at: '3' }, null), { at: '3' });
  assert.deepEqual(firstOptions(action('tag'), {}, null), { tag: '' });
});

test('what is missing is said', () => {
  assert.equal(missingOption(action('fork'), {}), null);
  assert.match(missingOption(action('rewind'), {}) ?? '', /is needed/);
  assert.match(missingOption(action('strip'), { keepLast: 3 }) ?? '', /Choose what to remove/);
  assert.equal(missingOption(action('strip'), { tools: '' }), null);
  assert.match(missingOption(action('strip'), { images: false }) ?? '', /Choose what to remove/);
});

test('an option that is taken back is not sent', () => {
  assert.deepEqual(withOption({ keepTurns: 5, dropOld: true }, 'dropOld', undefined), { keepTurns: 5 });
  assert.deepEqual(withOption({ keepTurns: 5 }, 'keepTurns', 2), { keepTurns: 2 });
});
