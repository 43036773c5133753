import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/temporary.ts';
import { faultyProxy } from './faulty-proxy.ts';
import { Bench } from './object-store-contract.ts';
import { openServer, type StoreServer } from './store-server.ts';
import '../../support/process-timeout.ts';

/** One more than a page of a listing holds, of either store. */
const OBJECTS = 1001;
const AT_ONCE = 16;

/** A listing of more than one page, whole or an error. */
export function storePages(name: string, server: () => StoreServer): void {
  test(`${name}: a listing continues to its last page, and an error page fails it`, async () => {
    const direct = new Bench(await openServer(server()));
    const file = join(await temporaryFolder(), 'file');
    await writeFile(file, 'x');
    const { signal } = new AbortController();
    const keys = Array.from({ length: OBJECTS }, (_, i) => `${direct.prefix}${String(i).padStart(5, '0')}`);
    for (let i = 0; i < OBJECTS; i += AT_ONCE) {
      await Promise.all(keys.slice(i, i + AT_ONCE).map((key) => direct.store.put(key, file, signal)));
    }
    expect((await direct.list()).map(({ key }) => key)).toEqual(keys);

    const proxy = await faultyProxy(server().endpoint, (request) =>
      /continuation-token|pageToken/.test(request)
        ? { status: 503, headers: { 'retry-after': '0' } }
        : undefined,
    );
    const one = new Bench(await openServer({ ...server(), endpoint: proxy.endpoint }));
    const seen: string[] = [];
    const listing = (async () => {
      for await (const { key } of one.store.list(direct.prefix, signal)) seen.push(key);
    })();
    await expect(listing).rejects.toMatchObject({ code: 'store_unavailable', kind: 'retriable' });
    expect(seen).toEqual(keys.slice(0, 1000));
  });
}
