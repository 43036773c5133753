import { existsSync, readFileSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Model } from '../../src/etl/project/sql/models/model.ts';
import { readContract } from '../../src/etl/project/sql/plan/mart-contract.ts';

/** What is kept of a model: enough to plan and build it, on rows that the present program has loaded. */
interface KeptModel {
  readonly name: string;
  readonly sql: string;
  readonly grain: readonly string[] | null;
  readonly columns: readonly string[];
  readonly reads: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly each: Model['each'];
}

interface Kept {
  /** The version of the package, or a commit. */
  readonly version: string;
  /** The version of `sql/contract.yaml` that it had. */
  readonly contract: number;
  readonly models: readonly KeptModel[];
}

export interface FormerModels {
  readonly version: string;
  readonly contract: number;
  readonly models: readonly Model[];
}

const FILE = /^models\.(.+)\.json\.zst$/;
const HERE = import.meta.dirname;

/** The models of the last published version. */
export async function formerModels(): Promise<FormerModels> {
  const [file = ''] = (await readdir(HERE)).filter((name) => FILE.test(name));
  const { models, ...rest } = JSON.parse(
    zstdDecompressSync(readFileSync(join(HERE, file))).toString(),
  ) as Kept;
  return { ...rest, models: models.map(asModel) };
}

function asModel({ columns, reads, ...rest }: KeptModel): Model {
  return {
    ...rest,
    kind: 'table',
    materialize: null,
    description: '',
    incremental: null,
    columns: new Map(columns.map((name) => [name, ''])),
    reads: new Map(Object.entries(reads).map(([source, types]) => [source, new Map(Object.entries(types))])),
    tests: [],
    parts: [],
    byPages: null,
    file: `${rest.name} of the last published version`,
    sqlLine: 1,
    lineOf: () => 1,
  };
}

/**
 * `node test/formats/former-models.ts VERSION [CHECKOUT]`, at a release: keeps the models of this version, or of another
 * checkout, in place of those of the version before.
 */
async function keep(version: string, checkout: string): Promise<void> {
  const folder = join(resolve(checkout), 'src', 'etl', 'project', 'sql', 'models');
  const { loadModels } = (await import(join(folder, 'load-models.ts'))) as {
    readonly loadModels: (folders: readonly unknown[]) => Promise<readonly Model[]>;
  };
  const { SHIPPED_SQL } = (await import(join(folder, 'sql-folders.ts'))) as { readonly SHIPPED_SQL: unknown };
  // A version without a contract counts as the first.
  const path = join(resolve(checkout), 'sql', 'contract.yaml');
  const contract = existsSync(path) ? await readContract(path) : { version: 1 };
  const models = (await loadModels([SHIPPED_SQL])).map(
    ({ name, sql, grain, columns, reads, each }): KeptModel => ({
      name,
      sql,
      grain,
      columns: [...columns.keys()],
      each,
      // The others are read by its partitions and tests alone.
      reads: Object.fromEntries(
        [...reads].flatMap(([source, types]) =>
          sql.includes(source) ? [[source, Object.fromEntries(types)]] : [],
        ),
      ),
    }),
  );
  const kept: Kept = { version, contract: contract.version, models };
  for (const name of await readdir(HERE)) if (FILE.test(name)) await rm(join(HERE, name));
  const { ZSTD_c_compressionLevel: level } = constants;
  const content = zstdCompressSync(JSON.stringify(kept), { params: { [level]: 19 } });
  await writeFile(join(HERE, `models.${version}.json.zst`), content);
}

if (import.meta.main) await keep(String(process.argv[2]), process.argv[3] ?? join(HERE, '..', '..'));
