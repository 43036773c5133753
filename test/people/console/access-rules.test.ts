import { expect, test } from 'vitest';
import { TryLimit } from '../../../src/people/console/access/access.ts';
import { roleOf, subjectOf } from '../../../src/people/console/access/oidc.ts';
import { isLoopback, reachOf } from '../../../src/people/console/access/reach.ts';
import { refusalOf } from '../../../src/people/console/server/guard.ts';
import { returnPath } from '../../../src/people/console/server/sign-in.ts';
import { ConsoleOidcSettings, ConsoleUrl } from '../../../src/project/settings/console-settings.ts';

const PROVIDER = { issuer: 'https://accounts.example', client_id: 'console', client_secret: 'secret' };

test('only a path of this console is a place to go back to', () => {
  for (const path of ['/', '/runs?page=2', '/projects/a%2Fb', '/ask?sql=SELECT%201'])
    expect(returnPath(path)).toBe(path);
  const foreign = [
    null,
    '',
    'runs',
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/.//evil.example',
    '/a/..//evil.example',
    '/\\\\evil.example',
    'javascript:alert(1)',
    '/sign-in?to=/sign-in',
    '/sign-out',
  ];
  for (const path of foreign) expect(returnPath(path), String(path)).toBe('/');
});

test('a rate limit counts each key by itself, starts again after a minute, and forgets the oldest keys', () => {
  let now = 0;
  const limit = new TryLimit(2, () => now);
  expect([limit.take('a'), limit.take('a'), limit.take('a'), limit.take('b')]).toEqual([
    null,
    null,
    60,
    null,
  ]);
  now = 59_001;
  expect(limit.take('a')).toBe(1);
  now = 60_000;
  expect(limit.take('a')).toBeNull();
  limit.take('a');
  expect(limit.take('a')).toBe(60);
  for (let n = 0; n < 10_000; n += 1) limit.take(`other ${n}`);
  expect(limit.take('a')).toBeNull();
});

test('a role is given to who is named, and by an email only if it is not called unverified', () => {
  const settings = ConsoleOidcSettings.parse({
    ...PROVIDER,
    operators: ['Ops@Example.com', 'subject-7'],
    readers: ['reader@example.com'],
  });
  expect(roleOf({ sub: '1', email: 'ops@example.com', email_verified: true }, settings)).toBe('operator');
  expect(roleOf({ sub: '1', email: 'ops@example.com' }, settings)).toBe('operator');
  expect(roleOf({ sub: '1', email: 'ops@example.com', email_verified: false }, settings)).toBeNull();
  expect(roleOf({ sub: 'subject-7' }, settings)).toBe('operator');
  expect(roleOf({ sub: 'SUBJECT-7' }, settings)).toBeNull();
  expect(roleOf({ sub: '2', email: 'reader@example.com' }, settings)).toBe('reader');
  expect(roleOf({ sub: '3', email: 'other@example.com' }, settings)).toBeNull();
  const open = ConsoleOidcSettings.parse({ ...PROVIDER, readers: 'all' });
  expect(roleOf({ sub: '3' }, open)).toBe('reader');
  expect(roleOf({ sub: '3' }, ConsoleOidcSettings.parse(PROVIDER))).toBeNull();
  expect(subjectOf({ sub: '1', email: 'a@example.com', email_verified: false })).toBe('1');
});

test('the addresses of the provider and of the console are over TLS, except within this machine', () => {
  for (const url of ['https://console.example', 'https://console.example:8443/', 'http://127.0.0.1:8092'])
    expect(ConsoleUrl.safeParse(url).success, url).toBe(true);
  for (const url of [
    'http://console.example',
    'https://console.example/path',
    'https://a:b@console.example',
    'x',
  ])
    expect(ConsoleUrl.safeParse(url).success, url).toBe(false);
  const issuer = (url: string) => ConsoleOidcSettings.safeParse({ ...PROVIDER, issuer: url }).success;
  expect([issuer('http://accounts.example'), issuer('http://localhost:9000')]).toEqual([false, true]);
});

test('a console is called by its own names and the one of console_url', () => {
  const reach = reachOf('[::1]', 80, 'https://Console.Example/');
  const status = (host: string) =>
    refusalOf({ method: 'GET', host, origin: undefined, site: undefined }, reach);
  for (const host of ['[::1]', '[::1]:80', 'localhost', 'console.example', 'CONSOLE.example'])
    expect(status(host), host).toBeNull();
  for (const host of ['', 'console.example:80', 'console.example.', 'localhost:8092'])
    expect(status(host)?.status, host).toBe(421);
  const post = (origin: string) =>
    refusalOf({ method: 'POST', host: 'console.example', origin, site: undefined }, reach);
  expect([post('https://console.example'), post('http://[::1]')]).toEqual([null, null]);
  expect(post('http://console.example')?.status).toBe(403);
});

test('a host is loopback only by its address, or as localhost', () => {
  expect(['127.0.0.1', '127.1.2.3', '::1', 'localhost'].every(isLoopback)).toBe(true);
  expect(['0.0.0.0', '::', '127.evil.example', 'localhost.evil', '10.0.0.1'].some(isLoopback)).toBe(false);
});
