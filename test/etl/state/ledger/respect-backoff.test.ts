import { expect, test } from 'vitest';
import type { Task } from '../../../../src/etl/project/model/task.ts';
import { type Unit, unitName } from '../../../../src/etl/project/model/unit.ts';
import { respectBackoff } from '../../../../src/etl/state/ledger/respect-backoff.ts';
import { sqliteLedger } from '../../../../src/etl/state/ledger/sqlite/sqlite-ledger.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const error = { code: 'connection', message: 'reset', hint: 'h' } as const;

function unit(id: string): Unit {
  return { dataset: 'crawl_pages', source: { kind: 'crawl', id, project_id: 'p' }, window: null };
}

test('a unit that failed repeatedly waits for its next try, and still counts as failed', async () => {
  await using ledger = sqliteLedger(await temporaryFolder());
  await ledger.discoverUnits(['new', 'once', 'often', 'refused'].map(unit));
  await ledger.setUnit(unit('once'), 'failed', 1, error);
  for (let run = 0; run < 4; run++) await ledger.setUnit(unit('often'), 'failed', 1, error);
  for (let run = 0; run < 9; run++)
    await ledger.setUnit(unit('refused'), 'refused', 1, {
      code: 'unreconciled',
      message: '5 and 6',
      hint: null,
    });
  const due = ['new', 'once', 'often', 'refused'].map(
    (id) => ({ unit: unit(id), name: unitName(unit(id)) }) as Task,
  );
  const known = await ledger.units();

  const soon = respectBackoff(due, known, Date.now());
  expect(soon.tasks.map((one) => one.unit.source.id)).toEqual(['new', 'once']);
  expect(soon.reports).toMatchObject([
    { unit: 'crawl_pages/often', status: 'failed', attempts: 0 },
    { unit: 'crawl_pages/refused', status: 'refused', attempts: 0 },
  ]);
  expect(soon.errors.map((one) => [one.code, one.exitCode, one.message, one.hint])).toEqual([
    ['connection', 3, expect.stringMatching(/^reset \(next try \d{4}-.*Z\)$/), 'h'],
    ['unreconciled', 4, expect.stringMatching(/^5 and 6 \(next try /), expect.any(String)],
  ]);

  const later = respectBackoff(due, known, Date.now() + 11 * 60_000);
  expect(later.tasks.map((one) => one.unit.source.id)).toEqual(['new', 'once', 'often']);
  const tomorrow = respectBackoff(due, known, Date.now() + 86_400_000);
  expect([tomorrow.tasks.length, tomorrow.errors]).toEqual([4, []]);
});
