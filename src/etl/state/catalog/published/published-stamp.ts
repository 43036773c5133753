import { closeSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { readIteration } from '../../../../core/duckdb/database-blocks.ts';
import { writeFileAtomic } from '../../../../core/files/atomic-file.ts';
import { jsonOf } from '../../../../core/text/json.ts';

/**
 * A publication, and the number of checkpoints of its file. DuckDB counts checkpoints regardless of the file's name and
 * time.
 */
const Stamp = z.object({ id: z.string(), checkpoints: z.string() });

const noteOf = (workPath: string): string => join(dirname(workPath), 'published.json');

function checkpointsOf(path: string): string {
  const fd = openSync(path, 'r');
  try {
    return String(readIteration(fd, path));
  } finally {
    closeSync(fd);
  }
}

/** Records the publication, so that the next one knows whether another program wrote to the file. */
export async function noteStamp(workPath: string, path: string, id: string): Promise<void> {
  const stamp: z.input<typeof Stamp> = { id, checkpoints: checkpointsOf(path) };
  await writeFileAtomic(noteOf(workPath), JSON.stringify(stamp), 0o600);
}

/**
 * Returns whether another program has written to the published file.
 *
 * @param id of the publication that the file has; null if there is none
 * @returns false also if this is unknown, without a note of this publication or for a damaged file
 */
export function isWrittenByOthers(workPath: string, path: string, id: string | null): boolean {
  try {
    const stamp = Stamp.parse(jsonOf(readFileSync(noteOf(workPath), 'utf8')));
    return stamp.id === id && stamp.checkpoints !== checkpointsOf(path);
  } catch {
    // The next publication reports the damage when it replaces the file.
    return false;
  }
}
