import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { CrawlhouseError } from '../../../../src/core/errors/errors.ts';
import { loadModels } from '../../../../src/etl/project/sql/models/load-models.ts';
import type { Model } from '../../../../src/etl/project/sql/models/model.ts';
import { sqlFolder } from '../../../../src/etl/project/sql/models/sql-folders.ts';

/** Writes files under a `sql` folder of their own and gives it to `work`. */
export async function withSqlFiles<T>(
  files: Readonly<Record<string, string>>,
  work: (sqlDir: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-sql-'));
  try {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export function loadFiles(files: Readonly<Record<string, string>>): Promise<Model[]> {
  return withSqlFiles(files, (sqlDir) => loadModels([sqlFolder(sqlDir)]));
}

export interface ModelText {
  readonly kind?: string;
  readonly grain?: string;
  readonly columns: readonly string[];
  /** Further lines of the header. */
  readonly more?: string;
  readonly sql: string;
}

/** The text of `mart.<name>`: a header of six lines and one for each column, before `more`. */
export function modelText(
  name: string,
  { kind = 'table', grain = 'null', columns, more, sql }: ModelText,
): string {
  const header = [
    `name: mart.${name}`,
    `kind: ${kind}`,
    `description: The model ${name}.`,
    `grain: ${grain}`,
    'columns:',
    ...columns.map((column) => `  ${column}: The column ${column}.`),
    ...(more ? [more] : []),
  ];
  return `/*\n${header.join('\n')}\n*/\n${sql}\n`;
}

/** Holds that something is refused as a bad model, with this message and, when given, this hint. */
export async function expectBadModel(work: Promise<unknown>, message: string, hint?: string): Promise<void> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(CrawlhouseError);
  const { code, message: actual, hint: actualHint } = error as CrawlhouseError;
  expect({ code, message: actual }).toEqual({ code: 'bad_model', message });
  if (hint !== undefined) expect(actualHint).toBe(hint);
}
