import { expect, test } from 'vitest';
import { describeRows } from '../../../../src/etl/pipeline/routes/describe-rows.ts';
import { FieldSchemaCache } from '../../../../src/etl/pipeline/routes/field-schema-cache.ts';
import { refuseUnknownFields } from '../../../../src/etl/pipeline/routes/refuse-unknown-fields.ts';
import { sendJson, testClient, testService } from '../../../client/test-service.ts';
import { signal, taskOf } from './route-context.ts';

const PAGES = { kind: 'crawl', id: 'c', dataType: 'pages' } as const;
const LOGS = { kind: 'log_events', projectId: 'p' } as const;

/** A service that tells the fields of crawls, and of other sources only what a search shows. */
async function described(source: typeof PAGES | typeof LOGS, more: Readonly<Record<string, unknown>> = {}) {
  const service = await testService(({ path }, response) => {
    if (path.includes('log_monitoring') && path.endsWith('/fields'))
      return sendJson(response, 404, { type: 'resource_not_found' });
    if (path.endsWith('/fields')) {
      const fields = ['url', 'depth', 'title'].map((name) => ({ name, type: 'string', arity: 'one' }));
      return sendJson(response, 200, { fields });
    }
    sendJson(response, 200, { meta: { total_hits: 7, columns: ['url', 'status', 'bot'] }, urls: [] });
  });
  const client = testClient(service);
  const oql = { field: ['depth', 'gt', 1] } as const;
  const task = { ...taskOf('c', more), oql };
  const rows = await describeRows(client, new FieldSchemaCache(client, signal), source, task, signal);
  return { rows, search: JSON.parse(service.seen.at(-1)?.body ?? '') as unknown, oql };
}

test('the fields of a crawl come from the service, the count from a filtered search', async () => {
  const { rows, search, oql } = await described(PAGES, { fields: { include: ['url', 'depth'] } });
  expect(rows.reported).toBe(7);
  expect(rows.fields.map(({ name, required }) => [name, required])).toEqual([
    ['url', true],
    ['depth', undefined],
  ]);
  expect(search).toEqual({ limit: 1, fields: ['url'], oql });
});

test('if the service lists no fields, a search shows them, and the pipeline defines their types', async () => {
  const source = { kind: 'log_monitoring', data_type: 'events' };
  const { rows } = await described(LOGS, { dataset: 'log_events', source, columns: { status: 'natural' } });
  expect(rows.fields.map(({ name, type }) => [name, type])).toEqual([
    ['url', 'unknown'],
    ['status', 'natural'],
    ['bot', 'unknown'],
  ]);
});

test.for([
  [PAGES, {}],
  [LOGS, { dataset: 'log_events', source: { kind: 'log_monitoring', data_type: 'events' } }],
] as const)('a pipeline that includes no field of %o is refused', async ([source, more]) => {
  await expect(described(source, { ...more, fields: { include: ['nothing'] } })).rejects.toMatchObject({
    code: 'bad_pipeline',
    message: expect.stringContaining('none of the fields of'),
  });
});

test.for([
  ['all hidden', [{ name: 'url', type: 'string', arity: 'one', can_display: false }], ['*']],
  ['none', [], ['*']],
  [
    'all hidden, and one asked for by name',
    [{ name: 'url', type: 'string', arity: 'one', can_display: false }],
    ['url'],
  ],
] as const)(
  'a crawl whose fields are %s breaks its contract, and the pipeline file is not blamed',
  async ([, fields, include]) => {
    const service = await testService(({ path }, response) =>
      sendJson(response, 200, path.endsWith('/fields') ? { fields } : { meta: { total_hits: 7 }, urls: [] }),
    );
    const client = testClient(service);
    const fieldSchemas = new FieldSchemaCache(client, signal);
    const task = taskOf('c', { fields: { include } });
    await expect(describeRows(client, fieldSchemas, PAGES, task, signal)).rejects.toMatchObject({
      code: 'contract_broken',
      exitCode: 4,
      message: 'pages of crawl c: the service counts its rows, but lists no displayable field',
    });
    const known = { projectDir: '/nowhere', fieldSchemas, loadedFields: async () => new Set<string>() };
    await expect(refuseUnknownFields(known, [task], signal)).resolves.toBeUndefined();
  },
);
