import { expect, test } from 'vitest';
import type { DataSource } from '../../../../src/client/resources/data-source.ts';
import { FieldSchemaCache } from '../../../../src/etl/pipeline/routes/field-schema-cache.ts';
import { sendJson, testClient, testService } from '../../../client/test-service.ts';

const { signal } = new AbortController();
const NOT_FOUND = { type: 'resource_not_found', message: 'no such path' };
const URL_FIELD = { name: 'url', type: 'string', arity: 'one' };

const SOURCES: DataSource[] = [
  { kind: 'crawl_over_crawl', id: 'a' },
  { kind: 'crawl_over_crawl', id: 'b' },
  { kind: 'log_events', projectId: 'p' },
  { kind: 'log_pages', projectId: 'p', granularity: 'days' },
  { kind: 'log_pages', projectId: 'q', granularity: 'days' },
];

test('a service that does not report the fields of a kind is asked once per run', async () => {
  const service = await testService((_, response) => sendJson(response, 404, NOT_FOUND));
  const cache = new FieldSchemaCache(testClient(service), signal);
  expect(await Promise.all(SOURCES.map((source) => cache.of(source)))).toEqual(SOURCES.map(() => null));
  expect(service.seen.map((one) => one.path).sort()).toEqual([
    expect.stringMatching(/\/data\/crawl_over_crawl\/a\/pages\/fields$/),
    expect.stringMatching(/\/data\/project\/p\/log_monitoring\/events\/fields$/),
    expect.stringMatching(/\/data\/project\/p\/log_monitoring\/pages\/days\/fields$/),
  ]);
});

test('a service that reports fields is asked for each source', async () => {
  const service = await testService((seen, response) => {
    const id = /crawl_over_crawl\/(.)/.exec(seen.path)?.[1];
    if (id) sendJson(response, 200, { fields: [{ ...URL_FIELD, name: `of_${id}` }] });
    else sendJson(response, 403, { type: 'forbidden', message: 'no' });
  });
  const cache = new FieldSchemaCache(testClient(service), signal);
  const fields = await Promise.all(SOURCES.map((source) => cache.of(source)));
  expect(fields.map((one) => one?.map((field) => field.name))).toEqual([
    ['of_a'],
    ['of_b'],
    undefined,
    undefined,
    undefined,
  ]);
});
