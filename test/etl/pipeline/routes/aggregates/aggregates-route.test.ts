import { expect, test } from 'vitest';
import {
  AGGREGATES_ROUTE,
  openAggregates,
} from '../../../../../src/etl/pipeline/routes/aggregates/aggregates-route.ts';
import { RankingWindows } from '../../../../../src/etl/pipeline/routes/aggregates/ranking-windows.ts';
import type { Pipeline } from '../../../../../src/etl/project/model/pipeline.ts';
import { clientOf, projectId } from '../../../../service/clients.ts';
import { ROWS, rankingFolder } from '../../../../service/ranking/ranking-data.ts';
import { sharedService } from '../../../../service/support.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';
import { partsOf, rowsIn, signal, taskOf } from '../route-context.ts';

const it = await sharedService({ importDirs: [await rankingFolder()] });

async function opened(columns: Pipeline['columns']) {
  const source = { kind: 'ranking_performance', data_type: 'ranking_performance' };
  const more = { dataset: 'ranking_performance', source, window: 'day', columns };
  const client = clientOf(it);
  const context = { client, rankings: new RankingWindows(client, []), signal };
  const task = taskOf(await projectId(it), more);
  return openAggregates(context, { task, folder: await temporaryFolder() });
}

test('every declared column that is not a metric is a dimension, and the dimensions identify rows', async () => {
  const columns = { url: 'string', query: 'string', date: 'date', device: 'string', clicks: 'natural' };
  const source = await opened(columns);
  expect([source.key, source.reported]).toEqual([['url', 'query', 'date', 'device'], null]);
  expect(source.fields.map(({ name }) => name)).toEqual(Object.keys(columns));
  expect(rowsIn(await partsOf(source))).toBe(ROWS.length);
});

test('an optional dimension is requested if the service has the field', async () => {
  const columns: Pipeline['columns'] = {
    url: 'string',
    device: { type: 'string', optional: true },
    period_days: { type: 'natural', optional: true },
    clicks: 'natural',
  };
  const source = await opened(columns);
  expect([source.key, source.fields.map(({ name }) => name)]).toEqual([
    ['url', 'device'],
    ['url', 'device', 'clicks'],
  ]);
  // A dimension that is not optional is asked for, and the service says that it has none.
  const unknown = await opened({ url: 'string', period_days: 'natural', clicks: 'natural' });
  await expect(partsOf(unknown)).rejects.toMatchObject({
    message: expect.stringContaining('there is no field "period_days"'),
  });
});

test('metrics without dimensions are refused', async () => {
  await expect(opened({ clicks: 'natural', position: 'float' })).rejects.toMatchObject({
    code: 'bad_pipeline',
    message: expect.stringContaining('no dimension is declared'),
  });
});

test('aggregates are the only route for ranking performance, at two requests per window', () => {
  const source = { kind: 'ranking_performance', data_type: 'ranking_performance' } as const;
  expect([AGGREGATES_ROUTE.formats(source), AGGREGATES_ROUTE.requests(source, null)]).toEqual([['json'], 2]);
  expect(AGGREGATES_ROUTE.formats({ kind: 'crawl', data_type: 'pages' })).toEqual([]);
});
