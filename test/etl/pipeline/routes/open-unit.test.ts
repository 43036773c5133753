import { expect, test } from 'vitest';
import { openUnit } from '../../../../src/etl/pipeline/routes/open-unit.ts';
import type { ChosenRoute, RouteOption } from '../../../../src/etl/pipeline/routes/route.ts';
import { type Json, service } from '../../../service/support.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { partsOf, routeContext, rowsIn, taskOf } from './route-context.ts';

const STREAM: ChosenRoute = { route: 'stream', format: 'json', store: null, reason: 's' };
const SEARCH: ChosenRoute = { route: 'search', format: 'json', store: null, reason: 'q' };

interface More {
  readonly faults?: readonly Json[];
  /** Keys of the pipeline file. */
  readonly pipeline?: Readonly<Record<string, unknown>>;
}

async function opening(options: readonly RouteOption[], { faults = [], pipeline = {} }: More = {}) {
  const it = await service({ generate: ['pages=12,links=5,columns=40,seed=3'] });
  const task = taskOf(await it.crawlId(), pipeline);
  await it.fault(...faults);
  const context = await routeContext(it);
  return { context, opened: openUnit(context, task, options, { folder: await temporaryFolder() }) };
}

const REFUSED = { match: { path: 'export=true' }, kind: 'status', status: 403 };

test('a unit is opened by the first route that suits its rows', async () => {
  const { context, opened } = await opening([STREAM, SEARCH]);
  const { download, chosen, left } = await opened;
  expect([chosen, left]).toEqual([STREAM, [STREAM, SEARCH]]);
  expect(context.moves).toEqual([null]);
  expect(rowsIn(await partsOf(download))).toBe(12);
});

test.for([
  ['json', {}],
  ['csv', { fields: { include: ['url', 'depth'] } }],
] as const)('the fields of a unit select %s', async ([format, pipeline]) => {
  const { opened } = await opening([{ ...STREAM, cheaper: 'csv' }, SEARCH], { pipeline });
  const { download, chosen, left } = await opened;
  expect([chosen.format, chosen.reason, left.length]).toEqual([
    format,
    expect.stringMatching(`^s; ${format.toUpperCase()}, because `),
    2,
  ]);
  const parts = await partsOf(download);
  expect([rowsIn(parts), new Set(parts.map((part) => part.format))]).toEqual([12, new Set([format])]);
});

test('a refused route falls back to the next, with the reason', async () => {
  const { download, chosen, left } = await (await opening([STREAM, SEARCH], { faults: [REFUSED] })).opened;
  expect(chosen).toMatchObject({
    route: 'search',
    reason: expect.stringMatching(/^stream was refused: .* 403/),
  });
  expect(left).toHaveLength(1);
  expect(rowsIn(await partsOf(download))).toBe(12);
});

test('if every route is refused, the refusal is the error', async () => {
  await expect((await opening([STREAM], { faults: [REFUSED] })).opened).rejects.toMatchObject({
    code: 'forbidden',
  });
});

test('an error other than a refusal ends the unit, whatever routes are left', async () => {
  const broken = { ...REFUSED, status: 400 };
  await expect((await opening([STREAM, SEARCH], { faults: [broken] })).opened).rejects.toMatchObject({
    code: 'invalid_request',
  });
});
