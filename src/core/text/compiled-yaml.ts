import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the build has made of the YAML that ships. Sources that run without a build have none. */
const FILE = join(import.meta.dirname, '..', '..', 'yaml.json');

let known: ReadonlyMap<string, string> | undefined;

/** The value of a YAML text that ships, if it is one: to read it here would take fifty times as long. */
export function compiledYaml(text: string): { readonly value: unknown } | undefined {
  known ??= new Map<string, string>(
    Object.entries(existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {}),
  );
  const json = known.size === 0 ? undefined : known.get(keyOf(text));
  return json === undefined ? undefined : { value: JSON.parse(json) };
}

/** The content of that file for some texts with their values; it leaves out a value that JSON does not hold. */
export function compileYaml(values: ReadonlyMap<string, unknown>): string {
  const entries = [...values].flatMap(([text, value]) =>
    isJson(value) ? [[keyOf(text), JSON.stringify(value)]] : [],
  );
  return JSON.stringify(Object.fromEntries(entries));
}

function isJson(value: unknown): boolean {
  if (typeof value === 'number')
    return Number.isSafeInteger(value) || (Number.isFinite(value) && value % 1 !== 0);
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  return typeof value === 'object' && Object.values(value).every(isJson);
}

function keyOf(text: string): string {
  return hash('sha256', text, 'base64');
}
