import { z } from 'zod';
import { type Typed, typedRows } from '../../../core/text/typed-rows.ts';

const Text = z.string().nullable();
const Count = z.union([z.number(), z.bigint()]).nullable();

/** A row of ops.loads, with the six counts as far as they are recorded. */
export const ProvenLoad = z.strictObject({
  unit: z.string(),
  dataset: z.string(),
  project_id: Text,
  loaded_at: Text,
  reported: Count,
  received: Count,
  staged: Count,
  rejected: Count,
  loaded: Count,
  queryable: Count,
  content_sha256: Text,
  fingerprint: Text,
});
export type ProvenLoad = Typed<typeof ProvenLoad>;

/** The days of a crawl (mart.crawl_days). */
export const ProvenDays = z.strictObject({
  project_id: z.string(),
  crawl_id: Text,
  kind: z.string(),
  from_date: Text,
  to_date: Text,
  days: z.number(),
});

const ProvenAnswer = z.strictObject({
  columns: z.array(z.strictObject({ name: z.string(), type: z.string() })),
  total: z.number(),
  /** The first rows. Numbers have all their digits; times are in UTC. */
  rows: z.array(z.array(z.unknown())),
  /** Over all rows, in any order. */
  sha256: z.string(),
});

export const Proof = z.strictObject({
  version: z.literal(1),
  figure: z.string(),
  proved_at: z.string(),
  crawlhouse: z.string(),
  /** SHA-256 of the SQL files, and of the settings that change them. */
  definitions: z.string(),
  publication: z.strictObject({ id: Text, published_at: Text }),
  sql: z.string(),
  parameters: z.record(z.string(), Text),
  /** All tables that the SQL and its models read. */
  tables: z.array(z.string()),
  loads: z.array(ProvenLoad),
  /** Empty if the answer does not depend on days. */
  days: z.array(ProvenDays),
  answer: ProvenAnswer,
});
export type Proof = Typed<typeof Proof>;

export type Difference =
  | { readonly what: 'answer'; readonly then: string; readonly now: string }
  | { readonly what: 'load'; readonly unit: string; readonly state: 'missing' | 'changed' | 'added' }
  | { readonly what: 'definitions' | 'crawlhouse'; readonly then: string; readonly now: string };

export interface CheckedProof {
  readonly equal: boolean;
  readonly differences: readonly Difference[];
}

/** Reads rows, whose lists and structures are JSON values. */
export const rowsAs = <Schema extends z.ZodType>(schema: Schema, rows: readonly object[]) =>
  typedRows(schema, rows as Record<string, unknown>[]);

const COUNTED = ['loaded', 'rejected'] as const;

function isSameLoad(then: ProvenLoad, now: ProvenLoad): boolean {
  if (then.fingerprint !== null && now.fingerprint !== null) return then.fingerprint === now.fingerprint;
  if (then.content_sha256 !== null && now.content_sha256 !== null)
    return then.content_sha256 === now.content_sha256;
  return COUNTED.every((name) => String(then[name]) === String(now[name]));
}

/**
 * Compares a proof with the one of this machine. Other definitions, another version and added loads are differences
 * only if the answer differs: they may explain it.
 */
export function compareProofs(then: Proof, now: Proof): CheckedProof {
  const own = new Map(now.loads.map((load) => [load.unit, load]));
  const differences: Difference[] = then.loads.flatMap((load): Difference[] => {
    const other = own.get(load.unit);
    if (other !== undefined && isSameLoad(load, other)) return [];
    return [{ what: 'load', unit: load.unit, state: other === undefined ? 'missing' : 'changed' }];
  });
  if (then.answer.sha256 !== now.answer.sha256) {
    const named = new Set(then.loads.map(({ unit }) => unit));
    differences.unshift({ what: 'answer', then: answerText(then), now: answerText(now) });
    for (const { unit } of now.loads)
      if (!named.has(unit)) differences.push({ what: 'load', unit, state: 'added' });
    for (const what of ['definitions', 'crawlhouse'] as const)
      if (then[what] !== now[what]) differences.push({ what, then: then[what], now: now[what] });
  }
  return { equal: differences.length === 0, differences };
}

const answerText = ({ answer: { total, sha256 } }: Proof): string =>
  `${total} ${total === 1 ? 'row' : 'rows'}, SHA-256 ${sha256.slice(0, 12)}`;
