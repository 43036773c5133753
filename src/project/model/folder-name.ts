import { createHash } from 'node:crypto';

/** A unit's name as a folder: legible, and never two units in one. */
export function folderName(unit: string): string {
  const plain = unit.replaceAll(/[^A-Za-z0-9_.-]/g, '_');
  return `${plain.slice(0, 120)}-${createHash('sha256').update(unit).digest('hex').slice(0, 8)}`;
}
