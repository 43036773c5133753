import { expect, test } from 'vitest';
import type { ServiceClient } from '../../../src/client/http/service-client.ts';
import { sendJson, testClient, testService } from '../test-service.ts';

type Call = (client: ServiceClient) => Promise<unknown>;

const CASES: readonly [string, Call, string][] = [
  [
    'a negative offset',
    (it) => it.search({ kind: 'crawl', id: 'c', dataType: 'pages' }, { offset: -1 }),
    'offset: ',
  ],
  [
    'a limit that is not a number',
    (it) => it.search({ kind: 'crawl', id: 'c', dataType: 'pages' }, { limit: Number.NaN }),
    'limit: ',
  ],
  [
    'no field at all',
    (it) => it.search({ kind: 'crawl', id: 'c', dataType: 'pages' }, { fields: [] }),
    'fields: ',
  ],
  [
    'an unknown data type',
    (it) => it.fields({ kind: 'crawl', id: 'c', dataType: 'images' as never }),
    'data_type: must be one of ',
  ],
  [
    'an unknown filter',
    (it) =>
      it.aggregate(
        { kind: 'crawl', id: 'c', dataType: 'pages' },
        { aggs: [{ oql: { field: ['url', 'like', 'a'] } as never }] },
      ),
    'aggs.0.oql.field[1]: ',
  ],
  [
    'filters of a list that are no OQL',
    (it) =>
      Array.fromAsync(it.list('crawls', { workspace_id: 'w', query: { filters: { not: [] } as never } })),
    'filters: ',
  ],
  [
    'an offset of a list below 0',
    (it) => Array.fromAsync(it.list('crawls', { workspace_id: 'w', query: { offset: -1 } })),
    'offset: ',
  ],
  [
    'a secret whose name the service refuses',
    (it) =>
      it.call('createSecret', {
        workspace_id: 'w',
        body: { secret: { name: '9', type: 'store_b_credentials', value: 'e30=' } },
      }),
    'secret.name: ',
  ],
  [
    'an export to store_b with the parameters of store_a',
    (it) =>
      it.call('createDataExport', {
        workspace_id: 'w',
        body: {
          data_export: {
            data_type: 'page',
            resource_id: 'c',
            output_format: 'csv',
            target: 'store_b',
            target_parameters: { store_a_bucket: 'b', store_a_prefix: 'p' },
          },
        },
      }),
    'data_export.target_parameters.',
  ],
];

test.for(CASES)('a request with %s is refused before anything is sent', async ([, call, place]) => {
  const service = await testService((_seen, response) => sendJson(response, 200, {}));
  await expect(call(testClient(service))).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining(`: ${place}`),
    hint: 'nothing was sent: the contract does not allow this request',
  });
  expect(service.seen).toEqual([]);
});
