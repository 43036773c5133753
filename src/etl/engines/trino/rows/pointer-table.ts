import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { host } from '../../../../core/host/host.ts';
import type { Pointer } from '../../../state/catalog/ops/ops-pointers.ts';
import { literal } from '../client/literal.ts';
import type { RelationNames } from '../client/relation-names.ts';
import { MODEL_SESSION, type TrinoClient, type TrinoPage } from '../client/trino-client.ts';
import { TrinoFailure } from '../client/trino-error.ts';

/** Maximum pointers in one statement, whose text has at most a million characters. */
const AT_ONCE = 3000;
/**
 * Maximum attempts. Few writers begin at the same moment, and one of several conflicting writers succeeds each time.
 */
const MOST_TRIES = 10;
/** Steps of one writer. */
const STEPS = 1_000_000_000n;
/** The partition that each new writer and each publication writes to. */
const ORDER = 0n;

interface PointerPlace {
  readonly client: TrinoClient;
  readonly prefix: string;
}

/** Loads by relation and unit. */
type Loads = Map<string, Map<string, string>>;

/** The pointers in Trino, as one writer sees and moves them. `store.visible` contains those that readers follow. */
export class PointerTable {
  /** The token, one more than that of the previous writer. */
  readonly token: bigint;
  readonly #client: TrinoClient;
  readonly #names: RelationNames;
  readonly #source: string;
  #step = 0n;
  readonly #seen: Loads = new Map();
  #published: Loads = new Map();

  private constructor({ client, prefix }: PointerPlace, names: RelationNames, token: bigint) {
    this.#client = client;
    this.#names = names;
    this.#source = `${prefix}${token}`;
    this.token = token;
  }

  /**
   * Makes this process the writer. Discards unpublished work of former writers, and refuses their later writes.
   *
   * @throws CrawlhouseError `locked` if another writer has begun since
   */
  static async begin(
    place: PointerPlace,
    names: RelationNames,
    signal: AbortSignal | undefined,
  ): Promise<PointerTable> {
    const table = new PointerTable(place, names, await claimToken(place, names, signal));
    await table.#insert([{ relation: null, unit: null, load: null }], signal);
    await table.run(`DELETE FROM ${names.candidate} WHERE token < ${literal(table.token)}`, signal);
    await table.#look(signal);
    return table;
  }

