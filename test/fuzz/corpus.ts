import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const CORPUS = join(import.meta.dirname, 'corpus');

/** A kept input. */
export interface KeptCase {
  readonly file: string;
  readonly input: Buffer;
}

/** The kept inputs of a target, by name. */
export function keptCases(target: string): KeptCase[] {
  const folder = join(CORPUS, target);
  let files: string[];
  try {
    files = readdirSync(folder).sort();
  } catch {
    // A target without a kept case.
    return [];
  }
  return files.map((file) => ({ file, input: readFileSync(join(folder, file)) }));
}

/** Writes an input to the corpus; the name says what it is. */
export function keepCase(target: string, what: string, input: Buffer): string {
  const words = what
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replaceAll(/^-+|-+$/g, '');
  const digits = createHash('sha256').update(input).digest('hex').slice(0, 8);
  const path = join(CORPUS, target, `${words}-${digits}`);
  mkdirSync(join(CORPUS, target), { recursive: true });
  writeFileSync(path, input);
  return path;
}
