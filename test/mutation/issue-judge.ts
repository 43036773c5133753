import { join } from 'node:path';
import { type Connection, Database } from '../../src/core/duckdb/duckdb.ts';
import type { Issue } from '../../src/etl/project/sql/models/load-issues.ts';
import type { Model } from '../../src/etl/project/sql/models/model.ts';
import { planModels } from '../../src/etl/project/sql/plan/plan-models.ts';
import { createSchema } from '../../src/etl/state/catalog/create-schema.ts';
import { casePages, createPages, findIn, pageColumns } from '../etl/project/sql/models/issue-cases.ts';
import type { Verdict } from './verdict.ts';

/** Judges mutants of an issue, a condition on `mart.pages`, by the pages in its header. */
export class IssueJudge implements AsyncDisposable {
  readonly #database: Database;
  readonly #connection: Connection;
  readonly #issue: Issue;

  private constructor(database: Database, connection: Connection, issue: Issue) {
    this.#database = database;
    this.#connection = connection;
    this.#issue = issue;
  }

  static async open(folder: string, models: readonly Model[], issue: Issue): Promise<IssueJudge> {
    const database = await Database.open({
      memoryLimit: '400MB',
      threads: 1,
      tempDirectory: join(folder, 'tmp'),
    });
    const connection = await database.connect();
    await connection.run("ATTACH ':memory:' AS issue");
    await connection.run('USE issue');
    await createSchema(connection);
    const plan = await planModels({ connection, models: models.filter(({ name }) => name === 'mart.pages') });
    await createPages(connection, pageColumns(plan), casePages(issue));
    return new IssueJudge(database, connection, issue);
  }

  async judge(sql: string): Promise<Verdict> {
    const expected = await findIn(this.#connection, this.#issue);
    const found = await findIn(this.#connection, this.#issue, sql).catch(() => null);
    if (found === null) return 'invalid';
    return JSON.stringify(found) === JSON.stringify(expected) ? 'survived' : 'caught';
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#database[Symbol.asyncDispose]();
  }
}
