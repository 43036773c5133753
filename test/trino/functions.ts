import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const CASES = parse(readFileSync(join(import.meta.dirname, 'functions.yaml'), 'utf8')) as Readonly<
  Record<string, string>
>;

/** What both engines are asked, by the function that it is about: what stands after SELECT, one a line. */
export const FUNCTION_CASES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(CASES).map(([name, lines]) => [name, lines.trim().split('\n')]),
);
