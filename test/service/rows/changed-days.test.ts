import { expect, onTestFinished, test } from 'vitest';
import { changedDays, noteChangedDays, noteLoadedDays } from '../../../src/service/rows/changed-days.ts';
import { ServiceRows } from '../../../src/service/rows/service-rows.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const LOGS = { project_id: "o'p", kind: 'log_monitoring' } as const;

test('a changed day stays listed until each dataset loaded it, and is listed again after another change', async () => {
  const rows = await ServiceRows.open(await temporaryFolder());
  onTestFinished(() => rows[Symbol.asyncDispose]());
  const change = (...days: string[]): Promise<void> =>
    rows.use((connection) =>
      noteChangedDays(connection, LOGS, `VALUES ${days.map((day) => `(DATE '${day}')`).join(', ')}`),
    );
  expect(await changedDays(rows)).toEqual([]);
  await change('2026-01-31', '2026-02-01', '2026-02-01');
  const span = { dataset: 'log_events', project_id: LOGS.project_id };
  await noteLoadedDays(rows, [
    { ...span, from: '2026-01-31', to: '2026-02-01' },
    { ...span, dataset: 'log_pages_months', from: '2026-01-01', to: '2026-02-01' },
    { ...span, project_id: 'other', from: '2026-02-01', to: '2026-02-02' },
  ]);
  const [first, second] = await changedDays(rows);
  expect(first?.loaded_by.toSorted()).toEqual(['log_events', 'log_pages_months']);
  expect(second).toEqual({ ...LOGS, day: '2026-02-01', loaded_by: [] });
  await change('2026-01-31');
  expect(await changedDays(rows)).toEqual([
    { ...LOGS, day: '2026-01-31', loaded_by: [] },
    { ...LOGS, day: '2026-02-01', loaded_by: [] },
  ]);
});
