import { join } from 'node:path';
import { type Connection, Database, table } from '../../src/core/duckdb/duckdb.ts';
import type { Model } from '../../src/etl/project/sql/models/model.ts';
import { type PlannedModel, planModels } from '../../src/etl/project/sql/plan/plan-models.ts';
import { selectModels } from '../../src/etl/project/sql/plan/select-models.ts';
import { bindQuestion } from '../../src/etl/project/sql/questions/bind-question.ts';
import type { Question } from '../../src/etl/project/sql/questions/questions.ts';
import { ANSWERS } from '../questions/answers/answers.ts';
import { type Facts, factsOf } from '../questions/answers/facts.ts';
import { casesOf, compareQuestion } from '../questions/compare-question.ts';
import { ALL_SITES } from '../questions/sites/all-sites.ts';
import { CASES } from '../questions/sites/cases.ts';
import { buildModels, loadSites, SQL } from '../questions/sites/load-sites.ts';
import { askQuestion } from '../support/ask-question.ts';
import { makeModel, stubsOf } from './golden-judge.ts';
import { type Verdict, withinTime } from './verdict.ts';

type Given = Readonly<Record<string, string>>;

const FACTS: Facts = factsOf(ALL_SITES);

/** What a question was asked with, and its answer. */
interface Asked {
  readonly given: Given;
  /** As JSON. */
  readonly rows: readonly string[];
}

interface Parts {
  readonly database: Database;
  readonly connection: Connection;
  readonly plan: readonly PlannedModel[];
  readonly questions: readonly Question[];
  /** What tells the rows of a model from others. */
  readonly digests: ReadonlyMap<string, string>;
}

/**
 * Judges mutants by the answers to the saved questions on the adversarial sites. `test/questions` holds the answers of
 * the unchanged SQL to those of plain code, so a mutant whose answers are the same passes there, too.
 */
export class SiteJudge implements AsyncDisposable {
  readonly #database: Database;
  readonly #connection: Connection;
  readonly #digests: ReadonlyMap<string, string>;
  readonly #plan: readonly PlannedModel[];
  readonly #questions: readonly Question[];
  /** By question and parameters. */
  readonly #answers = new Map<string, readonly string[]>();

  private constructor({ database, connection, plan, questions, digests }: Parts) {
    this.#database = database;
    this.#connection = connection;
    this.#digests = digests;
    this.#plan = plan;
    this.#questions = questions;
  }

  static async open(
    folder: string,
    models: readonly Model[],
    questions: readonly Question[],
  ): Promise<SiteJudge> {
    const tempDirectory = join(folder, 'tmp');
    const database = await Database.open({ memoryLimit: '800MB', threads: 1, tempDirectory });
    const connection = await database.connect();
    await connection.run("ATTACH ':memory:' AS sites");
    await connection.run('USE sites');
    await loadSites(connection, ALL_SITES);
    await buildModels(connection, SQL);
    const plan = await planModels({ connection, models });
    const digests = new Map<string, string>();
    for (const { name } of models) digests.set(name, await digestOf(connection, name));
    return new SiteJudge({ database, connection, plan, questions, digests });
  }

  async judgeQuestion(mutant: Question): Promise<Verdict> {
    const original = this.#questions.find(({ name }) => name === mutant.name);
    if (!original) throw new Error(`${mutant.name} is no question`);
    const asked = await this.#asked(original, casesOf(original, CASES));
    const binds = await this.#connection.inner.prepare(bindQuestion(mutant).sql).then(
      (statement) => statement.destroySync(),
      () => 'not',
    );
    if (binds === 'not') return 'invalid';
    return withinTime(this.#connection, () => this.#answersAlike(mutant, asked));
  }

  /**
   * Builds a mutant of a model and the models that change with it, compares the answers of the questions that read
   * them, and takes it back.
   */
  async judgeModel(mutant: Model): Promise<Verdict> {
    const connection = this.#connection;
    const plan = await planModels({
      connection,
      models: [...stubsOf(this.#plan, mutant.name), mutant],
    }).catch(() => []);
    const planned = plan.find(({ model }) => model.name === mutant.name);
    if (!planned) return 'invalid';
    const readers = new Map<Question, readonly Asked[]>();
    for (const question of this.#readersOf(selectModels(this.#plan, [`${mutant.name}+`]))) {
      readers.set(question, await this.#asked(question, [{}]));
    }
    return withinTime(connection, () =>
      connection.trial(async () => {
        const changed = this.#readersOf(await this.#buildChanged(planned));
        for (const question of changed) {
          if (!(await this.#answersAlike(question, readers.get(question) ?? []))) return false;
        }
        return true;
      }),
    );
  }

  /** Builds a model, and in their order those that read one that has other rows than before; gives all that have. */
  async #buildChanged(mutant: PlannedModel): Promise<PlannedModel[]> {
    const changed = new Map<string, PlannedModel>();
    for (const planned of selectModels(this.#plan, [`${mutant.model.name}+`])) {
      const { name } = planned.model;
      const isMutant = name === mutant.model.name;
      if (!isMutant && ![...planned.models].some((read) => changed.has(read))) continue;
      // A view, too: the sites keep the rows of each view as they were.
      await makeModel(this.#connection, isMutant ? mutant : planned);
      if ((await digestOf(this.#connection, name)) !== this.#digests.get(name)) changed.set(name, planned);
    }
    return [...changed.values()];
  }

  /** The questions whose SQL names one of some models. */
  #readersOf(models: readonly PlannedModel[]): Question[] {
    const names = models.map(({ model }) => model.name);
    return this.#questions.filter(({ sql }) => names.some((name) => new RegExp(`\\b${name}\\b`).test(sql)));
  }

  async #answersAlike(question: Question, asked: readonly Asked[]): Promise<boolean> {
    for (const { given, rows } of asked) {
      const found = await this.#ask(question, given);
      if (found.join() === rows.join()) continue;
      if (isWhole(question, given, rows) && found.toSorted().join() !== rows.toSorted().join()) return false;
      // Rows that tie may come in another order, and of these a limit may take others.
      if ((await compareQuestion(this.#connection, question, FACTS, [given])).length > 0) return false;
    }
    return true;
  }

  /** The answers of an unchanged question, each asked for once. */
  async #asked(question: Question, cases: readonly Given[]): Promise<Asked[]> {
    const asked: Asked[] = [];
    for (const given of cases) {
      const key = `${question.name} ${JSON.stringify(given)}`;
      const rows = this.#answers.get(key) ?? (await this.#ask(question, given));
      this.#answers.set(key, rows);
      asked.push({ given, rows });
    }
    return asked;
  }

  async #ask(question: Question, given: Given): Promise<string[]> {
    return (await askQuestion(this.#connection, question, given)).map((row) => JSON.stringify(row));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#database[Symbol.asyncDispose]();
  }
}

async function digestOf(connection: Connection, model: string): Promise<string> {
  const [row] = await connection.jsonRows(
    `SELECT count(*), bit_xor(hash(made)), sum(hash(made)) FROM (
       SELECT COLUMNS(name -> NOT starts_with(name, '_load')) FROM ${table(...model.split('.'))}) AS made`,
  );
  return JSON.stringify(row);
}

/** Whether test/questions knows every value of an answer, and no limit cuts it off. */
function isWhole({ name, parameters }: Question, given: Given, rows: readonly string[]): boolean {
  const limit = given.limit ?? parameters.find((one) => one.name === 'limit')?.default ?? null;
  return !ANSWERS[name]?.untold?.length && (limit === null || rows.length < Number(limit));
}
