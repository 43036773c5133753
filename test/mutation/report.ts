import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import type { Change } from './change.ts';

/** A mutant that nothing has caught. */
export interface Survivor {
  readonly line: number;
  /** Its lines on one, as in `status_code [= → <>] 200`. */
  readonly change: string;
}

const Counts = z.strictObject({
  mutants: z.number(),
  caught: z.number(),
  /** Survivors that a person judged to mean the same as the file. */
  equivalent: z.number(),
  ratio: z.number(),
});
const FileResult = Counts.extend({
  survivors: z.array(z.strictObject({ line: z.number(), change: z.string() })),
});
type Counts = z.infer<typeof Counts>;
export type FileResult = z.infer<typeof FileResult>;
const Report = z.strictObject({ all: Counts, files: z.record(z.string(), FileResult) });

/** Reasons why a mutant means the same, by file and change. */
const Equivalents = z.record(
  z.string(),
  z.array(z.strictObject({ changes: z.array(z.string()).min(1), reason: z.string().min(1) })),
);
export type Equivalents = z.infer<typeof Equivalents>;

const FOLDER = import.meta.dirname;

export async function loadEquivalents(): Promise<Equivalents> {
  return Equivalents.parse(parse(await readFile(join(FOLDER, 'equivalent.yaml'), 'utf8')));
}

/** Where a change stands, and how it reads. */
export function survivorOf(sql: string, sqlLine: number, { start, end, instead }: Change): Survivor {
  const from = sql.lastIndexOf('\n', start - 1) + 1;
  const to = sql.indexOf('\n', end);
  const after = sql.slice(end, to < 0 ? sql.length : to);
  const change = `${sql.slice(from, start)}[${sql.slice(start, end).trim()} → ${instead}]${after}`;
  return {
    line: sqlLine + sql.slice(0, start).split('\n').length - 1,
    change: change.replaceAll(/\s+/g, ' ').trim(),
  };
}

/** The result of a file, and the entries for it in `equivalent.yaml` that fit none of its survivors. */
export function resultOf(
  survivors: readonly Survivor[],
  caught: number,
  known: Equivalents[string] = [],
): { readonly result: FileResult; readonly stale: readonly string[] } {
  const changes = new Set(known.flatMap((entry) => entry.changes));
  const left = survivors.filter(({ change }) => !changes.has(change));
  const equivalent = survivors.length - left.length;
  const stale = [...changes].filter((change) => !survivors.some((one) => one.change === change));
  const counts = { mutants: caught + survivors.length, caught, equivalent };
  return { result: { ...withRatio(counts), survivors: left }, stale };
}

/** Writes the results of some files beside those of the others, less files that are gone; gives those of all. */
export async function writeReport(
  results: ReadonlyMap<string, FileResult>,
  present: readonly string[],
): Promise<Counts> {
  const path = join(FOLDER, 'survivors.yaml');
  const former = existsSync(path) ? Report.parse(parse(await readFile(path, 'utf8'))).files : {};
  const merged = present.flatMap((file) => {
    const result = results.get(file) ?? former[file];
    return result ? [[file, result] as const] : [];
  });
  const sum = (of: (result: FileResult) => number): number =>
    merged.reduce((total, [, result]) => total + of(result), 0);
  const all = withRatio({
    mutants: sum(({ mutants }) => mutants),
    caught: sum(({ caught }) => caught),
    equivalent: sum(({ equivalent }) => equivalent),
  });
  const head = '# Written by npm run test:mutation.\n';
  await writeFile(path, head + stringify({ all, files: Object.fromEntries(merged) }, { lineWidth: 0 }));
  return all;
}

/** Of the mutants that mean something else than the file. */
function withRatio(counts: Omit<Counts, 'ratio'>): Counts {
  const { mutants, caught, equivalent } = counts;
  const ratio = mutants === equivalent ? 1 : caught / (mutants - equivalent);
  return { ...counts, ratio: Math.round(ratio * 1000) / 1000 };
}
