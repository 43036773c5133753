import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { TrinoAddress } from '../../../../../src/etl/engines/trino/client/address.ts';
import { openTrinoClient } from '../../../../../src/etl/engines/trino/client/open-trino.ts';
import { errorOf } from '../../../../support/error-of.ts';

/** A Trino that is also its token endpoint, and the credentials that its requests carry. */
async function server() {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.end(JSON.stringify(request.url === '/token' ? { access_token: 'issued' } : { id: 'q1' }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

const addressOf = (url: string, more: Partial<TrinoAddress>): TrinoAddress => ({
  ...{ engine: 'trino', url, catalog: 'lake', schemaPrefix: '', bucket: 'b', folder: 'f', region: 'r' },
  ...{ endpoint: undefined, user: 'ada', credentials: undefined, authority: undefined, ...more },
});

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

test.each([
  ['no credentials', undefined, [undefined]],
  ['a password', { password: 'p' }, [basic('ada:p')]],
  ['a token', { token: 't' }, ['Bearer t']],
] as const)('with %s, statements carry what the settings have', async (_name, credentials, expected) => {
  const { url, seen } = await server();
  await using client = await openTrinoClient(addressOf(url, { credentials }));
  await client.run('SELECT 1');
  expect(seen).toEqual(expected);
});

test('a client gets its token from the token endpoint', async () => {
  const { url, seen } = await server();
  const credentials = { clientId: 'c', clientSecret: 's', tokenUrl: `${url}/token`, scope: undefined };
  await using client = await openTrinoClient(addressOf(url, { credentials }));
  await client.run('SELECT 1');
  expect(seen).toEqual([basic('c:s'), 'Bearer issued']);
});

test('a certificate that cannot be read is named', async () => {
  expect(await errorOf(openTrinoClient(addressOf('', { authority: '/nowhere/ca.pem' })))).toMatchObject({
    code: 'bad_settings',
    message: 'warehouse.ca: /nowhere/ca.pem cannot be read',
  });
});
