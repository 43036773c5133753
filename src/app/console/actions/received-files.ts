import { z } from 'zod';
import type { Typed } from '../../../core/text/typed-rows.ts';

/** What became of a file of an upload. */
export const ReceivedFile = z.strictObject({
  /** Its name on the person's machine; empty: of the files after it, nothing was received. */
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
