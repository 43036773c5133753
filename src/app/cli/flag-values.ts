import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import { tooLarge, withoutMark } from '../../core/files/read-text.ts';
import type { Names } from '../answers/presentation/blocks.ts';
import type { Flag, Invocation } from './command.ts';

/** Returns the arguments of a command that needs some. @throws CrawlhouseError `usage` without any */
export function neededArguments({ positionals }: Invocation, message: string, hint: string) {
  const [first, ...others] = positionals;
  if (first === undefined) throw new CrawlhouseError('usage', message, { hint });
  return [first, ...others] as const;
}

/** @throws CrawlhouseError `usage` for a value that is not one of `values` */
export function oneOf<T extends string>(
  invocation: Pick<Invocation, 'text'>,
  flag: string,
  values: readonly T[],
): T | null {
  const text = invocation.text(flag);
  const value = values.find((value) => value === text);
  if (value !== undefined || text === undefined) return value ?? null;
  throw new CrawlhouseError('usage', `--${flag}: ${text} is not a valid value`, {
    hint: `values: ${values.join(', ')}`,
  });
}

/** @throws CrawlhouseError `usage` for a value that is not an integer from `least` to `most` */
export function wholeNumber(
  invocation: Pick<Invocation, 'text'>,
  flag: string,
  least: number,
  most: number,
): number | null {
  const text = invocation.text(flag);
  if (text === undefined) return null;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new CrawlhouseError('usage', `--${flag}: ${text} is not a valid value`, {
    hint: `write a number from ${least} to ${most}`,
  });
}

/** @throws CrawlhouseError `usage` if the file of a flag cannot be read */
export async function readFlagFile(
  { workingDirectory }: Pick<Invocation, 'workingDirectory'>,
  flag: string,
  file: string,
): Promise<string> {
  try {
    return await readGivenText(resolve(workingDirectory, file));
  } catch (cause) {
    throw new CrawlhouseError('usage', `--${flag}: ${file} cannot be read`, {
      cause,
      hint: cause instanceof Error ? cause.message : undefined,
    });
  }
}

/** Maximum bytes of a file that a flag names, such as a list of URLs. */
const MOST_GIVEN = 256_000_000;

/** Reads the file of a flag, which may also be a pipe, such as `/dev/stdin`. */
async function readGivenText(path: string): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of createReadStream(path)) {
    bytes += piece.length;
    if (bytes > MOST_GIVEN) throw tooLarge(path, MOST_GIVEN);
    pieces.push(piece);
  }
  return withoutMark(Buffer.concat(pieces).toString('utf8'));
}

const NAMES = ['people', 'columns'] as const;

const HELP = 'readable column names, or SQL names';
export const NAMES_FLAG = { value: 'NAMES', values: NAMES, help: HELP } as const satisfies Flag;

/** @throws CrawlhouseError `usage` */
export const namesOf = (invocation: Invocation, usual: Names): Names =>
  oneOf(invocation, 'names', NAMES) ?? usual;

/** @throws CrawlhouseError `usage` */
export function parametersOf(texts: readonly string[]): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const text of texts) {
    const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? [];
    if (name === undefined || value === undefined) {
      throw new CrawlhouseError('usage', `--param ${text}: not NAME=VALUE`, { hint: '--param crawl=65a1…' });
    }
    if (parameters.has(name)) throw new CrawlhouseError('usage', `--param ${name} is given twice`);
    parameters.set(name, value);
  }
  return parameters;
}
