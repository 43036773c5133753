import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jsonOf, parseJson, stringifyJson } from '../../../src/core/text/json.ts';
import { readPackage } from '../../../src/etl/pipeline/load/read-package.ts';
import { readTables } from '../../../src/etl/pipeline/workers/run-tables.ts';
import { PreparedLoad } from '../../../src/etl/project/model/prepared-load.ts';
import { fuzzFolder } from '../folder.ts';
import { called, Fault, plainTarget, same, type Target, type Verdict } from '../target.ts';

const PACKAGE = join(import.meta.dirname, '..', '..', 'formats', 'package.v1');

/** A manifest that a worker, or another program, wrote: nothing outside of the package's folder is read. */
async function checkManifest(folder: string, input: Buffer): Promise<Verdict> {
  const path = join(folder, 'manifest.json');
  writeFileSync(path, input);
  const found = await called(async () => {
    try {
      return await readPackage(folder);
    } catch (error) {
      if (!(error as Error).message.includes(folder))
        throw new Fault('a refusal names no file', (error as Error).message);
      throw error;
    }
  });
  if (found === undefined) return 'refused';
  const { manifest } = found.value;
  for (const { file } of [...manifest.parts, ...manifest.rejects])
    if (/^\/|\.\.|\\|\0/.test(file)) throw new Fault('a file outside of the package is taken', file);
  const written = parseJson(input.toString()) as Record<string, unknown>;
  for (const key of ['columns', 'parts', 'counts', 'unit'])
    same(subset((manifest as Record<string, unknown>)[key], written[key]), true, `${key} as written`);
  same(parseJson(stringifyJson(manifest)), manifest, 'a manifest there and back');
  return 'taken';
}

/** Whether every value that was taken is the one that was written; keys that nobody knows are left out. */
function subset(taken: unknown, written: unknown): boolean {
  if (Array.isArray(taken) && Array.isArray(written))
    return taken.length === written.length && taken.every((one, at) => subset(one, written[at]));
  if (typeof taken !== 'object' || taken === null) return taken === written;
  if (typeof written !== 'object' || written === null) return false;
  return Object.entries(taken).every(([key, value]) =>
    subset(value, (written as Record<string, unknown>)[key]),
  );
}

/** Packages of workers. */
export const manifests: Target = {
  name: 'manifests',
  seeds: [readFileSync(join(PACKAGE, 'manifest.json'))],
  words: [
    '"parts/part-00001.parquet"',
    '"../a.parquet"',
    '"file"',
    '"rows"',
    '"bytes"',
    '"sha256"',
    '"version"',
    '"unit"',
    '"columns"',
    '"sql_type"',
    '"VARCHAR"',
    '1e400',
    '-1',
    'null',
    '"parts/\\u0000.parquet"',
  ],
  shortRound: 200,
  async open() {
    const { folder, close } = fuzzFolder();
    cpSync(PACKAGE, folder, { recursive: true });
    return { close, check: (input) => checkManifest(folder, input) };
  },
};

const TABLES =
  '{"crawl_pages":{"tableColumns":[["url","VARCHAR"]],"registry":[["url","url"]],"reads":[["url",{"type":"string","file":"sql/a.sql"}]],"stored":[["url","varchar"]]}}';

/** What a run says of its tables, and a worker of a load. */
export const loadDescriptions = plainTarget(
  {
    name: 'load-descriptions',
    seeds: [
      TABLES,
      '{"load":"8b6f3f5e-4d2b-4a53-9f34-0b8f1f6f2a10","location":"s3://b/k","rows":2,"bytes":442,"loaded_at":"2026-11-21T06:00:01.000Z","values":[{"target":"url","type":"VARCHAR","sql":"url"}]}',
    ],
    words: [
      '"tableColumns"',
      '"registry"',
      '"reads"',
      '"stored"',
      '"load"',
      '"rows"',
      '"values"',
      'null',
      '[]',
      '{}',
      '-1',
      '1e400',
      '"__proto__"',
    ],
    shortRound: 500,
  },
  async (input) => {
    const text = input.toString();
    const load = PreparedLoad.safeParse(jsonOf(text));
    if (load.success && !(load.data.rows > 0 && Number.isSafeInteger(load.data.rows)))
      throw new Fault('a load has no number of rows', load.data.rows);
    const tables = await called(() => readTables(text));
    if (tables === undefined) return load.success ? 'taken' : 'refused';
    const written = parseJson(text) as Record<
      string,
      Record<string, readonly (readonly [string, unknown])[]>
    >;
    for (const [dataset, table] of tables.value)
      for (const [key, value] of Object.entries(table))
        same(subset([...value], [...new Map(written[dataset]?.[key])]), true, `${key} as written`);
    return 'taken';
  },
);
