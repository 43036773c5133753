import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for the cases of a target. */
export function fuzzFolder(): { readonly folder: string; readonly close: () => Promise<void> } {
  const folder = mkdtempSync(join(tmpdir(), 'crawlhouse-fuzz-'));
  return { folder, close: async () => rmSync(folder, { recursive: true, force: true }) };
}