  async #look(signal: AbortSignal | undefined): Promise<void> {
    for await (const { rows } of this.pages(this.#names.lastPointers('visible'), signal))
      for (const [relation, unit, load] of rows as [string, string, string | null][])
        note(this.#seen, { relation, unit, load });
    this.#published = copyOf(this.#seen);
  }

  /** Runs a statement under the writer's name. Returns the number of written rows. */
  run(sql: string, signal?: AbortSignal): Promise<bigint> {
    return this.#client.run(sql, { source: this.#source, session: MODEL_SESSION }, signal);
  }

  rows<T>(sql: string, signal?: AbortSignal): Promise<T[]> {
    return this.#client.rows<T>(sql, { source: this.#source, session: MODEL_SESSION }, signal);
  }

  pages(sql: string, signal?: AbortSignal): AsyncIterable<TrinoPage> {
    return this.#client.pages(sql, { source: this.#source, session: MODEL_SESSION }, signal);
  }

  /** Returns the loads of a relation's units, as the writer sees them. */
  seen(relation: string): ReadonlyMap<string, string> {
    return this.#seen.get(relation) ?? new Map();
  }

  /** Returns the published pointers, which readers see. */
  published(relation: string): ReadonlyMap<string, string> {
    return this.#published.get(relation) ?? new Map();
  }

  /** Returns the relations with a load that the writer or readers see. */
  relations(): string[] {
    return [...new Set([...this.#seen.keys(), ...this.#published.keys()])];
  }

  /** Points units to other loads, for the writer. */
  async set(pointers: readonly Pointer[], signal?: AbortSignal): Promise<void> {
    const moved = pointers.filter(
      ({ relation, unit, load }) => (this.seen(relation).get(unit) ?? null) !== load,
    );
    await this.#insert(moved, signal);
    for (const pointer of moved) note(this.#seen, pointer);
  }

  /** Replaces all pointers of raw, mart and ops. The writer then sees only these loads. */
  async setAll(pointers: readonly Pointer[], signal?: AbortSignal): Promise<void> {
    const wanted: Loads = new Map();
    for (const pointer of pointers) note(wanted, pointer);
    const gone = this.relations()
      .filter((relation) => relation.includes('.'))
      .flatMap((relation) =>
        [...this.seen(relation).keys()]
          .filter((unit) => !wanted.get(relation)?.has(unit))
          .map((unit) => ({ relation, unit, load: null })),
      );
    await this.set([...gone, ...pointers.filter(({ relation }) => relation.includes('.'))], signal);
  }

  /**
   * Shows readers a pointer immediately, unless they already have one for this relation. The first writer decides.
   *
   * @returns the load that readers have
   */
  async settle(relation: string, load: string, signal?: AbortSignal): Promise<string> {
    const { visible } = this.#names;
    const row = [ORDER, ORDER, relation, '', load].map(literal).join(', ');
    const insert = `MERGE INTO ${visible} AS known USING (VALUES (${literal(relation)})) AS given (relation)
       ON known.relation = given.relation WHEN NOT MATCHED THEN INSERT VALUES (${row})`;
    await inOrder(() => this.run(insert, signal), signal);
    const last = `SELECT max_by(load_id, seq) FROM ${visible} WHERE relation = ${literal(relation)}`;
    const settled = String(await this.#client.scalar(last, {}, signal));
    for (const loads of [this.#seen, this.#published]) note(loads, { relation, unit: '', load: settled });
    return settled;
  }

  /**
   * Checks that this is still the last writer.
   *
   * @throws CrawlhouseError `locked` if another writer has begun since
   */
  async check(signal?: AbortSignal): Promise<void> {
    const last = await this.#client.scalar(`SELECT max(seq) FROM ${this.#names.visible}`, {}, signal);
    if (tokenOf(last as bigint) !== this.token) throw anotherWriter();
  }

  /**
   * Shows readers all pointers of the writer, in one statement.
   *
   * @throws CrawlhouseError `locked` if another writer has begun since
   */
  async publish(signal?: AbortSignal): Promise<void> {
    const { candidate, visible } = this.#names;
    const token = literal(this.token);
    const written = await inOrder(() => {
      // A row of its own, so that zero written rows mean that another writer has begun.
      const row = [ORDER, this.#nextSeq(), null, null, null].map(literal).join(', ');
      return this.run(
        `MERGE INTO ${visible} AS known USING (
           SELECT * FROM (
             SELECT token, max(seq), relation, unit, max_by(load_id, seq) FROM ${candidate}
             WHERE token = ${token} AND relation IS NOT NULL GROUP BY token, relation, unit
             UNION ALL VALUES (${row})
           ) AS wanted (token, seq, relation, unit, load_id)
           WHERE (SELECT max(seq) FROM ${visible}) < ${literal((this.token + 1n) * STEPS)}
         ) AS given ON known.token = given.token AND known.seq = given.seq
         WHEN NOT MATCHED THEN INSERT VALUES (given.token, given.seq, given.relation, given.unit, given.load_id)`,
        signal,
      );
    }, signal);
    if (written === 0n) throw anotherWriter();
    this.#published = copyOf(this.#seen);
  }

  async #insert(
    pointers: readonly { relation: string | null; unit: string | null; load: string | null }[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    for (let at = 0; at < pointers.length; at += AT_ONCE) {
      const rows = pointers.slice(at, at + AT_ONCE).map(({ relation, unit, load }) => {
        const texts = [relation, unit, load].map((value) => `CAST(${literal(value)} AS varchar)`);
        return `(${[literal(this.token), literal(this.#nextSeq()), ...texts].join(', ')})`;
      });
      await this.run(`INSERT INTO ${this.#names.candidate} VALUES ${rows.join(', ')}`, signal);
    }
  }

  #nextSeq(): bigint {
    return this.token * STEPS + ++this.#step;
  }
}

function tokenOf(seq: bigint): bigint {
  return seq / STEPS;
}

/**
 * Inserts and returns a token that is greater than all other tokens.
 *
 * @throws CrawlhouseError `locked` if another writer has begun since
 */
async function claimToken(
  { client, prefix }: PointerPlace,
  { visible, candidate }: RelationNames,
  signal: AbortSignal | undefined,
): Promise<bigint> {
  const own = host().uuid();
  const all = `SELECT seq FROM ${visible} UNION ALL SELECT seq FROM ${candidate}`;
  const next = `SELECT coalesce(max(seq) - max(seq) % ${STEPS}, 0) + ${STEPS} AS seq FROM (${all})`;
  const insert = `MERGE INTO ${visible} AS known USING (${next}) AS given ON known.seq = given.seq
     WHEN NOT MATCHED THEN INSERT VALUES (${literal(ORDER)}, given.seq, NULL, NULL, ${literal(own)})`;
  const options = { source: `${prefix}begin`, session: MODEL_SESSION };
  await inOrder(() => client.run(insert, options, signal), signal);
  const claimed = `SELECT max(seq) FROM ${visible} WHERE relation IS NULL AND load_id = ${literal(own)}`;
  const seq = (await client.scalar(claimed, options, signal)) as bigint | null;
  // A later writer has already cleaned up.
  if (seq === null) throw anotherWriter();
  return tokenOf(seq);
}

/**
 * Runs a MERGE into the visible pointers that writes to the partition `ORDER`. Iceberg refuses the MERGE if another
 * statement has written there since it read, and the MERGE runs again. So these statements run in an order, and each
 * one has seen the writes of the previous ones. Trino checks for conflicts only in the partitions that a statement
 * writes to.
 */
async function inOrder<T>(statement: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await statement();
    } catch (error) {
      if (!isOvertaken(error) || tries === MOST_TRIES) throw error;
    }
    // Conflicting writers wait at random, so that they do not conflict again.
    await host().sleep(host().random() * 200 * tries, signal);
  }
}

function note(loads: Loads, { relation, unit, load }: Pointer): void {
  const own = loads.get(relation) ?? new Map<string, string>();
  if (load === null) own.delete(unit);
  else own.set(unit, load);
  loads.set(relation, own);
}

function copyOf(loads: Loads): Loads {
  return new Map([...loads].map(([relation, units]) => [relation, new Map(units)]));
}

/** Returns whether Iceberg refused the commit, so that nothing was written. */
function isOvertaken(error: unknown): boolean {
  const { cause } = error as { readonly cause?: unknown };
  return cause instanceof TrinoFailure && cause.errorName === 'ICEBERG_COMMIT_ERROR';
}

function anotherWriter(): CrawlhouseError {
  return new CrawlhouseError('locked', 'another writer has started since, so nothing was published', {
    hint: 'the latest run is publishing; run again after it ends',
  });
}
