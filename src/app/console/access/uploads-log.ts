import { z } from 'zod';
import type { Typed } from '../../../core/text/typed-rows.ts';
import { ConsoleTable } from './console-database.ts';

/** A file that was uploaded and added. */
const AddedUpload = z.object({
  /** Its folder and name. */
  file: z.string(),
  kind: z.enum(['logs', 'demand']),
  /** The website or project; empty: the only one. */
  site: z.string(),
  /** The action that added it, and the last one that took it back. */
  action: z.number(),
  removal: z.number().nullable(),
});
export type AddedUpload = Typed<typeof AddedUpload>;

/** The files that were added from uploads. */
export class UploadsLog extends ConsoleTable {
  added({ file, kind, site, action }: Omit<AddedUpload, 'removal'>): void {
    this.database
      .prepare('INSERT OR REPLACE INTO uploads (file, kind, site, action) VALUES (?, ?, ?, ?)')
      .run(file, kind, site, action);
  }

  removed(file: string, removal: number): void {
    this.database.prepare('UPDATE uploads SET removal = ? WHERE file = ?').run(removal, file);
  }

  /** Returns the newest first. */
  list(most: number): readonly AddedUpload[] {
    const rows = this.database.prepare('SELECT * FROM uploads ORDER BY action DESC LIMIT ?').all(most);
    return rows.map((row) => AddedUpload.parse(row));
  }
}
