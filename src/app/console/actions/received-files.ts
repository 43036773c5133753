import { z } from 'zod';
import type { Typed } from '../../../core/text/typed-rows.ts';

/** The outcome of an uploaded file. */
export const ReceivedFile = z.strictObject({
  /** The file's name on the person's machine; empty if nothing was received of the remaining files. */
  name: z.string(),
  /** The page that shows how it is read; null: it was not taken. */
  address: z.string().nullable(),
  problem: z.string().nullable(),
  hint: z.string().nullable(),
});
export type ReceivedFile = Typed<typeof ReceivedFile>;

/** Keeps the files of each person's last upload, in memory only. */
export class ReceivedFiles {
  readonly #of = new Map<string, readonly ReceivedFile[]>();

  keep(subject: string, files: readonly ReceivedFile[]): void {
    this.#of.set(subject, files);
  }

  of(subject: string): readonly ReceivedFile[] {
    return this.#of.get(subject) ?? [];
  }
}
