import { expect, test } from 'vitest';
import { unknownSegmentProjects } from '../../../../src/etl/state/catalog/unknown-settings.ts';
import { temporaryConnection, temporaryFolder } from '../../../support/temporary.ts';

const signal = new AbortController().signal;

test('unknown projects in segments.yaml are reported, with suggestions', async () => {
  const connection = await temporaryConnection(await temporaryFolder());
  const projects = ['p1', 'Shop', 'WWW.shop.example', '127.0.0.1', '127.0.0.1:8080', 'Shp', 'shop.example'];
  const segmentations = [
    { name: 'template', projects, segments: [], rest: null },
    { name: 'all', projects: null, segments: [], rest: null },
  ];
  expect(await unknownSegmentProjects(connection, segmentations, signal)).toEqual([]);
  await connection.run(`CREATE SCHEMA raw; CREATE TABLE raw.projects AS FROM
    (VALUES ('p1', 'Shop', 'https://www.shop.example/start'), ('p2', 'Blog', 'http://127.0.0.1:8080/'), ('p3', 'x', 'none'))
    AS t(id, name, start_url)`);
  const found = await unknownSegmentProjects(connection, segmentations, signal);
  expect(found.map(({ message }) => message)).toEqual([
    'segments.yaml: template: the warehouse has no project Shp, so the segmentation has no effect there',
    'segments.yaml: template: the warehouse has no project shop.example, so the segmentation has no effect there',
  ]);
  expect(found.map(({ hint }) => hint.split('?')[0])).toEqual([
    'did you mean Shop',
    'did you mean www.shop.example',
  ]);
  expect(await unknownSegmentProjects(connection, segmentations.slice(1), signal)).toEqual([]);
});
