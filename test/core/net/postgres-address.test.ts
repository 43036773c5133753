import { expect, test } from 'vitest';
import { PostgresUrl, postgresAddress } from '../../../src/core/net/postgres-address.ts';

const said = (text: string): string | undefined => PostgresUrl.safeParse(text).error?.issues[0]?.message;

test('an address contains all connection parameters, and TLS is optional only on this machine', () => {
  const text =
    'postgresql://ann%40x:p%2Fw@[2001:db8::1]:5433/my%20db?project=shop%20one&schema=s&sslrootcert=ca.crt';
  expect(postgresAddress(text, '/srv/shop')).toEqual({
    host: '2001:db8::1',
    port: 5433,
    database: 'my db',
    user: 'ann@x',
    password: 'p/w',
    schema: 's',
    project: 'shop one',
    tls: true,
    authority: '/srv/shop/ca.crt',
  });
  const tlsOf = (host: string, mode = ''): boolean =>
    postgresAddress(`postgres://u@${host}/d?project=p${mode}`, '/').tls;
  expect(['localhost', '127.0.0.1', '[::1]', 'db.internal'].map((host) => tlsOf(host))).toEqual([
    false,
    false,
    false,
    true,
  ]);
  expect([tlsOf('localhost', '&sslmode=verify-full'), tlsOf('db', '&sslmode=disable')]).toEqual([
    true,
    false,
  ]);
  expect(postgresAddress('postgres://u@db/d?project=p', '/')).toMatchObject({
    port: 5432,
    password: undefined,
    schema: 'crawlhouse',
    authority: undefined,
  });
});

test.each([
  ['mysql://u:secret@db/d?project=p', 'postgres://USER:PASSWORD@HOST:PORT/DATABASE?project=NAME is expected'],
  ['postgres:///d?project=p', 'postgres://USER:PASSWORD@HOST:PORT/DATABASE?project=NAME is expected'],
  ['postgres://db/d?project=p', 'the address has no user'],
  ['postgres://u:secret@db?project=p', 'the address has no database'],
  ['postgres://u:se%cret@db/d?project=p', 'write % as %25 in the user, the password and the database'],
  ['postgres://u:secret@db/d', 'the address has no project: add ?project=NAME, the same on every machine'],
  [
    'postgres://u@db/d?project=p&password=secret',
    'unknown parameter; known parameters: project, schema, sslmode, sslrootcert',
  ],
  ['postgres://u@db/d?project=p&sslmode=require', 'sslmode is verify-full or disable'],
  [`postgres://u@db/d?project=p&schema=${'s'.repeat(64)}`, 'the schema has a name of more than 63 bytes'],
])('%s is refused with the reason, without its password', (text, reason) => {
  expect(said(text)).toBe(reason);
  expect(() => postgresAddress(text, '/')).toThrow(`ledger: ${reason}`);
});
