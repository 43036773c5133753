import { expect, test } from 'vitest';
import { RANKING_FIELD_RECORDS } from '../../../src/service/fields/field-records-of.ts';
import { clientOf, patchProject, projectId } from '../clients.ts';
import { type Answer, field, importFolder, type Json, service, sharedService } from '../support.ts';
import { ROWS, rankingFolder } from './ranking-data.ts';

const it = await sharedService({ importDirs: [await rankingFolder()] });
const id = await projectId(it);

const CLICKS = { field: 'clicks', method: 'sum', alias: 'clicks' } as const;
const POSITION = { field: 'position', method: 'weighted_average', alias: 'position' } as const;
const CTR = { field: 'clicks', method: 'ctr', alias: 'ctr' } as const;

function ask(...aggs: readonly Json[]): Promise<Answer> {
  return it.api(`/data/project/${id}/ranking_performance/aggs`, { body: { aggs } });
}

async function rows(query: Json): Promise<unknown> {
  return ((await ask(query)).json.aggs as Json[])[0]?.rows;
}

test('the fields list the methods that each allows', async () => {
  const fields = await clientOf(it).call('rankingFields', { project_id: id });
  expect(fields.map(({ name, type, agg_metric_methods }) => [name, type, agg_metric_methods])).toEqual([
    ['url', 'string', ['cardinality']],
    ['query', 'string', ['cardinality']],
    ['date', 'date', ['cardinality']],
    ['device', 'enum', ['cardinality']],
    ['clicks', 'natural', ['sum', 'cardinality', 'ctr']],
    ['impressions', 'natural', ['sum', 'cardinality']],
    ['position', 'float', ['cardinality', 'weighted_average']],
  ]);
  const allowed = ['natural', 'float', 'enum', 'bool', 'string', 'date'];
  expect(RANKING_FIELD_RECORDS.filter(({ type }) => !allowed.includes(type))).toEqual([]);
});

test('buckets are names or objects, in request order, before the aliases', async () => {
  const { aggs } = await clientOf(it).call('aggregateRanking', {
    project_id: id,
    body: { aggs: [{ fields: ['device', { name: 'date' }], value: [CLICKS, POSITION, CTR] }, {}] },
  });
  expect(aggs[0]?.cols).toEqual(['device', 'date', 'clicks', 'position', 'ctr']);
  expect(aggs[0]?.rows).toEqual([
    ['desktop', '2025-01-01', 3, 2, 0.1],
    ['desktop', '2025-01-02', 0, 8.5, 0],
    ['mobile', '2025-01-01', 4, 2.636364, 4 / 22],
    ['mobile', '2025-01-03', 2, 1, 0.5],
    ['tablet', '2025-01-02', 0, null, null],
  ]);
  expect(aggs[1]).toEqual({ cols: ['count'], rows: [[ROWS.length]] });
});

test('a position is weighted by impressions', async () => {
  const oql = { field: ['query', 'equals', 'green tea'] };
  expect(await rows({ oql, value: [POSITION] })).toEqual([[(2 * 30 + 4 * 10 + 8.5 * 20) / 60]]);
});

test('without buckets, no match is one row: 0, and no average', async () => {
  const none = { oql: { field: ['date', 'lt', '2020-01-01'] } };
  expect(await rows({ ...none, value: [CLICKS, POSITION, CTR] })).toEqual([[0, null, null]]);
  expect(await rows(none)).toEqual([[0]]);
  expect(await rows({ ...none, fields: ['date'] })).toEqual([]);
});

test('a date filter accepts gte, lt and the half-open between', async () => {
  const days = (...filter: readonly unknown[]) =>
    rows({ fields: ['date'], oql: { field: ['date', ...filter] } });
  expect(await days('gte', '2025-01-02')).toEqual([
    ['2025-01-02', 2],
    ['2025-01-03', 1],
  ]);
  expect(await days('lt', '2025-01-02')).toEqual([['2025-01-01', 3]]);
  expect(await days('between', ['2025-01-01', '2025-01-03'])).toEqual([
    ['2025-01-01', 3],
    ['2025-01-02', 2],
  ]);
});

test('sort accepts one or several buckets or aliases; ties follow the bucket order', async () => {
  const query = { fields: ['query', 'date'], value: [CLICKS] };
  const one = await rows({ ...query, sort: { field: 'clicks', order: 'desc' } });
  expect(one).toEqual([
    ['green tea', '2025-01-01', 4],
    ['black tea', '2025-01-01', 3],
    ['black tea', '2025-01-03', 2],
    ['green tea', '2025-01-02', 0],
    ['tea; "loose"', '2025-01-02', 0],
  ]);
  const several = await rows({
    ...query,
    sort: [
      { field: 'date', order: 'desc' },
      { field: 'clicks', order: 'asc' },
    ],
    limit: 3,
    offset: 1,
  });
  expect(several).toEqual([
    ['green tea', '2025-01-02', 0],
    ['tea; "loose"', '2025-01-02', 0],
    ['black tea', '2025-01-01', 3],
  ]);
});

test('post_aggs_oql filters by alias after the aggregation, with its own values', async () => {
  const query = {
    fields: ['query'],
    value: [CLICKS, CTR],
    oql: { field: ['device', 'equals', 'mobile'] },
    post_aggs_oql: { and: [{ field: ['clicks', 'gte', 1] }, { field: ['ctr', 'between', [0.2, 0.9]] }] },
  };
  expect(await rows(query)).toEqual([['black tea', 5, 5 / 16]]);
  expect(await rows({ fields: ['query'], post_aggs_oql: { field: ['count', 'gte', 3] } })).toEqual([
    ['green tea', 3],
  ]);
});

