import { textTable } from '../../../core/text/text-table.ts';
import type { TestReport } from '../../../project/model/runs/report.ts';

/** Each test that failed, with some of the rows that break it and the SELECT that shows all of them. */
export function describeFailedTests(tests: readonly TestReport[]): string {
  const failed = tests.filter((test) => test.status === 'failed');
  return failed.map(describe).join('');
}

function describe({ model, name, severity, failures, sample, query }: TestReport): string {
  const columns = Object.keys(sample[0] ?? {});
  const rows = sample.map((row) => columns.map((column) => plain(row[column])));
  const shown = failures > sample.length ? `some of ${failures}` : `${failures}`;
  return [
    `\n${severity}: ${model}: ${name}: ${shown} ${failures === 1 ? 'row' : 'rows'}\n`,
    sample.length > 0 ? textTable(columns, rows) : '',
    `all of them: ${query.replaceAll(/\s+/g, ' ').trim()}\n`,
  ].join('');
}

/** NULL says so: an empty text is none. */
function plain(value: unknown): string | number {
  if (value === null || value === undefined) return 'NULL';
  return typeof value === 'number' || typeof value === 'string' ? value : JSON.stringify(value);
}

/** A project for people: its name beside its id, or the id alone where no name is known. */
export function projectText(id: string, names: ReadonlyMap<string, string>): string {
  const name = names.get(id);
  return name === undefined ? id : `${name} (${id})`;
}
