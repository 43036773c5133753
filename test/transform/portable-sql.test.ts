import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadModels } from '../../src/transform/load-models.ts';
import { loadQuestions } from '../../src/transform/questions.ts';
import { sqlFolder } from '../../src/transform/sql-folders.ts';

const folders = [sqlFolder(join(import.meta.dirname, '../../sql'))];

/** Words of DuckDB alone that other engines refuse, or read as something else. */
const FOREIGN =
  /\bQUALIFY\b|\b(ANTI|SEMI|ASOF) JOIN\b|\bGROUP BY ALL\b|\b(UN)?PIVOT\b|\bFILTER \((?!WHERE\b)|(^|\()\s*FROM\b|\bMATERIALIZED\b/gi;

const foreignWords = (sql: string): string[] => sql.replaceAll(/--.*/g, '').match(FOREIGN) ?? [];

test('words that only DuckDB has are noticed', () => {
  expect(foreignWords('SELECT count(*) FILTER (WHERE a > 1) FROM t JOIN u ON true -- QUALIFY')).toEqual([]);
  expect(foreignWords('SELECT sum(a) FILTER (a > 1) FROM t QUALIFY true')).toEqual(['FILTER (', 'QUALIFY']);
  expect(foreignWords('WITH t AS (FROM u)\nSELECT a FROM t ANTI JOIN u USING (a)')).toEqual([
    '(FROM',
    'ANTI JOIN',
  ]);
});

test('no model and no question has words that only DuckDB has', async () => {
  const files = [...(await loadModels(folders)), ...(await loadQuestions(folders))];
  expect(files.length).toBeGreaterThan(60);
  expect(files.flatMap(({ name, sql }) => foreignWords(sql).map((word) => `${name}: ${word}`))).toEqual([]);
});
