import { createHash } from 'node:crypto';
import type { Model } from './model.ts';

/** Changes when the SQL, the header or a test of any model does. */
export function modelsVersion(models: readonly Model[]): string {
  const inOrder = models.toSorted((a, b) => a.name.localeCompare(b.name));
  const parts = inOrder.map(({ name, kind, sql, reads, each, incremental, tests, byPages }) => [
    name,
    kind,
    sql,
    [...reads].map(([source, columns]) => [source, [...columns]]),
    each,
    incremental,
    tests.map((test) => [test.severity, test.sql]),
    byPages?.segmentations,
  ]);
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
