import { stat } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { STREAM_ROUTE } from '../../../../../src/etl/pipeline/routes/stream/stream-route.ts';
import { sharedService } from '../../../../service/support.ts';
import { partsOf, requestFor, routeContext, rowsIn, taskOf } from '../route-context.ts';

const it = await sharedService({ generate: ['pages=30,links=10,columns=12,seed=3'] });

test.for(['json', 'csv'] as const)('a streamed export loads every row and field as %s', async (format) => {
  const context = await routeContext(it);
  const unit = await requestFor(context, taskOf(await it.crawlId()), {
    route: 'stream',
    format,
    store: null,
  });
  const source = await STREAM_ROUTE.open(context, unit);
  expect([source.reported, source.fields.length, source.shown]).toEqual([30, 12, 'every']);
  const parts = await partsOf(source);
  expect([rowsIn(parts), parts[0]?.format]).toEqual([30, format]);
});

test('the filter of a unit is sent with its stream', async () => {
  const context = await routeContext(it);
  const oql = { field: ['status_code', 'equals', 200] } as const;
  const task = { ...taskOf(await it.crawlId()), oql };
  const unit = await requestFor(context, task, { route: 'stream', format: 'json', store: null });
  const source = await STREAM_ROUTE.open(context, unit);
  expect(source.filter).toEqual(oql);
  expect(rowsIn(await partsOf(source))).toBe(source.reported);
  expect(source.reported).toBeLessThan(30);
});

test('a local service sends uncompressed downloads unless the settings request compression', async () => {
  const bytes = async (compression: string): Promise<[number, number]> => {
    const context = await routeContext(it, { CRAWLHOUSE_COMPRESSION: compression });
    const unit = await requestFor(context, taskOf(await it.crawlId()), {
      route: 'stream',
      format: 'json',
      store: null,
    });
    const { parts } = await STREAM_ROUTE.open(context, unit);
    let next = await parts.next();
    let written = 0;
    for (; !next.done; next = await parts.next()) written += (await stat(next.value.path)).size;
    return [next.value.bytes, written];
  };
  const [plain, written] = await bytes('auto');
  expect(plain).toBe(written);
  expect((await bytes('gzip'))[0]).toBeLessThan(plain);
});

test('a stream costs one request besides the description, and lists have no formats', () => {
  const crawl = { kind: 'crawl', data_type: 'pages' } as const;
  expect(STREAM_ROUTE.requests(crawl, 5)).toBe(3);
  expect(STREAM_ROUTE.formats({ kind: 'resource', data_type: 'crawls' })).toEqual([]);
});