test('different values are counted once each', async () => {
  const value = [{ field: 'query', method: 'cardinality', alias: 'queries' }];
  expect(await rows({ fields: ['date'], value })).toEqual([
    ['2025-01-01', 2],
    ['2025-01-02', 2],
    ['2025-01-03', 1],
  ]);
});

test.each<[problem: string, query: Json, name: string, type: string]>([
  ['an unknown bucket', { fields: ['colour'] }, 'aggs[0].fields[0]', 'unknown_field'],
  ['a bucket that is not a dimension', { fields: ['clicks'] }, 'aggs[0].fields[0]', 'not_a_dimension'],
  ['a bucket twice', { fields: ['date', 'date'] }, 'aggs[0].fields[1]', 'duplicate'],
  ['an unknown metric', { value: [{ ...CLICKS, field: 'x' }] }, 'aggs[0].value[0].field', 'unknown_field'],
  [
    'an unknown method',
    { value: [{ ...CLICKS, method: 'avg' }] },
    'aggs[0].value[0].method',
    'invalid_value',
  ],
  [
    'the weighted average of another field',
    { value: [{ ...POSITION, field: 'clicks' }] },
    'aggs[0].value[0].method',
    'method_not_allowed',
  ],
  [
    'the rate of another field',
    { value: [{ ...CTR, field: 'impressions' }] },
    'aggs[0].value[0].method',
    'method_not_allowed',
  ],
  [
    'the sum of a text',
    { value: [{ ...CLICKS, field: 'url' }] },
    'aggs[0].value[0].method',
    'method_not_allowed',
  ],
  ['an alias twice', { value: [CLICKS, { ...CTR, alias: 'clicks' }] }, 'aggs[0].value[1].alias', 'duplicate'],
  [
    'an alias like a bucket',
    { fields: ['date'], value: [{ ...CLICKS, alias: 'date' }] },
    'aggs[0].value[0].alias',
    'duplicate',
  ],
  ['no alias', { value: [{ field: 'clicks', method: 'sum' }] }, 'aggs[0].value[0].alias', 'required'],
  [
    'an order by nothing of it',
    { sort: { field: 'date', order: 'asc' } },
    'aggs[0].sort.field',
    'unknown_field',
  ],
  ['a filter on nothing', { oql: { field: ['x', 'equals', 'y'] } }, 'aggs[0].oql.field[0]', 'unknown_field'],
  [
    'a filter after the aggregation on a field',
    { value: [CTR], post_aggs_oql: { and: [{ field: ['clicks', 'gt', 1] }] } },
    'aggs[0].post_aggs_oql.and[0].field[0]',
    'unknown_field',
  ],
  [
    'a broken pattern',
    { oql: { field: ['url', 'contains', '(', { regex: true }] } },
    'aggs[0].oql.field[2]',
    'regex',
  ],
  ['more rows than a page has', { limit: 10_001 }, 'aggs[0].limit', 'too_big'],
  ['a limit below 0', { limit: -1 }, 'aggs[0].limit', 'too_small'],
])('%s is refused by name', async (_problem, query, name, type) => {
  const { status, json } = await ask(query);
  expect([status, json.type, (json.fields as Json[])?.[0]]).toEqual([
    400,
    'invalid_request_parameters',
    { name, type, message: expect.any(String) },
  ]);
});

test('sums of any size keep all their digits', async () => {
  const fields = [field('date', 'date'), field('clicks', 'natural')];
  const lines = ['{"date":"2025-01-01","clicks":9007199254740993}', '{"date":"2025-01-01","clicks":2}'];
  const own = await service({
    importDirs: [await importFolder('big', { ranking_performance: { fields, rows: lines } })],
  });
  const path = `/data/project/${await projectId(own)}/ranking_performance/aggs`;
  const { text } = await own.api(path, { body: { aggs: [{ value: [CLICKS] }] } });
  expect(text).toBe('{"aggs":[{"cols":["clicks"],"rows":[[9007199254740995]]}]}');
  const refused = await own.api(path, { body: { aggs: [{ value: [CTR] }] } });
  expect((refused.json.fields as Json[])[0]).toMatchObject({ name: 'aggs[0].value[0].method' });
});

test('a project without ranking performance lacks the feature, one without rows returns none', async () => {
  const own = await service({ generate: ['pages=5'] });
  const client = clientOf(own);
  const other = await projectId(own);
  await expect(client.call('rankingFields', { project_id: other })).rejects.toMatchObject({
    code: 'missing_feature',
  });
  await expect(
    client.call('aggregateRanking', { project_id: other, body: { aggs: [{}] } }),
  ).rejects.toMatchObject({ code: 'missing_feature' });
  await patchProject(own, other, { features: ['ranking_performance'] });
  expect(await client.call('rankingFields', { project_id: other })).toEqual(RANKING_FIELD_RECORDS);
  const { aggs } = await client.call('aggregateRanking', {
    project_id: other,
    body: { aggs: [{}, { fields: ['date'] }] },
  });
  expect(aggs.map((table) => table.rows)).toEqual([[[0]], []]);
});
