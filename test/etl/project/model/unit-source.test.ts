import { expect, test } from 'vitest';
import { Pipeline } from '../../../../src/etl/project/model/pipeline.ts';
import {
  dataSourceOf,
  pipelineDefinition,
  pipelineFilter,
} from '../../../../src/etl/project/model/unit-source.ts';

type Kind = Pipeline['source']['kind'];

function pipelineOf(kind: Kind, data_type: string, more: object = {}): Pipeline {
  return Pipeline.parse({ dataset: 'd', description: 'rows', source: { kind, data_type }, ...more });
}

test.for([
  ['crawl', 'links', null, { kind: 'crawl', id: 'x', dataType: 'links' }],
  ['crawl', 'fields', null, null],
  ['crawl_over_crawl', 'pages', null, { kind: 'crawl_over_crawl', id: 'x' }],
  ['log_monitoring', 'events', 'day', { kind: 'log_events', projectId: 'x' }],
  ['log_monitoring', 'pages', 'week', { kind: 'log_pages', projectId: 'x', granularity: 'weeks' }],
  ['ranking_performance', 'pages', 'day', null],
  ['resource', 'crawls', null, null],
] as const)('a unit of %s %s with the window %s is read from %j', ([kind, type, window, source]) => {
  const unit = { dataset: 'd', source: { kind, id: 'x', project_id: null }, window: null };
  expect(dataSourceOf(pipelineOf(kind, type, { window }), unit)).toEqual(source);
});

test('log pages need a window', () => {
  const unit = {
    dataset: 'd',
    source: { kind: 'log_monitoring', id: 'x', project_id: null },
    window: null,
  } as const;
  const code = 'bad_pipeline';
  const message = 'pipelines/d.yaml: log pages need a window';
  expect(() => dataSourceOf(pipelineOf('log_monitoring', 'pages'), unit)).toThrow(
    expect.objectContaining({ code, message }),
  );
});

test('a filter is OQL, or the pipeline is refused', () => {
  const filter = { field: ['status_code', 'equals', 404] };
  expect(pipelineFilter(pipelineOf('crawl', 'pages', { filter }))).toEqual(filter);
  expect(
    [pipelineOf('crawl', 'pages'), pipelineOf('crawl', 'pages', { filter: null })].map(pipelineFilter),
  ).toEqual([null, null]);
  const broken = pipelineOf('crawl', 'pages', { filter: { nor: [] } });
  expect(() => pipelineFilter(broken)).toThrow(
    expect.objectContaining({
      code: 'bad_pipeline',
      message: expect.stringMatching(/^pipelines\/d\.yaml: /),
    }),
  );
});

test('the definition of a pipeline has each requested field once, in any order', () => {
  const fields = { include: ['b', 'a', 'b'], exclude: ['d', 'c'] };
  expect(JSON.parse(pipelineDefinition(pipelineOf('crawl', 'pages', { fields })))).toEqual({
    filter: null,
    fields: { include: ['a', 'b'], exclude: ['c', 'd'] },
  });
});
