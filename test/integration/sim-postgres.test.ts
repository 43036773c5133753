import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { live } from '../sim/life.ts';
import { quietRejections } from '../sim/quiet-rejections.ts';
import { CLOSE, type LoggedStatement } from '../sim/sim-postgres.ts';
import { warmUp } from '../sim/warm-up.ts';
import { type RealPostgres, startPostgres } from '../support/postgres.ts';
import { testSeed } from '../support/random.ts';

/** Lives whose ledger is shared. */
const LIVES = 20;
/** Longer than any statement takes that waits for nobody. */
const PATIENCE_MS = 5000;
/** The model answers these without a look. */
const FIXED = /server_version_num|FROM pg_namespace|SELECT pg_advisory_xact_lock/;

/** The schema, which the model always has, and its clock and random names: `pg_catalog` comes second. */
const FUNCTIONS = `CREATE SCHEMA crawlhouse; CREATE SCHEMA sim;
  CREATE FUNCTION sim.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
    $$SELECT current_setting('sim.now')::timestamptz$$;
  CREATE FUNCTION sim.gen_random_uuid() RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$
    DECLARE
      given text[] := string_to_array(current_setting('sim.uuids'), ',');
    BEGIN
      PERFORM set_config('sim.uuids', array_to_string(given[2:], ','), false);
      RETURN given[1]::uuid;
    END $$`;

const SEQUENCE = `to_regclass('crawlhouse.outbox_id_seq')`;
const IDENTITY = `SELECT pg_sequence_last_value(${SEQUENCE}) AS last WHERE ${SEQUENCE} IS NOT NULL`;
const SET_IDENTITY = `SELECT setval(${SEQUENCE}, coalesce($1::bigint, 1), $1::bigint IS NOT NULL)`;

let postgres: RealPostgres;

beforeAll(async () => {
  postgres = await startPostgres();
});

afterAll(() => postgres[Symbol.asyncDispose]());

/** A server that is asked what the model was asked, by as many connections. */
class Replay implements AsyncDisposable {
  readonly #clients = new Map<number, Client>();
  #identity: { readonly last: string | null } | undefined;
  /** Of the last statement that failed. */
  failure = '';
  readonly #connection: ConstructorParameters<typeof Client>[0];

  constructor(database: string) {
    const { port } = postgres;
    this.#connection = { host: '127.0.0.1', port, user: 'postgres', database };
  }

  async ask({ session, sql, values, at, uuids }: LoggedStatement): Promise<LoggedStatement['rows']> {
    if (sql === CLOSE) {
      await this.#clients.get(session)?.end();
      this.#clients.delete(session);
      return [];
    }
    const client = await this.#client(session);
    const set = `SELECT set_config('sim.now', $1, false), set_config('sim.uuids', $2, false)`;
    try {
      if (!/^(?:COMMIT|ROLLBACK)/.test(sql))
        await client.query(set, [new Date(at).toISOString(), uuids.join()]);
      if (sql === 'BEGIN') this.#identity = (await client.query(IDENTITY)).rows[0];
      const found = await client.query(sql, values.length > 0 ? [...values] : undefined);
      // In the model a rollback takes its numbers back.
      if (sql === 'ROLLBACK' && this.#identity) await client.query(SET_IDENTITY, [this.#identity.last]);
      return Array.isArray(found) ? [] : found.rows;
    } catch (error) {
      // As the model notes a failure.
      this.failure = String(error);
      return null;
    }
  }

  async #client(session: number): Promise<Client> {
    const known = this.#clients.get(session);
    if (known) return known;
    const client = new Client(this.#connection);
    await client.connect();
    await client.query(`SET search_path = sim, pg_catalog; SET statement_timeout = ${PATIENCE_MS}`);
    this.#clients.set(session, client);
    return client;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#clients.values()].map((client) => client.end()));
  }
}

/** Rows as texts that are equal where the answers mean the same; in the server's order where it was asked for. */
function rowsOf(sql: string, rows: LoggedStatement['rows']): readonly string[] | null {
  if (rows === null) return null;
  const texts = rows.map((row) =>
    JSON.stringify(Object.values(row).map((value) => (typeof value === 'boolean' ? Number(value) : value))),
  );
  return /\bORDER BY\b/.test(sql) ? texts : texts.toSorted();
}

test(`PostgreSQL returns the same as its model for every statement of ${LIVES} lives`, async () => {
  using _quiet = quietRejections();
  await warmUp();
  const first = 1 + (testSeed() % 1_000_000);
  const kinds = new Set<string>();
  let lived = 0;
  for (let seed = first; lived < LIVES; seed++) {
    const { statements } = await live(seed, { statements: true });
    if (!statements || statements.length === 0) continue;
    const database = `life_${lived++}`;
    await postgres.execute(`CREATE DATABASE ${database}`);
    await using replay = new Replay(database);
    await replay.ask({ session: -1, sql: FUNCTIONS, values: [], rows: [], at: 0, uuids: [] });
    for (const [index, one] of statements.entries()) {
      const answer = await replay.ask(one);
      if (FIXED.test(one.sql)) continue;
      kinds.add(one.sql);
      const where = `seed ${seed}, statement ${index}: ${one.sql} ${JSON.stringify(one.values)}`;
      expect([where, rowsOf(one.sql, answer)], replay.failure).toEqual([where, rowsOf(one.sql, one.rows)]);
    }
  }
  expect(kinds.size).toBeGreaterThan(40);
});
