import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Logger, silentLogger } from '../../../../src/core/logs/logger.ts';
import { catalogKey } from '../../../../src/etl/engines/trino/bring-catalog.ts';
import type { TrinoAddress } from '../../../../src/etl/engines/trino/client/address.ts';
import { openTrinoBucket } from '../../../../src/etl/engines/trino/client/open-trino.ts';
import { trinoRemote } from '../../../../src/etl/engines/trino/follow-publication.ts';
import { publicationStamp } from '../../../../src/etl/state/catalog/published/publication-stamp.ts';
import { faultyProxy } from '../../../core/stores/faulty-proxy.ts';
import { sandboxStores } from '../../../core/stores/sandbox-stores.ts';
import { awsEnvironment } from '../../../core/stores/store-server.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const { storeB } = sandboxStores();
const { signal } = new AbortController();

/** The address of a server that runs until the test ends. */
async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A Trino that says which publication is the newest. */
function trinoShowing(id: string): Promise<string> {
  const typeSignature = { rawType: 'varchar', arguments: [] };
  const columns = [{ name: 'id', type: 'varchar', typeSignature }];
  const body = JSON.stringify({ id: 'q1', columns, data: [[id]] });
  return listen(createHttpServer((_request, response) => response.end(body)));
}

function addressOf(url: string, more: Partial<TrinoAddress> = {}): TrinoAddress {
  const { bucket, region, endpoint, accessKey, secretKey } = storeB();
  awsEnvironment(accessKey, secretKey);
  return {
    engine: 'trino',
    url,
    catalog: 'lake',
    schemaPrefix: '',
    bucket,
    folder: 'rows',
    region,
    endpoint,
    user: 'reader',
    credentials: undefined,
    authority: undefined,
    ...more,
  };
}

/** A machine that has the catalog of an earlier publication. */
async function reader(trino: TrinoAddress) {
  const folder = await temporaryFolder();
  const warehouse = join(folder, 'warehouse.duckdb');
  await writeFile(warehouse, 'earlier');
  const known = { stamp: publicationStamp(warehouse), id: 'earlier' };
  const patience = new AbortController();
  const warnings: unknown[] = [];
  const logger: Logger = { ...silentLogger, warn: (_message, fields) => warnings.push(fields?.because) };
  const place = { warehouse, state_dir: join(folder, 'state'), engine: trino };
  const follow = () => trinoRemote(trino).follow(place, logger, { known, patience: () => patience.signal });
  return { warehouse, known, patience, warnings, follow };
}

test('a Trino server that never responds does not block readers', async () => {
  const asked = Promise.withResolvers<void>();
  const silent = createServer((socket) => {
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {}).once('data', () => asked.resolve());
  });
  const { follow, known, patience, warnings } = await reader(addressOf(await listen(silent)));
  const found = follow();
  await asked.promise;
  patience.abort(new Error('out of patience'));
  expect(await found).toEqual(known);
  expect(warnings).toEqual(['out of patience']);
});

test('a download continues beyond the patience, and the catalog gets the mode of the umask', async () => {
  const server = storeB();
  const key = catalogKey('rows', 'newest');
  await using bucket = await openTrinoBucket(addressOf(''));
  const file = join(await temporaryFolder(), 'catalogue');
  await writeFile(file, 'newest');
  await bucket.put(key, file, signal);
  const proxy = await faultyProxy(server.endpoint, (request) => {
    if (request.startsWith('GET') && request.includes(key)) patience.abort(new Error('out of patience'));
    return undefined;
  });
  const trino = addressOf(await trinoShowing('newest'), { endpoint: proxy.endpoint });
  const { follow, patience, warehouse, warnings } = await reader(trino);
  expect([(await follow()).id, warnings, patience.signal.aborted]).toEqual(['newest', [], true]);
  expect(readFileSync(warehouse, 'utf8')).toBe('newest');
  expect(statSync(warehouse).mode & 0o777).toBe(0o666 & ~process.umask());
});

test('bucket errors name the settings of the warehouse', async () => {
  const listed = async (more: Partial<TrinoAddress>) => {
    await using bucket = await openTrinoBucket(addressOf('', more));
    return await Array.fromAsync(bucket.list('', signal));
  };
  await expect(listed({ bucket: 'nobodys-bucket' })).rejects.toMatchObject({
    code: 'bad_settings',
    message: expect.stringMatching(/^warehouse\.location: there is no bucket nobodys-bucket: /),
    hint: 'set warehouse.location in crawlhouse.yaml',
  });
  const { region } = storeB();
  await expect(listed({ region: 'xx-east-9' })).rejects.toMatchObject({
    code: 'bad_settings',
    message: expect.stringMatching(/^warehouse\.region: the bucket .* is not in xx-east-9 but in /),
    hint: `set warehouse.region to ${region}`,
  });
});
