import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import type { LoadContext } from '../../../../src/etl/pipeline/unit/contexts.ts';
import { loadStaged, stagedCounts } from '../../../../src/etl/pipeline/unit/load-units.ts';
import type { Manifest } from '../../../../src/etl/project/model/manifest.ts';
import { temporaryConnection, temporaryFolder } from '../../../support/temporary.ts';
import { openWorking } from '../../engines/open-working.ts';
import { fields, makePackage } from '../load/make-package.ts';
import { signal } from '../package-project.ts';

async function staged(...depths: readonly unknown[]) {
  const folder = await temporaryFolder();
  const connection = await temporaryConnection(folder);
  const rows = depths.map((depth) => ({ depth }));
  const made = await makePackage(connection, folder, { id: 'c1', fields: fields('depth natural'), rows });
  const manifest = JSON.parse(await readFile(join(made, 'manifest.json'), 'utf8')) as Manifest;
  return { folder: made, manifest };
}

async function context(more: Partial<LoadContext> = {}): Promise<LoadContext> {
  const folder = await temporaryFolder();
  const working = await openWorking(folder);
  const settings = await loadSettings(folder, {});
  const none = { holds: new Map(), modelsVersion: 'm1', fieldsRead: () => new Map(), named: false };
  return { settings, working, runId: 'r', signal, reload: false, ...none, ...more };
}

const load = (own: LoadContext, one: Awaited<ReturnType<typeof staged>>) => loadStaged(own, one, undefined);

test('a package is loaded with its counts, the last of which is open', async () => {
  const one = await staged(1, 2);
  expect(stagedCounts(one)).toMatchObject({ staged: 2, loaded: null, queryable: null });
  expect(await load(await context(), one)).toMatchObject({ loaded: 2, queryable: null });
});

test('rejects refuse the unit if the settings say so, with the place of the first, and are kept', async () => {
  const { settings, ...rest } = await context();
  const one = await staged(1, 2.5, 'x');
  const strict = { ...rest, settings: { ...settings, on_reject: 'fail' as const } };
  await expect(load(strict, one)).rejects.toMatchObject({
    code: 'rejected_values',
    message: expect.stringMatching(/^crawl_pages\/c1: 2 of 3 rows rejected; pages\.jsonl:2: depth = "2\.5"/),
  });
  expect(await rest.working.connection.scalar('SELECT count(*) FROM ops.rejects')).toBe(2n);
  const lenient = { ...rest, settings: { ...settings, on_reject: 'quarantine' as const } };
  expect(await load(lenient, one)).toMatchObject({ loaded: 1, rejected: 2 });
});

test('content quarantined under the same models is quarantined again, unless a user requests it or the models changed', async () => {
  const one = await staged(1);
  const error = { code: 'test_held', message: 'held before', hint: null } as const;
  const hold = {
    unit: 'crawl_pages/c1',
    model: 'mart.a',
    test: 't',
    error,
    content_sha256: one.manifest.content_sha256,
    models: 'm1',
  };
  const holds = new Map([['crawl_pages/c1', hold]]);
  await expect(load(await context({ holds }), one)).rejects.toMatchObject({
    code: 'test_held',
    message: 'held before',
  });
  for (const more of [
    { holds, reload: true },
    { holds, modelsVersion: 'm2' },
  ])
    expect(await load(await context(more), one)).toMatchObject({ loaded: 1 });
});
