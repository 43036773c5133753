import { expect, test } from 'vitest';
import { TryLimit } from '../../../../src/app/console/access/access.ts';
import { roleOf, subjectOf } from '../../../../src/app/console/access/oidc.ts';
import {
  addressClass,
  hasOtherOperators,
  isLoopback,
  isOwnersConsole,
  reachOf,
} from '../../../../src/app/console/access/reach.ts';
import { refusalOf } from '../../../../src/app/console/server/guard.ts';
import { returnPath } from '../../../../src/app/console/server/sign-in-routes.ts';
import { ConsoleOidcSettings, ConsoleUrl } from '../../../../src/etl/project/settings/console-settings.ts';

const PROVIDER = { issuer: 'https://accounts.example', client_id: 'console', client_secret: 'secret' };

test('sign-in returns only to a path of this console', () => {
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

test('without OIDC, only the owner of the machine signs in at a loopback address, so actions are on', () => {
  const oidc = ConsoleOidcSettings.parse(PROVIDER);
  expect(isOwnersConsole({}, '127.0.0.1')).toBe(true);
  expect(isOwnersConsole({ console_oidc: oidc }, '127.0.0.1')).toBe(false);
  expect(isOwnersConsole({}, '0.0.0.0')).toBe(false);
  expect(hasOtherOperators({ console_oidc: oidc, console_actions: true })).toBe(true);
  expect(hasOtherOperators({ console_listen: '0.0.0.0:8092', console_actions: true })).toBe(true);
  expect(hasOtherOperators({ console_oidc: oidc })).toBe(false);
  expect(hasOtherOperators({ console_listen: '127.0.0.1:8092', console_actions: true })).toBe(false);
});

test('a rate limit counts each key separately, resets after a minute, and forgets the oldest keys', () => {
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

const ROLES = ConsoleOidcSettings.parse({
  ...PROVIDER,
  operators: ['Ops@Example.com', 'subject-7', 'subject:ops2@example.com', 'email:opkeeper@example.com'],
  readers: ['reader@example.com', 'straße@example.com'],
});

test('roles go to named people, and by email only if the provider verified it', () => {
  const verified = (email: string) => roleOf({ sub: '1', email, email_verified: true }, ROLES);
  expect(verified('ops@example.com')).toBe('operator');
  expect(roleOf({ sub: '1', email: 'ops@example.com', email_verified: 'true' }, ROLES)).toBe('operator');
  for (const given of [undefined, false, 'false', null, 1, 'yes'])
    expect(roleOf({ sub: '1', email: 'ops@example.com', email_verified: given }, ROLES)).toBeNull();
  expect(roleOf({ sub: 'subject-7' }, ROLES)).toBe('operator');
  expect(roleOf({ sub: 'SUBJECT-7' }, ROLES)).toBeNull();
  expect([verified('reader@example.com'), verified('other@example.com')]).toEqual(['analyst', null]);
  const open = ConsoleOidcSettings.parse({ ...PROVIDER, readers: 'all' });
  expect(roleOf({ sub: '3' }, open)).toBe('analyst');
  expect(roleOf({ sub: '3' }, ConsoleOidcSettings.parse(PROVIDER))).toBeNull();
});

test('a person in several lists has the highest role, and the names of the lists are checked', () => {
  const everyone = { viewers: 'all', analysts: ['a', 'b', 'c'], operators: ['b', 'c'], owners: ['c'] };
  const settings = ConsoleOidcSettings.parse({ ...PROVIDER, ...everyone });
  const roles = ['x', 'a', 'b', 'c'].map((sub) => roleOf({ sub }, settings));
  expect(roles).toEqual(['viewer', 'analyst', 'operator', 'owner']);
  const analysts = ConsoleOidcSettings.parse({ ...PROVIDER, analysts: 'all' });
  expect(roleOf({ sub: 'x' }, analysts)).toBe('analyst');
  for (const name of ['operators', 'owners'])
    expect(ConsoleOidcSettings.safeParse({ ...PROVIDER, [name]: 'all' }).success, name).toBe(false);
  const both = ConsoleOidcSettings.safeParse({ ...PROVIDER, readers: ['a'], analysts: ['b'] });
  expect(both.error?.issues).toMatchObject([
    { path: ['readers'], message: 'readers is the older name of analysts: set only analysts' },
  ]);
});

test('an email never matches a subject, and a subject never matches an email', () => {
  const verified = (email: string) => roleOf({ sub: '1', email, email_verified: true }, ROLES);
  for (const sub of [
    'ops@example.com',
    'email:ops@example.com',
    'email:opkeeper@example.com',
    'OPS@example.com',
  ])
    expect(roleOf({ sub }, ROLES), sub).toBeNull();
  for (const email of [
    'subject-7',
    'ops2@example.com',
    'subject:ops2@example.com',
    'email:ops@example.com',
    '@',
  ])
    expect(verified(email), email).toBeNull();
  expect(roleOf({ sub: 'ops2@example.com' }, ROLES)).toBe('operator');
  expect(verified('OPKEEPER@EXAMPLE.com')).toBe('operator');
});

test('characters that fold to ASCII letters are not equal to them', () => {
  const folded = (letter: string) => [letter.toLowerCase(), letter.toUpperCase(), letter.normalize('NFKC')];
  const characters = Array.from({ length: 0x1_10_00 }, (_, n) => 0x80 + n).filter(
    (n) => n < 0xd800 || n > 0xdfff,
  );
  const alike = characters
    .map((n) => String.fromCodePoint(n))
    .filter((one) => folded(one).some((c) => /^[a-z]$/i.test(c)));
  expect(alike).toContain('\u212a');
  for (const one of alike) {
    const letter = folded(one).find((c) => /^[a-z]$/i.test(c)) ?? '';
    const settings = ConsoleOidcSettings.parse({ ...PROVIDER, operators: [`op${letter}@example.com`] });
    expect(
      roleOf({ sub: '1', email: `op${one}@example.com`, email_verified: true }, settings),
      one,
    ).toBeNull();
  }
  const verified = (email: string) => roleOf({ sub: '1', email, email_verified: true }, ROLES);
  expect([
    verified('straße@Example.com'),
    verified('strasse@example.com'),
    verified('STRASSE@example.com'),
  ]).toEqual(['analyst', null, null]);
});

test('the audit uses the names of the settings, so two people never share a name', () => {
  expect(subjectOf({ sub: '1', email: 'a@example.com', email_verified: false })).toBe('1');
  expect(subjectOf({ sub: '1', email: 'A@Example.com', email_verified: true })).toBe('a@example.com');
  for (const sub of ['a@example.com', 'local', 'email:a@example.com', 'subject:1'])
    expect(subjectOf({ sub }), sub).toBe(`subject:${sub}`);
  const people = [{ sub: 'a@example.com' }, { sub: 'x', email: 'a@example.com', email_verified: true }];
  for (const claims of people) {
    const settings = ConsoleOidcSettings.parse({ ...PROVIDER, operators: [subjectOf(claims)] });
    expect(people.map((one) => roleOf(one, settings))).toEqual(
      people.map((one) => (one === claims ? 'operator' : null)),
    );
  }
});

test('a subject prefix without a name is refused', () => {
  for (const name of ['email:', 'subject:', 'email:ada'])
    expect(ConsoleOidcSettings.safeParse({ ...PROVIDER, operators: [name] }).success, name).toBe(false);
});

test('a cross-site request is refused unless it is a page navigation', () => {
  const reach = reachOf('127.0.0.1', 8092, undefined);
  const sites = [undefined, 'none', 'same-origin', 'same-site', 'cross-site', 'anything'];
  for (const method of ['GET', 'HEAD'])
    for (const site of sites)
      for (const isNavigation of [true, false]) {
        const sender = { method, host: '127.0.0.1:8092', origin: undefined, site, isNavigation };
        const isTaken = isNavigation || sites.slice(0, 3).includes(site);
        expect(refusalOf(sender, reach)?.status, JSON.stringify(sender)).toBe(isTaken ? undefined : 403);
      }
});

test('addresses that one client may have share one rate limit', () => {
  expect(addressClass('::ffff:192.0.2.7')).toBe(addressClass('192.0.2.7'));
  expect(addressClass('2001:db8:1:2::7')).toBe(addressClass('2001:DB8:1:2:aaaa:bbbb:cccc:dddd'));
  expect(addressClass('2001:db8:1:3::7')).not.toBe(addressClass('2001:db8:1:2::7'));
  expect(addressClass('192.0.2.8')).not.toBe(addressClass('192.0.2.7'));
  expect(addressClass('no address')).toBe('no address');
});

test('addresses of the provider and the console need TLS, except on this machine', () => {
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

test('a console accepts only its own host names and the host of console_url', () => {
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
