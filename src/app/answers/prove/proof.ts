import { hash } from 'node:crypto';
import { z } from 'zod';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { parseJsonAsWritten, stringifyJson } from '../../../core/text/json.ts';
import type { Typed } from '../../../core/text/typed-rows.ts';
import { ProvenLoad, ProvenPublication } from '../../../etl/state/catalog/read-provenance.ts';
import { ProvenRows } from './proven-rows.ts';

const Text = z.string().nullable();

/** The days of a crawl (mart.crawl_days). */
export const ProvenDays = z.strictObject({
  project_id: z.string(),
  crawl_id: Text,
  kind: z.string(),
  dataset: z.string(),
  from_date: Text,
  to_date: Text,
  days: z.number(),
});
export type ProvenDays = Typed<typeof ProvenDays>;

const ProvenAnswer = z.strictObject({
  columns: z.array(z.strictObject({ name: z.string(), type: z.string() })),
  total: z.number(),
  /** The first rows. Numbers have all their digits; times are in UTC. */
  rows: z.array(z.array(z.unknown())),
  /** Over all rows, in any order. */
  sha256: z.string(),
});

const Proof = z.strictObject({
  version: z.literal(1),
  figure: z.string().regex(/^(?:sql|(?:question|issue|card):\w+)$/, 'is not a figure'),
  proved_at: z.string(),
  crawlhouse: z.string(),
  publication: ProvenPublication,
  sql: z.string(),
  parameters: z.record(z.string(), Text),
  /** All tables that the SQL and its models read, with the hash of each model's SQL. */
  tables: z.array(z.strictObject({ name: z.string(), definition: Text })),
  loads: z.array(ProvenLoad),
  /** Empty if the answer does not depend on days. */
  days: z.array(ProvenDays),
  answer: ProvenAnswer,
});
export type Proof = Typed<typeof Proof>;

const SealedProof = Proof.extend({ seal: z.record(z.string(), z.string()) });

/** Returns a hash of each part, which shows the part that someone edited by mistake. */
const sealOf = (proof: Proof): Record<string, string> =>
  Object.fromEntries(
    Object.entries(proof).map(([part, value]) => [part, hash('sha256', stringifyJson(value)).slice(0, 16)]),
  );

export const sealedProof = (proof: Proof): object => ({ ...proof, seal: sealOf(proof) });

export const proofText = (proof: Proof): string => `${stringifyJson(sealedProof(proof), 2)}\n`;

/**
 * Reads the text of a sealed proof.
 *
 * @param file how the user calls it
 * @throws CrawlhouseError `usage` for a text that is not a proof, or was edited
 */
export function readProof(text: string, file: string): Proof {
  const refused = (why: string, cause?: unknown): CrawlhouseError =>
    new CrawlhouseError('usage', `--check: ${file}${why}`, {
      cause,
      hint: 'use the file as prove wrote it: crawlhouse prove issue:noindex > proof.json',
    });
  let json: unknown;
  try {
    json = parseJsonAsWritten(text);
  } catch (cause) {
    throw refused(` is not JSON: ${(cause as Error).message}`, cause);
  }
  const { data, error } = SealedProof.safeParse(json);
  if (data === undefined) {
    const [issue] = error.issues;
    throw refused(` is not a proof, at ${issue?.path.join('.') || 'its root'}: ${issue?.message}`);
  }
  const { seal, ...proof } = data;
  const now = sealOf(proof);
  const edited = Object.keys(now).filter((part) => seal[part] !== now[part]);
  if (edited.length > 0)
    throw refused(` was edited: these parts do not match their hashes in seal: ${edited.join(', ')}`);
  const issue = /^issue:(.*)/.exec(proof.figure)?.[1];
  if (issue !== undefined && proof.parameters.issue !== issue)
    throw refused(` is not a proof of ${proof.figure}: its parameter issue is ${proof.parameters.issue}`);
  if (!isWhole(proof.answer))
    throw refused(': the rows of its answer do not match their hash or their number');
  return proof;
}

/** Returns whether the rows are those of the hash; of a larger answer, only whether their number can be right. */
function isWhole({ columns, total, rows, sha256 }: Proof['answer']): boolean {
  const proven = new ProvenRows();
  for (const row of rows) proven.add(row, columns);
  if (proven.kept.length < rows.length) return false;
  return rows.length < total ? proven.isFull : rows.length === total && proven.sha256(columns) === sha256;
}
