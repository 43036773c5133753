import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sqlTokens, textOf } from '../../../src/core/duckdb/sql-tokens.ts';
import { loadFilters, loadModels } from '../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../../src/etl/project/sql/models/sql-folders.ts';
import { loadQuestions } from '../../../src/etl/project/sql/questions/questions.ts';
import { fuzzFolder } from '../folder.ts';
import { called, Fault, type Target, type Verdict } from '../target.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..', 'sql');
const shipped = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** A file under `sql/`, as each kind of file that it may be. */
async function checkFile(folder: string, input: Buffer): Promise<Verdict> {
  const text = input.toString();
  if (textOf(sqlTokens(text)).length !== text.length) throw new Fault('tokens are not the whole SQL', text);
  const folders = [sqlFolder(folder)];
  let taken = 0;
  for (const [place, load] of [
    ['crawls/a.sql', () => loadModels(folders)],
    ['filters/a.sql', () => loadFilters(folders)],
    ['questions/a.sql', () => loadQuestions(folders)],
    ['issues/a.sql', () => loadModels(folders)],
  ] as const) {
    const path = join(folder, place);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, input);
    try {
      const found = await called(async () => {
        try {
          return await load();
        } catch (error) {
          const { message } = error as Error;
          const [, line] = /sql\/\w+\/a\.sql:(\d+)/.exec(message) ?? [];
          if (line === undefined)
            throw new Fault('a refusal names no line of the file', (error as Error).stack ?? message);
          if (!(Number(line) >= 1 && Number(line) <= text.split('\n').length))
            throw new Fault('a refusal names a line that is not there', message);
          throw error;
        }
      });
      if (found !== undefined && found.value.length > 0) taken++;
    } finally {
      rmSync(path);
    }
  }
  return taken > 0 ? 'taken' : 'refused';
}

/** Models, filters, questions and issues: the header in YAML, and the SQL behind it. */
export const sqlHeaders: Target = {
  name: 'sql-headers',
  seeds: [
    '/*\nname: mart.a\ndescription: A\nkind: view\ngrain: [crawl_id]\ncolumns:\n  crawl_id: the crawl\ntests:\n  - not_null: crawl_id\n*/\nSELECT crawl_id FROM raw.crawls;\n',
    "/*\ntitle: Articles\ndescription: Pages of articles\n*/\ndepth > 3 AND url LIKE '%/a/%' -- deep\n",
    shipped('questions/q05_status_codes_by_crawl.sql'),
    shipped('issues/amp_error.sql'),
  ],
  words: [
    '/*',
    '*/',
    'name:',
    'kind:',
    'grain:',
    'tests:',
    'columns:',
    'parameters:',
    'chart:',
    'severity:',
    'unique',
    'SELECT',
    'FROM',
    '--',
    "'",
    '"',
    '$$',
    ';',
    '&a',
    '*a',
    '{{',
    '$1',
  ],
  shortRound: 100,
  async open() {
    const { folder, close } = fuzzFolder();
    return { close, check: (input) => checkFile(folder, input) };
  },
};
