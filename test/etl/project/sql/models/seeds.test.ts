import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { silentLogger } from '../../../../../src/core/logs/logger.ts';
import { loadModels, loadSeed } from '../../../../../src/etl/project/sql/models/load-models.ts';
import type { SqlFolder } from '../../../../../src/etl/project/sql/models/sql-folders.ts';
import { runModels } from '../../../../support/run-models.ts';
import { expectBadModel, modelText } from '../../../pipeline/transform/model-files.ts';
import { openWarehouse } from '../../../pipeline/transform/test-warehouse.ts';

const SEED = modelText('bots', { kind: 'seed', grain: '[token]', columns: ['token', 'engine'], sql: '' });

/** Folders of SQL, each given by its files. */
async function folders(...some: readonly Readonly<Record<string, string>>[]): Promise<SqlFolder[]> {
  const root = await mkdtemp(join(tmpdir(), 'crawlhouse-seeds-'));
  return Promise.all(
    some.map(async (files, index) => {
      const path = join(root, String(index));
      for (const [name, content] of Object.entries(files)) {
        await mkdir(dirname(join(path, name)), { recursive: true });
        await writeFile(join(path, name), content);
      }
      return { path, shown: index === 0 ? 'crawlhouse/sql' : 'sql' };
    }),
  );
}

const shipped = (csv: string): Readonly<Record<string, string>> => ({
  'm/bots.sql': SEED,
  'seeds/bots.csv': csv,
});

test('a seed contains the rows of the package, replaced or extended by those of the project', async () => {
  await using warehouse = await openWarehouse();
  const { connection } = warehouse;
  const rows = async (...some: readonly Readonly<Record<string, string>>[]): Promise<object[]> => {
    const models = await loadModels(await folders(...some));
    const logger = silentLogger;
    const report = await runModels({ connection, models, changed: new Set(), runId: 'r', logger });
    expect(report.models.map(({ status }) => status)).toEqual(['built']);
    return connection.jsonRows('SELECT * FROM mart.bots ORDER BY token');
  };
  const own = { 'seeds/bots.csv': 'engine,token\n"it\'s, ours",b\n,c\n' };

  expect(await rows(shipped('token,engine\na,google\nb,bing\n'))).toEqual([
    { token: 'a', engine: 'google' },
    { token: 'b', engine: 'bing' },
  ]);
  expect(await rows(shipped('token,engine\na,google\nb,bing\n'), own)).toEqual([
    { token: 'a', engine: 'google' },
    { token: 'b', engine: "it's, ours" },
    { token: 'c', engine: null },
  ]);
  expect(await rows(shipped('token,engine\n'))).toEqual([]);
});

test('with replaces, project rows replace all rows with the same values', async () => {
  const header = modelText('bots', {
    kind: 'seed',
    grain: '[list, prefix]',
    columns: ['list', 'prefix'],
    sql: '',
  });
  const files = {
    'm/bots.sql': header.replace('columns:', 'replaces: [list]\ncolumns:'),
    'seeds/bots.csv': 'list,prefix\na,1\na,2\nb,1\n',
  };
  const own = { 'seeds/bots.csv': 'prefix,list\n3,a\n4,a\n' };
  expect(await loadSeed(await folders(files, own), 'bots')).toEqual([
    { list: 'b', prefix: '1' },
    { list: 'a', prefix: '3' },
    { list: 'a', prefix: '4' },
  ]);
});

test('a file may omit optional columns', async () => {
  const header = SEED.replace('columns:', 'optional: [engine]\ncolumns:');
  const files = { 'm/bots.sql': header, 'seeds/bots.csv': 'token,engine\na,google\n' };
  const own = { 'seeds/bots.csv': 'token\nb\n' };
  expect(await loadSeed(await folders(files, own), 'bots')).toEqual([
    { token: 'a', engine: 'google' },
    { token: 'b', engine: null },
  ]);
});

test('a project without shipped models can add to its seeds', async () => {
  const files = { 'seeds/bot_ranges.csv': 'range_list,prefix\n' };
  expect(await loadModels(await folders(files))).toEqual([]);
});

test('an unknown seed is named', async () => {
  const files = {
    'm/bots.sql': modelText('bots', { kind: 'table', grain: 'null', columns: ['a'], sql: 'SELECT 1 AS a' }),
  };
  await expectBadModel(
    loadSeed(await folders(files), 'bots'),
    'crawlhouse/sql/bots.sql:1: no seed is named mart.bots',
    'remove the model of this name',
  );
});

test.each<[name: string, files: Readonly<Record<string, string>>, message: string, hint: string | undefined]>(
  [
    [
      'another column',
      shipped('token,motor\na,google\n'),
      'crawlhouse/sql/seeds/bots.csv:1: the columns are token, motor',
      'the columns of this seed: token, engine',
    ],
    [
      'a row twice',
      shipped('token,engine\na,google\n\na,bing\n'),
      'crawlhouse/sql/seeds/bots.csv:4: a second row of token a',
      'remove one',
    ],
    [
      'a file that no seed is named by',
      { ...shipped('token,engine\n'), 'seeds/robots.csv': 'token\n' },
      'crawlhouse/sql/seeds/robots.csv:1: no seed is named mart.robots',
      'seeds: mart.bots, mart.assistants, mart.bot_checks, mart.bot_ranges',
    ],
    [
      'SQL in a seed',
      { ...shipped('token,engine\n'), 'm/bots.sql': `${SEED}SELECT 1` },
      'crawlhouse/sql/m/bots.sql:9: a seed cannot contain SQL',
      'its rows are in seeds/bots.csv',
    ],
    [
      'replaces of a column that is not there',
      { ...shipped('token,engine\n'), 'm/bots.sql': SEED.replace('columns:', 'replaces: [list]\ncolumns:') },
      'crawlhouse/sql/m/bots.sql:6: replaces names the column list, which is not in columns',
      undefined,
    ],
    [
      'replaces of another model',
      {
        'm/bots.sql': SEED.replace('seed', 'table')
          .replace('columns:', 'replaces: [token]\ncolumns:')
          .concat('SELECT 1'),
      },
      'crawlhouse/sql/m/bots.sql:6: only rows of a seed can replace others',
      'remove replaces',
    ],
    [
      'a column twice',
      shipped('token,token\na,b\n'),
      'crawlhouse/sql/seeds/bots.csv:1: the columns are token, token',
      'the columns of this seed: token, engine',
    ],
    [
      'optional columns of another model',
      {
        'm/bots.sql': SEED.replace('seed', 'table')
          .replace('columns:', 'optional: [token]\ncolumns:')
          .concat('SELECT 1'),
      },
      'crawlhouse/sql/m/bots.sql:6: only a seed has optional columns',
      'remove optional',
    ],
    [
      'a seed without a grain',
      { ...shipped('token,engine\n'), 'm/bots.sql': SEED.replace('[token]', 'null') },
      'crawlhouse/sql/m/bots.sql:5: a seed needs a grain',
      'name the columns that identify a row',
    ],
  ],
)('%s is refused', async (_name, files, message, hint) => {
  await expectBadModel(loadModels(await folders(files)), message, hint);
});

test('a line with another number of values is reported', async () => {
  const files = shipped('token,engine\na,google,more\n');
  await expect(loadModels(await folders(files))).rejects.toThrow(
    'crawlhouse/sql/seeds/bots.csv:2: is not CSV: Invalid Record Length',
  );
});
