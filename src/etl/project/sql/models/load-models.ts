import { hash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { ident, text } from '../../../../core/duckdb/duckdb.ts';
import { readText } from '../../../../core/files/read-text.ts';
import { DAYS_OF_CRAWL } from '../../settings/issue-settings.ts';
import { loadSegmentations, type Segmentation } from '../../settings/segments.ts';
import { loadTickets } from '../../settings/tickets/tickets.ts';
import {
  checkCondition,
  conditionParts,
  replacedRows,
  segmentParts,
  segmentRows,
  UNTIL_PLANNED,
} from '../segments/segment-rows.ts';
import { badModel } from '../text/bad-model.ts';
import { giveTables } from '../text/given-tables.ts';
import { type SqlFile, splitSqlFile } from '../text/sql-file.ts';
import { firstWord } from '../text/sql-tree.ts';
import { changeProjectRows, changeRows } from './change-rows.ts';
import { checkHeader } from './check-header.ts';
import { dataTests } from './data-tests.ts';
import { withIssues } from './issue-models.ts';
import { columnsWithLoad } from './load-columns.ts';
import type { Model, ReadField } from './model.ts';
import { ModelHeader } from './model-header.ts';
import { type SeedRow, type SeedShape, seedFile, seedFiles, seedRows, seedSelect } from './seeds.ts';
import {
  FILTERS_FOLDER,
  FOLDERS_WITHOUT_MODELS,
  namedFiles,
  SHIPPED_SQL,
  type SqlFolder,
} from './sql-folders.ts';
import { withTickets } from './ticket-rows.ts';
import { loadTunedIssues } from './tune-issues.ts';

/**
 * Reads every model in the given folders, sorted by name. A model in a later folder replaces an earlier model of the
 * same name. `planModels` checks what requires the database: that there is one SELECT, its sources, and its columns.
 *
 * @throws CrawlhouseError `bad_model` naming file, line, key and valid values
 */
export async function loadModels(folders: readonly SqlFolder[]): Promise<Model[]> {
  const models = new Map<string, Model>();
  const seeds = new Set<string>();
  const projectDir = folders.at(-1)?.project?.dir;
  const [issues, filters, segmentations, tickets] = await Promise.all([
    loadTunedIssues(folders),
    loadFilters(folders),
    loadSegmentations(projectDir),
    loadTickets(projectDir),
  ]);
  for (const folder of folders) {
    for (const { model, isSeed } of await folderModels(folder, folders)) {
      models.set(model.name, model);
      if (isSeed) seeds.add(model.name);
      else seeds.delete(model.name);
    }
  }
  // A project without the built-in models may still extend the built-in list of known bots.
  const shipped = (await seedFiles(SHIPPED_SQL)).map((name) => `mart.${name}`);
  await checkSeedFiles(folders, new Set([...seeds, ...shipped]));
  const all = [...models.values()].map((model) => {
    const whole = withSegments(withFilters(withIssues(model, issues), filters), segmentations);
    return withTickets(withSettings(whole, folders), tickets);
  });
  if (segmentations.length > 0 && all.every(({ byPages }) => byPages === null))
    throw badModel(
      { file: 'segments.yaml', line: 1, code: 'bad_segments' },
      'no model of this project reads segments.found, so the file has no effect',
      'the shipped mart.page_groups reads it: see sql/crawl_pages/page_groups.sql of crawlhouse',
    );
  return all.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns a model with SELECTs instead of the tables of the schema `settings`. */
function withSettings(model: Model, folders: readonly SqlFolder[]): Model {
  const { crawl_days = DAYS_OF_CRAWL, changes = {} } = folders.at(-1)?.project ?? {};
  const { sql, given } = giveTables(model.sql, 'settings', {
    crawl_days: () => `SELECT ${crawl_days} AS days`,
    changes: () => changeRows(changes),
    change_projects: () => changeProjectRows(changes),
  });
  return given.size === 0 ? model : { ...model, sql };
}

/** Returns a model with SELECTs from segments.yaml instead of the tables of the schema `segments`. */
export function withSegments(model: Model, segmentations: readonly Segmentation[]): Model {
  const sqlWith = (found: () => string) =>
    giveTables(model.sql, 'segments', { found, replaced: () => replacedRows(segmentations) });
  const { sql, given } = sqlWith(() => UNTIL_PLANNED);
  if (!given.has('found') || segmentations.length === 0) return given.size === 0 ? model : { ...model, sql };
  const byPages: Model['byPages'] = {
    segmentations,
    complete: (columns) => ({
      ...model,
      sql: sqlWith(() => segmentRows(segmentations, columns)).sql,
      parts: [...model.parts, ...segmentParts(segmentations, columns)],
      byPages,
    }),
  };
  return { ...model, sql, byPages };
}

/**
 * Returns the rows of a seed in the given folders, with the columns of its model.
 *
 * @param of the folders whose rows are read, all by default
 * @throws CrawlhouseError `bad_model`, also if no folder contains the seed
 */
export async function loadSeed(
  folders: readonly SqlFolder[],
  name: string,
  of: readonly SqlFolder[] = folders,
): Promise<SeedRow[]> {
  let shape: SeedShape | undefined;
  for (const folder of folders) {
    for (const path of (await sqlFiles(folder)).filter((file) => basename(file, '.sql') === name)) {
      const source = splitSqlFile(`${folder.shown}/${path}`, await readText(join(folder.path, path)));
      const header = checkHeader(ModelHeader, source);
      shape = header.kind === 'seed' ? seedShape(header) : undefined;
    }
  }
  if (shape === undefined) {
    const file = `${folders.at(-1)?.shown ?? 'sql'}/${name}.sql`;
    throw badModel({ file, line: 1 }, `no seed is named mart.${name}`, 'remove the model of this name');
  }
  return await seedRows(of, name, shape);
}

function seedShape({ columns, grain, replaces, optional = [] }: ModelHeader): SeedShape {
  const ofGrain = grain?.columns ?? [];
  return { columns: Object.keys(columns), grain: ofGrain, replaces: replaces ?? ofGrain, optional };
}

/** Refuses a seed file that no model reads, because its name must be wrong. */
async function checkSeedFiles(folders: readonly SqlFolder[], seeds: ReadonlySet<string>): Promise<void> {
  for (const folder of folders) {
    const unread = (await seedFiles(folder)).find((name) => !seeds.has(`mart.${name}`));
    if (unread === undefined) continue;
    const hint = `seeds: ${[...seeds].join(', ') || 'none'}`;
    throw badModel({ file: seedFile(folder, unread), line: 1 }, `no seed is named mart.${unread}`, hint);
  }
}

interface ReadModel {
  readonly model: Model;
  readonly isSeed: boolean;
}

async function folderModels(folder: SqlFolder, folders: readonly SqlFolder[]): Promise<ReadModel[]> {
  const models = new Map<string, Model>();
  const found: ReadModel[] = [];
  for (const path of await sqlFiles(folder)) {
    const text = await readText(join(folder.path, path));
    const read = await readModel(splitSqlFile(`${folder.shown}/${path}`, text), folders);
    const { model } = read;
    const same = models.get(model.name);
    if (same) {
      const place = { file: model.file, line: model.lineOf(['name']) };
      throw badModel(place, `a second model ${model.name}`, `the first one is ${same.file}`);
    }
    models.set(model.name, model);
    found.push(read);
  }
  return found;
}

async function sqlFiles({ path: sqlDir, shown }: SqlFolder): Promise<string[]> {
  const found = await readdir(sqlDir, { recursive: true });
  const paths = found.map((path) => path.replaceAll('\\', '/')).filter((path) => path.endsWith('.sql'));
  for (const path of paths) {
    if (path.split('/').length !== 2) {
      throw badModel(
        { file: `${shown}/${path}`, line: 1 },
        'is not in a folder of sql',
        'sql/<folder>/<name>.sql',
      );
    }
  }
  return paths.filter((path) => !FOLDERS_WITHOUT_MODELS.includes(path.split('/')[0] ?? '')).sort();
}

async function readModel(source: SqlFile, folders: readonly SqlFolder[]): Promise<ReadModel> {
  const header = checkHeader(ModelHeader, source);
  const { file, sqlLine } = source;
  const isSeed = header.kind === 'seed';
  const place = (path: readonly PropertyKey[]) => ({ file, line: source.lineOf(path) });
  const fileName = basename(file, '.sql');
  if (header.name !== `mart.${fileName}`) {
    throw badModel(
      place(['name']),
      `the file ${fileName}.sql contains ${header.name}`,
      `name: mart.${fileName}`,
    );
  }
  const columns = new Map(Object.entries(header.columns).map(([name, column]) => [name, column.description]));
  const known = (name: string, path: readonly PropertyKey[]): void => {
    if (columns.has(name)) return;
    throw badModel(place(path), `${path[0]?.toString()} names the column ${name}, which is not in columns`);
  };
  for (const column of header.grain?.columns ?? []) known(column, ['grain']);
  for (const column of header.replaces ?? []) known(column, ['replaces']);
  for (const column of header.optional ?? []) known(column, ['optional']);
  for (const column of header.incremental?.by ?? []) known(column, ['incremental', 'by']);
  for (const [former, name] of Object.entries(header.renamed)) {
    known(name, ['renamed', former]);
    if (!columns.has(former)) continue;
    throw badModel(place(['renamed', former]), `renamed names the column ${former}, which is in columns`);
  }
  const tests = dataTests(header);
  for (const test of tests) for (const column of test.columns) known(column, test.path);
  const twice = tests.find(({ name }, index) => tests.findIndex((other) => other.name === name) < index);
  if (twice) {
    throw badModel(place(twice.path), `a second test ${twice.name}`, 'the grain already tests its columns');
  }

  const grain = header.grain?.columns ?? null;
  if (isSeed && grain === null) {
    throw badModel(place(['grain']), 'a seed needs a grain', 'name the columns that identify a row');
  }
  if (isSeed && source.sql.trim() !== '') {
    throw badModel(
      { file, line: sqlLine },
      'a seed cannot contain SQL',
      `its rows are in seeds/${fileName}.csv`,
    );
  }
  if (!isSeed && header.replaces !== undefined) {
    throw badModel(place(['replaces']), 'only rows of a seed can replace others', 'remove replaces');
  }
  if (!isSeed && header.optional !== undefined) {
    throw badModel(place(['optional']), 'only a seed has optional columns', 'remove optional');
  }
  const own = isSeed ? await seedSelect(folders, fileName, seedShape(header)) : source.sql;
  const described = Object.entries(header.renamed).map(
    ([former, name]) => [former, `Former name of ${name}, for one version.`] as const,
  );

  const model: Model = {
    name: header.name,
    kind: header.kind === 'view' ? 'view' : 'table',
    materialize: header.materialize ?? null,
    description: header.description,
    grain,
    columns: columnsWithLoad(header, new Map([...columns, ...described])),
    reads: new Map(
      Object.entries(header.reads).map(([name, types]) => [name, new Map(Object.entries(types))]),
    ),
    each: header.each ?? null,
    incremental: header.incremental ?? null,
    tests,
    sql: withFormerNames(own, header.renamed),
    parts: [],
    byPages: null,
    file,
    sqlLine,
    lineOf: source.lineOf,
  };
  return { model, isSeed };
}

/** Returns a SELECT with the former names of its columns after the current ones. Line numbers stay the same. */
function withFormerNames(sql: string, renamed: Readonly<Record<string, string>>): string {
  const former = Object.entries(renamed).map(([name, present]) => `, ${ident(present)} AS ${ident(name)}`);
  return former.length === 0 ? sql : `SELECT *${former.join('')} FROM (${sql}\n) AS model`;
}

const FilterHeader = z.strictObject({ title: z.string().min(1), description: z.string().min(1) });

/** A named filter of pages: one file under `sql/filters/`. */
export interface SavedFilter extends z.infer<typeof FilterHeader> {
  /** The file's name: `articles`. */
  readonly name: string;
  /** A condition on columns of `mart.pages`, as SQL. It may end in a comment, so a line break must follow it. */
  readonly condition: string;
  /** In errors: `sql/filters/<name>.sql`. */
  readonly file: string;
  /** The line of the file on which the condition begins. */
  readonly line: number;
}

/**
 * Reads the saved filters in the given folders, sorted by name. A filter in a later folder replaces an earlier filter
 * of the same name. `planModels` checks the condition against the columns of `mart.pages`.
 *
 * @throws CrawlhouseError `bad_model` naming file, line, key and valid values
 */
export async function loadFilters(folders: readonly SqlFolder[]): Promise<readonly SavedFilter[]> {
  return [...(await namedFiles(folders, FILTERS_FOLDER))].map(([name, source]) => readFilter(name, source));
}

function readFilter(name: string, source: SqlFile): SavedFilter {
  const header = checkHeader(FilterHeader, source);
  const place = firstWord(source.sql, { file: source.file, line: source.sqlLine });
  const condition = source.sql.trim();
  checkCondition(condition, place);
  return { name, ...header, condition, ...place };
}

/** Returns a model with a SELECT instead of `filters.found`: the pages that match each saved filter. */
export function withFilters(model: Model, filters: readonly SavedFilter[]): Model {
  const { sql, given } = giveTables(model.sql, 'filters', { found: () => found(filters) });
  const parts = filters.flatMap(({ condition, file, line }) => conditionParts(condition, { file, line }));
  return given.size === 0 ? model : { ...model, sql, parts };
}

/** Returns one SELECT per filter, so that an engine skips the other filters when a query reads only one. */
function found(filters: readonly SavedFilter[]): string {
  const none = 'SELECT crawl_id, project_id, url, CAST(NULL AS VARCHAR) AS name FROM mart.pages WHERE false';
  const selects = filters.map(
    ({ name, condition }) =>
      `SELECT crawl_id, project_id, url, ${text(name)} AS name FROM mart.pages WHERE (${condition}\n)`,
  );
  return selects.join('\nUNION ALL\n') || none;
}

/** Returns a hash that changes with the SQL, the header or a test of any model. */
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
  return hash('sha256', JSON.stringify(parts));
}

/** The types that a field's column can have. Units are not checked against other declared types. */
const COLUMN_TYPES: readonly string[] = [
  'BIGINT',
  'DOUBLE',
  'BOOLEAN',
  'VARCHAR',
  'DATE',
  'TIMESTAMP WITH TIME ZONE',
  'JSON',
];

/**
 * Returns the fields of a dataset that models declare under `reads`, with their types. Omits fields that two models
 * read as different types, and columns that crawlhouse adds.
 */
export function fieldsRead(models: readonly Model[], dataset: string): ReadonlyMap<string, ReadField> {
  const reads = new Map<string, ReadField>();
  for (const { file, reads: sources } of models) {
    for (const [field, declared] of sources.get(`raw.${dataset}`) ?? []) {
      if (field.startsWith('_')) continue;
      const type = declared.toUpperCase();
      const former = reads.get(field);
      const isClear = COLUMN_TYPES.includes(type.replace(/\[\]$/, '')) && (!former || former.type === type);
      reads.set(field, { type: isClear ? type : null, file: former?.file ?? file });
    }
  }
  return reads;
}
