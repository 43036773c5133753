import { z } from 'zod';
import type { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { Typed } from '../../../core/text/typed-rows.ts';

const Fact = z.strictObject({ name: z.string(), value: z.string(), is_guess: z.boolean() });

/** How a command reads an uploaded file. */
export const UploadPreview = z.strictObject({
  /** The facts of each file or export that the upload contains. */
  understood: z.array(z.array(Fact)),
  /** Such as `planned` or `known`. */
  statuses: z.array(z.string()),
  notes: z.array(z.string()),
  /** Why it cannot be added. */
  problem: z.string().nullable(),
  /** What to do about that. */
  hint: z.string().nullable(),
});
export type UploadPreview = Typed<typeof UploadPreview>;

/** The output of `--dry-run --json` for `logs add` and `demand add`. */
const Printed = z.object({
  files: z.array(z.object({ status: z.string() })).default([]),
  understood: z.array(z.object({ facts: z.array(Fact) })).default([]),
  exports: z
    .array(z.object({ status: z.string(), understood: z.array(Fact), notes: z.array(z.string()) }))
    .default([]),
});

/** @param shown rewrites the path of the file to its name */
export function previewOf(
  document: unknown,
  error: CrawlhouseError | null,
  shown: (text: string) => string,
): UploadPreview {
  const { files, understood, exports } = Printed.parse(document ?? {});
  const facts = [...understood.map((one) => one.facts), ...exports.map((one) => one.understood)];
  return {
    understood: facts.filter((fact) => fact.length > 0),
    statuses: [...files, ...exports].map(({ status }) => status),
    notes: exports.flatMap(({ notes }) => notes.map(shown)),
    problem: error === null ? null : shown(error.message),
    hint: error?.hint == null ? null : shown(error.hint),
  };
}
