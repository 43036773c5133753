import { expect, test } from 'vitest';
import type { LedgerUnit } from '../../../../src/etl/project/model/runs/ledger-records.ts';
import {
  chooseTargets,
  type DroppedUnit,
  type DropRequest,
  dropTargets,
  warehouseUnits,
} from '../../../../src/etl/state/catalog/drop-targets.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { openWorking } from '../../engines/open-working.ts';

function unit(
  dataset: string,
  kind: 'crawl' | 'resource' | 'log_monitoring',
  id: string,
  project: string | null,
) {
  const source = { kind, id, project_id: project };
  return { unit: `${dataset}/${id}`, dataset, source, window: null, rows: 5 };
}
const PAGES = unit('crawl_pages', 'crawl', 'c1', 'p1');
const PRESENT: readonly DroppedUnit[] = [
  PAGES,
  unit('crawl_links', 'crawl', 'c1', 'p1'),
  unit('crawl_pages', 'crawl', 'c2', 'p2'),
  unit('log_pages', 'log_monitoring', 'p1', 'p1'),
  unit('crawls', 'resource', 'w1', null),
];
const known = (id: string, status: LedgerUnit['status'], dataset = 'crawl_pages') =>
  ({ ...unit(dataset, 'crawl', id, 'p1'), status }) as unknown as LedgerUnit;
const KNOWN = [known('c1', 'loaded'), known('c3', 'failed'), known('c4', 'dropped')];

const request = (more: Partial<DropRequest>): DropRequest => ({
  crawls: [],
  projects: [],
  datasets: [],
  ...more,
});

test.for([
  [{ crawls: ['c1'] }, ['crawl_links/c1 5', 'crawl_pages/c1 5']],
  [{ crawls: ['c1'], datasets: ['crawl_pages'] }, ['crawl_pages/c1 5']],
  [{ crawls: ['c3', 'c2'] }, ['crawl_pages/c2 5', 'crawl_pages/c3 null']],
  [{ projects: ['p1'] }, ['crawl_links/c1 5', 'crawl_pages/c1 5', 'crawl_pages/c3 null', 'log_pages/p1 5']],
  [{ projects: ['p2'], crawls: ['c3'] }, ['crawl_pages/c2 5', 'crawl_pages/c3 null']],
] as const)('%j drops %j', ([wanted, units]) => {
  const { projects = [] } = wanted as { readonly projects?: readonly string[] };
  const targets = chooseTargets(PRESENT, KNOWN, projects, request(wanted));
  expect(targets.map(({ unit, rows }) => `${unit} ${rows}`)).toEqual(units);
});

test.for([
  [{ crawls: ['c1', 'c4'] }, 'the warehouse has no data of crawl c4'],
  [{ crawls: ['w1'] }, 'the warehouse has no data of crawl w1'],
  [{ crawls: ['p1'] }, 'the warehouse has no data of crawl p1'],
  [{ projects: ['shop'] }, 'the warehouse has no data of project shop'],
] as const)('%j is refused: %s', ([wanted, message]) => {
  expect(() =>
    chooseTargets(PRESENT, KNOWN, ['p9'].slice('crawls' in wanted ? 1 : 0), request(wanted)),
  ).toThrow(expect.objectContaining({ code: 'usage', message }));
});

test('a project is named; loads have the end of their crawl; a published unit may lack in the working copy', async () => {
  const { connection } = await openWorking(await temporaryFolder());
  await connection.run(`
    CREATE TABLE raw.projects AS SELECT * FROM (VALUES
      ('p1', 'shop', TIMESTAMPTZ '2026-01-01', NULL), ('p0', 'shop', TIMESTAMPTZ '2026-01-01', TIMESTAMPTZ '2026-02-01')
    ) AS listed (id, name, _seen_from, _seen_to)`);
  await connection.run(`
    INSERT INTO ops.loads BY NAME SELECT 'crawl_pages/' || id AS unit, 'crawl_pages' AS dataset, 'crawl' AS source_kind,
      id AS source_id, 'p1' AS project_id, 7 AS loaded, ended AS source_ended_at, pinned,
      TIMESTAMPTZ '2026-03-03 00:00:00Z' AS loaded_at
    FROM (VALUES ('c1', TIMESTAMPTZ '2026-01-01 00:00:00Z', true), ('c2', NULL, NULL)) AS loaded (id, ended, pinned)`);
  const units = await warehouseUnits(connection);
  expect([...units.values()].map(({ unit, rows, endedAt, pinned }) => [unit, rows, endedAt, pinned])).toEqual(
    [
      ['crawl_pages/c1', 7, Date.parse('2026-01-01'), true],
      ['crawl_pages/c2', 7, Date.parse('2026-03-03'), false],
    ],
  );
  const published = [{ ...PAGES, rows: 1 }, unit('crawl_links', 'crawl', 'c1', 'p1')];
  const targets = await dropTargets(connection, [], request({ projects: ['shop'] }), published);
  expect(targets.map(({ unit, rows }) => `${unit} ${rows}`)).toEqual([
    'crawl_links/c1 5',
    'crawl_pages/c1 7',
    'crawl_pages/c2 7',
  ]);
});
