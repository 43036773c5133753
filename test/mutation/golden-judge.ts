import { join } from 'node:path';
import { type Connection, Database, ident, table } from '../../src/core/duckdb/duckdb.ts';
import { compareCase, type ModelCase, runCase } from '../../src/etl/pipeline/transform/tests/model-cases.ts';
import { countFailures } from '../../src/etl/pipeline/transform/tests/test-model.ts';
import type { Model } from '../../src/etl/project/sql/models/model.ts';
import { type PlannedModel, planModels } from '../../src/etl/project/sql/plan/plan-models.ts';
import { createSchema } from '../../src/etl/state/catalog/create-schema.ts';
import { type Verdict, withinTime } from './verdict.ts';

/** Judges mutants of one model by its golden cases. What the model reads is made once for each case. */
export class GoldenJudge implements AsyncDisposable {
  readonly #database: Database;
  readonly #connection: Connection;
  readonly #cases: { readonly catalog: string; readonly one: ModelCase }[];
  readonly #around: readonly Model[];

  private constructor(
    database: Database,
    connection: Connection,
    cases: readonly ModelCase[],
    around: readonly Model[],
  ) {
    this.#database = database;
    this.#connection = connection;
    this.#cases = cases.map((one, index) => ({ catalog: `case_${index}`, one }));
    this.#around = around;
  }

  /** @throws Error where the model itself does not pass */
  static async open(
    folder: string,
    models: readonly Model[],
    name: string,
    cases: readonly ModelCase[],
  ): Promise<GoldenJudge> {
    const database = await Database.open({
      memoryLimit: '400MB',
      threads: 1,
      tempDirectory: join(folder, 'tmp'),
    });
    const connection = await database.connect();
    await inCatalog(connection, 'plan', true);
    const plan = await planModels({ connection, models });
    for (const [index, one] of cases.entries()) {
      await inCatalog(connection, `case_${index}`, true);
      const { passed } = await runCase(connection, plan, name, one);
      if (!passed) throw new Error(`${name} does not pass its case: ${one.name}`);
    }
    const judge = new GoldenJudge(database, connection, cases, stubsOf(plan, name));
    const model = models.find((one) => one.name === name);
    const verdict = model && (await judge.judge(model));
    if (verdict !== 'survived') throw new Error(`${name} itself is ${verdict}`);
    return judge;
  }

  async judge(mutant: Model): Promise<Verdict> {
    for (const [index, { catalog, one }] of this.#cases.entries()) {
      await inCatalog(this.#connection, catalog, false);
      const verdict = await this.#judgeBy(mutant, one);
      if (verdict === 'survived') continue;
      // A case that catches one mutant often catches the next.
      this.#cases.unshift(...this.#cases.splice(index, 1));
      return verdict;
    }
    return 'survived';
  }

  async #judgeBy(mutant: Model, one: ModelCase): Promise<Verdict> {
    const connection = this.#connection;
    const plan = await planModels({ connection, models: [...this.#around, mutant] }).catch(() => []);
    const planned = plan.find(({ model }) => model.name === mutant.name);
    if (!planned) return 'invalid';
    return withinTime(connection, async () => {
      await makeModel(connection, planned);
      const tests = await countFailures(connection, planned);
      return (await compareCase(connection, mutant.name, one, tests)).passed;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#database[Symbol.asyncDispose]();
  }
}

/** Without the records of a build, which take longer than a small model. */
export async function makeModel(connection: Connection, { model, sql }: PlannedModel): Promise<void> {
  await connection.run(`CREATE OR REPLACE ${model.kind} ${table(...model.name.split('.'))} AS ${sql}`);
}

async function inCatalog(connection: Connection, name: string, isNew: boolean): Promise<void> {
  if (isNew) await connection.run(`ATTACH ':memory:' AS ${ident(name)}`);
  await connection.run(`USE ${ident(name)}`);
  if (isNew) await createSchema(connection);
}

/** The models that a model and its tests read, as empty relations of their columns: they are there already. */
export function stubsOf(plan: readonly PlannedModel[], name: string): Model[] {
  const read = plan.find(({ model }) => model.name === name);
  const names = new Set([...(read?.models ?? []), ...(read?.testedWith ?? [])]);
  return plan
    .filter(({ model }) => names.has(model.name) && model.name !== name)
    .map(({ model, outputs }) => {
      const nulls = [...outputs].map(([column, type]) => `CAST(NULL AS ${type}) AS ${ident(column)}`);
      const columns = new Map([...outputs.keys()].map((column) => [column, column]));
      const whole = { each: null, reads: new Map(), tests: [], incremental: null, parts: [] };
      return { ...model, ...whole, columns, sql: `SELECT ${nulls.join(', ')}` };
    });
}
