// The `sandbox` settings of Claude Code, by hand-written tables.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSandboxSettings } from '../../../src/agent/sandbox/settings.ts';
import type { JsonObject } from '../../../src/base/json/json.ts';

const file = (scope: string, sandbox: JsonObject): { readonly scope: string; readonly value: JsonObject } => ({
  scope,
  value: { sandbox },
});

const usual = {
  isEnabled: true,
  runsUnasked: true,
  mayLeave: true,
  excluded: [],
  allowWrite: [],
  deny: [],
  isRequired: false,
  domains: { allowed: [], denied: [] },
};

test('without settings the sandbox is on, and commands in it run unasked', () => {
  assert.deepEqual(readSandboxSettings([]), usual);
  assert.deepEqual(readSandboxSettings([{ scope: 'user', value: {} }]), usual);
  assert.deepEqual(readSandboxSettings([{ scope: 'user', value: { sandbox: 'on' } }]), usual);
});

test('the settings of the user', () => {
  const value = {
    enabled: false,
    autoAllowBashIfSandboxed: false,
    allowUnsandboxedCommands: false,
    failIfUnavailable: true,
    excludedCommands: ['docker', 3, 'git push:*'],
    filesystem: {
      allowWrite: ['~/cache', '/var/build'],
      denyRead: ['/etc/secret', '~/keys/**'],
      denyWrite: ['dist/**'],
    },
    network: { allowedDomains: ['example.com', '*.example.org'], deniedDomains: ['bad.example.org'] },
  };
  assert.deepEqual(readSandboxSettings([file('user', value)]), {
    isEnabled: false,
    runsUnasked: false,
    mayLeave: false,
    excluded: ['docker', 'git push:*'],
    allowWrite: ['~/cache', '/var/build'],
    deny: ['Read(//etc/secret)', 'Read(~/keys/**)', 'Edit(dist/**)'],
    isRequired: true,
    domains: { allowed: ['example.com', '*.example.org'], denied: ['bad.example.org'] },
  });
});

test('a project makes the sandbox stricter, and never weaker', () => {
  const weaker = {
    enabled: false,
    excludedCommands: ['touch'],
    filesystem: { allowWrite: ['/'] },
    autoAllowBashIfSandboxed: true,
    allowUnsandboxedCommands: true,
    failIfUnavailable: false,
    network: { allowedDomains: ['*'] },
  };
  for (const scope of ['project', 'local', 'flags'])
    assert.deepEqual(readSandboxSettings([file(scope, weaker)]), usual, scope);
  const stricter = {
    autoAllowBashIfSandboxed: false,
    allowUnsandboxedCommands: false,
    failIfUnavailable: true,
    filesystem: { denyRead: ['conf/**'] },
    network: { deniedDomains: ['example.com'] },
  };
  const strict = { ...usual, runsUnasked: false, mayLeave: false, deny: ['Read(conf/**)'], isRequired: true };
  assert.deepEqual(readSandboxSettings([file('project', stricter), file('user', weaker)]), {
    ...strict,
    isEnabled: false,
    excluded: ['touch'],
    allowWrite: ['/'],
    domains: { allowed: ['*'], denied: ['example.com'] },
  });
});

test('only true and false count', () => {
  const value = {
    enabled: 'false',
    autoAllowBashIfSandboxed: 0,
    allowUnsandboxedCommands: null,
    failIfUnavailable: 'yes',
  };
  assert.deepEqual(readSandboxSettings([file('user', value)]), usual);
});

test('settings of the command line precede those of the user, and lists add up', () => {
  const found = readSandboxSettings([
    file('flag', { enabled: false, excludedCommands: ['git'], network: { allowedDomains: ['a.example'] } }),
    file('user', { enabled: true, excludedCommands: ['npm'], network: { allowedDomains: ['b.example'] } }),
  ]);
  assert.deepEqual(found, {
    ...usual,
    isEnabled: false,
    excluded: ['npm', 'git'],
    domains: { allowed: ['b.example', 'a.example'], denied: [] },
  });
});
